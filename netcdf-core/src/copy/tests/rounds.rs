//! Number of request rounds for reading remote data.

use super::*;
use crate::chunk::InBands;
use crate::io::Source;
use crate::io::rounds::{RequestCount, Rounds};
use crate::model::{FilterSpec, StorageLayout};

pub(super) const CHUNKS: u64 = 197;
pub(super) const LEN: u64 = 4096;
const REQUESTS: usize = 16;

pub(super) fn env(requests: usize) -> Env {
    Env {
        runtime: Runtime::sized(2, 36 << 20).with_requests(requests),
        ..Env::default()
    }
}

/// Bytes that deflate makes hardly smaller.
fn noise(len: u64) -> Vec<u8> {
    let mut seed = 1u64;
    let next = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as u8
    };
    (0..len).map(next).collect()
}

/// The bytes of a dataset with noise in a variable.
fn written(schema: Schema, var: VarId) -> Vec<u8> {
    let (target, out) = MemoryTarget::new("written");
    let options = CreateOptions::default();
    let mut writer = format::create(Box::new(target), schema, options, &Env::default()).unwrap();
    writer.put_run(var, 0, &noise(CHUNKS * LEN * 4)).unwrap();
    writer.finish().unwrap();
    out.lock().unwrap().take().unwrap()
}

/// A copy of a classic file with a variable `v`, its chunks with these filters.
pub(super) fn chunked(filters: Vec<FilterSpec>) -> Vec<u8> {
    let mut schema = dataset(Kind::CDF5, &[CHUNKS, LEN]);
    let var = add(&mut schema, b"v", Atomic::Int, &[0, 1]);
    let made = written(schema, var);
    let env = Env::default();
    let reader = open(&made, &env).unwrap();
    let mut plan = plan(reader.schema(), &to(Kind::NETCDF4)).unwrap();
    let storage = &mut plan.schema.vars[0].storage;
    storage.layout = Some(StorageLayout::Chunked(vec![1, LEN]));
    storage.filters = filters;
    let (target, out) = MemoryTarget::new("chunked");
    let options = CreateOptions::default();
    let writer = format::create(Box::new(target), plan.schema.clone(), options, &env).unwrap();
    run(Dataset::new(&*reader, &env), &plan, writer).unwrap();
    out.lock().unwrap().take().unwrap()
}

pub(super) fn deflate() -> Vec<FilterSpec> {
    vec![FilterSpec {
        id: 1,
        params: vec![1],
    }]
}

/// Returns the number of requests that `read` sends for a remote file after opening.
fn asked(bytes: &[u8], env: &Env, read: impl FnOnce(&dyn Reader)) -> RequestCount {
    let inner: Arc<dyn Source> = Arc::new(MemorySource::new("far", bytes.to_vec()));
    let runtime = env.runtime.for_requests(true);
    let source = Rounds::of_jobs(inner, move || runtime.unanswered());
    let container = Container::Source(Arc::clone(&source) as Arc<dyn Source>);
    let reader = format::open(container, env).unwrap();
    let before = source.asked();
    read(&*reader);
    let after = source.asked();
    RequestCount {
        rounds: after.rounds - before.rounds,
        bytes: after.bytes - before.bytes,
    }
}

/// Passes over all elements in bands.
fn pass(reader: &dyn Reader, env: &Env) {
    let set = Dataset::new(reader, env);
    let bands = InBands::new(Region::whole(&[CHUNKS, LEN]), LEN);
    let mut elements = 0;
    let count = |band: &Region, _| Ok(band.elements().unwrap());
    let sink = |n| {
        elements += n;
        Ok(())
    };
    set.bands(VarId(0), bands, count, sink).unwrap();
    assert_eq!(elements, CHUNKS * LEN);
}

#[test]
fn chunks_are_asked_for_many_at_a_time() {
    let bytes = chunked(deflate());
    for requests in [REQUESTS, 4] {
        let most = CHUNKS.div_ceil(requests as u64) + 1;
        let env = env(requests);
        let locate = |reader: &dyn Reader| {
            let chunks = Dataset::new(reader, &env).chunks_stored(VarId(0)).unwrap();
            assert_eq!(chunks, CHUNKS);
        };
        let index = asked(&bytes, &env, locate).rounds;
        let all = asked(&bytes, &env, |reader| pass(reader, &env)).rounds;
        let of = format!("{requests} at a time: {all} rounds, including {index} for the index");
        assert!(index <= 4 && all - index <= most, "{of}");
    }
}

/// Copies a remote file to netCDF-4 with unchanged storage, and reads the copy again.
fn copied(bytes: &[u8], env: &Env) -> RequestCount {
    asked(bytes, env, |reader| {
        let plan = plan(reader.schema(), &to(Kind::NETCDF4)).unwrap();
        let (target, out) = MemoryTarget::new("copy");
        let options = CreateOptions::default();
        let writer = format::create(Box::new(target), plan.schema.clone(), options, env).unwrap();
        run(Dataset::new(reader, env), &plan, writer).unwrap();
        let copy = out.lock().unwrap().take().unwrap();
        assert!(values(&copy) == values(bytes));
    })
}

#[test]
fn chunks_are_moved_many_at_a_time() {
    let env = env(REQUESTS);
    let asked = copied(&chunked(deflate()), &env);
    assert!(asked.rounds <= 14 + 5, "{asked:?}");
}

#[test]
fn contiguous_data_is_read_many_parts_at_a_time() {
    let mut schema = dataset(Kind::CDF5, &[CHUNKS, LEN]);
    let var = add(&mut schema, b"v", Atomic::Int, &[0, 1]);
    let bytes = written(schema, var);
    let env = env(REQUESTS);
    let asked = copied(&bytes, &env);
    assert!(asked.rounds <= 4, "{asked:?}");
    assert!(asked.bytes < bytes.len() as u64 * 11 / 10, "{asked:?}");
}
