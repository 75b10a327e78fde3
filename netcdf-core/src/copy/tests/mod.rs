//! Copies in memory, over all kinds.

mod append_values;
mod assembled;
mod chunked;
mod claimed;
mod heap;
mod latency;
mod mock;
mod parts;
mod rounds;
mod strict;
mod together;
mod unreadable;
mod verified;
mod walks;
mod zarr;

use super::*;
use crate::chunk::{Layout, elements, rechunk};
use crate::env::Env;
use crate::io::Container;
use crate::io::memory::{MemorySource, MemoryTarget};
use crate::model::{
    Atomic, Attribute, CreateOptions, DimId, Dimension, Endianness, GroupId, Kind, Name, Region,
    Schema, Storage, Values, VarId, Variable,
};
use crate::runtime::Runtime;
use crate::{Error, ErrorKind, format};
use std::sync::Arc;

const CDF: [Kind; 3] = [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5];

fn dataset(kind: Kind, lens: &[u64]) -> Schema {
    let mut s = Schema::new(kind);
    for (n, &len) in lens.iter().enumerate() {
        s.add_dim(Dimension {
            name: Name::stored(format!("d{n}").as_bytes()),
            group: GroupId::ROOT,
            len,
            unlimited: len == 0,
        });
    }
    s
}

fn add(schema: &mut Schema, name: &[u8], ty: Atomic, dims: &[u32]) -> VarId {
    schema.add_var(Variable {
        name: Name::stored(name),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims: dims.iter().map(|&d| DimId(d)).collect(),
        attributes: vec![],
        storage: Storage::default(),
    })
}

/// Returns the bytes of a dataset whose variables have different numbers, in `records` records.
fn make(schema: Schema, records: u64) -> Vec<u8> {
    let (target, out) = MemoryTarget::new("made");
    let mut w = format::create(
        Box::new(target),
        schema,
        CreateOptions::default(),
        &Env::default(),
    )
    .unwrap();
    for var in w.schema().var_ids() {
        let schema = w.schema();
        let v = schema.var(var).unwrap();
        let mut shape = schema.shape(var);
        if schema.is_record(v) {
            shape[0] = records;
        }
        let size = v.ty.fixed_size(schema).unwrap();
        let n = shape.iter().product::<u64>() * size;
        let bytes: Vec<u8> = (0..n)
            .map(|i| (i * 7 + u64::from(var.0) * 31) as u8 & 0x3f)
            .collect();
        w.put_run(var, 0, &bytes).unwrap();
    }
    w.finish().unwrap();
    let bytes = out.lock().unwrap().take();
    bytes.unwrap()
}

fn open(bytes: &[u8], env: &Env) -> Result<Box<dyn Reader>> {
    let source = MemorySource::new("in.nc", bytes.to_vec());
    format::open(Container::Source(Arc::new(source)), env)
}

fn copied(bytes: &[u8], options: &CopyOptions, env: &Env) -> Result<Vec<u8>> {
    let reader = open(bytes, env)?;
    let plan = plan(reader.schema(), options)?;
    let (target, out) = MemoryTarget::new("out.nc");
    let create = CreateOptions {
        no_fill: true,
        ..CreateOptions::default()
    };
    let writer = format::create(Box::new(target), plan.schema.clone(), create, env)?;
    run(Dataset::new(&*reader, env), &plan, writer)?;
    let bytes = out.lock().unwrap().take();
    Ok(bytes.unwrap())
}

fn to(kind: Kind) -> CopyOptions {
    CopyOptions {
        kind: Some(kind),
        ..CopyOptions::default()
    }
}

/// All values by variable name.
fn values(bytes: &[u8]) -> Vec<(Name, Values)> {
    let env = Env::default();
    let reader = open(bytes, &env).unwrap();
    let schema = reader.schema();
    let one = |id: VarId| {
        let all = Region::whole(&schema.shape(id));
        let name = schema.var(id).unwrap().name.clone();
        (name, Dataset::new(&*reader, &env).read(id, &all).unwrap())
    };
    schema.var_ids().map(one).collect()
}

/// Fixed and record variables of all classic types; record sizes with and without padding.
fn mixed(kind: Kind) -> Schema {
    let mut s = dataset(kind, &[0, 3, 5]);
    for (n, ty) in Atomic::ALL
        .into_iter()
        .filter(|t| t.is_classic())
        .enumerate()
    {
        add(&mut s, format!("f{n}").as_bytes(), ty, &[1, 2]);
        add(&mut s, format!("r{n}").as_bytes(), ty, &[0]);
        add(&mut s, format!("q{n}").as_bytes(), ty, &[0, 1]);
    }
    add(&mut s, b"scalar", Atomic::Double, &[]);
    s
}

#[test]
fn data_is_the_same_whatever_the_kinds() {
    for from in CDF {
        let bytes = make(mixed(from), 4);
        for kind in CDF {
            let copy = copied(&bytes, &to(kind), &Env::default()).unwrap();
            assert_eq!(values(&copy), values(&bytes), "{from:?} {kind:?}");
            let back = copied(&copy, &to(from), &Env::default()).unwrap();
            assert!(back == bytes, "{from:?} {kind:?} and back");
        }
    }
}

