//! Changes of stores, without a format.

use std::sync::Arc;

use super::journal::{HIDDEN, KeyJournal};
use super::recorded_keys::{Keys, RecordedKeys, store_of};
use super::*;
use crate::ErrorKind;
use crate::io::Store;
use crate::io::dir::DirStore;
use crate::io::file::{DirectoryAccess, LockedDirectory};
use crate::notes::Notes;

const CHUNK: (KeyLevel, &str) = (KeyLevel::Chunk, "v/");
const METADATA: (KeyLevel, &str) = (KeyLevel::Metadata, "v/");
const CONSOLIDATED: (KeyLevel, &str) = (KeyLevel::Consolidated, "v/");

fn before() -> Keys {
    let keys = [
        ("v/c/0", "old0"),
        ("v/c/1", ""),
        ("v/m", "old"),
        ("w/m", "old"),
        ("m", "old"),
    ];
    keys.into_iter()
        .map(|(key, text)| (key.to_owned(), text.as_bytes().to_vec()))
        .collect()
}

fn open(raw: &RecordedKeys) -> crate::Result<PatchedStore> {
    let store = PatchedStore::new(Box::new(raw.clone()), Arc::new(raw.clone()));
    store.settle(&["v/", "w/"], &Notes::default())?;
    Ok(store)
}

/// Replaces, creates and removes keys of all levels.
fn change(store: &PatchedStore) {
    store.put(CHUNK, "v/c/0", b"new0").unwrap();
    store.put(CHUNK, "v/c/2/7", b"first").unwrap();
    store.put(CHUNK, "v/c/2/7", b"new2").unwrap();
    store.remove(CHUNK, "v/c/1").unwrap();
    store.put(METADATA, "v/m", b"new").unwrap();
    store.put(METADATA, "w/m", b"new").unwrap();
    store.put(CONSOLIDATED, "m", b"new").unwrap();
}

/// Returns the keys as a store shows them.
fn shown(store: &dyn Store) -> Keys {
    let mut keys = Keys::new();
    let mut names = vec![];
    store
        .walk("", &mut |key, size| {
            names.push((key.to_owned(), size));
            Ok(())
        })
        .unwrap();
    assert!(names.is_sorted());
    for (key, size) in names {
        let bytes = store.get(&key).unwrap().unwrap();
        assert_eq!(store.size(&key).unwrap(), Some(size));
        assert_eq!(bytes.len() as u64, size);
        if size > 1 {
            let parts = store.get_ranges(&key, &[1..size, 0..1]).unwrap().unwrap();
            assert_eq!([&parts[1][..], &parts[0][..]].concat(), bytes);
        }
        assert!(
            store
                .get_ranges(&key, std::slice::from_ref(&(0..size + 1)))
                .is_err()
        );
        keys.insert(key, bytes);
    }
    keys
}

/// Returns the keys for a reader of ours.
fn seen(keys: &Keys) -> Keys {
    let store = store_of(keys);
    let mut found = match find_state(&store, &["v/", "w/"]).unwrap() {
        FoundStore::Plain => shown(&*store),
        FoundStore::Replaced(store, _) => shown(&*store),
        other => panic!("{other:?}"),
    };
    found.retain(|key, _| !key.contains(HIDDEN));
    found
}

fn changed() -> (RecordedKeys, Keys) {
    let raw = RecordedKeys::new(&before());
    let store = open(&raw).unwrap();
    change(&store);
    let view = shown(&*store.view());
    assert_eq!(raw.keys()["v/c/0"], b"old0");
    store.commit().unwrap();
    assert_eq!(raw.keys(), view);
    assert_eq!(shown(&*store.view()), view);
    (raw, view)
}

/// New chunks may exist in the old state: the old metadata does not refer to them.
fn without_new_chunk(mut keys: Keys) -> Keys {
    keys.remove("v/c/2/7");
    keys
}

