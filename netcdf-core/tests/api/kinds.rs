//! The API over every format that is written: create, define, write, read back, change, abort.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use netcdf_core::ErrorKind;
use netcdf_core::api::{Dataset, DatasetMode, Length, Options, Owner, Select};
use netcdf_core::format::traits;
use netcdf_core::model::kind::Model;
use netcdf_core::model::{
    Atomic, Endianness, Field, FillMode, GroupId, Kind, Name, StorageLayout, TypeKind, Values,
    VarId,
};
use std::path::{Path, PathBuf};

const ROOT: GroupId = GroupId::ROOT;

/// Every kind that is written.
const KINDS: [Kind; 9] = [
    Kind::CLASSIC,
    Kind::OFFSET64,
    Kind::CDF5,
    Kind::NETCDF4,
    Kind::NETCDF4_CLASSIC,
    Kind::NCZARR,
    Kind::PURE_ZARR,
    Kind::NCZARR3,
    Kind::PURE_ZARR3,
];

fn is_strict(kind: Kind) -> bool {
    kind.model != Model::Enhanced
}

/// True for Zarr without netCDF's metadata, which knows neither unlimited dimensions nor characters.
fn is_pure(kind: Kind) -> bool {
    kind.as_zarr().is_some_and(|zarr| zarr.pure)
}

fn each(test: impl Fn(Kind, &Path)) {
    each_of(&KINDS, test);
}

/// Like `each`, without kinds that return less than was written.
fn each_whole(test: impl Fn(Kind, &Path)) {
    let kinds: Vec<_> = KINDS.into_iter().filter(|&k| !is_pure(k)).collect();
    each_of(&kinds, test);
}

fn each_of(kinds: &[Kind], test: impl Fn(Kind, &Path)) {
    for &kind in kinds {
        let dir = tempfile::tempdir().unwrap();
        test(kind, &dir.path().join("a.nc"));
        let left = std::fs::read_dir(dir.path()).unwrap().count();
        assert!(left <= 1, "{kind:?}: temporary files are left");
    }
}

/// All bytes of a file, or of the files in a folder.
fn bytes(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    if !path.is_dir() {
        return vec![(path.to_owned(), std::fs::read(path).unwrap())];
    }
    let entries = std::fs::read_dir(path).unwrap();
    let mut paths: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.iter().flat_map(|path| bytes(path)).collect()
}

/// A dataset with a record variable `t(time, x)`, a text `name(x)` and a scalar `s`; in data mode.
fn sample(kind: Kind, path: &Path) -> (Dataset, [VarId; 3]) {
    let mut data = Dataset::create(path, kind).unwrap();
    let time = data.define_dim(ROOT, "time", Length::Unlimited).unwrap();
    let x = data.define_dim(ROOT, "x", 3.into()).unwrap();
    let t = data
        .define_var(ROOT, "t", Atomic::Short, &[time, x])
        .unwrap();
    let name = data.define_var(ROOT, "name", Atomic::Char, &[x]).unwrap();
    let s = data.define_var(ROOT, "s", Atomic::Double, &[]).unwrap();
    data.put_attribute(ROOT, "title", "sample").unwrap();
    data.put_attribute(t, "scale", [2.5f64, 3.0]).unwrap();
    data.end_definition().unwrap();
    (data, [t, name, s])
}

fn filled(kind: Kind, path: &Path) {
    let (mut data, [t, name, s]) = sample(kind, path);
    let all = Select::region(&[0, 0], &[2, 3]);
    data.write(t, &all, &[11i32, 12, 13, 21, 22, 23]).unwrap();
    data.write_text(name, &Select::all(), b"abc").unwrap();
    data.write_one(s, &[], 1.5f32).unwrap();
    data.close().unwrap();
}

#[test]
fn what_is_written_is_read() {
    each(|kind, path| {
        filled(kind, path);
        let data = Dataset::open(path).unwrap();
        assert_eq!((data.kind(), data.mode()), (kind, DatasetMode::ReadOnly));
        let [t, name, s] = ["t", "name", "s"].map(|n| data.var_id(ROOT, n).unwrap());
        assert_eq!(data.shape(t).unwrap(), [2, 3]);
        let all: Vec<f32> = data.read(t, &Select::all()).unwrap();
        assert_eq!(all, [11., 12., 13., 21., 22., 23.]);
        if !is_pure(kind) {
            assert_eq!(data.read_text(name, &Select::all()).unwrap(), b"abc");
        }
        assert_eq!(data.read_one::<i8>(s, &[]).unwrap(), 1);
        assert_eq!(data.get_text(ROOT, "title").unwrap(), "sample");
        assert_eq!(data.get_attribute::<i32>(t, "scale").unwrap(), [2, 3]);
        let e = data.read::<i32>(name, &Select::all()).unwrap_err();
        assert_eq!((e.kind(), e.object()), (ErrorKind::BadType, Some("/name")));
    });
}