/// Adjacent records without padding: large records are moved, small records gathered.
#[test]
fn packed_records_come_out_byte_by_byte() {
    for (len, records) in [(1, 1), (1, 2), (3, 70_001), (40_000, 9)] {
        let mut s = dataset(Kind::CDF5, &[0, len]);
        add(&mut s, b"a", Atomic::Int, &[0, 1]);
        add(&mut s, b"fixed", Atomic::Byte, &[1]);
        add(&mut s, b"b", Atomic::Double, &[0]);
        add(&mut s, b"c", Atomic::Float, &[0, 1]);
        let bytes = make(s, records);
        let copy = copied(&bytes, &CopyOptions::default(), &Env::default()).unwrap();
        assert!(copy == bytes, "{len} {records}");
    }
}

#[test]
fn a_single_record_variable_stays_unpadded() {
    let mut s = dataset(Kind::CLASSIC, &[0, 3]);
    add(&mut s, b"a", Atomic::Byte, &[0, 1]);
    let bytes = make(s, 5);
    let copy = copied(&bytes, &CopyOptions::default(), &Env::default()).unwrap();
    assert_eq!(copy, bytes);
}

/// Adjacent large and small records with padding, copied to fixed dimensions and to a selection.
#[test]
fn records_are_taken_apart_and_selected() {
    let mut s = dataset(Kind::OFFSET64, &[0, 70_001]);
    add(&mut s, b"large", Atomic::Byte, &[0, 1]);
    add(&mut s, b"small", Atomic::Short, &[0]);
    add(&mut s, b"other", Atomic::Double, &[0, 1]);
    let bytes = make(s, 7);
    let fixed = CopyOptions {
        fix_unlimited: true,
        ..CopyOptions::default()
    };
    let copy = copied(&bytes, &fixed, &Env::default()).unwrap();
    assert_eq!(values(&copy), values(&bytes));
    let only = CopyOptions {
        select: CopySelection::Only([VarId(0), VarId(1)].into()),
        ..CopyOptions::default()
    };
    let copy = copied(&bytes, &only, &Env::default()).unwrap();
    assert_eq!(values(&copy), values(&bytes)[..2]);
}

#[test]
fn what_is_not_selected_stays_zero() {
    let schema = mixed(Kind::CLASSIC);
    let r2 = schema.vars.iter().position(|v| v.name.is("r2")).unwrap();
    let r2 = VarId(r2 as u32);
    let bytes = make(schema, 2);
    let options = CopyOptions {
        select: CopySelection::Data([r2].into()),
        ..CopyOptions::default()
    };
    let copy = copied(&bytes, &options, &Env::default()).unwrap();
    for ((name, got), (_, had)) in values(&copy).into_iter().zip(values(&bytes)) {
        if name.is("r2") {
            assert_eq!(got, had);
            continue;
        }
        let mut stored = vec![];
        elements::encode(&got, Endianness::Big, &mut stored).unwrap();
        assert!(stored.iter().all(|&b| b == 0), "{name}");
        assert_eq!(got.len(), had.len(), "{name}");
    }
}

#[test]
fn bytes_do_not_depend_on_threads_and_memory() {
    let mut s = mixed(Kind::CLASSIC);
    add(&mut s, b"wide", Atomic::Short, &[0, 1, 2]);
    let bytes = make(s, 50_000);
    let with = |threads, memory| {
        let env = Env {
            runtime: Runtime::sized(threads, memory).sharing_all(),
            ..Env::default()
        };
        copied(&bytes, &to(Kind::CDF5), &env).unwrap()
    };
    let one = with(1, 1 << 28);
    for (threads, memory) in [(2, 1 << 28), (7, 1), (3, 1 << 22)] {
        assert!(with(threads, memory) == one, "{threads} {memory}");
    }
}

#[test]
fn names_and_attributes_stay_as_they_are() {
    let mut s = dataset(Kind::CLASSIC, &[0]);
    let v = add(&mut s, b"a/b \xff", Atomic::Int, &[0]);
    for (name, values) in [
        (&b"empty"[..], Values::Char(vec![])),
        (b" odd\n", Values::Short(vec![])),
        (b"_NCProperties", Values::Char(b"x".to_vec())),
        (b"after", Values::Double(vec![f64::NAN])),
    ] {
        let attribute = Attribute::atomic(Name::stored(name), values).unwrap();
        s.vars[v.index()].attributes.push(attribute.clone());
        s.groups[0].attributes.push(attribute);
    }
    let bytes = make(s, 2);
    let there = copied(&bytes, &to(Kind::CDF5), &Env::default()).unwrap();
    assert!(copied(&there, &to(Kind::CLASSIC), &Env::default()).unwrap() == bytes);
}

