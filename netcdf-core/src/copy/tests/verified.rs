//! Outputs that are read back before they are visible.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::zarr::{encoded, numbers, spec};
use super::*;
use crate::env::Memory;
use crate::filter::{
    ChunkContext, Encoded, Filter, FilterEntry, FilterTable, Policy, ids::DEFLATE,
};
use crate::io::Target;
use crate::io::deferred::defer_commit;
use crate::io::source::read_range;
use crate::model::{FilterSpec, StorageLayout};

/// Copies and compares; returns the visible output.
fn checked(
    bytes: &[u8],
    options: &CopyOptions,
    damage: impl Fn(&mut dyn Target),
) -> (Result<()>, Option<Vec<u8>>) {
    checked_in(
        &environment(FilterTable::default()),
        (bytes, options),
        damage,
    )
}

fn environment(filters: FilterTable) -> Env {
    Env {
        memory: Memory(2000),
        filters,
        ..Env::default()
    }
}

fn checked_in(
    env: &Env,
    (bytes, options): (&[u8], &CopyOptions),
    damage: impl Fn(&mut dyn Target),
) -> (Result<()>, Option<Vec<u8>>) {
    let reader = open(bytes, env).unwrap();
    let plan = plan(reader.schema(), options).unwrap();
    let (target, out) = MemoryTarget::new("out.nc");
    let (target, kept) = defer_commit(Box::new(target));
    let create = CreateOptions {
        no_fill: true,
        ..CreateOptions::default()
    };
    let writer = format::create(target, plan.schema.clone(), create, env).unwrap();
    run(Dataset::new(&*reader, env), &plan, writer).unwrap();
    let mut target = kept.take().unwrap().target("a file").unwrap();
    damage(&mut *target);
    target.commit().unwrap();
    // The deferred target was committed so that the test can damage it: defer it again.
    let written = out.lock().unwrap().take().unwrap();
    let (target, out) = MemoryTarget::new("out.nc");
    let (target, kept) = defer_commit(Box::new(target));
    let mut target = target.target("a file").unwrap();
    target.write_at(0, &written).unwrap();
    target.commit().unwrap();
    env.progress
        .expect(super::verify::bytes(&*reader, &plan).unwrap());
    let result = verify(Dataset::new(&*reader, env), &plan, &kept).map(|_| ());
    let (done, total) = env.progress.get();
    assert!(total > 0 && (done == total || result.is_err()));
    let visible = out.lock().unwrap().take();
    (result, visible)
}

#[test]
fn what_agrees_becomes_visible() {
    for kind in [Kind::CLASSIC, Kind::CDF5, Kind::NETCDF4] {
        let mut s = mixed(Kind::CLASSIC);
        let text = Attribute::atomic(Name::stored(b"text"), Values::Char(b"x".to_vec()));
        s.vars[0].attributes.extend(text);
        let bytes = make(s, 30);
        let (result, visible) = checked(&bytes, &to(kind), |_| ());
        result.unwrap();
        assert_eq!(values(&visible.unwrap()), values(&bytes), "{kind:?}");
    }
}

#[test]
fn what_differs_stays_hidden() {
    let mut s = dataset(Kind::CLASSIC, &[0, 100]);
    add(&mut s, b"v", Atomic::Short, &[0, 1]);
    let text = Attribute::atomic(Name::stored(b"text"), Values::Char(b"abcd".to_vec()));
    s.vars[0].attributes.extend(text);
    let bytes = make(s, 70);
    let end = bytes.len() as u64;
    let (result, visible) = checked(&bytes, &to(Kind::CDF5), |target| {
        // CDF-5 headers have wider numbers; the data is the same from the end on.
        let len = target.written().unwrap().len();
        assert!(len > end);
        target.write_at(len - 2 * 103, &[0xff]).unwrap();
    });
    let e = result.unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Corrupt, Some("/v")));
    assert!(e.what().contains("element [68, 97] differs"), "{e}");
    assert_eq!(visible, None);
    let at = bytes.windows(4).position(|w| w == b"abcd").unwrap() as u64;
    let (result, visible) = checked(&bytes, &to(Kind::CLASSIC), |target| {
        target.write_at(at, b"x").unwrap();
    });
    assert!(
        result
            .unwrap_err()
            .what()
            .contains("attribute text differs")
    );
    assert_eq!(visible, None);
}

