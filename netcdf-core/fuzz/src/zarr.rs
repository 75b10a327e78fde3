//! Zarr: whole stores, in memory and in zip files, and the indexes of shards.

use std::ops::Range;
use std::sync::Arc;

use netcdf_core::format::zarr::Shard;
use netcdf_core::io::zip::ZipStore;
use netcdf_core::io::{Container, Store};
use netcdf_core::model::region::product;

use crate::image::Numbers;
use crate::store::Keys;
use crate::{limits, read, source};

/// Maximum bytes of a chunk, and of a zip member. Codecs may expand one byte to a thousand bytes.
const MOST: u64 = 1 << 22;

/// A store of version 2, parsed by [`Keys::new`]: opens it, and reads the start of all variables.
pub fn zarr_v2(input: &[u8]) {
    let known = [
        ".zgroup",
        ".zarray",
        ".zattrs",
        ".zmetadata",
        ".nczarr",
        ".nczgroup",
        ".nczarray",
        ".nczattr",
    ];
    if let Some(keys) = Keys::new(input, &known) {
        read(Container::Store(Arc::new(keys)), MOST);
    }
}

/// A store of version 3, in the same way.
pub fn zarr_v3(input: &[u8]) {
    if let Some(keys) = Keys::new(input, &["zarr.json"]) {
        read(Container::Store(Arc::new(keys)), MOST);
    }
}

/// A zip file: all members, whole and in parts, then the store inside.
pub fn zip(input: &[u8]) {
    let Ok(store) = ZipStore::open(source(input), &limits()) else {
        return;
    };
    let mut keys = vec![];
    let _ = store.walk("", &mut |key, size| {
        keys.push((key.to_owned(), size));
        Ok(())
    });
    for (key, size) in keys.iter().take(64).filter(|(_, size)| *size <= MOST) {
        let parts = [size / 2..*size, 0..size / 2];
        let found = store.get_ranges(key, &parts);
        if let Ok(Some(bytes)) = store.get(key) {
            assert_eq!(bytes.len() as u64, *size);
            if let Ok(Some(parts)) = found {
                let (front, back) = bytes.split_at(bytes.len() / 2);
                assert!(parts == [back, front]);
            }
        }
        let folder = key.rsplit_once('/').map(|(folder, _)| format!("{folder}/"));
        let children = store.children(&folder.unwrap_or_default());
        assert!(children.is_ok_and(|names| !names.is_empty()));
    }
    let large = keys.iter().any(|(_, size)| *size > MOST);
    if store.is_store() && !large {
        read(Container::Store(Arc::new(store)), MOST);
    }
}

/// The index of a shard. An input is: rank, flags, lengths of the shard and of the inner chunks (a
/// byte each), the start of the shard (two bytes), from byte 16 on the shard.
pub fn shard_index(input: &[u8]) {
    let Some((head, bytes)) = input.split_at_checked(16) else {
        return;
    };
    let mut numbers = Numbers(head);
    let rank = usize::from(numbers.u8() & 3) + 1;
    let flags = numbers.u8();
    let mut lens = || [0; 4].map(|_| u64::from(numbers.u8()))[..rank].to_vec();
    let (outer, inner) = (lens(), lens());
    let large = |n: u64| if flags & 8 == 0 { n } else { n << 56 | n };
    let shard = Shard {
        shape: outer.into_iter().map(large).collect(),
        order: match flags & 16 {
            0 => (0..rank).collect(),
            _ => (0..rank).rev().collect(),
        },
        index_first: flags & 1 != 0,
        big_endian: flags & 2 != 0,
        checksum: flags & 4 != 0,
    };
    let cells = shard.cells(&inner);
    let start = numbers.u16();
    let whole = start..start + bytes.len() as u64;
    let Ok(part) = shard.index_range(&cells, &whole) else {
        return;
    };
    let within = |r: &Range<u64>| whole.start <= r.start && r.start <= r.end && r.end <= whole.end;
    assert!(within(&part));
    let place = |n: u64| usize::try_from(n - start).unwrap_or(usize::MAX);
    let stored = &bytes[place(part.start)..place(part.end)];
    let count = product(&cells).unwrap_or(u64::MAX);
    if let Ok(index) = shard.index(stored.to_vec(), &whole) {
        assert_eq!(index.bytes() as u64, 16 * count);
        let chunks = usize::try_from(count).unwrap_or(usize::MAX);
        assert!((0..chunks).filter_map(|n| index.get(n)).all(|r| within(&r)));
        assert_eq!(index.get(chunks), None);
    }
    for number in 0..count.min(100) {
        let there = shard.number(&shard.place(number, &cells), &cells);
        assert_eq!(there.map(|n| n as u64), Some(number));
    }
}
