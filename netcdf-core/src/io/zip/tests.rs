use super::*;
use crate::io::memory::{MemorySource, MemoryTarget};
use crate::io::rounds::Rounds;
use crate::io::suite;
use crate::io::target::StoreTarget;

/// A zip file with these members.
fn zipped(prefix: &str, members: &[(&str, &[u8])]) -> Vec<u8> {
    let (target, out) = MemoryTarget::new("s.zip");
    let target = Box::new(ZipTarget::new(Box::new(target), prefix));
    for (key, bytes) in members {
        target.store().put(key, bytes).unwrap();
    }
    target.commit().unwrap();
    out.lock().unwrap().take().unwrap()
}

fn open(bytes: &[u8]) -> Result<ZipStore> {
    let source = MemorySource::new("s.zip", bytes.to_vec());
    ZipStore::open(Arc::new(source), &Limits::default())
}

fn keys(store: &dyn Store) -> Vec<String> {
    let mut keys = vec![];
    let mut visit = |key: &str, _| {
        keys.push(key.to_owned());
        Ok(())
    };
    store.walk("", &mut visit).unwrap();
    keys
}

#[test]
fn it_passes_the_suite_with_a_prefix_and_without() {
    for prefix in ["", "s/", "a/b/"] {
        let (target, out) = MemoryTarget::new("s.zip");
        suite::making(Box::new(ZipTarget::new(Box::new(target), prefix)));
        let bytes = out.lock().unwrap().take().unwrap();
        suite::reading(&open(&bytes).unwrap());
    }
}

#[test]
fn a_dropped_target_leaves_nothing() {
    let (target, out) = MemoryTarget::new("s.zip");
    let target = ZipTarget::new(Box::new(target), "");
    target.store().put("a", b"x").unwrap();
    drop(target);
    assert!(out.lock().unwrap().is_none());
}

#[test]
fn what_was_written_is_opened_anew() {
    let (target, out) = MemoryTarget::new("s.zip");
    let mut target = Box::new(ZipTarget::new(Box::new(target), "s/"));
    target.store().put(".zgroup", b"{}").unwrap();
    let written = target.written().unwrap();
    assert_eq!(written.get(".zgroup").unwrap().unwrap(), b"{}");
    assert!(target.store().put("late", b"").is_err());
    let store = Arc::clone(target.store());
    target.commit().unwrap();
    assert!(out.lock().unwrap().is_some());
    assert!(
        store.get(".zgroup").is_err(),
        "it is no longer there to be read"
    );
}

#[test]
fn the_same_keys_make_the_same_file() {
    let members: [(&str, &[u8]); 2] = [("v/0", b"abc"), (".zgroup", b"{}")];
    assert_eq!(zipped("s/", &members), zipped("s/", &members));
}

#[test]
fn the_root_is_where_the_metadata_is() {
    for (keys, want) in [
        (&[".zgroup", "v/.zarray"][..], ""),
        (&["s/.zgroup", "s/v/.zarray", "s/v/0"], "s/"),
        (&["a/b/zarr.json", "a/b/v/zarr.json", "README"], "a/b/"),
        (&["a/.zarray", "b/.zarray"], ""),
        (&["x/a/.zarray", "x/b/.zarray", "x/c/d/.zarray"], "x/"),
        (&["s/.nczarr"], "s/"),
        (&["ab/.zarray", "ac/.zarray"], ""),
        (&["s/v/0"], ""),
        (&[], ""),
    ] {
        assert_eq!(prefix(keys.iter().copied()), want, "{keys:?}");
    }
}

