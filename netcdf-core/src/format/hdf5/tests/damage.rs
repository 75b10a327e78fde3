//! Damaged files cause errors, but no panic and no endless loop.

use std::collections::HashSet;

use super::*;
use crate::bytes::sums::lookup3;
use crate::error::{Error, ErrorKind};
use crate::format::hdf5::checksum::ignore_checksums;
use crate::format::hdf5::datatype::TypeClass;

const FILES: &[&str] = &[
    "groups_old.h5",
    "groups_narrow.h5",
    "groups_dense.h5",
    "groups_deep.h5",
    "attributes_dense.h5",
    "strings.h5",
    "heap_filtered.h5",
    "shared_messages.h5",
];

/// Reads all reachable objects with their links, attributes and strings. Returns the errors.
pub(super) fn errors(file: &Hdf5File) -> Vec<Error> {
    let mut errors = vec![];
    let mut pending = vec![file.superblock().root];
    let mut seen = HashSet::from([file.superblock().root]);
    while let Some(address) = pending.pop() {
        let read = ObjectHeader::read(file, address).and_then(|header| {
            attributes::visit(file, &header, |a| {
                errors.extend(a.map_err(|u| u.error).and_then(|a| strings(file, &a)).err());
                Ok(())
            })?;
            group::links(file, &header)
        });
        match read {
            Ok(links) => pending.extend(links.iter().filter_map(|l| match l.target {
                LinkedObject::Hard(address) => seen.insert(address).then_some(address),
                _ => None,
            })),
            Err(e) => errors.push(e),
        }
    }
    errors
}

fn strings(file: &Hdf5File, attribute: &AttributeMessage) -> Result<()> {
    if !matches!(attribute.datatype.class, TypeClass::VlenString { .. }) {
        return Ok(());
    }
    for element in attribute.data.chunks_exact(16) {
        let mut c = file.fields_of(element, None);
        c.u32_le()?;
        let address = c.address()?.unwrap_or(u64::MAX);
        file.heap_object(address, c.u32_le()?)?;
    }
    Ok(())
}

/// Checks that the traversal of a damaged file ends without a panic.
fn survive(name: &str, what: &str, data: Vec<u8>) {
    let walk = || {
        if let Ok(file) = open_bytes(data) {
            errors(&file);
        }
    };
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(walk));
    assert!(done.is_ok(), "{name}, {what}");
}

#[test]
fn undamaged_files_have_no_errors() {
    for name in FILES {
        let errors = errors(&open(name));
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

/// The maximum number of damaged offsets per file: 50, or 400 with `EXHAUSTIVE=1` in the environment.
fn per_file() -> usize {
    match std::env::var_os("EXHAUSTIVE").is_some_and(|value| value == "1") {
        true => 400,
        false => 50,
    }
}

/// At most `count` offsets, spread over a file.
fn places(data: &[u8], count: usize) -> impl Iterator<Item = usize> + use<> {
    (0..data.len()).step_by(data.len().div_ceil(count) | 1)
}

#[test]
fn any_byte_may_be_wrong() {
    for name in FILES {
        let data = bytes(name);
        for place in places(&data, per_file()) {
            for change in [0xff, 0x01, 0x80] {
                let mut damaged = data.clone();
                damaged[place] ^= change;
                let what = format!("byte {place} ^ {change:x}");
                ignore_checksums(change != 0x80);
                survive(name, &what, damaged);
                ignore_checksums(false);
            }
        }
    }
}

#[test]
fn any_eight_bytes_may_be_all_ones_or_zeros() {
    ignore_checksums(true);
    for name in FILES {
        let data = bytes(name);
        for place in places(&data, per_file()) {
            for byte in [0, 0xff] {
                let mut damaged = data.clone();
                let end = data.len().min(place + 8);
                damaged[place..end].fill(byte);
                survive(name, &format!("bytes from {place} on {byte:x}"), damaged);
            }
        }
    }
    ignore_checksums(false);
}

/// Truncates a file and corrects the end-of-file address in the superblock.
fn cut(data: &[u8], len: usize) -> Vec<u8> {
    let mut data = data[..len].to_vec();
    let start = if data.starts_with(b"\x89HDF") { 0 } else { 512 };
    let Some(block) = data.get_mut(start..start + 96) else {
        return data;
    };
    let width = usize::from(block[9 + if block[8] < 2 { 4 } else { 0 }]);
    let at = if block[8] < 2 { 24 + 2 * width } else { 28 };
    let end = (len as u64).to_le_bytes();
    block[at..at + width].copy_from_slice(&end[..width]);
    if block[8] >= 2 {
        let sum = lookup3(&block[..44]);
        block[44..48].copy_from_slice(&sum.to_le_bytes());
    }
    data
}

#[test]
fn files_may_end_anywhere() {
    for name in FILES {
        let data = bytes(name);
        let whole = cut(&data, data.len());
        assert!(errors(&open_bytes(whole).unwrap()).is_empty(), "{name}");
        for len in places(&data, per_file()) {
            survive(name, &format!("cut to {len}"), cut(&data, len));
        }
    }
}

/// Index entries could repeatedly refer to one large object: the total length is limited.
#[test]
fn objects_of_heaps_are_read_about_once() {
    let file = open("attributes_dense.h5");
    let header = object(&file, "g");
    let visit = || {
        let mut errors = vec![];
        let mut read = 0u64;
        attributes::visit(&file, &header, |a| {
            match a {
                Ok(a) => read += a.data.len() as u64,
                Err(u) => errors.push(u.error),
            }
            Ok(())
        })
        .unwrap();
        (read, errors)
    };
    let (first, errors) = visit();
    assert!(first > 8 * 1100 && errors.is_empty());
    let len = file.source().len();
    assert!(file.take(4 * len + (1 << 28), 0).is_err());
    file.start();
    // The remaining limit is below the size of both large objects.
    let taken = (1 << 28) + 4 * len - 2 * first - 1000;
    file.take(taken, 0).unwrap();
    visit();
    let (_, errors) = visit();
    assert!(errors.len() >= 2, "{errors:?}");
    assert!(errors.iter().all(|e| e.kind() == ErrorKind::Limit));
    let message = errors[0].to_string();
    assert!(
        message.contains("far more bytes than the file has"),
        "{message}"
    );
}

/// A link index is not an attribute index, and vice versa.
#[test]
fn records_of_another_type_are_refused() {
    let mut bytes = bytes("attributes_dense.h5");
    let trees: Vec<_> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(b"BTHD"))
        .collect();
    assert!(!trees.is_empty());
    for at in trees {
        bytes[at + 5] = 5;
    }
    ignore_checksums(true);
    let file = open_bytes(bytes).unwrap();
    let e = attributes::visit(&file, &object(&file, "g"), |_| Ok(())).unwrap_err();
    ignore_checksums(false);
    assert_eq!(e.kind(), ErrorKind::Corrupt);
    assert!(e.to_string().contains("type 5, expected [8, 9]"), "{e}");
}

/// Links could repeatedly refer to one large header: the total length is limited.
#[test]
fn headers_are_read_about_once() {
    let file = open("groups_old.h5");
    let root = file.superblock().root;
    file.start();
    let all = (1 << 28) + 4 * file.source().len();
    file.take(all - 10_000, 0).unwrap();
    let mut reads = (0..10_000 / 32).map(|_| ObjectHeader::read(&file, root));
    assert!(reads.next().unwrap().is_ok());
    let e = reads.find_map(Result::err).expect("an end");
    assert_eq!(e.kind(), ErrorKind::Limit);
    file.start();
    assert!(ObjectHeader::read(&file, root).is_ok());
}

/// The traversal errors of a file with changed headers of link and attribute trees.
fn with_headers(change: impl Fn(&mut [u8])) -> Vec<Error> {
    let mut bytes = bytes("structures/dense.h5");
    let trees: Vec<_> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(b"BTHD"))
        .collect();
    assert!(!trees.is_empty());
    for at in trees {
        change(&mut bytes[at..at + 38]);
    }
    ignore_checksums(true);
    let errors = errors(&open_bytes(bytes).unwrap());
    ignore_checksums(false);
    errors
}

