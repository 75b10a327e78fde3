//! The API: what is in a dataset, and where datasets are.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use netcdf_core::ErrorKind;
use netcdf_core::api::{self, Dataset, Length, Options, Select};
use netcdf_core::model::quantize::Algorithm;
use netcdf_core::model::{Atomic, DataType, FillMode, GroupId, Kind, Name, TypeKind, Values};

const ROOT: GroupId = GroupId::ROOT;

#[test]
fn groups_and_what_is_seen_in_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let mut data = Dataset::create(&path, Kind::NETCDF4).unwrap();
    let outer = data.define_group(ROOT, "outer").unwrap();
    let inner = data.define_group(outer, "inner").unwrap();
    let x = data.define_dim(ROOT, "x", 4.into()).unwrap();
    let hidden = data.define_dim(outer, "x", Length::Unlimited).unwrap();
    let own = data.define_dim(inner, "own", 2.into()).unwrap();
    let base = Atomic::Short;
    let members = vec![(Name::stored(b"low"), -1), (Name::stored(b"high"), 1)];
    let level = TypeKind::Enum { base, members };
    let level = data.define_type(outer, "level", level).unwrap();
    assert_eq!(data.group_id(ROOT, "outer/inner").unwrap(), inner);
    assert_eq!(data.group_id(inner, "/outer").unwrap(), outer);
    assert_eq!(
        data.group_id(outer, "no").unwrap_err().kind(),
        ErrorKind::NotFound
    );
    assert_eq!(data.dim_id(inner, "x").unwrap(), hidden);
    assert_eq!(data.dim_id(ROOT, "x").unwrap(), x);
    assert_eq!(
        data.dim_id(ROOT, "own").unwrap_err().kind(),
        ErrorKind::NotFound
    );
    assert_eq!(data.visible_dims(inner).unwrap(), [x, hidden, own]);
    assert_eq!(data.unlimited_dims(outer).unwrap(), [hidden]);
    assert_eq!(data.type_id(inner, "level").unwrap(), DataType::User(level));
    assert_eq!(
        data.type_id(ROOT, "level").unwrap_err().kind(),
        ErrorKind::NotFound
    );
    assert_eq!(data.type_id(ROOT, "uint64").unwrap(), Atomic::UInt64.into());
    let info = data.type_info(DataType::User(level)).unwrap();
    assert_eq!(info, ("level".to_owned(), Some(2)));
    assert!(data.enum_name(level, -1).unwrap().is("low"));
    assert_eq!(
        data.enum_name(level, 0).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    // A dimension of a group cannot be used outside of it.
    let outside = data.define_var(ROOT, "v", Atomic::Int, &[own]).unwrap_err();
    assert_eq!(
        (outside.kind(), outside.object()),
        (ErrorKind::NoDimension, Some("/v"))
    );
    data.define_var(inner, "v", DataType::User(level), &[own, x])
        .unwrap();
    data.rename_group(inner, "renamed").unwrap();
    assert_eq!(
        data.rename_group(ROOT, "no").unwrap_err().kind(),
        ErrorKind::NotFound
    );
    let e = data.define_group(ROOT, "outer").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Exists);
    data.close().unwrap();
    let data = Dataset::open(&path).unwrap();
    let renamed = data.group_id(ROOT, "outer/renamed").unwrap();
    let v = data.var_id(renamed, "v").unwrap();
    assert_eq!(data.shape(v).unwrap(), [2, 4]);
    assert_eq!(data.path(), Some(path.as_path()));
}

#[test]
fn storage_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let mut data = Dataset::create(&path, Kind::NETCDF4).unwrap();
    let x = data.define_dim(ROOT, "x", 64.into()).unwrap();
    let [a, b, c] =
        ["a", "b", "c"].map(|name| data.define_var(ROOT, name, Atomic::Float, &[x]).unwrap());
    data.define_named_filter(a, "szip", &[32, 16]).unwrap();
    data.define_quantize(b, Algorithm::BitRound, 4).unwrap();
    data.define_fill(c, None).unwrap();
    let e = data
        .define_named_filter(a, "no such filter", &[])
        .unwrap_err();
    assert_eq!(e.kind(), ErrorKind::NotFound);
    let e = data.define_deflate(a, false, Some(10)).unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Argument, Some("/a")));
    assert_eq!(data.set_fill(FillMode::NoFill).unwrap(), FillMode::Fill);
    let d = data.define_var(ROOT, "d", Atomic::Float, &[x]).unwrap();
    data.write(b, &Select::at(&[0]), &[1.2345678f32]).unwrap();
    data.close().unwrap();
    let data = Dataset::open(&path).unwrap();
    assert_eq!(data.szip(a).unwrap().map(|(_, pixels)| pixels), Some(16));
    assert_eq!(data.szip(b).unwrap(), None);
    let bits = data.get_attribute::<i32>(b, Algorithm::BitRound.attribute());
    assert_eq!(bits.unwrap(), [4]);
    assert_eq!(data.read_one::<f32>(b, &[0]).unwrap(), 1.25);
    assert_eq!(data.fill(a).unwrap().0, FillMode::Fill);
    assert_eq!(data.fill(c).unwrap().0, FillMode::NoFill);
    assert_eq!(data.fill(d).unwrap().0, FillMode::NoFill);
}