#[test]
fn regions_strides_and_maps_agree_with_whole_variables() {
    each(|kind, path| {
        let mut data = Dataset::create(path, kind).unwrap();
        let [z, y, x] = [("z", 4), ("y", 5), ("x", 6)]
            .map(|(name, len)| data.define_dim(ROOT, name, Length::Fixed(len)).unwrap());
        let v = data.define_var(ROOT, "v", Atomic::Int, &[z, y, x]).unwrap();
        data.end_definition().unwrap();
        // Written in pieces that overlap, with strides and in another order in memory.
        let value = |z: u64, y: u64, x: u64| i64::try_from(z * 100 + y * 10 + x).unwrap();
        for first in [1, 0] {
            let mut plane = vec![];
            for x in 0..6 {
                for y in 0..5 {
                    for z in [first, first + 2] {
                        plane.push(value(z, y, x));
                    }
                }
            }
            let select = Select::region(&[first, 0, 0], &[2, 5, 6]);
            let select = select.stride(&[2, 1, 1]).map(&[1, 2, 10]);
            data.write(v, &select, &plane).unwrap();
        }
        let check = |data: &Dataset| {
            for (start, count, stride) in [
                ([0, 0, 0], [4, 5, 6], [1, 1, 1]),
                ([1, 2, 3], [3, 2, 1], [1, 2, 5]),
                ([3, 0, 1], [1, 3, 3], [7, 2, 2]),
                ([4, 0, 0], [0, 5, 6], [1, 1, 1]),
            ] {
                let select = Select::region(&start, &count).stride(&stride);
                let mut want = vec![];
                for a in 0..count[0] {
                    for b in 0..count[1] {
                        for c in 0..count[2] {
                            want.push(value(
                                start[0] + a * stride[0],
                                start[1] + b * stride[1],
                                start[2] + c * stride[2],
                            ));
                        }
                    }
                }
                assert_eq!(data.read::<i64>(v, &select).unwrap(), want, "{select:?}");
                let counts = count.map(|n| usize::try_from(n).unwrap());
                let map = [1, counts[0], counts[0] * counts[1]];
                let mapped = data.read::<i64>(v, &select.map(&map)).unwrap();
                let mut back = vec![];
                for a in 0..counts[0] {
                    for b in 0..counts[1] {
                        for c in 0..counts[2] {
                            back.push(mapped[a + b * map[1] + c * map[2]]);
                        }
                    }
                }
                assert_eq!(back, want);
            }
        };
        check(&data);
        data.close().unwrap();
        check(&Dataset::open(path).unwrap());
    });
}

#[test]
fn what_does_not_fit_is_an_error_and_what_fits_is_done() {
    each(|kind, path| {
        let (mut data, [t, ..]) = sample(kind, path);
        let row = Select::region(&[0, 0], &[1, 3]);
        let e = data.write(t, &row, &[1, 70_000, 3]).unwrap_err();
        assert_eq!((e.kind(), e.object()), (ErrorKind::Range, Some("/t")));
        assert_eq!(data.read::<i32>(t, &row).unwrap(), [1, -32767, 3]);
        data.write(t, &row, &[1, 300, 3]).unwrap();
        assert_eq!(
            data.read::<i8>(t, &row).unwrap_err().kind(),
            ErrorKind::Range
        );
        let mut out = [0i8; 3];
        let e = data.read_into(t, &row, &mut out).unwrap_err();
        assert_eq!((e.kind(), out), (ErrorKind::Range, [1, -127, 3]));
        data.close().unwrap();
        let data = Dataset::open(path).unwrap();
        let t = data.var_id(ROOT, "t").unwrap();
        assert_eq!(data.read::<i32>(t, &Select::all()).unwrap(), [1, 300, 3]);
    });
}

