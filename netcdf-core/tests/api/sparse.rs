//! Classic files beyond 4 GiB, with holes, so that they take next to no disk.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;

use netcdf_core::chunk::Dataset;
use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::Container;
use netcdf_core::io::file::{FileSource, FileTarget};
use netcdf_core::model::{
    Atomic, CreateOptions, DimId, Dimension, GroupId, Kind, Name, Region, Schema, Storage, Values,
    VarId, Variable,
};

fn dim(schema: &mut Schema, name: &str, len: u64) -> DimId {
    let (name, group) = (Name::stored(name.as_bytes()), GroupId::ROOT);
    schema.add_dim(Dimension {
        name,
        group,
        len,
        unlimited: len == 0,
    })
}

fn var(schema: &mut Schema, name: &str, ty: Atomic, dims: &[DimId]) -> VarId {
    schema.add_var(Variable {
        name: Name::stored(name.as_bytes()),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims: dims.to_vec(),
        attributes: vec![],
        storage: Storage::default(),
    })
}

/// Writes single elements, the rest stays a hole; returns the length of the file.
fn make(path: &Path, schema: Schema, elements: &[(VarId, u64, &[u8])]) -> u64 {
    let target = FileTarget::create(path, false).unwrap();
    let options = CreateOptions {
        no_fill: true,
        ..CreateOptions::default()
    };
    let mut w = format::create(Box::new(target), schema, options, &Env::default()).unwrap();
    for (var, element, bytes) in elements {
        w.put_run(*var, *element, bytes).unwrap();
    }
    w.finish().unwrap();
    std::fs::metadata(path).unwrap().len()
}

fn read(path: &Path, var: VarId, start: &[u64], count: &[u64]) -> Values {
    let env = Env::default();
    let source = FileSource::open(path).unwrap();
    let reader = format::open(Container::Source(Arc::new(source)), &env).unwrap();
    let region = Region::boxed(start.to_vec(), count.to_vec());
    Dataset::new(&*reader, &env).read(var, &region).unwrap()
}

#[test]
fn a_variable_beyond_4_gib_and_one_behind_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("big.nc");
    let mut s = Schema::new(Kind::CDF5);
    let (y, x) = (dim(&mut s, "y", 3), dim(&mut s, "x", 1 << 31));
    let big = var(&mut s, "big", Atomic::Short, &[y, x]);
    let small = var(&mut s, "small", Atomic::Int, &[y]);
    let last = 3 * (1u64 << 31) - 1;
    let len = make(&path, s, &[(big, last, &[0, 7]), (small, 2, &[0, 0, 0, 9])]);
    assert!(len > 12 << 30);
    assert_eq!(
        read(&path, big, &[2, (1 << 31) - 2], &[1, 2]),
        Values::Short(vec![0, 7])
    );
    assert_eq!(read(&path, small, &[0], &[3]), Values::Int(vec![0, 0, 9]));
}

#[test]
fn the_last_variable_of_every_kind_may_be_large() {
    for kind in [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("last.nc");
        let mut s = Schema::new(kind);
        let (y, x) = (dim(&mut s, "y", 5), dim(&mut s, "x", 1 << 30));
        let small = var(&mut s, "small", Atomic::Byte, &[y]);
        let big = var(&mut s, "big", Atomic::Byte, &[y, x]);
        make(
            &path,
            s,
            &[(small, 0, &[3]), (big, 5 * (1 << 30) - 1, &[8])],
        );
        assert_eq!(
            read(&path, big, &[4, (1 << 30) - 1], &[1, 1]),
            Values::Byte(vec![8])
        );
        assert_eq!(read(&path, small, &[0], &[2]), Values::Byte(vec![3, 0]));
    }
}

#[test]
fn records_go_beyond_4_gib_in_every_kind() {
    for kind in [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records.nc");
        let mut s = Schema::new(kind);
        let (t, x) = (dim(&mut s, "t", 0), dim(&mut s, "x", 1 << 28));
        let a = var(&mut s, "a", Atomic::Double, &[t]);
        let b = var(&mut s, "b", Atomic::Short, &[t, x]);
        let at = 9 * (1u64 << 28) + 5;
        let len = make(&path, s, &[(b, at, &[1, 2]), (a, 9, &1.5f64.to_be_bytes())]);
        assert!(len > 4 << 30);
        assert_eq!(
            read(&path, b, &[9, 4], &[1, 3]),
            Values::Short(vec![0, 258, 0])
        );
        assert_eq!(read(&path, a, &[8], &[2]), Values::Double(vec![0.0, 1.5]));
    }
}
