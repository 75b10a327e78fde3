use super::*;
use crate::ErrorKind;
use crate::model::{Atomic, Attribute, Dimension, GroupId, Kind, Name, Storage, Values, Variable};

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

fn add(schema: &mut Schema, n: &str, ty: Atomic, dims: &[DimId]) -> VarId {
    schema.add_var(Variable {
        name: name(n),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims: dims.to_vec(),
        attributes: vec![],
        storage: Storage::default(),
    })
}

/// Dimensions t (unlimited, 3), x (2); variables a(t), b(x), c(t, x).
fn sample(kind: Kind) -> Schema {
    let mut s = Schema::new(kind);
    for (n, len, unlimited) in [("t", 3, true), ("x", 2, false)] {
        s.add_dim(Dimension {
            name: name(n),
            group: GroupId::ROOT,
            len,
            unlimited,
        });
    }
    add(&mut s, "a", Atomic::Int, &[DimId(0)]);
    add(&mut s, "b", Atomic::Char, &[DimId(1)]);
    add(&mut s, "c", Atomic::Short, &[DimId(0), DimId(1)]);
    s
}

fn select(select: CopySelection<VarId>) -> CopyOptions {
    CopyOptions {
        select,
        ..CopyOptions::default()
    }
}

fn names(schema: &Schema) -> Vec<String> {
    schema.vars.iter().map(|v| v.name.to_string()).collect()
}

#[test]
fn a_plain_copy_changes_nothing() {
    let input = sample(Kind::OFFSET64);
    let p = plan(&input, &CopyOptions::default()).unwrap();
    assert_eq!(p.schema.kind, Kind::OFFSET64);
    assert_eq!(p.schema.vars, input.vars);
    assert_eq!(p.schema.groups, input.groups);
    assert_eq!(p.lengths, [(DimId(0), 3)]);
    assert_eq!(p.schema.dims[0].len, 0, "it grows with the data");
    let same = |n| CopiedVariable {
        from: VarId(n),
        to: VarId(n),
    };
    assert_eq!(p.data, [same(0), same(1), same(2)]);
}

#[test]
fn unlimited_dimensions_are_fixed_unless_empty() {
    let fixed = CopyOptions {
        fix_unlimited: true,
        ..CopyOptions::default()
    };
    let mut input = sample(Kind::CLASSIC);
    let p = plan(&input, &fixed).unwrap();
    assert!(!p.schema.dims[0].unlimited);
    assert_eq!(p.schema.dims[0].len, 3);
    assert_eq!(p.lengths, []);
    input.dims[0].len = 0;
    assert!(plan(&input, &fixed).unwrap().schema.dims[0].unlimited);
}

#[test]
fn dimensions_become_unlimited() {
    let limits = |fix_unlimited, unlimited: &[u32], kind| {
        let options = CopyOptions {
            fix_unlimited,
            unlimited: unlimited.iter().map(|n| DimId(*n)).collect(),
            kind: Some(kind),
            ..CopyOptions::default()
        };
        let mut p = plan(&sample(Kind::CLASSIC), &options)?;
        let layouts = p
            .schema
            .vars
            .iter_mut()
            .map(|v| v.storage.chunk().is_some());
        let chunked: Vec<bool> = layouts.collect();
        let dims = p.schema.dims.iter().map(|d| (d.unlimited, d.len));
        Ok::<_, crate::Error>((dims.collect::<Vec<_>>(), p.lengths, chunked))
    };
    let (dims, lengths, chunked) = limits(false, &[1], Kind::NETCDF4).unwrap();
    assert_eq!(dims, [(true, 0), (true, 0)]);
    assert_eq!(lengths, [(DimId(0), 3), (DimId(1), 2)]);
    assert_eq!(chunked, [true; 3]);
    let (dims, lengths, chunked) = limits(true, &[1], Kind::NETCDF4).unwrap();
    assert_eq!(dims, [(false, 3), (true, 0)]);
    assert_eq!(lengths, [(DimId(1), 2)]);
    assert_eq!(chunked, [false, true, true]);
    assert_eq!(
        limits(true, &[0], Kind::CLASSIC).unwrap().0,
        [(true, 0), (false, 2)]
    );
    let e = limits(true, &[1], Kind::CLASSIC).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unlimited);
}