#[test]
fn bytes_have_no_sign_in_classic_files() {
    each(|kind, path| {
        let mut data = Dataset::create(path, kind).unwrap();
        let b = data.define_var(ROOT, "b", Atomic::Byte, &[]).unwrap();
        data.end_definition().unwrap();
        let done = data.write_one(b, &[], 200u8).map_err(|e| e.kind());
        match kind.model {
            Model::Cdf5 | Model::Enhanced => assert_eq!(done, Err(ErrorKind::Range)),
            Model::Classic => {
                assert_eq!(done, Ok(()));
                assert_eq!(data.read_one::<i32>(b, &[]).unwrap(), -56);
                assert_eq!(data.read_one::<u8>(b, &[]).unwrap(), 200);
            }
        }
    });
}

#[test]
fn modes_are_those_of_the_models() {
    each(|kind, path| {
        let (mut data, [t, ..]) = sample(kind, path);
        let strict = is_strict(kind);
        assert_eq!(data.mode(), DatasetMode::Data);
        assert_eq!(
            data.end_definition().unwrap_err().kind(),
            ErrorKind::NotInDefineMode
        );
        let defined = data.define_dim(ROOT, "y", 2.into()).map_err(|e| e.kind());
        assert_eq!(defined.is_err(), strict);
        if strict {
            assert_eq!(defined, Err(ErrorKind::NotInDefineMode));
            // Changes that need no more space are possible.
            data.put_attribute(ROOT, "title", "sampel").unwrap();
            let longer = data
                .put_attribute(ROOT, "title", "a longer text")
                .unwrap_err();
            assert_eq!(longer.kind(), ErrorKind::NotInDefineMode);
            data.rename_var(t, "u").unwrap();
            let longer = data.rename_var(t, "longer").unwrap_err();
            assert_eq!(longer.kind(), ErrorKind::NotInDefineMode);
            data.redefine().unwrap();
        }
        assert_eq!(data.mode(), DatasetMode::Define);
        assert_eq!(data.redefine().unwrap_err().kind(), ErrorKind::InDefineMode);
        let put = data.write(t, &Select::region(&[0, 0], &[1, 1]), &[1]);
        assert_eq!(
            put.map_err(|e| e.kind()).err(),
            strict.then_some(ErrorKind::InDefineMode)
        );
        let got = data.read::<i32>(t, &Select::region(&[0, 0], &[0, 0]));
        assert_eq!(
            got.map_err(|e| e.kind()).err(),
            strict.then_some(ErrorKind::InDefineMode)
        );
        data.close().unwrap();
        let mut data = Dataset::open(path).unwrap();
        for e in [
            data.redefine().unwrap_err(),
            data.put_attribute(ROOT, "a", "b").unwrap_err(),
            data.write_one(t, &[0, 0], 1).unwrap_err(),
            data.set_fill(FillMode::NoFill).unwrap_err(),
        ] {
            assert_eq!(e.kind(), ErrorKind::ReadOnly);
        }
    });
}

