//! Message bodies in rare forms, and unknown messages.

use super::*;
use crate::ErrorKind;
use crate::format::hdf5::dataspace::{Dataspace, DataspaceClass};
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::message::fill::{FillMessage, FillValue};
use crate::format::hdf5::message::layout::{ChunkIndexKind, ChunkedLayout, DataLayout};

/// Parses a body in a file with 8-byte addresses and lengths.
fn parse<T>(body: &[u8], parse: impl FnOnce(&mut Fields) -> Result<T>) -> Result<T> {
    parse(&mut open("groups_old.h5").fields_of(body, None))
}

fn le(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// Version, rank, class, reserved.
fn old_layout(version: u8, rank: u8, class: u8, rest: &[&[u8]]) -> Result<DataLayout> {
    let head = [version, rank, class, 0, 0, 0, 0, 0];
    parse(
        &[&head, rest.concat().as_slice()].concat(),
        DataLayout::parse,
    )
}

#[test]
fn old_layouts_of_all_classes() {
    for version in [1, 2] {
        let compact = old_layout(version, 2, 0, &[&le(&[3, 1, 3]), b"abc"]).unwrap();
        assert_eq!(compact, DataLayout::Compact(b"abc".to_vec()));
        let contiguous = old_layout(version, 1, 1, &[&le(&[800, 0, 5])]).unwrap();
        let expected = DataLayout::Contiguous {
            address: Some(800),
            size: None,
        };
        assert_eq!(contiguous, expected);
        let chunked = old_layout(version, 3, 2, &[&le(&[900, 0, 5, 7, 2])]).unwrap();
        let expected = ChunkedLayout {
            dims: vec![5, 7],
            element_size: 2,
            edges_unfiltered: false,
            index: ChunkIndexKind::BTree1,
            address: Some(900),
        };
        assert_eq!(chunked, DataLayout::Chunked(expected));
        let cut = old_layout(version, 2, 0, &[&le(&[3, 1, 4]), b"abc"]).unwrap_err();
        assert_eq!(cut.kind(), ErrorKind::Truncated, "{cut}");
        let virtual_ = old_layout(version, 1, 3, &[&le(&[800, 0, 5])]).unwrap_err();
        assert_eq!(virtual_.kind(), ErrorKind::Unknown, "{virtual_}");
    }
}

#[test]
fn fill_values_that_are_undefined() {
    let value = |body: &[u8]| parse(body, FillMessage::parse).map(|fill| fill.value);
    let user = FillValue::User(vec![7, 8]);
    // Version 3: allocated late, written if set; 0x10 undefined, 0x20 defined.
    assert_eq!(value(&[3, 0x0a]).unwrap(), FillValue::Default);
    assert_eq!(value(&[3, 0x1a]).unwrap(), FillValue::Undefined);
    assert_eq!(value(&[3, 0x2a, 2, 0, 0, 0, 7, 8]).unwrap(), user);
    assert_eq!(
        value(&[3, 0x3a, 2, 0, 0, 0, 7, 8]).unwrap(),
        FillValue::Undefined
    );
    // Version 2: late, if set, defined or not; version 1 has a size of -1 for none.
    assert_eq!(value(&[2, 2, 2, 0]).unwrap(), FillValue::Undefined);
    assert_eq!(value(&[2, 2, 2, 1, 2, 0, 0, 0, 7, 8]).unwrap(), user);
    assert_eq!(
        value(&[1, 2, 2, 1, 0xff, 0xff, 0xff, 0xff]).unwrap(),
        FillValue::Undefined
    );
    let old = |body: &[u8]| parse(body, FillMessage::parse_old).map(|fill| fill.value);
    assert_eq!(old(&[2, 0, 0, 0, 7, 8]).unwrap(), user);
    assert_eq!(
        old(&[2, 0, 0, 0, 7]).unwrap_err().kind(),
        ErrorKind::Truncated
    );
}

#[test]
fn dataspaces_of_both_versions() {
    let space = |body: &[u8]| parse(body, Dataspace::parse);
    let (three, unlimited) = ([3, 0, 0, 0, 0, 0, 0, 0], [0xff; 8]);
    // Version 1 with maxima and permutations. The permutations, which no library ever wrote, come last.
    let head = [1, 1, 3, 0, 0, 0, 0, 0];
    let found = space(&[head, three, unlimited, [0; 8]].concat()).unwrap();
    assert_eq!(
        (found.class, found.dims, found.max),
        (DataspaceClass::Simple, vec![3], vec![None])
    );
    let scalar = space(&[1, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    assert_eq!(
        (scalar.class, scalar.elements()),
        (DataspaceClass::Scalar, Some(1))
    );
    let null = space(&[2, 0, 0, 2]).unwrap();
    assert_eq!(
        (null.class, null.elements()),
        (DataspaceClass::Null, Some(0))
    );
    let odd = space(&[&[2, 1, 0, 2], three.as_slice()].concat()).unwrap_err();
    assert_eq!(odd.kind(), ErrorKind::Corrupt, "{odd}");
}

/// Offset of the first NIL message in an object header of version 1.
fn nil(file: &[u8], header: usize) -> usize {
    let mut at = header + 16;
    loop {
        let field = |n: usize| usize::from(u16::from_le_bytes([file[n], file[n + 1]]));
        if field(at) == 0 {
            return at;
        }
        at += 8 + field(at + 2);
    }
}

#[test]
fn unknown_messages_are_skipped_unless_required() {
    let whole = bytes("structures/old.h5");
    let file = open("structures/old.h5");
    let address = object(&file, "contiguous").address;
    let place = nil(
        &whole,
        usize::try_from(file.superblock().base + address).unwrap(),
    );
    let read = |flags: u8| {
        let mut file = whole.clone();
        (file[place], file[place + 4]) = (0x1e, flags);
        ObjectHeader::read(&open_bytes(file).unwrap(), address)
    };
    // 0x08: readers may ignore the message; 0x20 and 0x10: marks.
    for flags in [0, 0x08, 0x10, 0x20] {
        assert!(read(flags).is_ok(), "{flags}");
    }
    let e = read(0x80).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    assert_eq!(
        e.what(),
        "message type 0x001e must be understood, but is not known"
    );
}

#[test]
fn parts_of_files_are_refused() {
    for (name, driver) in [("family_0.h5", "family"), ("family_new_0.h5", "family")] {
        let e = open_bytes(bytes(name)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Unsupported, "{name}: {e}");
        assert!(e.what().contains(driver), "{name}: {e}");
    }
    // The part with the metadata can be described. Any other driver does not split files.
    let mut other = bytes("multi-s.h5");
    assert!(open_bytes(other.clone()).is_ok());
    other.pop();
    let cut = open_bytes(other.clone()).unwrap_err();
    assert!(cut.what().contains("multi"), "{cut}");
    let place = other.windows(8).position(|w| w == b"NCSAmult").unwrap();
    other[place..place + 8].copy_from_slice(b"LIBERTY!");
    assert_eq!(open_bytes(other).unwrap_err().kind(), ErrorKind::Truncated);
}
