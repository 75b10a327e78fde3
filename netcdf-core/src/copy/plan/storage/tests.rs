//! The storage that the options give a dataset, as tables.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::copy::options::{
    ChunkShapes, CopyOptions, Filtering, StorageOptions, VarLayout, VariableFilters,
};
use crate::copy::plan::plan;
use crate::format::traits;
use crate::model::{
    Atomic, DimId, Dimension, Endianness, FillMode, FilterSpec, GroupId, Kind, Name, Schema,
    Storage, StorageLayout, VarId, Variable,
};

const T: u32 = 0;
const X: u32 = 2;

/// Dimensions t (unlimited, 100), y (180), x (360), n (4).
fn dims(kind: Kind) -> Schema {
    let mut s = Schema::new(kind);
    for (name, len) in [("t", 100), ("y", 180), ("x", 360), ("n", 4)] {
        s.add_dim(Dimension {
            name: Name::stored(name.as_bytes()),
            group: GroupId::ROOT,
            len,
            unlimited: name == "t",
        });
    }
    s
}

fn filter(id: u32, params: &[u32]) -> FilterSpec {
    let params = params.to_vec();
    FilterSpec { id, params }
}

fn add(
    s: &mut Schema,
    name: &str,
    ty: Atomic,
    dims: &[u32],
    chunks: &[u64],
    filters: &[FilterSpec],
) {
    let layout = match chunks {
        [] => StorageLayout::Contiguous,
        [0] => StorageLayout::Compact,
        chunks => StorageLayout::Chunked(chunks.to_vec()),
    };
    let nc4 = traits(s.kind).settings;
    s.add_var(Variable {
        name: Name::stored(name.as_bytes()),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims: dims.iter().map(|&d| DimId(d)).collect(),
        attributes: vec![],
        storage: Storage {
            prepared: false,
            layout: nc4.then_some(layout),
            filters: if nc4 { filters.to_vec() } else { vec![] },
            endianness: (nc4 && name == "lat").then_some(Endianness::Big),
            fill: FillMode::Fill,
            unwritten: None,
            codecs: None,
            quantize: None,
            max_string: None,
            characters: None,
            shard: None,
        },
    });
}

fn dataset(kind: Kind) -> Schema {
    let mut s = dims(kind);
    let deflated = [filter(2, &[4]), filter(1, &[4])];
    add(
        &mut s,
        "temp",
        Atomic::Float,
        &[0, 1, 2],
        &[1, 90, 180],
        &deflated,
    );
    add(&mut s, "time", Atomic::Double, &[0], &[512], &[]);
    add(&mut s, "lat", Atomic::Double, &[1], &[], &[]);
    add(
        &mut s,
        "zone",
        Atomic::Short,
        &[1, 2],
        &[90, 90],
        &[filter(32015, &[3])],
    );
    add(
        &mut s,
        "sum",
        Atomic::Int,
        &[1, 2],
        &[10, 10],
        &[filter(3, &[])],
    );
    add(&mut s, "few", Atomic::Int, &[3], &[2], &[]);
    add(&mut s, "one", Atomic::Int, &[], &[], &[]);
    add(&mut s, "tiny", Atomic::Byte, &[3], &[0], &[]);
    if kind == Kind::NETCDF4 {
        add(&mut s, "text", Atomic::String, &[1, 2], &[], &[]);
    }
    s
}