#[test]
fn attributes_have_numbers_and_names() {
    let dir = tempfile::tempdir().unwrap();
    let mut data = Dataset::create(dir.path().join("a.nc"), Kind::CLASSIC).unwrap();
    for (name, value) in [("a", Values::from("x")), ("b", Values::from([1i16, 2]))] {
        data.put_attribute(ROOT, name, value).unwrap();
    }
    assert_eq!(data.attribute_number(ROOT, "b").unwrap(), 1);
    let names = data
        .attributes(ROOT)
        .unwrap()
        .iter()
        .map(|a| a.name.to_string());
    assert_eq!(names.collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(data.attribute(ROOT, "b").unwrap().values.len(), 2);
    data.put_attribute(ROOT, "a", [7i32]).unwrap();
    assert_eq!(data.attribute_number(ROOT, "a").unwrap(), 0);
    let e = data.rename_attribute(ROOT, "a", "b").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Exists);
    let e = data.put_attribute(ROOT, "wide", [1i64]).unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::BadType, Some("/")));
    let e = data.get_text(ROOT, "a").unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::BadType, Some(":a")));
    let v = data.define_var(ROOT, "v", Atomic::Int, &[]).unwrap();
    data.put_attribute(v, "fill", [1.5f32]).unwrap();
    let e = data.rename_attribute(v, "fill", "_FillValue").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::BadType);
}

#[test]
fn stores_are_named_by_path_or_url() {
    let dir = tempfile::tempdir().unwrap();
    let make = |named: &str, kind| {
        let mut data = Dataset::create(named, kind).unwrap();
        let x = data.define_dim(ROOT, "x", 3.into()).unwrap();
        let v = data.define_var(ROOT, "v", Atomic::Int, &[x]).unwrap();
        data.write(v, &Select::all(), &[1, 2, 3]).unwrap();
        data.close().unwrap();
    };
    let change = |named: &str| {
        let mut data = Dataset::open_for_writing(named).unwrap();
        let v = data.var_id(ROOT, "v").unwrap();
        data.write_one(v, &[1], 20).unwrap();
        data.sync().unwrap();
        data.write_one(v, &[2], 30).unwrap();
        data.close().unwrap();
        let data = Dataset::open(named).unwrap();
        assert_eq!(data.read::<i32>(v, &Select::all()).unwrap(), [1, 20, 30]);
    };
    let path = |name: &str| dir.path().join(name).display().to_string();
    let url = format!("file://{}#mode=nczarr,file", path("url"));
    let zip = format!("file://{}#mode=zarr,zip", path("zipped"));
    for (named, kind, is_dir) in [
        (path("dir"), Kind::NCZARR, true),
        (path("three"), Kind::PURE_ZARR3, true),
        (path("file.zip"), Kind::NCZARR, false),
        (url.clone(), Kind::NCZARR, true),
        (zip, Kind::PURE_ZARR, false),
    ] {
        make(&named, kind);
        change(&named);
        let data = Dataset::open(&named).unwrap();
        assert_eq!(data.kind(), kind, "{named}");
        let at = data.path().unwrap().to_owned();
        assert_eq!((at.is_dir(), at.is_file()), (is_dir, !is_dir), "{named}");
        let options = Options {
            keep_existing: true,
            ..Options::default()
        };
        let e = Dataset::create_with(&named, kind, options).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Exists);
        api::delete(&named).unwrap();
        assert!(!at.exists());
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    // The URL and the requested kind disagree.
    let e = Dataset::create(&url, Kind::NETCDF4).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
}

#[test]
fn folders_that_are_no_datasets_are_not_deleted() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("notes"), "mine").unwrap();
    assert!(api::delete(dir.path()).is_err());
    let mut data = Dataset::create(dir.path(), Kind::NCZARR).unwrap();
    data.put_attribute(ROOT, "a", "b").unwrap();
    assert_eq!(data.close().unwrap_err().kind(), ErrorKind::Exists);
    assert!(dir.path().join("notes").exists());
}

#[test]
fn what_memory_does_not_hold_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let mut data = Dataset::create(dir.path().join("a.nc"), Kind::NETCDF4).unwrap();
    let dims = ["y", "x"].map(|name| data.define_dim(ROOT, name, (1 << 40).into()).unwrap());
    let v = data.define_var(ROOT, "v", Atomic::Int, &dims).unwrap();
    let all = data.read::<i32>(v, &Select::all()).unwrap_err();
    assert_eq!(all.kind(), ErrorKind::Limit);
    let all = data.read_values(v, &Select::all()).unwrap_err();
    assert_eq!(all.kind(), ErrorKind::Limit);
}

#[test]
fn stores_with_truth_values_can_be_changed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a.zarr");
    std::fs::create_dir_all(root.join("v")).unwrap();
    std::fs::write(root.join(".zgroup"), r#"{"zarr_format": 2}"#).unwrap();
    let array = r#"{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|b1", "order": "C",
        "compressor": null, "filters": null, "fill_value": false}"#;
    std::fs::write(root.join("v/.zarray"), array).unwrap();
    std::fs::write(root.join("v/0"), [1u8, 0]).unwrap();
    let data = Dataset::open(&root).unwrap();
    let v = data.var_id(ROOT, "v").unwrap();
    assert_eq!(data.read::<u8>(v, &Select::all()).unwrap(), [1, 0]);
    drop(data);
    assert!(Dataset::open_for_writing(&root).is_ok());
    let data = Dataset::open(&root).unwrap();
    assert_eq!(data.read::<u8>(v, &Select::all()).unwrap(), [1, 0]);
}

#[test]
fn what_pure_zarr_lacks_is_said() {
    let dir = tempfile::tempdir().unwrap();
    for kind in [Kind::PURE_ZARR, Kind::NCZARR] {
        let mut data = Dataset::create(dir.path().join("a.zarr"), kind).unwrap();
        data.define_dim(ROOT, "time", Length::Unlimited).unwrap();
        let said: Vec<_> = data.notes().into_iter().map(|n| n.object).collect();
        match kind {
            Kind::NCZARR => assert!(said.is_empty()),
            _ => assert_eq!(said, ["time"]),
        }
    }
}
