//! The API: Zarr directories that are changed in place, beside readers and other programs.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use netcdf_core::ErrorKind;
use netcdf_core::api::{Dataset, Length, Options, Select};
use netcdf_core::chunk::Reader;
use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::Container;
use netcdf_core::io::dir::DirStore;
use netcdf_core::model::{Atomic, GroupId, Kind, Region, StorageLayout, VarId};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ROOT: GroupId = GroupId::ROOT;
/// The number of records at the beginning: more chunks of `t` than are looked up one by one.
const RECORDS: u64 = 70 * CHUNK;
const CHUNK: u64 = 40;
const KINDS: [Kind; 4] = [
    Kind::NCZARR,
    Kind::PURE_ZARR,
    Kind::NCZARR3,
    Kind::PURE_ZARR3,
];

fn quick() -> Options {
    Options {
        no_sync: true,
        ..Options::default()
    }
}

/// A store with records in whole chunks, with and without filters, and a variable without records.
fn create(kind: Kind) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.zarr");
    let mut data = Dataset::create_with(&path, kind, quick()).unwrap();
    let len = match kind == Kind::NCZARR || kind == Kind::NCZARR3 {
        true => Length::Unlimited,
        false => RECORDS.into(),
    };
    let time = data.define_dim(ROOT, "time", len).unwrap();
    let x = data.define_dim(ROOT, "x", 4.into()).unwrap();
    let t = data.define_var(ROOT, "t", Atomic::Int, &[time]).unwrap();
    let u = data.define_var(ROOT, "u", Atomic::Int, &[time]).unwrap();
    let v = data.define_var(ROOT, "v", Atomic::Int, &[x]).unwrap();
    for var in [t, u] {
        data.define_chunking(var, StorageLayout::Chunked(vec![CHUNK]))
            .unwrap();
    }
    data.define_chunking(v, StorageLayout::Chunked(vec![2]))
        .unwrap();
    data.define_deflate(t, true, Some(1)).unwrap();
    data.end_definition().unwrap();
    put_records(&mut data, 0..RECORDS - 2);
    put_records(&mut data, RECORDS - 2..RECORDS);
    data.close().unwrap();
    (dir, path)
}

fn var(data: &Dataset, name: &str) -> VarId {
    data.var_id(ROOT, name).unwrap()
}

fn put_records(data: &mut Dataset, records: std::ops::Range<u64>) {
    let values: Vec<u64> = records.clone().map(value).collect();
    let count = records.end - records.start;
    for name in ["t", "u"] {
        let id = var(data, name);
        let select = Select::region(&[records.start], &[count]);
        data.write(id, &select, &values).unwrap();
    }
}

/// A value, whose chunk is longer if the record number is larger.
fn value(record: u64) -> u64 {
    record * 7_654_321 % 1_000_000_007
}

fn open(path: &Path) -> Dataset {
    Dataset::open_for_writing_with(path, quick()).unwrap()
}

fn identity(path: &Path) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(path).unwrap())
}

/// Returns the metadata key of an array, and the key of its first chunk.
fn keys(kind: Kind, path: &Path, name: &str) -> [PathBuf; 2] {
    let keys = match kind == Kind::NCZARR3 || kind == Kind::PURE_ZARR3 {
        true => ["zarr.json", "c/0"],
        false => [".zarray", "0"],
    };
    keys.map(|key| path.join(name).join(key))
}

#[test]
fn records_keep_the_directory_and_new_variables_do_not() {
    for kind in [Kind::NCZARR, Kind::NCZARR3] {
        let (_dir, path) = create(kind);
        let old = identity(&path);
        let mut data = open(&path);
        for n in RECORDS..RECORDS + 10 {
            put_records(&mut data, n..n + 1);
            data.sync().unwrap();
            let seen = Dataset::open(&path).unwrap();
            assert_eq!(seen.shape(var(&seen, "t")).unwrap(), [n + 1]);
        }
        assert_eq!(identity(&path), old, "{kind:?}");
        let x = data.dim_id(ROOT, "x").unwrap();
        data.define_var(ROOT, "new", Atomic::Int, &[x]).unwrap();
        put_records(&mut data, RECORDS + 10..RECORDS + 11);
        data.sync().unwrap();
        let new = identity(&path);
        assert_ne!(new, old, "{kind:?}");
        put_records(&mut data, RECORDS + 11..RECORDS + 12);
        data.close().unwrap();
        assert_eq!(identity(&path), new, "{kind:?}");
        let seen = Dataset::open(&path).unwrap();
        let values = seen.read::<u64>(var(&seen, "t"), &Select::all()).unwrap();
        assert!(values.into_iter().eq((0..RECORDS + 12).map(value)));
    }
}

/// Another program changes a key after the dataset has read the key, or before the dataset replaces it.
#[test]
fn changes_of_other_programs_are_noticed_after_own_changes() {
    for kind in KINDS {
        for (what, name, key) in [
            ("metadata", "t", 0),
            ("metadata of a variable that does not change", "v", 0),
            ("a chunk that was read", "u", 1),
            ("a chunk that is replaced", "v", 1),
        ] {
            let (_dir, path) = create(kind);
            let mut data = open(&path);
            let (u, v) = (var(&data, "u"), var(&data, "v"));
            data.write_one(v, &[3], 1).unwrap();
            data.sync().unwrap();
            data.read::<u64>(u, &Select::region(&[0], &[2])).unwrap();
            data.write_one(v, &[3], 2).unwrap();
            data.sync().unwrap();
            let key = &keys(kind, &path, name)[key];
            let mut bytes = std::fs::read(key).unwrap_or(vec![0; 8]);
            bytes.extend(b"  ");
            std::fs::write(key, &bytes).unwrap();
            data.write_one(v, &[0], 3).unwrap();
            let e = data.sync().unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Changed, "{kind:?} {what}: {e}");
            assert_eq!(std::fs::read(key).unwrap(), bytes, "{kind:?} {what}");
        }
    }
}