#[test]
fn selections_keep_definitions_or_drop_them() {
    let input = sample(Kind::CLASSIC);
    let p = plan(&input, &select(CopySelection::Data([VarId(1)].into()))).unwrap();
    assert_eq!(names(&p.schema), ["a", "b", "c"]);
    assert_eq!(p.data.len(), 1);
    assert_eq!(p.lengths, [], "no record is copied");
    let only = [VarId(2), VarId(1)].into();
    let p = plan(&input, &select(CopySelection::Only(only))).unwrap();
    assert_eq!(names(&p.schema), ["b", "c"]);
    assert_eq!(p.schema.dims.len(), 2, "all dimensions stay");
    assert_eq!(p.schema.root().vars, [VarId(0), VarId(1)]);
    let to: Vec<_> = p.data.iter().map(|pair| (pair.from.0, pair.to.0)).collect();
    assert_eq!(to, [(1, 0), (2, 1)]);
}

#[test]
fn types_that_the_kind_lacks_are_all_named() {
    let mut input = sample(Kind::CDF5);
    let v = add(&mut input, "u", Atomic::UShort, &[]);
    let wide = Attribute::atomic(name("wide"), Values::Int64(vec![1])).unwrap();
    input.vars[v.index()].attributes.push(wide.clone());
    input.groups[0].attributes.push(wide);
    for kind in [Kind::CLASSIC, Kind::OFFSET64, Kind::NETCDF4_CLASSIC] {
        let to = CopyOptions {
            kind: Some(kind),
            ..CopyOptions::default()
        };
        let e = plan(&input, &to).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::BadType);
        let want = format!(
            "{} files do not have the types of :wide (int64), /u (ushort), /u:wide (int64) (use \
             -k cdf5, or choose the variables to copy with -V)",
            kind.name()
        );
        assert_eq!(e.to_string(), want);
    }
    assert!(plan(&input, &CopyOptions::default()).is_ok());
    input.groups[0].attributes.clear();
    let without = CopyOptions {
        kind: Some(Kind::CLASSIC),
        select: CopySelection::Only([VarId(0)].into()),
        ..CopyOptions::default()
    };
    assert!(plan(&input, &without).is_ok());
}

#[test]
fn too_many_records_are_refused_before_they_are_written() {
    let mut input = sample(Kind::NETCDF4);
    input.dims[0].len = 0xffff_ffff;
    let with = |kind, select| {
        let options = CopyOptions {
            kind: Some(kind),
            select,
            ..CopyOptions::default()
        };
        plan(&input, &options).map(|_| ())
    };
    let only = |id| CopySelection::Only([VarId(id)].into());
    for kind in [Kind::CLASSIC, Kind::OFFSET64] {
        for select in [CopySelection::All, only(2)] {
            let e = with(kind, select).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::DimSize);
            let said = format!(
                "4294967295 records, but {} files hold fewer than 4294967295 (use -k cdf5)",
                kind.name()
            );
            assert_eq!(e.to_string(), said);
        }
        with(kind, only(1)).unwrap();
    }
    with(Kind::CDF5, CopySelection::All).unwrap();
    with(Kind::NETCDF4_CLASSIC, CopySelection::All).unwrap();
    input.dims[0].len -= 1;
    let options = CopyOptions {
        kind: Some(Kind::CLASSIC),
        ..CopyOptions::default()
    };
    plan(&input, &options).unwrap();
}

/// With a loop over all pairs of variables, this would take a quarter of an hour.
#[test]
fn very_many_variables() {
    let mut schema = Schema::new(Kind::CLASSIC);
    for n in 0..400_000 {
        add(&mut schema, &format!("v{n}"), Atomic::Int, &[]);
    }
    let options = CopyOptions {
        kind: Some(Kind::NETCDF4),
        ..CopyOptions::default()
    };
    let start = std::time::Instant::now();
    assert_eq!(plan(&schema, &options).unwrap().data.len(), 400_000);
    assert!(start.elapsed() < std::time::Duration::from_secs(120));
}
