//! The API: classic datasets that are changed in place.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

use netcdf_core::ErrorKind;
use netcdf_core::api::{Dataset, InPlace, Length, Options, Select};
use netcdf_core::model::{Atomic, GroupId, Kind, VarId};
use std::path::Path;

const ROOT: GroupId = GroupId::ROOT;
const KINDS: [Kind; 3] = [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5];
const TIME: VarId = VarId(0);
const T: VarId = VarId(1);
const STEPS: VarId = VarId(3);

fn options(in_place: InPlace) -> Options {
    Options {
        in_place,
        no_sync: true,
        ..Options::default()
    }
}

/// Creates a dataset with record variables, a large variable and a scalar behind it.
fn create(path: &Path, kind: Kind) {
    let mut data = Dataset::create_with(path, kind, options(InPlace::Auto)).unwrap();
    let time = data.define_dim(ROOT, "time", Length::Unlimited).unwrap();
    let x = data.define_dim(ROOT, "x", 3.into()).unwrap();
    let many = data.define_dim(ROOT, "many", 1000.into()).unwrap();
    data.define_var(ROOT, "time", Atomic::Double, &[time])
        .unwrap();
    data.define_var(ROOT, "t", Atomic::Short, &[time, x])
        .unwrap();
    data.define_var(ROOT, "many", Atomic::Int, &[many]).unwrap();
    data.define_var(ROOT, "steps", Atomic::Int, &[]).unwrap();
    data.put_attribute(ROOT, "title", "first").unwrap();
    data.close().unwrap();
}

fn open(path: &Path, in_place: InPlace) -> Dataset {
    Dataset::open_for_writing_with(path, options(in_place)).unwrap()
}

fn put_record(data: &mut Dataset, n: u64) {
    data.write_one(TIME, &[n], n as f64).unwrap();
    let values = [n as i16, n as i16 + 1, n as i16 + 2];
    let select = Select::region(&[n, 0], &[1, 3]);
    data.write(T, &select, &values).unwrap();
}

/// The identity of a file, which a new file does not have.
#[cfg(unix)]
fn identity(path: &Path) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(path).unwrap())
}

#[cfg(unix)]
#[test]
fn records_and_values_keep_the_file_and_new_variables_do_not() {
    for kind in KINDS {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("a.nc"), dir.path().join("b.nc"));
        create(&path, kind);
        std::fs::copy(&path, &other).unwrap();
        // The old file stays open, so that no new file gets its number.
        let kept = std::fs::File::open(&path).unwrap();
        let old = identity(&path);
        let mut data = open(&path, InPlace::Always);
        for n in 0..20 {
            put_record(&mut data, n);
            data.write_one(STEPS, &[], n as i32 + 1).unwrap();
            data.sync().unwrap();
            let seen = Dataset::open(&path).unwrap();
            assert_eq!(seen.shape(T).unwrap(), [n + 1, 3]);
            assert_eq!(seen.read_one::<u64>(STEPS, &[]).unwrap(), n + 1);
        }
        data.put_attribute(ROOT, "title", "other").unwrap();
        data.close().unwrap();
        assert_eq!(identity(&path), old, "{kind:?}");
        drop(kept);

        let mut data = open(&other, InPlace::Never);
        (0..20).for_each(|n| put_record(&mut data, n));
        data.write_one(STEPS, &[], 20).unwrap();
        data.put_attribute(ROOT, "title", "other").unwrap();
        data.close().unwrap();
        let [path_bytes, other_bytes] = [&path, &other].map(|p| std::fs::read(p).unwrap());
        assert!(path_bytes == other_bytes, "{kind:?}: the file of a writer");

        let kept = std::fs::File::open(&path).unwrap();
        let old = identity(&path);
        let mut data = open(&path, InPlace::Auto);
        put_record(&mut data, 20);
        data.redefine().unwrap();
        data.put_attribute(ROOT, "title", "a much longer title")
            .unwrap();
        data.close().unwrap();
        assert_ne!(identity(&path), old, "{kind:?}");
        drop(kept);
        let data = Dataset::open(&path).unwrap();
        assert_eq!(data.read::<i64>(T, &Select::at(&[20, 2])).unwrap(), [22]);
        assert_eq!(data.get_text(ROOT, "title").unwrap(), "a much longer title");
    }
}

#[test]
fn free_bytes_after_the_header_take_longer_attributes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let mut data = Dataset::create(&path, Kind::CLASSIC).unwrap();
    data.define_var(ROOT, "v", Atomic::Int, &[]).unwrap();
    data.end_definition_with_pad(70).unwrap();
    data.write_one(VarId(0), &[], 7).unwrap();
    data.close().unwrap();
    let len = std::fs::metadata(&path).unwrap().len();
    let mut data = open(&path, InPlace::Always);
    data.redefine().unwrap();
    data.put_attribute(ROOT, "title", "in the free bytes")
        .unwrap();
    data.close().unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), len);
    let data = Dataset::open(&path).unwrap();
    assert_eq!(data.get_text(ROOT, "title").unwrap(), "in the free bytes");
    assert_eq!(data.read_one::<i64>(VarId(0), &[]).unwrap(), 7);
}

#[test]
fn abort_returns_to_the_last_sync() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    create(&path, Kind::CLASSIC);
    let mut data = open(&path, InPlace::Auto);
    put_record(&mut data, 0);
    data.sync().unwrap();
    let synced = std::fs::read(&path).unwrap();
    put_record(&mut data, 5);
    data.write_one(STEPS, &[], 7).unwrap();
    // Unwritten elements of new records have the fill value.
    let fill = Atomic::Short.default_fill();
    let read = data
        .read_values(T, &Select::region(&[3, 0], &[1, 1]))
        .unwrap();
    assert_eq!(read, fill);
    assert_eq!(data.read_one::<i64>(TIME, &[5]).unwrap(), 5);
    data.abort();
    assert_eq!(std::fs::read(&path).unwrap(), synced);
    let data = Dataset::open(&path).unwrap();
    assert_eq!(data.shape(TIME).unwrap(), [1]);
}

#[test]
fn what_is_impossible_in_place_is_an_error_if_it_must_be() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    create(&path, Kind::CDF5);
    let before = std::fs::read(&path).unwrap();
    let mut data = open(&path, InPlace::Always);
    data.redefine().unwrap();
    data.define_var(ROOT, "new", Atomic::Int, &[]).unwrap();
    let e = data.close().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// A program without locks changes the file while it is open.
#[test]
fn other_programs_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    create(&path, Kind::CLASSIC);
    let mut data = open(&path, InPlace::Auto);
    put_record(&mut data, 0);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend([0; 4]);
    std::fs::write(&path, &bytes).unwrap();
    let e = data.sync().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed, "{e}");
    drop(data);
    assert!(std::fs::read(&path).unwrap().starts_with(&bytes));
}

#[cfg(unix)]
#[test]
fn other_names_of_a_file_keep_the_old_content() {
    let dir = tempfile::tempdir().unwrap();
    let (path, link) = (dir.path().join("a.nc"), dir.path().join("b.nc"));
    create(&path, Kind::CLASSIC);
    std::fs::hard_link(&path, &link).unwrap();
    let mut data = open(&path, InPlace::Auto);
    put_record(&mut data, 0);
    data.close().unwrap();
    let records = |path| Dataset::open(path).unwrap().shape(TIME).unwrap();
    assert_eq!((records(&path), records(&link)), (vec![1], vec![0]));
}