#[test]
fn every_moment_has_one_of_two_states() {
    let (raw, new) = changed();
    assert!(raw.syncs() <= 5, "{} syncs", raw.syncs());
    let mut moments = 0;
    raw.every_moment(100, &mut |keys| {
        moments += 1;
        let found = seen(keys);
        let is_new = found == new;
        assert!(
            is_new || without_new_chunk(found.clone()) == before(),
            "{found:?} of {keys:?}"
        );
        let killed = RecordedKeys::new(keys);
        drop(open(&killed).unwrap());
        // The writer leaves no remains, and sees the state of the readers.
        assert_eq!(killed.keys(), if is_new { new.clone() } else { before() });
        killed.every_moment(3, &mut |keys| {
            let found = seen(keys);
            let same = if is_new {
                found == new
            } else {
                without_new_chunk(found) == before()
            };
            assert!(same, "{keys:?}");
        });
    });
    assert!(moments > 500, "{moments}");
}

#[test]
fn failed_calls_leave_one_of_two_states() {
    let new = changed().1;
    let mut failures = 0;
    for n in 0.. {
        let raw = RecordedKeys::new(&before());
        let store = open(&raw).unwrap();
        change(&store);
        raw.fail_after(n);
        let done = store.commit();
        if raw.will_fail() {
            break;
        }
        failures += 1;
        let found = seen(&raw.keys());
        match done {
            // Only the removal of the journal failed.
            Ok(()) => assert_eq!(found, new),
            Err(e) => {
                assert!(found == new || without_new_chunk(found) == before(), "{e}");
            }
        }
        let second = store
            .put(CHUNK, "v/c/9", b"x")
            .and_then(|()| store.commit());
        drop(store);
        let found = seen(&raw.keys());
        drop(open(&raw).unwrap());
        assert!(second.is_ok() || raw.keys() == new || raw.keys() == before());
        assert!(second.is_ok() || without_new_chunk(found) == without_new_chunk(raw.keys()));
        assert!(!raw.keys().keys().any(|key| key.contains(HIDDEN)));
    }
    assert!(failures > 15, "{failures}");
}

#[test]
fn abandoned_changes_leave_nothing() {
    let raw = RecordedKeys::new(&before());
    let store = open(&raw).unwrap();
    change(&store);
    store.abandon().unwrap();
    assert_eq!(raw.keys(), before());
    assert_eq!(shown(&*store.view()), before());
    change(&store);
    store.withdraw("v/c/1");
    assert!(store.is_changed("v/c/0") && !store.is_changed("v/c/1"));
    assert_eq!(shown(&*store.view())["v/c/1"], b"");
    drop(store);
    assert_eq!(raw.keys(), before());
}

#[test]
fn equal_values_change_nothing() {
    let raw = RecordedKeys::new(&before());
    let store = open(&raw).unwrap();
    store.put(CHUNK, "v/c/0", b"old0").unwrap();
    store.remove(CHUNK, "v/c/3").unwrap();
    store.commit().unwrap();
    assert_eq!((raw.keys(), raw.syncs()), (before(), 0));
}

/// Returns an unfinished change.
fn unfinished() -> Keys {
    let mut found = None;
    let (raw, _) = changed();
    raw.every_moment(0, &mut |keys| {
        if keys["v/m"] == b"new" && keys["w/m"] == b"old" {
            found.get_or_insert(keys.clone());
        }
    });
    found.unwrap()
}

#[test]
fn changes_of_other_programs_stay() {
    for key in ["v/m", "m", "v/c/0", "v/c/2/7"] {
        let raw = RecordedKeys::new(&unfinished());
        raw.change(key, b"foreign");
        let store = store_of(&raw.keys());
        let state = find_state(&store, &["v/", "w/"]).unwrap();
        // Readers do not look at new chunks.
        assert_eq!(
            matches!(state, FoundStore::Ignored(_)),
            key != "v/c/2/7",
            "{key}"
        );
        let keys = raw.keys();
        assert_eq!(open(&raw).unwrap_err().kind(), ErrorKind::Changed, "{key}");
        assert_eq!(raw.keys(), keys);
    }
}