#[test]
fn definitions_that_cannot_be() {
    each(|kind, path| {
        let mut data = Dataset::create(path, kind).unwrap();
        let err = |r: Result<_, netcdf_core::Error>| {
            r.map(|_: netcdf_core::model::DimId| ()).unwrap_err().kind()
        };
        let time = data.define_dim(ROOT, "time", Length::Unlimited).unwrap();
        let x = data.define_dim(ROOT, "x", 3.into()).unwrap();
        assert_eq!(err(data.define_dim(ROOT, "x", 4.into())), ErrorKind::Exists);
        assert_eq!(
            err(data.define_dim(ROOT, "a/b", 4.into())),
            ErrorKind::BadName
        );
        assert_eq!(
            err(data.define_dim(ROOT, "zero", 0.into())),
            ErrorKind::DimSize
        );
        let second = data
            .define_dim(ROOT, "y", Length::Unlimited)
            .map_err(|e| e.kind());
        assert_eq!(
            second.err(),
            is_strict(kind).then_some(ErrorKind::Unlimited)
        );
        data.define_var(ROOT, "v", Atomic::Int, &[x]).unwrap();
        let var = |data: &mut Dataset, name: &str, ty: Atomic, dims: &[_]| {
            data.define_var(ROOT, name, ty, dims)
                .map_err(|e| e.kind())
                .err()
        };
        assert_eq!(
            var(&mut data, "v", Atomic::Int, &[]),
            Some(ErrorKind::Exists)
        );
        let far = netcdf_core::model::DimId(99);
        assert_eq!(
            var(&mut data, "w", Atomic::Int, &[far]),
            Some(ErrorKind::NoDimension)
        );
        let inner = var(&mut data, "w", Atomic::Int, &[x, time]);
        assert_eq!(inner, traits(kind).records.then_some(ErrorKind::Unlimited));
        let string = var(&mut data, "str", Atomic::String, &[]);
        assert_eq!(
            string,
            match kind {
                kind if kind.is_enhanced() => None,
                Kind::NETCDF4_CLASSIC => Some(ErrorKind::Strict),
                _ => Some(ErrorKind::BadType),
            }
        );
        let group = data.define_group(ROOT, "g").map_err(|e| e.kind()).err();
        assert_eq!(
            group,
            match kind {
                kind if kind.is_enhanced() => None,
                Kind::NETCDF4_CLASSIC => Some(ErrorKind::Strict),
                _ => Some(ErrorKind::NotNetcdf4),
            }
        );
        let v = data.var_id(ROOT, "v").unwrap();
        let deflate = data
            .define_deflate(v, true, Some(1))
            .map_err(|e| e.kind())
            .err();
        assert_eq!(
            deflate,
            traits(kind).records.then_some(ErrorKind::NotNetcdf4)
        );
        let fill = data.put_attribute(v, "_FillValue", [1i16]).unwrap_err();
        assert_eq!(fill.kind(), ErrorKind::BadType);
        let e = data.var_id(ROOT, "none").unwrap_err();
        assert_eq!(e.kind(), ErrorKind::NotFound);
        assert_eq!(
            data.shape(VarId(9)).unwrap_err().kind(),
            ErrorKind::NoVariable
        );
    });
}

#[test]
fn an_aborted_dataset_leaves_what_was_there() {
    each_whole(|kind, path| {
        let (data, _) = sample(kind, path);
        data.abort();
        assert!(!path.exists());
        filled(kind, path);
        let before = bytes(path);
        let mut data = Dataset::open_for_writing(path).unwrap();
        let t = data.var_id(ROOT, "t").unwrap();
        data.write_one(t, &[5, 0], 9).unwrap();
        assert_eq!(data.shape(t).unwrap(), [6, 3]);
        data.abort();
        assert_eq!(bytes(path), before);
        let mut data = Dataset::open_for_writing(path).unwrap();
        data.write_one(t, &[0, 0], 9).unwrap();
        drop(data);
        assert_eq!(bytes(path), before);
        // Nothing is written if nothing was changed.
        let modified = std::fs::metadata(path).unwrap().modified().unwrap();
        Dataset::open_for_writing(path).unwrap().close().unwrap();
        assert_eq!(
            std::fs::metadata(path).unwrap().modified().unwrap(),
            modified
        );
    });
}

#[test]
fn an_existing_dataset_is_changed() {
    each_whole(|kind, path| {
        filled(kind, path);
        let mut data = Dataset::open_for_writing(path).unwrap();
        let [t, name, s] = ["t", "name", "s"].map(|n| data.var_id(ROOT, n).unwrap());
        data.write_one(t, &[1, 1], 99).unwrap();
        data.write(t, &Select::region(&[3, 0], &[1, 2]), &[41, 42])
            .unwrap();
        let f = -32767;
        let want = [11, 12, 13, 21, 99, 23, f, f, f, 41, 42, f];
        assert_eq!(data.read::<i32>(t, &Select::all()).unwrap(), want);
        if is_strict(kind) {
            data.redefine().unwrap();
        }
        let x = data.dim_id(ROOT, "x").unwrap();
        let new = data.define_var(ROOT, "new", Atomic::Float, &[x]).unwrap();
        data.put_attribute(new, "_FillValue", [-1.0f32]).unwrap();
        data.rename_dim(x, "longitude").unwrap();
        data.rename_var(s, "scalar").unwrap();
        data.rename_attribute(t, "scale", "factors").unwrap();
        data.duplicate_attribute(t, "factors", ROOT).unwrap();
        data.delete_attribute(ROOT, "title").unwrap();
        if is_strict(kind) {
            data.end_definition().unwrap();
        }
        data.write(new, &Select::region(&[1], &[1]), &[5]).unwrap();
        data.sync().unwrap();
        let check = |data: &Dataset| {
            assert_eq!(data.read::<i32>(t, &Select::all()).unwrap(), want);
            assert_eq!(
                data.read::<f64>(new, &Select::all()).unwrap(),
                [-1., 5., -1.]
            );
            assert_eq!(data.read_one::<f64>(s, &[]).unwrap(), 1.5);
            assert_eq!(data.var_id(ROOT, "scalar").unwrap(), s);
            assert_eq!(data.dim_id(ROOT, "longitude").unwrap(), x);
            assert_eq!(
                data.get_attribute::<f64>(ROOT, "factors").unwrap(),
                [2.5, 3.0]
            );
            assert_eq!(
                data.attribute(ROOT, "title").unwrap_err().kind(),
                ErrorKind::NotFound
            );
        };
        check(&Dataset::open(path).unwrap());
        // After sync it goes on.
        data.write_text(name, &Select::region(&[2], &[1]), b"z")
            .unwrap();
        check(&data);
        data.close().unwrap();
        let data = Dataset::open(path).unwrap();
        check(&data);
        assert_eq!(data.read_text(name, &Select::all()).unwrap(), b"abz");
    });
}

