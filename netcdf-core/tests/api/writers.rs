//! The API: several writers of one dataset, and what is not written.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use netcdf_core::ErrorKind;
use netcdf_core::api::{Dataset, Length, Options, Select};
use netcdf_core::model::kind::Model;
use netcdf_core::model::{Atomic, GroupId, Kind};
use std::path::Path;

const ROOT: GroupId = GroupId::ROOT;

/// Kinds of every format.
const KINDS: [Kind; 7] = [
    Kind::CLASSIC,
    Kind::CDF5,
    Kind::NETCDF4,
    Kind::NCZARR,
    Kind::PURE_ZARR,
    Kind::NCZARR3,
    Kind::PURE_ZARR3,
];

fn is_strict(kind: Kind) -> bool {
    kind.model != Model::Enhanced
}

fn each(test: impl Fn(Kind, &Path)) {
    for kind in KINDS {
        let dir = tempfile::tempdir().unwrap();
        test(kind, &dir.path().join("a.nc"));
        let left = std::fs::read_dir(dir.path()).unwrap().count();
        assert!(left <= 1, "{kind:?}: temporary files are left");
    }
}

/// The global attribute of a dataset.
fn history(path: &Path) -> String {
    let data = Dataset::open(path).unwrap();
    data.get_text(ROOT, "history").unwrap()
}

fn put_history(data: &mut Dataset, text: &str) {
    if is_strict(data.kind()) {
        data.redefine().unwrap();
    }
    data.put_attribute(ROOT, "history", text).unwrap();
    if is_strict(data.kind()) {
        data.end_definition().unwrap();
    }
}

#[test]
fn the_second_of_two_writers_loses_nothing_of_the_first() {
    each(|kind, path| {
        two_writers(kind, path);
        if kind.as_zarr().is_some() {
            two_writers(kind, &path.with_extension("zip"));
            std::fs::remove_file(path.with_extension("zip")).unwrap();
        }
    });
}

fn two_writers(kind: Kind, path: &Path) {
    let mut data = Dataset::create(path, kind).unwrap();
    put_history_first(&mut data);
    data.close().unwrap();
    let mut first = Dataset::open_for_writing(path).unwrap();
    if kind.as_zarr().is_none() || path.is_dir() {
        one_writer_at_a_time(first, path);
        return;
    }
    let mut second = Dataset::open_for_writing(path).unwrap();
    let third = Dataset::open_for_writing(path).unwrap();
    for text in ["1 once", "1 again", "1"] {
        put_history(&mut first, text);
        first.sync().unwrap();
    }
    put_history(&mut second, "2");
    let e = second.sync().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed, "{kind:?}: {e}");
    let e = second.close().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed, "{kind:?}: {e}");
    assert_eq!(history(path), "1");
    // Without a change, nothing is written.
    third.close().unwrap();
    put_history(&mut first, "1 at last");
    first.close().unwrap();
    assert_eq!(history(path), "1 at last");
}

/// A file or directory has a lock while it is open for writing.
fn one_writer_at_a_time(mut first: Dataset, path: &Path) {
    for text in ["1 once", "1"] {
        let e = Dataset::open_for_writing(path).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Busy, "{e}");
        put_history(&mut first, text);
        first.sync().unwrap();
        assert_eq!(history(path), text);
    }
    first.close().unwrap();
    Dataset::open_for_writing(path).unwrap().close().unwrap();
}

fn put_history_first(data: &mut Dataset) {
    data.put_attribute(ROOT, "history", "0").unwrap();
}

#[test]
fn chunks_that_others_put_into_a_store_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.zarr");
    let mut data = Dataset::create(&path, Kind::PURE_ZARR).unwrap();
    let x = data.define_dim(ROOT, "x", 4.into()).unwrap();
    let v = data.define_var(ROOT, "v", Atomic::Byte, &[x]).unwrap();
    data.close().unwrap();
    let mut data = Dataset::open_for_writing(&path).unwrap();
    std::fs::write(path.join("v/0"), [1, 2, 3, 4]).unwrap();
    data.write_one(v, &[3], 9).unwrap();
    let e = data.close().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed, "{e}");
    assert_eq!(std::fs::read(path.join("v/0")).unwrap(), [1, 2, 3, 4]);
}

#[test]
fn what_came_meanwhile_is_kept_if_that_was_asked() {
    each(|kind, path| {
        let options = Options {
            keep_existing: true,
            ..Options::default()
        };
        let mut kept = Dataset::create_with(path, kind, options).unwrap();
        put_history_first(&mut kept);
        let mut other = Dataset::create(path, kind).unwrap();
        other.put_attribute(ROOT, "history", "1").unwrap();
        other.close().unwrap();
        let e = kept.close().unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Exists, "{kind:?}: {e}");
        assert_eq!(history(path), "1");
    });
}

#[test]
fn no_elements_are_written_anywhere_along_an_unlimited_dimension() {
    each(|kind, path| {
        let mut data = Dataset::create(path, kind).unwrap();
        let time = data.define_dim(ROOT, "time", Length::Unlimited).unwrap();
        let x = data.define_dim(ROOT, "x", 3.into()).unwrap();
        let t = data.define_var(ROOT, "t", Atomic::Int, &[time, x]);
        let t = t.unwrap();
        data.end_definition().unwrap();
        let none: [i32; 0] = [];
        let nothing = Select::region(&[1 << 40, 0], &[0, 3]);
        data.write(t, &nothing, &none).unwrap();
        assert_eq!(data.shape(t).unwrap(), [0, 3], "{kind:?}");
        // In a dimension that cannot grow, the start lies within the dimension or at its end.
        data.write(t, &Select::region(&[0, 3], &[1, 0]), &none)
            .unwrap();
        let e = data.write(t, &Select::region(&[0, 4], &[1, 0]), &none);
        assert_eq!(e.unwrap_err().kind(), ErrorKind::Coordinates);
        let e = data.read::<i32>(t, &nothing).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Coordinates, "{kind:?}");
    });
}