#[test]
fn trees_have_the_records_that_they_say() {
    assert!(with_headers(|_| ()).is_empty());
    // The root address, the root's record count, and the total record count.
    let changes: [fn(&mut [u8]); 4] = [
        |header| header[16..24].fill(0xff),
        |header| header[24..26].fill(0),
        |header| header[26] += 1,
        |header| header[26] -= 1,
    ];
    for change in changes {
        let errors = with_headers(change);
        assert!(!errors.is_empty());
        for e in errors {
            assert_eq!(e.kind(), ErrorKind::Corrupt, "{e}");
            assert!(e.what().starts_with("a B-tree of "), "{e}");
            assert!(e.offset().is_some(), "{e}");
        }
    }
}

/// In a tree of several levels, the root's child entry has the subtree total in place of the child's count.
#[test]
fn records_of_deep_trees_are_counted() {
    let mut bytes = bytes("groups_deep.h5");
    let at = (0..bytes.len())
        .find(|&at| bytes[at..].starts_with(b"BTHD") && bytes[at + 5] == 5 && bytes[at + 12] > 0);
    bytes[at.unwrap() + 26] ^= 1;
    ignore_checksums(true);
    let errors = errors(&open_bytes(bytes).unwrap());
    ignore_checksums(false);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].what().starts_with("a B-tree with "), "{errors:?}");
}

/// The error after renaming the last link of an old file's root group, for example `soft`.
fn renamed(old: &[u8], new: &[u8]) -> Error {
    let mut bytes = bytes("structures/old.h5");
    let zero = [&[0], old, &[0]].concat();
    let at = bytes.windows(zero.len()).position(|w| w == zero).unwrap();
    bytes[at + 1..at + 1 + new.len()].copy_from_slice(new);
    let file = open_bytes(bytes).unwrap();
    let root = ObjectHeader::read(&file, file.superblock().root).unwrap();
    group::links(&file, &root).unwrap_err()
}

#[test]
fn names_of_old_groups_rise() {
    let empty = renamed(b"chunked", b"\0");
    let twice = renamed(b"chunked", b"compact");
    let falling = renamed(b"chunked", b"x");
    for (e, says) in [
        (empty, "a link `` of an old group comes after the link ``"),
        (
            twice,
            "a link `compact` of an old group comes after the link `compact`",
        ),
        (
            falling,
            "a link `compact` of an old group comes after the link `xhunked`",
        ),
    ] {
        assert_eq!(e.kind(), ErrorKind::Corrupt, "{e}");
        assert!(e.what().starts_with(says), "{e}");
        assert!(e.offset().is_some(), "{e}");
    }
}