/// A file with chunks of 12 integers, which have these stored bytes.
fn chunked(env: &Env, filter: FilterSpec, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut s = dataset(Kind::NETCDF4, &[12 * chunks.len() as u64]);
    let v = add(&mut s, b"v", Atomic::Int, &[0]);
    let storage = &mut s.vars[v.index()].storage;
    storage.layout = Some(StorageLayout::Chunked(vec![12]));
    storage.filters = vec![filter];
    let (target, out) = MemoryTarget::new("in.nc");
    let mut w = format::create(Box::new(target), s, CreateOptions::default(), env).unwrap();
    for (n, chunk) in (0..).zip(chunks) {
        w.put_chunk(v, n, 0, chunk).unwrap();
    }
    w.finish().unwrap();
    let bytes = out.lock().unwrap().take();
    bytes.unwrap()
}

/// Deflated chunks of different integers.
fn deflated(count: i32) -> Vec<Vec<u8>> {
    let layout = Layout {
        extent: vec![12],
        chunk: vec![12],
        element: crate::model::StoredElement {
            ty: Atomic::Int.into(),
            size: 4,
            order: Endianness::Little,
            plain: true,
        },
        filters: vec![spec(DEFLATE, &[1])],
        fill: None,
        quantize: None,
    };
    let chunks = (0..count).map(|n| encoded(&layout, &numbers(100 * n)));
    chunks.collect()
}

/// Changes a byte of these stored bytes in an output.
fn spoil(target: &mut dyn Target, stored: &[u8]) {
    let written = target.written().unwrap();
    let bytes = read_range(&*written, &(0..written.len())).unwrap();
    let at = bytes.windows(stored.len()).position(|w| w == stored);
    let at = at.unwrap() + stored.len() / 2;
    target.write_at(at as u64, &[!bytes[at]]).unwrap();
}

#[test]
fn a_damaged_moved_chunk_stays_hidden() {
    let env = environment(FilterTable::default());
    let chunks = deflated(3);
    let bytes = chunked(&env, spec(DEFLATE, &[1]), &chunks);
    let (result, visible) = checked(&bytes, &to(Kind::NETCDF4), |_| ());
    result.unwrap();
    assert!(visible.is_some());
    let (result, visible) = checked(&bytes, &to(Kind::NETCDF4), |target| {
        spoil(target, &chunks[1]);
    });
    let e = result.unwrap_err();
    assert_eq!(e.object(), Some("/v"), "{e}");
    assert_eq!(visible, None);
}

/// The chunk has the same stored bytes in the input and in the output.
#[test]
fn a_moved_chunk_that_does_not_decode_stays_hidden() {
    let env = environment(FilterTable::default());
    let mut chunks = deflated(3);
    chunks[1][4] ^= 0xff;
    let bytes = chunked(&env, spec(DEFLATE, &[1]), &chunks);
    let (result, visible) = checked(&bytes, &to(Kind::NETCDF4), |_| ());
    let e = result.unwrap_err();
    assert_eq!((e.object(), e.resource()), (Some("/v"), Some("in.nc")));
    assert!(e.what().starts_with("chunk (1), bytes "), "{e}");
    assert_eq!(visible, None);
}

#[test]
fn chunks_behind_a_missing_filter_are_compared_as_stored() {
    let env = environment(FilterTable::default());
    let chunks: Vec<Vec<u8>> = (1..4).map(|n| vec![n; 30]).collect();
    let bytes = chunked(&env, spec(40_000, &[1]), &chunks);
    let (result, visible) = checked(&bytes, &to(Kind::NETCDF4), |_| ());
    result.unwrap();
    assert!(visible.is_some());
    let (result, visible) = checked(&bytes, &to(Kind::NETCDF4), |target| {
        spoil(target, &chunks[1]);
    });
    let e = result.unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Corrupt, Some("/v")));
    assert_eq!(
        e.what(),
        "read back, the chunk of element [12] differs from the input"
    );
    assert_eq!(visible, None);
}

/// Chunks that were decoded.
static DECODED: AtomicU64 = AtomicU64::new(0);

/// Counts decoded chunks.
struct Counted;

impl Filter for Counted {
    fn decode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        DECODED.fetch_add(1, Relaxed);
        output.extend(input);
        Ok(())
    }
    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        output.extend(input);
        Ok(Encoded::Applied)
    }
}

const COUNTED: FilterEntry = FilterEntry {
    id: 300,
    name: "counted",
    codec: None,
    policy: Policy::PLAIN,
    named: &[],
    prepare: |_, user| Ok(user.to_vec()),
    build: |_, _| Ok(Box::new(Counted)),
};

#[test]
fn a_moved_chunk_is_decoded_once() {
    let env = environment(FilterTable::new(vec![COUNTED]));
    let chunks: Vec<_> = (0..5).map(|n| numbers(100 * n)).collect();
    let bytes = chunked(&env, spec(300, &[]), &chunks);
    let (result, _) = checked_in(&env, (&bytes, &to(Kind::NETCDF4)), |_| ());
    result.unwrap();
    assert_eq!(DECODED.load(Relaxed), 5);
}