/// A zip file with one member, as zip tools write it: name, method, flags, size, CRC and data.
fn by_hand(
    name: &[u8],
    (method, flags): (u16, u16),
    (size, crc): (u32, u32),
    data: &[u8],
) -> Vec<u8> {
    let packed = u32::try_from(data.len()).unwrap();
    let common = |version: &[u16]| {
        let mut bytes: Vec<u8> = vec![];
        for word in version.iter().chain(&[flags, method, 0, 33]) {
            bytes.extend(word.to_le_bytes());
        }
        for word in [crc, packed, size] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    };
    let mut file = [b"PK\x03\x04", &common(&[20])[..], name, data].concat();
    let start = u32::try_from(file.len()).unwrap();
    let entry = [b"PK\x01\x02", &common(&[20, 20])[..], &[0; 14], name].concat();
    file.extend(&entry);
    file.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    file.extend(u32::try_from(entry.len()).unwrap().to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0; 2]);
    file
}

#[test]
fn deflated_members_are_read() {
    let bytes: Vec<u8> = (0..10_000u32).map(|i| (i % 7) as u8).collect();
    let mut packed = vec![0; 20_000];
    let mut deflater = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let n = deflater.deflate_compress(&bytes, &mut packed).unwrap();
    let crc = libdeflater::crc32(&bytes);
    let file = by_hand(b"v/0", (8, 0), (10_000, crc), &packed[..n]);
    let store = open(&file).unwrap();
    assert_eq!(store.get("v/0").unwrap().unwrap(), bytes);
    for _ in 0..2 {
        let parts = store
            .get_ranges("v/0", &[9_990..10_000, 0..3])
            .unwrap()
            .unwrap();
        assert_eq!(parts, [&bytes[9_990..], &bytes[..3]]);
    }
    assert!(store.get_ranges("v/0", &[0..1, 9_990..10_001]).is_err());
    // Each file has one defect.
    for (what, file) in [
        (
            "checksum",
            by_hand(b"v/0", (8, 0), (10_000, crc ^ 1), &packed[..n]),
        ),
        (
            "fewer bytes",
            by_hand(b"v/0", (8, 0), (10_001, crc), &packed[..n]),
        ),
        (
            "cannot be inflated",
            by_hand(b"v/0", (8, 0), (9_999, crc), &packed[..n]),
        ),
        (
            "cannot be inflated",
            by_hand(b"v/0", (8, 0), (10_000, crc), &packed[..n - 9]),
        ),
        (
            "too few",
            by_hand(b"v/0", (8, 0), (u32::MAX - 1, crc), &packed[..n]),
        ),
        (
            "different stored size",
            by_hand(b"v/0", (0, 0), (10_000, crc), b"abc"),
        ),
        ("encrypted", by_hand(b"v/0", (0, 1), (3, crc), b"abc")),
        ("method 12", by_hand(b"v/0", (12, 0), (3, crc), b"abc")),
    ] {
        let e = open(&file).unwrap().get("v/0").unwrap_err();
        assert!(e.what().contains(what), "{what}: {e}");
        assert_eq!(
            (e.resource(), e.object()),
            (Some("s.zip"), Some("v/0")),
            "{e}"
        );
    }
}

#[test]
fn names_that_are_no_keys_are_not_there() {
    for name in [
        &b"../x"[..],
        b"/etc/passwd",
        b"a/../x",
        b"dir/",
        b"a\0b",
        b"\xff\xfe",
        b"",
    ] {
        let store = open(&by_hand(name, (0, 0), (0, 0), b"")).unwrap();
        assert!(keys(&store).is_empty(), "{name:?}");
        assert!(!store.is_store());
    }
    let store = open(&by_hand(b"./.zgroup", (0, 0), (0, 0), b"")).unwrap();
    assert_eq!(keys(&store), [".zgroup"]);
    assert!(store.is_store());
}

#[test]
fn bytes_before_the_first_member_and_a_comment_do_no_harm() {
    let mut file = [b"#!/bin/sh\n", &zipped("s/", &[(".zgroup", b"{}")])[..]].concat();
    let end = file.len();
    file[end - 2..].copy_from_slice(&4u16.to_le_bytes());
    file.extend(b"PK\x05\x06");
    let store = open(&file).unwrap();
    assert_eq!(store.get(".zgroup").unwrap().unwrap(), b"{}");
}