#[test]
fn an_existing_store_is_changed() {
    each_of(&[Kind::PURE_ZARR, Kind::PURE_ZARR3], |kind, path| {
        filled(kind, path);
        let mut data = Dataset::open_for_writing(path).unwrap();
        let [t, s] = ["t", "s"].map(|n| data.var_id(ROOT, n).unwrap());
        data.write_one(t, &[1, 1], 99).unwrap();
        data.rename_var(s, "scalar").unwrap();
        data.put_attribute(t, "units", "m").unwrap();
        data.sync().unwrap();
        data.write_one(t, &[0, 0], 98).unwrap();
        data.close().unwrap();
        let data = Dataset::open(path).unwrap();
        let [t, s] = ["t", "scalar"].map(|n| data.var_id(ROOT, n).unwrap());
        let want = [98, 12, 13, 21, 99, 23];
        assert_eq!(data.read::<i32>(t, &Select::all()).unwrap(), want);
        assert_eq!(data.read_one::<f64>(s, &[]).unwrap(), 1.5);
        assert_eq!(data.get_text(t, "units").unwrap(), "m");
    });
}

#[test]
fn regions_that_are_not_there() {
    each(|kind, path| {
        filled(kind, path);
        let mut data = Dataset::open_for_writing(path).unwrap();
        let [t, name] = ["t", "name"].map(|n| data.var_id(ROOT, n).unwrap());
        let read = |select: Select| data.read::<i32>(t, &select).unwrap_err().kind();
        assert_eq!(read(Select::at(&[2, 0])), ErrorKind::Coordinates);
        assert_eq!(read(Select::region(&[1, 0], &[2, 1])), ErrorKind::Edge);
        assert_eq!(
            read(Select::region(&[0, 0], &[1, 1]).stride(&[0, 1])),
            ErrorKind::Stride
        );
        assert_eq!(read(Select::at(&[0])), ErrorKind::Argument);
        let inner = data.write_one(t, &[0, 3], 1).unwrap_err();
        assert_eq!(inner.kind(), ErrorKind::Coordinates);
        let fixed = data
            .write_text(name, &Select::region(&[1], &[3]), b"xyz")
            .unwrap_err();
        assert_eq!(
            (fixed.kind(), fixed.object()),
            (ErrorKind::Edge, Some("/name"))
        );
        let few = data
            .write(t, &Select::region(&[0, 0], &[1, 3]), &[1, 2])
            .unwrap_err();
        assert_eq!(few.kind(), ErrorKind::Argument);
        let mapped = Select::region(&[0, 0], &[1, 3]).map(&[9, 2]);
        let outside = data.write(t, &mapped, &[1, 2, 3, 4]).unwrap_err();
        assert_eq!(outside.kind(), ErrorKind::Argument);
        assert_eq!(
            data.read::<i32>(t, &Select::all()).unwrap(),
            [11, 12, 13, 21, 22, 23]
        );
    });
}

