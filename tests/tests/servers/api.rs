//! The API, in this process: remote datasets can be read and created, but not changed.

use netcdf_core::ErrorKind;
use netcdf_core::api::{Dataset, Length, Options, Select, delete};
use netcdf_core::model::{Atomic, GroupId, Kind};

use super::*;

/// Returns the address of a key for programs without credentials.
fn address(server: &S3, key: &str, mode: &str) -> String {
    format!(
        "{}/bucket/{key}#mode={mode},s3&aws.profile=no",
        server.url()
    )
}

#[test]
fn slabs_of_remote_datasets_are_those_of_the_disk() {
    let sandbox = made(&many(40, 200), &[("a.nc", "nc4"), ("a.zarr", "zarr3")]);
    let server = S3::start_public();
    for (name, mode) in [("a.nc", "bytes"), ("a.zarr", "zarr")] {
        let path = sandbox.path(name);
        server.put(name, &path);
        let web = format!("{}/bucket/{name}#mode=bytes", server.url());
        let mut addresses = vec![address(&server, name, mode)];
        addresses.extend((mode == "bytes").then_some(web));
        for address in addresses {
            let there = Dataset::open(&address).unwrap();
            let here = Dataset::open(&path).unwrap();
            let v = there.var_id(GroupId::ROOT, "v").unwrap();
            assert_eq!(there.shape(v).unwrap(), [8000]);
            for (start, count) in [(0, 1), (150, 100), (399, 402), (7999, 1), (0, 8000)] {
                let slab = Select::region(&[start], &[count]);
                let got = there.read::<i64>(v, &slab).unwrap();
                assert_eq!(
                    got,
                    here.read::<i64>(v, &slab).unwrap(),
                    "{address} {start}"
                );
                assert_eq!(got[0], i64::try_from(start * 7 % 1000).unwrap());
            }
        }
    }
}

#[test]
fn remote_datasets_are_not_changed() {
    let sandbox = made(&many(4, 2), &[("a.nc", "nc4"), ("a.zarr", "zarr3")]);
    let server = S3::start_open();
    for (name, mode) in [("a.nc", "bytes"), ("a.zarr", "zarr")] {
        server.put(name, &sandbox.path(name));
        let before = files(&server.folder());
        let e = Dataset::open_for_writing(address(&server, name, mode))
            .err()
            .unwrap();
        assert_eq!(e.kind(), ErrorKind::ReadOnly, "{e}");
        assert!(
            e.to_string().contains("a remote dataset cannot be changed"),
            "{e}"
        );
        assert!(files(&server.folder()) == before);
    }
}

#[test]
fn remote_datasets_are_created_once() {
    let server = S3::start_open();
    for (kind, key, mode) in [
        (Kind::NETCDF4, "new.nc", "bytes"),
        (Kind::PURE_ZARR3, "new.zarr", "zarr"),
    ] {
        let place = address(&server, key, mode);
        let mut d = Dataset::create(&place, kind).unwrap();
        let x = d.define_dim(GroupId::ROOT, "x", Length::Fixed(3)).unwrap();
        let v = d.define_var(GroupId::ROOT, "v", Atomic::Int, &[x]).unwrap();
        d.write(v, &Select::all(), &[3, 1, 2]).unwrap();
        let e = d.sync().unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
        assert!(e.to_string().contains("when it is closed"), "{e}");
        assert!(!server.folder().join(key).exists());
        d.close().unwrap();
        let d = Dataset::open(&place).unwrap();
        let v = d.var_id(GroupId::ROOT, "v").unwrap();
        assert_eq!(d.read::<i32>(v, &Select::all()).unwrap(), [3, 1, 2]);

        let keep = Options {
            keep_existing: true,
            ..Options::default()
        };
        let e = Dataset::create_with(&place, kind, keep).err().unwrap();
        assert_eq!(e.kind(), ErrorKind::Exists, "{e}");
        let e = delete(&place).unwrap_err();
        assert!(e.to_string().contains("cannot be deleted"), "{e}");
        assert!(server.folder().join(key).exists());
    }
}