#[test]
fn members_of_all_sizes() {
    let (target, out) = MemoryTarget::new("s.zip");
    let target = Box::new(ZipTarget::new(Box::new(target), "s/"));
    let sizes = [
        0,
        1,
        1 << 19,
        (1 << 20) - 60,
        1 << 20,
        (1 << 20) + 1,
        3 << 20,
        7,
        1 << 20,
    ];
    let bytes = |n: usize| -> Vec<u8> { (0..sizes[n]).map(|i| (i * 7 + n) as u8).collect() };
    target.store().put(".zgroup", b"{}").unwrap();
    for n in 0..sizes.len() {
        target.store().put(&n.to_string(), &bytes(n)).unwrap();
        if n % 3 == 0 {
            assert!(target.store().get(&n.to_string()).unwrap().unwrap() == bytes(n));
        }
    }
    target.commit().unwrap();
    let store = open(&out.lock().unwrap().take().unwrap()).unwrap();
    for n in 0..sizes.len() {
        assert!(
            store.get(&n.to_string()).unwrap().unwrap() == bytes(n),
            "{n}"
        );
    }
}

#[test]
fn very_many_members() {
    let count = 70_000;
    let (target, out) = MemoryTarget::new("s.zip");
    let target = Box::new(ZipTarget::new(Box::new(target), "s/"));
    target.store().put(".zgroup", b"{}").unwrap();
    for n in 0..count {
        target.store().put(&format!("v/{n}"), &[n as u8]).unwrap();
    }
    target.commit().unwrap();
    let bytes = out.lock().unwrap().take().unwrap();
    let store = open(&bytes).unwrap();
    assert_eq!(store.children("v/").unwrap().len(), count);
    assert_eq!(store.get("v/69999").unwrap().unwrap(), [69_999u32 as u8]);
}

#[test]
fn damaged_files_are_errors() {
    let whole = zipped(
        "s/",
        &[
            (".zgroup", b"{}"),
            ("v/.zarray", b"{\"shape\": []}"),
            ("v/0", b"abc"),
        ],
    );
    assert_eq!(keys(&open(&whole).unwrap()).len(), 3);
    for end in 0..whole.len() {
        let e = open(&whole[..end]).unwrap_err();
        assert!(
            matches!(e.kind(), ErrorKind::Truncated | ErrorKind::UnknownFormat),
            "{end}: {e}"
        );
    }
    // For each wrong byte, the result is a value or an error.
    for at in 0..whole.len() {
        for bit in [1, 0x80, 0xff] {
            let mut file = whole.clone();
            file[at] ^= bit;
            if let Ok(store) = open(&file) {
                for key in keys(&store) {
                    let _ = store.get(&key);
                    let _ = store.get_ranges(&key, &[0..1, 2..3]);
                }
            }
        }
    }
    assert_eq!(open(b"hi\n").unwrap_err().kind(), ErrorKind::UnknownFormat);
    assert_eq!(open(b"").unwrap_err().kind(), ErrorKind::UnknownFormat);
}

#[test]
fn checksums_are_compared_wherever_all_bytes_are_read() {
    let data = b"abcdef";
    let crc = libdeflater::crc32(data);
    for (crc, right) in [(crc, true), (crc ^ 1, false)] {
        let store = open(&by_hand(b"v/0", (0, 0), (6, crc), data)).unwrap();
        assert_eq!(store.get("v/0").is_ok(), right);
        let all = store.get_ranges("v/0", &[0..2, 0..6]);
        assert_eq!(all.is_ok(), right);
        if let Err(e) = all {
            assert_eq!((e.kind(), e.object()), (ErrorKind::Checksum, Some("v/0")));
        }
        assert!(store.get_ranges("v/0", &[0..2, 3..6]).is_ok());
    }
}