#[test]
fn storage_is_as_defined_and_stays_when_other_things_change() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let mut data = Dataset::create(&path, Kind::NETCDF4).unwrap();
    let y = data.define_dim(ROOT, "y", Length::Unlimited).unwrap();
    let x = data.define_dim(ROOT, "x", Length::Unlimited).unwrap();
    let v = data.define_var(ROOT, "v", Atomic::Double, &[y, x]).unwrap();
    let late = data.define_var(ROOT, "late", Atomic::Int, &[y]).unwrap();
    data.define_chunking(v, StorageLayout::Chunked(vec![4, 8]))
        .unwrap();
    data.define_deflate(v, true, Some(5)).unwrap();
    data.define_fletcher32(v).unwrap();
    data.define_endianness(v, Endianness::Big).unwrap();
    data.define_fill(v, Some(Values::from([-9.0f64]))).unwrap();
    let zero = StorageLayout::Chunked(vec![0, 8]);
    assert_eq!(
        data.define_chunking(v, zero).unwrap_err().kind(),
        ErrorKind::Argument
    );
    let ramp: Vec<f64> = (0..60).map(f64::from).collect();
    data.write(v, &Select::region(&[0, 0], &[6, 10]), &ramp)
        .unwrap();
    // An inner dimension grows, too.
    data.write_one(v, &[1, 11], 7).unwrap();
    data.write_one(late, &[0], 1).unwrap();
    let e = data.define_deflate(late, false, Some(1)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::LateDefinition);
    let e = data
        .define_fill(v, Some(Values::from([0.0f64])))
        .unwrap_err();
    assert_eq!(e.kind(), ErrorKind::LateDefinition);
    data.close().unwrap();
    let stored = |path: &Path| {
        let data = Dataset::open(path).unwrap();
        assert_eq!(data.shape(v).unwrap(), [6, 12]);
        assert_eq!(data.deflate(v).unwrap(), (true, Some(5)));
        assert!(data.fletcher32(v).unwrap());
        assert_eq!(data.endianness(v).unwrap(), Some(Endianness::Big));
        assert_eq!(
            data.chunking(v).unwrap(),
            Some(&StorageLayout::Chunked(vec![4, 8]))
        );
        assert_eq!(data.fill(v).unwrap().1, Some(Values::from([-9.0f64])));
        data.read::<f64>(v, &Select::region(&[1, 8], &[2, 4]))
            .unwrap()
    };
    assert_eq!(stored(&path), [18., 19., -9., 7., 28., 29., -9., -9.]);
    let mut data = Dataset::open_for_writing(&path).unwrap();
    data.put_attribute(v, "units", "m").unwrap();
    data.close().unwrap();
    assert_eq!(stored(&path), [18., 19., -9., 7., 28., 29., -9., -9.]);
    let mut data = Dataset::open_for_writing(&path).unwrap();
    data.write_one(v, &[2, 9], 5).unwrap();
    data.close().unwrap();
    assert_eq!(stored(&path), [18., 19., -9., 7., 28., 5., -9., -9.]);
}

/// A dataset with one variable of each class of user-defined types, and one of strings.
fn with_types(path: &Path) -> (Dataset, Vec<(VarId, Values)>) {
    let mut data = Dataset::create(path, Kind::NETCDF4).unwrap();
    let g = data.define_group(ROOT, "g").unwrap();
    let x = data.define_dim(ROOT, "x", Length::Unlimited).unwrap();
    let members = vec![(Name::stored(b"off"), 0), (Name::stored(b"on"), 1)];
    let base = Atomic::UByte;
    let on = data
        .define_type(ROOT, "switch", TypeKind::Enum { base, members })
        .unwrap();
    let key = data
        .define_type(ROOT, "key", TypeKind::Opaque { size: 3 })
        .unwrap();
    let base = Atomic::Short.into();
    let list = data
        .define_type(g, "list", TypeKind::Vlen { base })
        .unwrap();
    let field = |name: &[u8], ty, dims, offset| Field {
        name: Name::stored(name),
        ty,
        dims,
        offset,
    };
    let fields = vec![
        field(b"n", Atomic::Int.into(), vec![2], 0),
        field(b"l", netcdf_core::model::DataType::User(list), vec![], 8),
    ];
    let pair = data
        .define_type(g, "pair", TypeKind::Compound { fields, size: 24 })
        .unwrap();
    let user = netcdf_core::model::DataType::User;
    let vars = [
        ("switches", user(on)),
        ("keys", user(key)),
        ("lists", user(list)),
        ("pairs", user(pair)),
        ("names", Atomic::String.into()),
    ];
    let vars = vars.map(|(name, ty)| data.define_var(g, name, ty, &[x]).unwrap());
    let lists = || vec![Values::from([1i16, 2]), Values::from(Vec::<i16>::new())];
    let values = [
        Values::Enum(on, Box::new(Values::from([1u8, 0]))),
        Values::Opaque {
            ty: key,
            size: 3,
            bytes: vec![1, 2, 3, 4, 5, 6],
        },
        Values::Vlen(list, lists()),
        Values::Compound {
            ty: pair,
            len: 2,
            columns: vec![Values::from([1, 2, 3, 4]), Values::Vlen(list, lists())],
        },
        Values::String(vec![
            Some(b"a".as_slice().into()),
            Some(b"".as_slice().into()),
        ]),
    ];
    (data, vars.into_iter().zip(values).collect())
}

