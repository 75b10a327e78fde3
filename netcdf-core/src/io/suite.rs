//! Tests that every implementation of a store must pass.

use std::sync::Arc;

use super::memory_store::{MemoryStore, MemoryStoreTarget};
use super::store::{KeyContent, KeyRanges, Store};
use super::target::StoreTarget;
use crate::error::{ErrorKind, Result};

/// The keys and bytes of the store that [`making`] creates, sorted.
const KEYS: [(&str, &[u8]); 9] = [
    (".zattrs", b"{}"),
    (".zgroup", b"{\"zarr_format\": 2}"),
    ("g/.zgroup", b"{}"),
    ("v.a/.zarray", b""),
    ("v/.zarray", b"{\"shape\": [2]}"),
    ("v/0", b"0123456789"),
    ("v/c/0/1", b"deep"),
    ("\u{e4} b/\u{1f600}", b"names"),
    ("\u{fb01}", b"not normalised"),
];

/// Invalid keys.
const HOSTILE: [&str; 8] = [
    "",
    "/",
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a//b",
    "a/",
    "a\0b",
];

/// Fills and commits a store.
pub(crate) fn making(target: Box<dyn StoreTarget>) {
    let store = Arc::clone(target.store());
    let (metadata, data): (Vec<_>, Vec<_>) = KEYS.iter().partition(|(key, _)| key.contains(".z"));
    for (key, bytes) in data {
        store.put(key, bytes).unwrap();
        assert_eq!(
            store.get(key).unwrap().unwrap(),
            *bytes,
            "a stored key can be read"
        );
    }
    for (key, bytes) in metadata {
        store.put_if_absent(key, bytes).unwrap();
        assert_eq!(store.size(key).unwrap(), Some(bytes.len() as u64));
    }
    refuses(&*store);
    drop(store);
    target.commit().unwrap();
}

fn kind<T: std::fmt::Debug>(refused: Result<T>) -> ErrorKind {
    let e = refused.unwrap_err();
    assert!(e.resource().is_some(), "it names the store: {e}");
    e.kind()
}

/// Checks that invalid keys cannot be stored.
fn refuses(store: &dyn Store) {
    assert_eq!(
        kind(store.put_if_absent("v/.zarray", b"x")),
        ErrorKind::Exists
    );
    for key in ["v", "v/c", "v/c/0"] {
        assert_eq!(
            kind(store.put(key, b"x")),
            ErrorKind::Exists,
            "{key} has keys below it"
        );
        assert_eq!(kind(store.put_if_absent(key, b"x")), ErrorKind::Exists);
    }
    for key in ["v/0/1", ".zgroup/x/y"] {
        assert_eq!(
            kind(store.put(key, b"x")),
            ErrorKind::Exists,
            "{key} is below a key"
        );
        assert_eq!(kind(store.put_if_absent(key, b"x")), ErrorKind::Exists);
    }
    for key in HOSTILE {
        assert_eq!(kind(store.put(key, b"x")), ErrorKind::BadName, "{key}");
        assert_eq!(
            kind(store.put_if_absent(key, b"x")),
            ErrorKind::BadName,
            "{key}"
        );
    }
}

/// Reads the store that [`making`] creates.
pub(crate) fn reading(store: &dyn Store) {
    for (key, bytes) in KEYS {
        assert_eq!(store.get(key).unwrap().unwrap(), bytes, "{key}");
        assert_eq!(store.size(key).unwrap(), Some(bytes.len() as u64));
    }
    parts(store);
    lists(store);
    many(store);
    for key in ["nosuch", "v/1", "v/0/1", "v/.zarray/x", "V/0", "g/nosuch/x"] {
        assert_eq!(store.get(key).unwrap(), None, "{key}");
        assert_eq!(store.size(key).unwrap(), None);
        assert_eq!(store.get_ranges(key, &[0..1, 2..3]).unwrap(), None);
    }
    for key in ["v", "v/c", "v/c/0", "g"] {
        assert_eq!(kind(store.get(key)), ErrorKind::NoContent, "{key}");
        assert_eq!(kind(store.size(key)), ErrorKind::NoContent);
        assert_eq!(
            kind(store.get_ranges(key, &[0..1, 2..3])),
            ErrorKind::NoContent
        );
    }
    for key in HOSTILE {
        assert_eq!(kind(store.get(key)), ErrorKind::BadName, "{key}");
        assert_eq!(kind(store.size(key)), ErrorKind::BadName, "{key}");
        assert_eq!(
            kind(store.get_ranges(key, &[0..1, 2..3])),
            ErrorKind::BadName
        );
    }
    for prefix in ["..", "../", "/", "/etc/", "a//", "v"] {
        assert_eq!(kind(store.children(prefix)), ErrorKind::BadName, "{prefix}");
        assert_eq!(
            kind(store.walk(prefix, &mut |_, _| Ok(()))),
            ErrorKind::BadName
        );
    }
}

fn parts(store: &dyn Store) {
    let got = store
        .get_ranges("v/0", &[8..10, 0..1, 3..3, 2..5])
        .unwrap()
        .unwrap();
    assert_eq!(got, [&b"89"[..], b"0", b"", b"234"]);
    for range in [9..11, 10..11, 100..200, 0..u64::MAX] {
        let e = store
            .get_ranges("v/0", std::slice::from_ref(&range))
            .unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Truncated, "{range:?}: {e}");
        assert_eq!(e.object(), Some("v/0"));
    }
}

