use super::*;
use crate::io::Store;

fn store(keys: &[&str]) -> (tempfile::TempDir, DirStore) {
    let folder = tempfile::tempdir().unwrap();
    for key in keys {
        let path = folder.path().join(key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "before").unwrap();
    }
    let store = DirStore::open(folder.path()).unwrap();
    (folder, store)
}

#[test]
fn what_was_read_and_is_other_has_changed() {
    let (folder, store) = store(&[".zattrs", "v/0", "v/1", "w/0"]);
    for key in [".zattrs", "v/0", "v/2"] {
        let _ = store.get(key).unwrap();
    }
    assert_eq!(store.changed(), None);
    let path = |key: &str| folder.path().join(key);
    // This file was not read.
    std::fs::write(path("v/1"), "longer than before").unwrap();
    assert_eq!(store.changed(), None);
    std::fs::write(path("v/2"), "new").unwrap();
    let name = store.changed().unwrap();
    assert!(name.ends_with("/v/2"), "{name}");
    std::fs::write(path("v/0"), "longer than before").unwrap();
    assert!(store.changed().unwrap().ends_with("/v/0"));
    std::fs::remove_file(path(".zattrs")).unwrap();
    assert!(store.changed().unwrap().ends_with("/.zattrs"));
}

#[test]
fn a_file_in_the_place_of_another_has_changed() {
    let (folder, store) = store(&["v/0", "other"]);
    let path = |key: &str| folder.path().join(key);
    let _ = store
        .get_ranges("v/0", std::slice::from_ref(&(0..3)))
        .unwrap();
    let before = std::fs::metadata(path("v/0")).unwrap().modified().unwrap();
    let file = std::fs::File::options().write(true).open(path("other"));
    file.unwrap().set_modified(before).unwrap();
    std::fs::rename(path("other"), path("v/0")).unwrap();
    assert!(store.changed().is_some());
}

#[test]
fn what_is_read_twice_is_the_same() {
    let (folder, store) = store(&["v/0"]);
    let _ = store.get("v/0").unwrap();
    std::fs::write(folder.path().join("v/0"), "longer than before").unwrap();
    let _ = store.get("v/0").unwrap();
    assert!(store.changed().unwrap().ends_with("/v/0"));
}

#[test]
fn a_directory_that_was_listed_has_its_files() {
    let (folder, store) = store(&["v/0"]);
    store.walk("v/", &mut |_, _| Ok(())).unwrap();
    assert_eq!(store.changed(), None);
    std::fs::write(folder.path().join("v/1"), "new").unwrap();
    assert!(store.changed().is_some());
}

#[test]
fn of_very_many_keys_some_are_kept() {
    let mut seen = SeenEntries::default();
    for n in 0..3 * MOST {
        seen.add(&format!("v/{n}"), sum(None), || false);
    }
    seen.add("v/.zarray", sum(None), || false);
    assert!(seen.part >= 1 && seen.others.len() <= MOST);
    assert!(seen.others.len() > MOST / 4, "{}", seen.others.len());
    assert_eq!(seen.metadata.len(), 1);
}

/// Changes a key as this program does.
fn change(store: &DirStore, key: &str, bytes: Option<&[u8]>) {
    let path = store.root.join(key);
    let mut work = || {
        let _ = std::fs::create_dir_all(path.parent().unwrap());
        match bytes {
            Some(bytes) => std::fs::write(&path, bytes),
            None => std::fs::remove_file(&path),
        }
    };
    store.change_own(key, &mut work).unwrap();
}

#[test]
fn own_changes_are_expected() {
    let (folder, store) = store(&[".zattrs", "v/0", "v/1"]);
    let store = store.watch_all();
    store.wait();
    let write = |key: &str, text: &str| std::fs::write(folder.path().join(key), text).unwrap();
    store.walk("", &mut |_, _| Ok(())).unwrap();
    for key in [".zattrs", "v/0", "v/9"] {
        let _ = store.get(key).unwrap();
    }
    for (key, bytes) in [
        ("v/.netcdf-update/0", Some(&b"hidden"[..])),
        (".zattrs", Some(b"own attributes")),
        ("v/0", Some(b"own")),
        ("v/9", Some(b"own")),
        ("v/1", None),
        ("v/.netcdf-update/0", None),
    ] {
        change(&store, key, bytes);
        let _ = store.get(key).unwrap();
        assert_eq!(store.changed(), None, "{key}");
    }
    // Own values that are not read again are not compared.
    change(&store, "v/2", Some(b"own"));
    write("v/2", "another program");
    assert_eq!(store.changed(), None);
    let _ = store.size("v/2").unwrap();
    assert_eq!(store.changed_keys(), ["v/2"]);
    write(".zattrs", "another program");
    assert_eq!(store.changed_keys(), [".zattrs", "v/2"]);
}