/// A dataset that lists an array and changes it several times notices only other programs.
#[test]
fn own_changes_of_listed_arrays_are_no_changes_of_other_programs() {
    for kind in KINDS {
        let (_dir, path) = create(kind);
        let mut data = open(&path);
        let t = var(&data, "t");
        for n in 0..4 {
            data.read::<i64>(t, &Select::all()).unwrap();
            data.write_one(t, &[n], n).unwrap();
            data.write_one(t, &[290 + n], n).unwrap();
            data.sync().unwrap();
        }
        let [_, chunk] = keys(kind, &path, "t");
        std::fs::remove_file(chunk.with_file_name("50")).unwrap();
        data.read::<i64>(t, &Select::all()).unwrap();
        data.write_one(t, &[0], 9).unwrap();
        let e = data.sync().unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Changed, "{kind:?}: {e}");
    }
}

#[test]
fn a_store_that_another_program_changed_is_not_replaced() {
    let (_dir, path) = create(Kind::NCZARR);
    let mut data = open(&path);
    std::fs::write(path.join("v/0"), [0; 8]).unwrap();
    data.put_attribute(ROOT, "title", "other").unwrap();
    let e = data.close().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed, "{e}");
    assert_eq!(std::fs::read(path.join("v/0")).unwrap(), [0; 8]);
}

fn reader(path: &Path) -> Box<dyn Reader> {
    let store = DirStore::open(path).unwrap();
    format::open(Container::Store(Arc::new(store)), &Env::default()).unwrap()
}

fn read(reader: &dyn Reader, name: &str, records: std::ops::Range<u64>) -> String {
    let schema = reader.schema();
    let named = |id: &VarId| schema.var_path(*id).ends_with(name);
    let id = schema.var_ids().find(named).unwrap();
    let region = Region::boxed(vec![records.start], vec![records.end - records.start]);
    let env = Env::default();
    let set = netcdf_core::chunk::Dataset::new(reader, &env);
    format!("{:?}", set.read(id, &region).unwrap())
}

/// Appended records do not disturb a reader, except for partial chunks that were replaced.
#[test]
fn readers_keep_their_state_beside_a_writer() {
    for kind in [Kind::NCZARR, Kind::NCZARR3] {
        let (_dir, path) = create(kind);
        let mut data = open(&path);
        put_records(&mut data, RECORDS..RECORDS + 1);
        data.sync().unwrap();
        let beside = reader(&path);
        let whole = |name| read(&*beside, name, 0..RECORDS);
        let before = ["t", "u"].map(whole);
        for n in 1..8 {
            put_records(&mut data, RECORDS + n..RECORDS + n + 1);
            data.sync().unwrap();
            assert_eq!(beside.bytes().changed(), None, "{kind:?}: complete chunks");
            assert_eq!(["t", "u"].map(whole), before, "{kind:?}");
        }
        let last = |name| read(&*beside, name, RECORDS..RECORDS + 1);
        let values = ["t", "u"].map(last);
        let want = format!("Int([{}])", value(RECORDS));
        assert_eq!(values, [want.clone(), want], "{kind:?}: a partial chunk");
        let changed = beside.bytes().changed().unwrap();
        assert!(changed.contains("/t/"), "{kind:?}: {changed}");
    }
}

/// Values that a program overwrote belong to its longer shape, also if the reader reads them only then.
#[test]
fn readers_notice_overwritten_values_beside_appended_records() {
    for (kind, appended) in [(Kind::NCZARR, 0), (Kind::NCZARR3, 0), (Kind::NCZARR, 3)] {
        let (_dir, path) = create(kind);
        let beside = reader(&path);
        let mut data = open(&path);
        data.write_one(var(&data, "u"), &[7], 0).unwrap();
        put_records(&mut data, RECORDS..RECORDS + appended);
        data.sync().unwrap();
        let _ = read(&*beside, "u", 0..RECORDS);
        // Without records, the reader has the new state.
        let changed = beside.bytes().changed();
        assert_eq!(changed.is_some(), appended > 0, "{kind:?}: {changed:?}");
    }
}

/// A list of chunks has sizes, which other chunks have later.
#[test]
fn readers_find_chunks_with_another_size() {
    for kind in [Kind::NCZARR, Kind::NCZARR3] {
        let (_dir, path) = create(kind);
        let mut data = open(&path);
        put_records(&mut data, RECORDS..RECORDS + 1);
        data.sync().unwrap();
        let listed = reader(&path);
        let all = || read(&*listed, "t", 0..RECORDS + 1);
        let before = all();
        for n in 1..3 {
            put_records(&mut data, RECORDS + n..RECORDS + n + 1);
            data.sync().unwrap();
            assert!(all() == before, "{kind:?}");
        }
    }
}

#[test]
fn readers_notice_other_metadata_beside_appended_records() {
    let (_dir, path) = create(Kind::NCZARR);
    let mut data = open(&path);
    let beside = reader(&path);
    put_records(&mut data, RECORDS..RECORDS + 3);
    data.close().unwrap();
    assert_eq!(beside.bytes().changed(), None);
    std::fs::write(path.join("v/.zattrs"), r#"{"units": "m"}"#).unwrap();
    let changed = beside.bytes().changed().unwrap();
    assert!(changed.contains(".z"), "{changed}");
}
