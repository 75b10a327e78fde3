//! One request fetches adjacent chunks of a remote file.

use super::rounds::{CHUNKS, LEN, chunked, deflate, env};
use super::*;
use crate::copy::options::VarLayout;
use crate::io::Source;
use crate::io::rounds::Rounds;
use crate::model::FilterSpec;
use crate::testing::stored_chunks;

/// A copy to netCDF-4, and the requests that it took.
fn copy(bytes: &[u8], options: &CopyOptions, env: &Env) -> Result<(Vec<u8>, u64)> {
    let inner: Arc<dyn Source> = Arc::new(MemorySource::new("far", bytes.to_vec()));
    let source = Rounds::of(inner);
    let container = Container::Source(Arc::clone(&source) as Arc<dyn Source>);
    let reader = format::open(container, env)?;
    let plan = plan(reader.schema(), options)?;
    let (target, out) = MemoryTarget::new("copy");
    let create = CreateOptions::default();
    let writer = format::create(Box::new(target), plan.schema.clone(), create, env)?;
    let before = source.requests();
    run(Dataset::new(&*reader, env), &plan, writer)?;
    let copy = out.lock().unwrap().take().unwrap();
    Ok((copy, source.requests() - before))
}

/// Copy methods: chunks are moved, recoded, rechunked, and read in bands.
fn ways() -> Vec<(&'static str, CopyOptions)> {
    let keep = to(Kind::NETCDF4);
    let (mut recode, mut rows, mut columns) = (keep.clone(), keep.clone(), keep.clone());
    recode.storage.deflate = Some(2);
    let shape = |shape: [u64; 2]| Some((VarId(0), VarLayout::Chunked(shape.to_vec())));
    rows.storage.chunks.vars.extend(shape([3, LEN]));
    columns.storage.chunks.vars.extend(shape([CHUNKS, 64]));
    vec![
        ("moved", keep),
        ("recoded", recode),
        ("of rows", rows),
        ("of columns", columns),
        ("in bands", to(Kind::CDF5)),
    ]
}

#[test]
fn copies_are_the_same_and_take_few_requests() {
    let bytes = chunked(deflate());
    for (way, options) in ways() {
        let near = Env {
            runtime: Runtime::single(),
            ..Env::default()
        };
        let reader = open(&bytes, &near).unwrap();
        let planned = plan(reader.schema(), &options).unwrap();
        let (target, out) = MemoryTarget::new("copy");
        let create = CreateOptions::default();
        let writer = format::create(Box::new(target), planned.schema.clone(), create, &near);
        run(Dataset::new(&*reader, &near), &planned, writer.unwrap()).unwrap();
        let expected = out.lock().unwrap().take().unwrap();
        for (requests, most) in [(1, 12), (4, 30), (16, 50)] {
            let (copy, asked) = copy(&bytes, &options, &env(requests)).unwrap();
            assert!(copy == expected, "{way}, {requests} at a time");
            // Each output chunk requests its input chunks.
            let most = if way == "of rows" {
                CHUNKS / 3 + 3
            } else {
                most
            };
            assert!(
                asked <= most,
                "{way}, {requests} at a time: {asked} requests"
            );
        }
    }
}

/// Returns the byte range of a stored chunk.
fn place(bytes: &[u8], index: u64) -> std::ops::Range<usize> {
    let env = Env::default();
    let reader = open(bytes, &env).unwrap();
    let chunks = stored_chunks(Dataset::new(&*reader, &env), VarId(0));
    let found = chunks.into_iter().find(|chunk| chunk.index == index);
    let range = found.unwrap().range;
    range.start as usize..range.end as usize
}

#[test]
fn a_damaged_chunk_is_named_alone() {
    let mut filters = deflate();
    filters.push(FilterSpec {
        id: 3,
        params: vec![],
    });
    let mut bytes = chunked(filters);
    let damaged = place(&bytes, 40);
    bytes[damaged.start + 9] ^= 1;
    for (way, options) in ways().into_iter().filter(|(way, _)| *way != "moved") {
        for requests in [1, 16] {
            let e = copy(&bytes, &options, &env(requests))
                .unwrap_err()
                .to_string();
            assert!(
                e.contains("chunk (40, 0)"),
                "{way}, {requests} at a time: {e}"
            );
        }
    }
}