#[test]
fn a_directory_entry_of_another_program_is_noticed_among_own_changes() {
    let (folder, store) = store(&["v/0"]);
    store.walk("v/", &mut |_, _| Ok(())).unwrap();
    change(&store, "v/1", Some(b"own"));
    std::thread::sleep(TICK);
    std::fs::write(folder.path().join("v/2"), "new").unwrap();
    change(&store, "v/3", Some(b"own"));
    assert_eq!(store.changed_keys(), ["v/"]);
}

#[test]
fn files_that_change_before_they_are_read_are_noticed() {
    let (folder, old) = store(&["v/0", "v/1", "v/2", "v/3"]);
    let future = SystemTime::now() + Duration::from_secs(1000);
    let path = |key: &str| folder.path().join(key);
    let file = std::fs::File::options().write(true).open(path("v/3"));
    file.unwrap().set_modified(future).unwrap();
    let store = DirStore::open(folder.path()).unwrap().watch_all();
    store.wait();
    std::fs::write(path("v/1"), "other").unwrap();
    // A copy with the time of its original.
    std::fs::write(path("new"), "before").unwrap();
    let file = std::fs::File::options().write(true).open(path("new"));
    file.unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    std::fs::rename(path("new"), path("v/2")).unwrap();
    change(&store, "v/4", Some(b"own"));
    for key in ["v/0", "v/1", "v/2", "v/3", "v/4"] {
        let _ = store.get(key).unwrap();
        let _ = old.get(key).unwrap();
    }
    assert_eq!(old.changed(), None);
    let has_created = std::fs::metadata(path("v/2")).unwrap().created().is_ok();
    let want: &[&str] = match has_created {
        true => &["v/1", "v/2"],
        false => &["v/1"],
    };
    assert_eq!(store.changed_keys(), want);
}

#[test]
fn missing_keys_are_forgotten_until_they_are_read() {
    let (folder, store) = store(&["v/0"]);
    let store = store.watch_all();
    store.wait();
    let _ = store.size("v/1").unwrap();
    store.forget_missing();
    std::fs::write(folder.path().join("v/1"), "other").unwrap();
    assert_eq!(store.changed(), None);
    let _ = store.size("v/1").unwrap();
    assert_eq!(store.changed_keys(), ["v/1"]);
}

#[test]
fn data_that_changes_between_the_opening_and_its_first_read_is_noticed() {
    let (folder, _) = store(&[".zattrs", "v/0", "v/1", "v/2", "new"]);
    std::thread::sleep(TICK * 3);
    let open = || DirStore::open(folder.path()).unwrap();
    let path = |key: &str| folder.path().join(key);
    let reader = open();
    std::fs::write(path("v/1"), "after").unwrap();
    std::fs::rename(path("new"), path("v/2")).unwrap();
    std::fs::write(path(".zattrs"), "after").unwrap();
    for (key, later) in [("v/0", None), (".zattrs", None), ("v/3", None)] {
        let _ = reader.get(key).unwrap();
        assert_eq!(reader.later_key().as_deref(), later, "{key}");
    }
    // The metadata was read after the changes of the data: the reader has the new state.
    let _ = reader.get("v/1").unwrap();
    assert_eq!(reader.later_key(), None);
    for key in ["v/1", "v/2"] {
        let reader = open();
        std::thread::sleep(TICK * 3);
        let _ = reader.get(".zattrs").unwrap();
        std::fs::write(path("new"), "after").unwrap();
        std::fs::rename(path("new"), path(key)).unwrap();
        let _ = reader.get(key).unwrap();
        assert_eq!(reader.later_key().as_deref(), Some(key));
        reader.forget_states();
        assert_eq!(reader.later_key(), None);
    }
}