#[test]
fn values_of_user_defined_types_are_written_and_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let (mut data, vars) = with_types(&path);
    for (var, values) in &vars {
        data.write_values(*var, &Select::region(&[0], &[2]), values)
            .unwrap();
        assert_eq!(&data.read_values(*var, &Select::all()).unwrap(), values);
    }
    // Values of one type cannot be written as another.
    let e = data
        .write_values(vars[0].0, &Select::region(&[0], &[2]), &vars[1].1)
        .unwrap_err();
    assert_eq!(e.kind(), ErrorKind::BadType);
    data.close().unwrap();
    let mut data = Dataset::open_for_writing(&path).unwrap();
    for (var, values) in &vars {
        let two = Select::region(&[0], &[2]);
        assert_eq!(&data.read_values(*var, &two).unwrap(), values);
        data.write_values(*var, &Select::at(&[2]), &values.slice(0..1))
            .unwrap();
    }
    data.close().unwrap();
    let data = Dataset::open(&path).unwrap();
    for (var, values) in &vars {
        let mut want = values.clone();
        assert!(want.append(values.slice(0..1)));
        assert_eq!(data.read_values(*var, &Select::all()).unwrap(), want);
    }
}

#[test]
fn zarr_has_no_user_defined_types() {
    let dir = tempfile::tempdir().unwrap();
    for kind in [Kind::NCZARR, Kind::PURE_ZARR3] {
        let Ok(mut data) = Dataset::create(dir.path().join("a.zarr"), kind) else {
            continue;
        };
        let e = data
            .define_type(ROOT, "key", TypeKind::Opaque { size: 3 })
            .unwrap_err();
        assert_eq!(e.kind(), ErrorKind::NotInFormat);
    }
}

#[test]
fn attributes_are_copied_between_datasets() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = ["a.nc", "b.nc"].map(|name| dir.path().join(name));
    filled(Kind::CDF5, &a);
    let from = Dataset::open(&a).unwrap();
    let t = from.var_id(ROOT, "t").unwrap();
    let mut to = Dataset::create(&b, Kind::NETCDF4).unwrap();
    to.copy_attribute((&from, Owner::Variable(t)), "scale", ROOT)
        .unwrap();
    let e = to
        .copy_attribute((&from, ROOT.into()), "scale", ROOT)
        .unwrap_err();
    assert_eq!(e.kind(), ErrorKind::NotFound);
    let e = to
        .put_attribute_as(ROOT, "small", Atomic::Byte, [1, 1000])
        .unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Range);
    to.close().unwrap();
    let to = Dataset::open(&b).unwrap();
    assert_eq!(to.get_attribute::<f32>(ROOT, "scale").unwrap(), [2.5, 3.0]);
    assert_eq!(to.get_attribute::<i8>(ROOT, "small").unwrap(), [1, -127]);
}

#[test]
fn what_is_there_is_kept_if_asked() {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join("a.nc");
    filled(Kind::CLASSIC, &path);
    let options = || Options {
        keep_existing: true,
        ..Options::default()
    };
    let e = Dataset::create_with(&path, Kind::CLASSIC, options()).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Exists);
    netcdf_core::api::delete(&path).unwrap();
    assert!(!path.exists());
    std::fs::write(&path, "no dataset").unwrap();
    let e = netcdf_core::api::delete(&path).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::UnknownFormat);
    assert!(path.exists());
}