#[test]
fn a_spent_journal_is_ignored_after_foreign_changes_of_chunks() {
    let (raw, new) = changed();
    let mut spent = None;
    raw.every_moment(0, &mut |keys| {
        if keys["m"] == b"new" && keys.keys().any(|key| key.ends_with("journal")) {
            spent = Some(keys.clone());
        }
    });
    let raw = RecordedKeys::new(&spent.unwrap());
    raw.change("v/c/0", b"foreign");
    assert_eq!(seen(&raw.keys())["v/c/0"], b"foreign");
    drop(open(&raw).unwrap());
    let want = new.into_iter().map(|(key, bytes)| match &*key {
        "v/c/0" => (key, b"foreign".to_vec()),
        _ => (key, bytes),
    });
    assert_eq!(raw.keys(), want.collect());
}

/// A reader of the old state notices that the journal is gone, or belongs to a later change.
#[test]
fn readers_of_the_old_state_see_no_later_journal() {
    let keys = unfinished();
    let raw = RecordedKeys::new(&keys);
    let store: Arc<dyn Store> = Arc::new(raw.clone());
    let FoundStore::Replaced(old, _) = find_state(&store, &["v/", "w/"]).unwrap() else {
        panic!("no unfinished change");
    };
    assert_eq!(old.get("v/c/0").unwrap().unwrap(), b"old0");
    drop(open(&raw).unwrap());
    assert_eq!(old.get("v/c/0").unwrap_err().kind(), ErrorKind::Changed);
    let name = keys.keys().find(|key| key.ends_with("journal")).unwrap();
    for bytes in [vec![b'x'; 1000], b"old".to_vec()] {
        raw.change(name, &bytes);
        assert_eq!(old.get("v/m").unwrap_err().kind(), ErrorKind::Changed);
    }
}

/// Damaged journals are never applied, and never lead outside the store.
#[test]
fn hostile_journals() {
    let keys = unfinished();
    let name = keys.keys().find(|key| key.ends_with("journal")).unwrap();
    let journal = &keys[name];
    let mut all = vec![];
    for n in 0..journal.len() {
        let mut flipped = journal.clone();
        flipped[n] ^= 1 << (n % 8);
        all.push(flipped);
        all.push(journal[..n].to_vec());
    }
    for bytes in all {
        let mut damaged = keys.clone();
        damaged.insert(name.clone(), bytes);
        let store = store_of(&damaged);
        match find_state(&store, &["v/", "w/"]) {
            Ok(FoundStore::Plain) => {}
            Err(e) => assert_eq!(e.kind(), ErrorKind::Corrupt),
            Ok(other) => panic!("{other:?}"),
        }
    }
    for (key, is_valid) in [
        ("v/x", true),
        ("../x", false),
        ("v//x", false),
        ("v/.netcdf-update/0", false),
    ] {
        let journal = KeyJournal {
            prefix: "v/".to_owned(),
            entries: vec![super::journal::JournalEntry {
                level: KeyLevel::Chunk,
                key: key.to_owned(),
                old: None,
                new: None,
            }],
        };
        let mut keys = before();
        keys.insert(journal.key(), journal.encode().unwrap());
        let read = KeyJournal::read(&*store_of(&keys), "v/").unwrap();
        assert_eq!(read.is_some(), is_valid, "{key}");
        keys.insert(
            "w/.netcdf-update/journal".to_owned(),
            journal.encode().unwrap(),
        );
        assert!(KeyJournal::read(&*store_of(&keys), "w/").unwrap().is_none());
    }
}

#[test]
fn settling_removes_an_empty_hidden_directory() {
    let dir = tempfile::tempdir().unwrap();
    let (hidden, kept) = (dir.path().join("v/.netcdf-update"), dir.path().join("v/0"));
    std::fs::create_dir_all(&hidden).unwrap();
    std::fs::write(&kept, "value").unwrap();
    let (DirectoryAccess::Exclusive(raw) | DirectoryAccess::Unlocked(raw)) =
        LockedDirectory::open(dir.path(), false).unwrap();
    let base = Arc::new(DirStore::open(dir.path()).unwrap());
    let store = PatchedStore::new(Box::new(raw), base);
    assert!(!store.settle(&["v/", "w/"], &Notes::default()).unwrap());
    assert!(!hidden.exists() && kept.exists());
}
