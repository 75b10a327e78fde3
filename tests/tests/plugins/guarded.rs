//! Host functions write at most the bytes that plugins may assume.
#![cfg(target_os = "linux")]

use netcdf_core::error::ErrorKind;
use netcdf_core::filter::plugin::{PluginSearch, Plugins};
use netcdf_core::filter::{ChunkContext, FilterTable, UserClass, VariableFacts};
use netcdf_core::model::{Atomic, DataType, Endianness, FilterSpec, StoredElement, TypeId};
use netcdf_tools_tests::plugins::library;

/// The filter of the plugin.
const ID: u32 = 40110;

/// Returns a chunk with this element type and fill value.
fn context(ty: DataType, (size, fill): (u64, &[u8]), rank: usize) -> ChunkContext {
    ChunkContext {
        shape: vec![1; rank],
        element: StoredElement {
            ty,
            size,
            order: Endianness::Big,
            plain: true,
        },
        fill: Some(fill.to_vec()),
        len: usize::try_from(size).ok(),
        about: VariableFacts {
            filters: (0..9)
                .map(|id| FilterSpec {
                    id,
                    params: vec![7; 9],
                })
                .collect(),
            ..VariableFacts::default()
        },
    }
}

/// Types with element size, fill value, and its first bytes in memory.
fn types() -> Vec<(DataType, u64, Vec<u8>, u32)> {
    let text = |len| [&b"text"[..], &[0; 100]].concat()[..len].to_vec();
    let letters = u32::from_ne_bytes(*b"text");
    let one = |byte: u8| u32::from_ne_bytes([byte, 0, 0, 0]);
    let mut all = vec![
        (Atomic::Char.into(), 1, vec![b'A'], one(b'A')),
        (Atomic::Byte.into(), 1, vec![5], one(5)),
        (Atomic::Int.into(), 4, vec![1, 2, 3, 4], 0x0102_0304),
        (Atomic::Float.into(), 4, vec![1, 2, 3, 4], 0x0102_0304),
        // Fill values that are longer and shorter than an element.
        (Atomic::Int.into(), 4, vec![0; 2000], 0),
        (Atomic::Double.into(), 8, vec![1], 1),
        // Strings of fixed size, as in Zarr version 2.
        (Atomic::String.into(), 64, text(64), letters),
        (Atomic::String.into(), 4, text(4), letters),
        (Atomic::String.into(), 1000, vec![b't'; 1000], 0x7474_7474),
        (Atomic::String.into(), 1, vec![0], 0),
    ];
    let user = DataType::User(TypeId(0));
    all.push((user, 40, vec![6; 40], 0x0606_0606));
    all
}

fn plugins() -> (tempfile::TempDir, Plugins) {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), "libguarded.so", "guarded.c", &[]);
    let plugins = Plugins::new(PluginSearch::only(vec![folder.path().to_owned()]), false);
    (folder, plugins)
}

#[test]
fn codecs_get_no_more_than_there_is_room_for() {
    let (_folder, plugins) = plugins();
    let codec = plugins.codec("guarded").unwrap();
    for (ty, size, fill, first) in types() {
        for rank in [0, 1, 3, 32, 33, 1024, 1025, 2000] {
            let context = context(ty, (size, &fill), rank);
            let made = codec.modify(&context, &[]).unwrap();
            assert_eq!(made.working[0], 0, "{ty:?} of {size}, {rank} dimensions");
            // A variable that netCDF cannot represent is not described.
            let first = if rank > 1024 { 0 } else { first };
            assert_eq!(
                made.working[1], first,
                "{ty:?} of {size}, {rank} dimensions"
            );
        }
    }
    // A stored list has no address.
    let user = DataType::User(TypeId(0));
    let mut lists = context(user, (16, &[6; 16]), 1);
    lists.about.class = Some(UserClass::Vlen);
    assert_eq!(codec.modify(&lists, &[]).unwrap().working, [0, 0]);
}

#[test]
fn filters_get_no_more_than_there_is_room_for() {
    let (_folder, plugins) = plugins();
    let table = FilterTable::with_plugins(plugins);
    for (ty, size, fill, _) in types() {
        for rank in [1, 3, 32, 33, 1025] {
            let context = context(ty, (size, &fill), rank);
            let entry = table.entry(ID).unwrap();
            let stored = entry.prepare(&context, &[7, 7]).unwrap();
            assert_eq!(stored[0], 0, "{ty:?} of {size}, {rank} dimensions");
            // The version, and its numbers for types, spaces, property list classes, property lists, error classes and errors.
            let numbers = [114, 3, 3, 4, 10, 10, 11, 12, 12, 13, 13, u32::MAX];
            assert_eq!(stored[1..13], numbers);
            let known = i32::try_from(rank).unwrap();
            let known = if rank > 32 { -1 } else { known };
            assert_eq!(stored[13].cast_signed(), known);
        }
    }
    let e = table.entry(ID + 1).err().unwrap();
    assert_eq!(e.kind(), ErrorKind::FilterUnavailable);
}