#[test]
fn large_variables_are_converted_part_by_part() {
    each_of(
        &[Kind::CLASSIC, Kind::NETCDF4, Kind::NCZARR],
        |kind, path| {
            let mut data = Dataset::create(path, kind).unwrap();
            let y = data.define_dim(ROOT, "y", 700.into()).unwrap();
            let x = data.define_dim(ROOT, "x", 900.into()).unwrap();
            let v = data.define_var(ROOT, "v", Atomic::Int, &[y, x]).unwrap();
            data.end_definition().unwrap();
            // In memory in reverse order; the last element does not fit.
            let mut columns: Vec<i64> = vec![0; 700 * 900];
            for y in 0..700 {
                for x in 0..900 {
                    columns[y + 700 * x] = i64::try_from(y * 1000 + x).unwrap();
                }
            }
            columns[700 * 900 - 1] = 1 << 40;
            let map = Select::all().map(&[1, 700]);
            let e = data.write(v, &map, &columns).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Range);
            assert!(e.what().starts_with("from ("), "{e}");
            data.close().unwrap();
            let data = Dataset::open(path).unwrap();
            let rows: Vec<f64> = data.read(v, &Select::all()).unwrap();
            assert_eq!(rows.len(), 700 * 900);
            assert_eq!(
                (rows[0], rows[901], rows[699 * 900 + 3]),
                (0., 1001., 699_003.)
            );
            let last = f64::from(-2_147_483_647);
            assert_eq!(rows[700 * 900 - 1], last);
            columns[700 * 900 - 1] = -2_147_483_647;
            assert_eq!(data.read::<i64>(v, &map).unwrap(), columns);
            let mut small = vec![0i16; 700 * 900];
            let e = data.read_into(v, &Select::all(), &mut small).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Range);
            assert_eq!(
                (small[900 + 5], small[899], small[699 * 900]),
                (1005, 899, -32767)
            );
            let strided = Select::region(&[1, 2], &[300, 440]).stride(&[2, 2]);
            let some: Vec<i32> = data.read(v, &strided).unwrap();
            assert_eq!((some[0], some[439], some[440]), (1002, 1880, 3002));
        },
    );
}

#[test]
fn elements_far_apart_take_no_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut data = Dataset::create(dir.path().join("a.nc"), Kind::NETCDF4).unwrap();
    let x = data.define_dim(ROOT, "x", (1 << 60).into()).unwrap();
    let v = data.define_var(ROOT, "v", Atomic::Int, &[x]).unwrap();
    let far = Select::region(&[5], &[3]).stride(&[1 << 58]);
    data.write(v, &far, &[1, 2, 3]).unwrap();
    assert_eq!(data.read::<i32>(v, &far).unwrap(), [1, 2, 3]);
    assert_eq!(data.read_one::<i32>(v, &[5 + (1 << 58)]).unwrap(), 2);
}

#[test]
fn variables_are_copied_with_what_belongs_to_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let (mut from, vars) = with_types(&path);
    for (var, values) in &vars {
        from.write_values(*var, &Select::region(&[0], &[2]), values)
            .unwrap();
    }
    let g = from.group_id(ROOT, "g").unwrap();
    from.put_attribute(vars[4].0, "comment", "names").unwrap();
    // A dataset with the same types takes all of them, one without only the strings.
    let (mut same, _) = with_types(&dir.path().join("b.nc"));
    let mut other = Dataset::create(dir.path().join("c.nc"), Kind::NETCDF4).unwrap();
    other.define_dim(ROOT, "x", 2.into()).unwrap();
    let copies = same.define_group(ROOT, "copies").unwrap();
    assert_eq!(from.group_id(g, "/g").unwrap(), g);
    for (n, (var, values)) in vars.iter().enumerate() {
        let copied = same.copy_variable((&from, *var), copies).unwrap();
        assert_eq!(&same.read_values(copied, &Select::all()).unwrap(), values);
        let copied = other.copy_variable((&from, *var), ROOT);
        match n {
            4 => {
                let copied = copied.unwrap();
                assert_eq!(other.get_text(copied, "comment").unwrap(), "names");
                assert_eq!(&other.read_values(copied, &Select::all()).unwrap(), values);
            }
            _ => assert_eq!(copied.unwrap_err().kind(), ErrorKind::BadType),
        }
    }
    other.close().unwrap();
    same.close().unwrap();
}