fn many(store: &dyn Store) {
    let keys = ["v/0", "nosuch", "g", "v/c/0/1", "../x", ".zattrs"].map(str::to_owned);
    let got = |most| {
        let got = store.get_many(&keys, most).into_iter();
        got.map(|got| got.map_err(|e| e.kind())).collect::<Vec<_>>()
    };
    let bytes = |bytes: &[u8]| Ok(KeyContent::Bytes(bytes.to_vec()));
    let all = [
        bytes(b"0123456789"),
        Ok(KeyContent::Missing),
        Err(ErrorKind::NoContent),
        bytes(b"deep"),
        Err(ErrorKind::BadName),
        bytes(b"{}"),
    ];
    assert_eq!(got(16), all);
    let mut few = all.clone();
    few[3] = Ok(KeyContent::Longer(4));
    assert_eq!(got(13), few, "smaller keys are still read");
    let parts = |key: &String| KeyRanges {
        key: key.clone(),
        ranges: vec![0..1, 1..2],
    };
    let parts: Vec<_> = keys.iter().map(parts).collect();
    let parts = store.get_parts(&parts).into_iter();
    let parts: Vec<_> = parts.map(|p| p.map_err(|e| e.kind())).collect();
    let two = |bytes: [u8; 2]| Ok(Some(bytes.map(|byte| vec![byte]).to_vec()));
    let (no, bad) = (Err(ErrorKind::NoContent), Err(ErrorKind::BadName));
    assert_eq!(
        parts,
        [two(*b"01"), Ok(None), no, two(*b"de"), bad, two(*b"{}")]
    );
    let sizes = store.sizes(&keys).into_iter();
    let sizes: Vec<_> = sizes.map(|size| size.map_err(|e| e.kind())).collect();
    let no = Err(ErrorKind::NoContent);
    let bad = Err(ErrorKind::BadName);
    assert_eq!(
        sizes,
        [Ok(Some(10)), Ok(None), no, Ok(Some(4)), bad, Ok(Some(2))]
    );
    let lists = store.children_many(&["v/", "..", "nosuch/"].map(str::to_owned));
    let lists: Vec<_> = lists.into_iter().map(|l| l.map_err(|e| e.kind())).collect();
    let names = [".zarray", "0", "c"].map(str::to_owned).to_vec();
    assert_eq!(lists, [Ok(names), Err(ErrorKind::BadName), Ok(vec![])]);
}

fn lists(store: &dyn Store) {
    let children = |prefix: &str| store.children(prefix).unwrap();
    let root = [
        ".zattrs", ".zgroup", "g", "v", "v.a", "\u{e4} b", "\u{fb01}",
    ];
    assert_eq!(children(""), root);
    assert_eq!(children("v/"), [".zarray", "0", "c"]);
    assert_eq!(children("v/c/"), ["0"]);
    assert!(children("nosuch/").is_empty() && children("v/0/").is_empty());
    let walk = |prefix: &str| {
        let mut keys = vec![];
        let mut visit = |key: &str, size| {
            assert_eq!(store.size(key)?, Some(size), "visitors may ask, too");
            keys.push((key.to_owned(), size));
            Ok(())
        };
        store.walk(prefix, &mut visit).unwrap();
        keys
    };
    let all = KEYS.map(|(key, bytes)| (key.to_owned(), bytes.len() as u64));
    assert_eq!(walk("v/"), all[4..7]);
    assert_eq!(walk(""), all);
    assert_eq!(walk("v/"), all[4..7]);
    assert_eq!(walk("v/c/0/"), all[6..7]);
    assert!(walk("nosuch/").is_empty() && walk("v/0/").is_empty());
    let stop = |_: &str, _| Err(crate::Error::new(ErrorKind::Cancelled, "stop"));
    assert_eq!(
        store.walk("", &mut { stop }).unwrap_err().kind(),
        ErrorKind::Cancelled
    );
}

/// Changes a writable store.
pub(crate) fn changing(store: &dyn Store) {
    refuses(store);
    store.put("v/0", b"other").unwrap();
    assert_eq!(store.get("v/0").unwrap().unwrap(), b"other");
    assert_eq!(kind(store.delete("v/c")), ErrorKind::NoContent);
    assert_eq!(kind(store.delete("../x")), ErrorKind::BadName);
    for _ in 0..2 {
        store.delete("v/c/0/1").unwrap();
    }
    assert_eq!(store.get("v/c/0/1").unwrap(), None);
    assert_eq!(store.children("v/").unwrap(), [".zarray", "0"]);
    assert_eq!(
        store.get("v/c").unwrap(),
        None,
        "the prefix has no keys left"
    );
    store.put("v/c", b"a key").unwrap();
    assert_eq!(store.get("v/c").unwrap().unwrap(), b"a key");
}

#[test]
fn memory() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("m"));
    let (target, committed) = MemoryStoreTarget::new(Arc::clone(&store));
    making(Box::new(target));
    assert!(*committed.lock().unwrap());
    reading(&*store);
    changing(&*store);
}