#[test]
fn lengths_stay_without_record_variables() {
    let mut s = dataset(Kind::CLASSIC, &[0, 2]);
    add(&mut s, b"a", Atomic::Int, &[1]);
    let mut bytes = make(s, 0);
    bytes[4..8].copy_from_slice(&5u32.to_be_bytes());
    let copy = copied(&bytes, &CopyOptions::default(), &Env::default()).unwrap();
    assert_eq!(copy, bytes);
}

#[test]
fn truncated_data_is_an_error_with_variable_and_offset() {
    for (len, records) in [(3, 10), (40_000, 3)] {
        let mut s = dataset(Kind::CLASSIC, &[0, len]);
        add(&mut s, b"fixed", Atomic::Int, &[1]);
        add(&mut s, b"a", Atomic::Short, &[0, 1]);
        add(&mut s, b"b", Atomic::Int, &[0, 1]);
        let bytes = make(s, records);
        let short = &bytes[..bytes.len() - 1];
        let e = copied(short, &CopyOptions::default(), &Env::default()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Truncated);
        assert_eq!(e.object(), Some("/b"), "{e}");
        assert_eq!(e.offset(), Some(bytes.len() as u64 - len * 4), "{e}");
        let header =
            bytes.len() as u64 - records * (len * 2).next_multiple_of(4) - records * len * 4;
        let short = &bytes[..header as usize - 1];
        let e = copied(short, &CopyOptions::default(), &Env::default()).unwrap_err();
        assert_eq!(e.object(), Some("/fixed"), "{e}");
    }
}

#[test]
fn sizes_beyond_the_kind_are_errors_with_the_way_out() {
    let mut s = dataset(Kind::CDF5, &[3 << 30, 2]);
    add(&mut s, b"big", Atomic::Byte, &[0]);
    add(&mut s, b"next", Atomic::Byte, &[1]);
    for kind in [Kind::CLASSIC, Kind::OFFSET64] {
        let mut p = plan(&s, &to(kind)).unwrap();
        if kind == Kind::OFFSET64 {
            p.schema.dims[0].len = 5 << 30;
        }
        let (target, _) = MemoryTarget::new("out.nc");
        let create = CreateOptions::default();
        let made = format::create(Box::new(target), p.schema, create, &Env::default());
        let e = made.err().unwrap();
        assert_eq!(e.kind(), ErrorKind::DimSize);
        assert_eq!(e.object(), Some("/d0"));
        assert!(e.remedy().is_some_and(|r| r.contains("-k cdf5")), "{e}");
    }
}

/// A damaged record count: the bytes of all variables do not fit 64 bits.
#[test]
fn sizes_beyond_64_bits_are_errors() {
    let mut s = dataset(Kind::CDF5, &[0, 3]);
    add(&mut s, b"fixed", Atomic::Int, &[1]);
    add(&mut s, b"records", Atomic::Double, &[0, 1]);
    let mut bytes = make(s, 1);
    bytes[4..12].copy_from_slice(&(1u64 << 61).to_be_bytes());
    assert!(copied(&bytes, &CopyOptions::default(), &Env::default()).is_err());
}

#[test]
fn a_cancelled_copy_is_not_finished() {
    let bytes = make(mixed(Kind::CLASSIC), 2);
    let env = Env::default();
    env.cancel.0.store(2, std::sync::atomic::Ordering::Relaxed);
    let e = copied(&bytes, &CopyOptions::default(), &env).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Cancelled);
}

#[test]
fn progress_reaches_its_end() {
    let bytes = make(mixed(Kind::CLASSIC), 30);
    let env = Env::default();
    copied(&bytes, &to(Kind::CDF5), &env).unwrap();
    let (done, total) = env.progress.get();
    assert_eq!(done, total);
    assert!(total > 1000);
}

/// No tool requests another type yet, but netCDF-4 storage will request another byte order.
#[test]
fn other_types_are_converted_with_range_checks() {
    let mut s = dataset(Kind::CLASSIC, &[0, 300]);
    let a = add(&mut s, b"a", Atomic::Short, &[0, 1]);
    let bytes = make(s, 3);
    let env = Env::default();
    let converted = |ty: Atomic| {
        let reader = open(&bytes, &env)?;
        let mut p = plan(reader.schema(), &CopyOptions::default())?;
        p.schema.vars[a.index()].ty = ty.into();
        let (target, out) = MemoryTarget::new("out.nc");
        let writer = format::create(
            Box::new(target),
            p.schema.clone(),
            CreateOptions::default(),
            &env,
        )?;
        run(Dataset::new(&*reader, &env), &p, writer)?;
        let bytes = out.lock().unwrap().take();
        Ok::<_, crate::Error>(values(&bytes.unwrap()).pop().unwrap().1)
    };
    let (Values::Short(had), Values::Double(got)) = (
        values(&bytes).pop().unwrap().1,
        converted(Atomic::Double).unwrap(),
    ) else {
        panic!("other types");
    };
    assert!(had.iter().map(|&x| f64::from(x)).eq(got));
    let e = converted(Atomic::Byte).unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Range, Some("/a")));
}