#[test]
fn stored_members_have_one_size() {
    let data = b"abcdef";
    for size in [5, 7, u32::MAX] {
        let store = open(&by_hand(b"v/0", (0, 0), (size, 0), data)).unwrap();
        for read in [
            store.get("v/0").map(|_| ()),
            store.get_ranges("v/0", &[0..2, 3..4]).map(|_| ()),
        ] {
            assert_eq!(read.unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }
}

#[test]
fn an_empty_zip_file_is_no_store() {
    let bytes = zipped("", &[]);
    let source = MemorySource::new("s.zip", bytes.clone());
    assert!(is_zip(&source).unwrap());
    let store = open(&bytes).unwrap();
    assert!(!store.is_store() && keys(&store).is_empty());
}

/// A target that returns an error for each request, and counts the requests.
#[derive(Debug)]
struct Full(Arc<str>, Arc<std::sync::atomic::AtomicUsize>);

impl Full {
    fn refuse<T>(&self) -> Result<T> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Err(Error::new(ErrorKind::Io, "the disk is full"))
    }
}

impl crate::io::target::Target for Full {
    fn name(&self) -> &Arc<str> {
        &self.0
    }
    fn write_at(&mut self, _: u64, _: &[u8]) -> Result<()> {
        self.refuse()
    }
    fn read_at(&mut self, _: u64, _: &mut [u8]) -> Result<()> {
        self.refuse()
    }
    fn set_len(&mut self, _: u64) -> Result<()> {
        self.refuse()
    }
    fn commit(self: Box<Self>) -> Result<()> {
        self.refuse()
    }
}

#[test]
fn nothing_is_written_once_the_target_is_dropped() {
    let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let full = Full("s.zip".into(), Arc::clone(&asked));
    let target = ZipTarget::new(Box::new(full), "");
    let large = vec![7; 2 << 20];
    assert!(target.store().put("a", &large).is_err());
    let before = asked.load(std::sync::atomic::Ordering::Relaxed);
    drop(target);
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), before);
}

#[test]
fn members_far_away_are_asked_for_together() {
    let bytes = |n: usize| vec![n as u8; 100 + n];
    let members: Vec<_> = (0..50).map(|n| (format!("v/{n}"), bytes(n))).collect();
    let members = members.iter().map(|(key, bytes)| (&**key, &**bytes));
    let members: Vec<_> = members.chain([(".zgroup", &b"{}"[..])]).collect();
    let file = zipped("a/", &members);
    let inner: Arc<dyn Source> = Arc::new(MemorySource::new("a.zip", file));
    let source = Rounds::of(inner);
    let far = Arc::clone(&source) as Arc<dyn Source>;
    let store = ZipStore::open(far, &Limits::default()).unwrap();
    assert!(store.latency());
    let rounds = || source.asked().rounds;
    let keys: Vec<_> = (0..51).map(|n| format!("v/{n}")).collect();
    let before = rounds();
    let found = store.get_many(&keys, 1 << 20);
    assert_eq!(rounds() - before, 1);
    for (n, found) in found.into_iter().enumerate() {
        let want = match n {
            50 => KeyContent::Missing,
            n => KeyContent::Bytes(bytes(n)),
        };
        assert_eq!(found.unwrap(), want);
    }
    let few = store.get_many(&keys, 205);
    assert_eq!(few[1].as_ref().unwrap(), &KeyContent::Bytes(bytes(1)));
    assert_eq!(few[2].as_ref().unwrap(), &KeyContent::Longer(102));
    let parts: Vec<_> = (0..50)
        .map(|n| KeyRanges {
            key: format!("v/{n}"),
            ranges: vec![3..5, 90..100],
        })
        .collect();
    let before = rounds();
    let found = store.get_parts(&parts);
    assert_eq!(rounds() - before, 1);
    for (n, found) in found.into_iter().enumerate() {
        let want = vec![vec![n as u8; 2], vec![n as u8; 10]];
        assert_eq!(found.unwrap().unwrap(), want);
    }
}