fn table(input: &Schema, options: &CopyOptions) -> String {
    let plan = match plan(input, options) {
        Ok(plan) => plan,
        Err(e) => return format!("{e}\n"),
    };
    let mut out = format!("{}\n", plan.schema.kind.name());
    for v in &plan.schema.vars {
        let layout = v.storage.layout.as_ref().map(|l| format!("{l:?}"));
        let filters: Vec<_> = v
            .storage
            .filters
            .iter()
            .map(|f| format!("{}{:?}", f.id, f.params))
            .collect();
        let line = format!(
            "{:5} {:25} {}",
            v.name.to_string(),
            layout.unwrap_or_default(),
            filters.join(" ")
        );
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
    for note in plan.notes.iter().chain(&plan.remarks) {
        writeln!(out, "{note}").unwrap();
    }
    out
}

fn ask(storage: StorageOptions) -> CopyOptions {
    CopyOptions {
        kind: Some(Kind::NETCDF4),
        storage,
        ..CopyOptions::default()
    }
}

fn deflate(level: u8, shuffle: bool) -> StorageOptions {
    StorageOptions {
        deflate: Some(level),
        shuffle,
        ..StorageOptions::default()
    }
}

fn chunks(none: bool, dims: &[(u32, u64)], vars: &[(u32, VarLayout)]) -> StorageOptions {
    let chunks = ChunkShapes {
        none,
        dims: dims.iter().map(|&(d, n)| (DimId(d), n)).collect(),
        vars: vars.iter().map(|(v, l)| (VarId(*v), l.clone())).collect(),
    };
    StorageOptions {
        chunks,
        ..StorageOptions::default()
    }
}

fn named(none: bool, vars: &[(u32, &[FilterSpec])], by_name: bool) -> StorageOptions {
    let filtering = |filters: &[FilterSpec]| Filtering {
        filters: filters.to_vec(),
        by_name,
    };
    let vars: BTreeMap<_, _> = vars
        .iter()
        .map(|(v, f)| (VarId(*v), filtering(f)))
        .collect();
    StorageOptions {
        filters: VariableFilters { none, vars },
        ..StorageOptions::default()
    }
}

#[test]
fn nothing_asked() {
    let same = dataset(Kind::NETCDF4);
    insta::assert_snapshot!("same_kind", table(&same, &CopyOptions::default()));
    insta::assert_snapshot!(
        "from_classic",
        table(&dataset(Kind::CLASSIC), &ask(StorageOptions::default()))
    );
    let classic = CopyOptions {
        kind: Some(Kind::CLASSIC),
        ..CopyOptions::default()
    };
    assert!(
        table(&dataset(Kind::NETCDF4_CLASSIC), &classic)
            .lines()
            .skip(1)
            .all(|l| !l.contains(' '))
    );
    let p = plan(&same, &CopyOptions::default()).unwrap();
    assert_eq!(p.schema.vars[2].storage.endianness, Some(Endianness::Big));
    let unfilled = |n: usize| p.schema.vars[n].storage.fill == FillMode::NoFill;
    assert!(unfilled(2) && !unfilled(8), "text always has a fill value");
    assert!(!unfilled(0), "records may be added");
    let mut bare = same.clone();
    bare.vars[0].storage.fill = FillMode::NoFill;
    let p = plan(&bare, &CopyOptions::default()).unwrap();
    assert_eq!(p.schema.vars[0].storage.fill, FillMode::NoFill);
}

#[test]
fn fixed_dimensions() {
    let fixed = |storage| CopyOptions {
        fix_unlimited: true,
        ..ask(storage)
    };
    let input = dataset(Kind::NETCDF4);
    insta::assert_snapshot!("fixed", table(&input, &fixed(StorageOptions::default())));
    let rechunked = fixed(chunks(false, &[(T, 100), (X, 10)], &[]));
    insta::assert_snapshot!("fixed_and_chunked", table(&input, &rechunked));
}

#[test]
fn compression() {
    for (name, storage) in [
        ("deflate_1", deflate(1, true)),
        ("deflate_0", deflate(0, true)),
        ("none", named(true, &[], false)),
        (
            "shuffle_alone",
            StorageOptions {
                shuffle: true,
                ..StorageOptions::default()
            },
        ),
    ] {
        insta::assert_snapshot!(name, table(&dataset(Kind::NETCDF4), &ask(storage)));
    }
    insta::assert_snapshot!(
        "deflate_classic",
        table(&dataset(Kind::OFFSET64), &ask(deflate(5, false)))
    );
}

/// nbit and scaleoffset are never applied again.
#[test]
fn filters_that_are_only_undone() {
    let mut s = dims(Kind::NETCDF4);
    let scaled = [filter(6, &[2, 3]), filter(2, &[4]), filter(1, &[4])];
    add(&mut s, "a", Atomic::Int, &[1, 2], &[90, 90], &scaled);
    let whole = [filter(5, &[8, 1, 8100, 1, 4, 0, 32, 0])];
    add(&mut s, "b", Atomic::Int, &[1, 2], &[90, 90], &whole);
    let packed = [filter(5, &[8, 0, 8100, 1, 4, 0, 17, 3])];
    add(&mut s, "c", Atomic::Int, &[1, 2], &[90, 90], &packed);
    let ids = |options: &CopyOptions| -> (Vec<Vec<u32>>, usize) {
        let p = plan(&s, options).unwrap();
        let ids = |v: &Variable| v.storage.filters.iter().map(|f| f.id).collect();
        (p.schema.vars.iter().map(ids).collect(), p.remarks.len())
    };
    let same = (vec![vec![6, 2, 1], vec![5], vec![]], 1);
    assert_eq!(ids(&CopyOptions::default()), same);
    let other = ask(chunks(false, &[(X, 60)], &[]));
    assert_eq!(ids(&other), (vec![vec![2, 1], vec![], vec![]], 3));

    // Elements of another size, as half-precision numbers have; references to strings.
    let mut s = dims(Kind::NETCDF4);
    let half = [filter(5, &[8, 1, 8100, 1, 2, 0, 16, 0])];
    add(&mut s, "half", Atomic::Float, &[1, 2], &[90, 90], &half);
    let numbers = [
        filter(4, &[32, 8]),
        filter(32013, &[1]),
        filter(6, &[2, 3]),
        filter(1, &[4]),
    ];
    add(&mut s, "text", Atomic::String, &[1, 2], &[90, 90], &numbers);
    let p = plan(&s, &CopyOptions::default()).unwrap();
    assert_eq!(p.schema.vars[0].storage.filters, []);
    assert_eq!(p.schema.vars[1].storage.filters, [filter(1, &[4])]);
    assert_eq!((p.notes.len(), p.remarks.len()), (0, 4));
}

#[test]
fn filters_of_variables() {
    let zstd = [filter(32015, &[5])];
    let input = dataset(Kind::NETCDF4);
    // temp, lat, sum, few
    let storage = named(false, &[(0, &zstd), (2, &zstd), (4, &[]), (5, &[])], true);
    insta::assert_snapshot!("named", table(&input, &ask(storage)));
    let storage = named(true, &[(0, &zstd), (4, &[])], true);
    insta::assert_snapshot!("named_and_none", table(&input, &ask(storage)));
    let mut storage = named(false, &[(0, &[filter(307, &[9]), filter(2, &[])])], true);
    storage.deflate = Some(1);
    insta::assert_snapshot!("named_and_deflate", table(&input, &ask(storage)));
    let everything: Vec<_> = (0..9).map(|n| (n, &zstd[..])).collect();
    let storage = named(false, &everything, false);
    insta::assert_snapshot!("everything", table(&input, &ask(storage)));
    for (var, kind) in [
        (6, crate::ErrorKind::Scalar),
        (8, crate::ErrorKind::VariableLength),
    ] {
        let e = plan(&input, &ask(named(false, &[(var, &zstd)], true))).unwrap_err();
        assert_eq!(e.kind(), kind, "{e}");
        assert!(table(&input, &ask(named(false, &[(var, &[])], true))).starts_with("netCDF-4"));
    }
}

#[test]
fn shapes_of_chunks() {
    let input = dataset(Kind::NETCDF4);
    for (name, storage) in [
        ("chunks_of_dims", chunks(false, &[(T, 10), (X, 1000)], &[])),
        ("no_chunks", chunks(true, &[], &[])),
        (
            "chunks_of_vars",
            chunks(
                false,
                &[(X, 36)],
                &[
                    (0, VarLayout::Chunked(vec![7, 5, 3])),
                    (2, VarLayout::Chunked(vec![1])),
                    (3, VarLayout::Contiguous),
                    (5, VarLayout::Compact),
                ],
            ),
        ),
        (
            "least",
            StorageOptions {
                min_chunk: Some(0),
                ..chunks(false, &[(X, 1), (3, 1)], &[])
            },
        ),
        (
            "least_1m",
            StorageOptions {
                min_chunk: Some(1 << 20),
                ..chunks(false, &[(X, 1)], &[])
            },
        ),
    ] {
        insta::assert_snapshot!(name, table(&input, &ask(storage)));
    }
    let compact = chunks(false, &[], &[(8, VarLayout::Compact)]);
    assert!(plan(&input, &ask(compact)).is_err(), "518400 bytes");
}

#[test]
fn chunks_are_never_larger_than_hdf5_has() {
    let mut input = dims(Kind::CLASSIC);
    add(&mut input, "v", Atomic::Double, &[0, 1, 2], &[], &[]);
    let long = |vars: &[(u32, VarLayout)]| plan(&input, &ask(chunks(false, &[(T, 1 << 20)], vars)));
    let p = long(&[]).unwrap();
    let Some(StorageLayout::Chunked(shape)) = &p.schema.vars[0].storage.layout else {
        panic!()
    };
    assert_eq!(shape[0], 1 << 20);
    assert!(
        shape.iter().product::<u64>() * 8 <= u64::from(u32::MAX),
        "{shape:?}"
    );
    assert!(long(&[(0, VarLayout::Chunked(vec![1 << 20, 180, 360]))]).is_err());
}
