//! Copies between HDF5 and Zarr.

use super::*;
use crate::chunk::layout::ChunkRef;
use crate::copy::methods::Method;
use crate::copy::options::{Filtering, VarLayout};
use crate::copy::plan::size_strings;
use crate::filter::{About, Context, codec};
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::{Store, StoreTarget};
use crate::model::{FilterSpec, StorageLayout};

fn spec(id: u32, params: &[u32]) -> FilterSpec {
    FilterSpec {
        id,
        params: params.to_vec(),
    }
}

fn numbers(from: i32) -> Vec<u8> {
    (0..12).flat_map(|n| (from + n).to_le_bytes()).collect()
}

/// A chunk of 3 × 4 integers through the filters of a layout.
fn encoded(layout: &Layout, chunk: &[u8]) -> Vec<u8> {
    let context = Context {
        shape: layout.chunk.clone(),
        element: layout.element,
        fill: None,
        len: layout.chunk_bytes(),
        about: About::default(),
    };
    let chain = Env::default().filters.chain(&layout.filters, &context);
    chain
        .unwrap()
        .encode(chunk.to_vec(), &mut vec![])
        .unwrap()
        .1
}

/// An HDF5 file of 5 × 7 integers in shuffled and deflated chunks: one of them went without filters.
fn hdf5() -> (Vec<u8>, Vec<u8>) {
    let mut s = dataset(Kind::Netcdf4, &[5, 7]);
    let v = add(&mut s, b"v", Atomic::Int, &[0, 1]);
    let storage = &mut s.vars[v.index()].storage;
    storage.layout = Some(StorageLayout::Chunked(vec![3, 4]));
    storage.filters = vec![spec(2, &[]), spec(1, &[6])];
    let (target, out) = MemoryTarget::new("made");
    let env = Env::default();
    let mut w = format::create(Box::new(target), s, CreateOptions::default(), &env).unwrap();
    let layout = w.layout(v).unwrap();
    let first = encoded(&layout, &numbers(0));
    for n in 0..4_i32 {
        let (index, bytes) = (n as u64, numbers(n * 100));
        match n {
            1 => w.put_chunk(v, index, 3, &bytes).unwrap(),
            _ => w.put_chunk(v, index, 0, &encoded(&layout, &bytes)).unwrap(),
        }
    }
    w.finish().unwrap();
    let bytes = out.lock().unwrap().take();
    (bytes.unwrap(), first)
}

/// Copies into a store; what was told of the variables.
fn stored(reader: &dyn Reader, options: &Options) -> Result<(Arc<dyn Store>, Report)> {
    let env = Env::default();
    let mut plan = plan(reader.schema(), options)?;
    size_strings(reader, &mut plan, &env)?;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s.zarr"));
    let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
    let target: Box<dyn StoreTarget> = Box::new(target);
    let create = CreateOptions::default();
    let writer = format::create(target, plan.schema.clone(), create, &env)?;
    let report = run(reader, &plan, writer, &env)?;
    Ok((store, report))
}

fn opened(store: &Arc<dyn Store>) -> Box<dyn Reader> {
    format::open(Container::Store(Arc::clone(store)), &Env::default()).unwrap()
}

fn all(reader: &dyn Reader) -> Values {
    let env = Env::default();
    let region = Region::whole(&reader.schema().shape(VarId(0)));
    Dataset::new(reader, &env).read(VarId(0), &region).unwrap()
}

/// The stored bytes of the first chunk.
fn first(reader: &dyn Reader) -> Vec<u8> {
    let mut found: Option<ChunkRef> = None;
    let mut one = |chunk: ChunkRef| {
        found.get_or_insert(chunk);
        Ok(())
    };
    let env = Env::default();
    Dataset::new(reader, &env)
        .locate(VarId(0), &mut one)
        .unwrap();
    reader.fetch(&[found.unwrap()]).unwrap().remove(0)
}

#[test]
fn chunks_are_moved_there_and_back() {
    let (bytes, chunk) = hdf5();
    let input = open(&bytes, &Env::default()).unwrap();
    for kind in [
        Kind::NCZARR,
        Kind::PURE_ZARR,
        Kind::NCZARR3,
        Kind::PURE_ZARR3,
    ] {
        let (store, report) = stored(&*input, &to(kind)).unwrap();
        assert_eq!(report.vars[0].method, Method::Chunks, "{kind:?}");
        let zarr = opened(&store);
        assert_eq!(first(&*zarr), chunk);
        assert_eq!(all(&*zarr), all(&*input));
        // To another store, and to a file.
        let (again, report) = stored(&*zarr, &to(Kind::NCZARR)).unwrap();
        assert_eq!(report.vars[0].method, Method::Chunks, "{kind:?}");
        assert_eq!(first(&*opened(&again)), chunk);
        let plan = plan(zarr.schema(), &to(Kind::Netcdf4)).unwrap();
        let (target, out) = MemoryTarget::new("out.nc");
        let (env, create) = (Env::default(), CreateOptions::default());
        let writer = format::create(Box::new(target), plan.schema.clone(), create, &env);
        let report = run(&*zarr, &plan, writer.unwrap(), &env).unwrap();
        assert_eq!(report.vars[0].method, Method::Chunks, "{kind:?}");
        let back = open(&out.lock().unwrap().take().unwrap(), &env).unwrap();
        assert_eq!((first(&*back), all(&*back)), (chunk.clone(), all(&*input)));
    }
}

#[test]
fn shards_hold_chunks() {
    let (bytes, _) = hdf5();
    let input = open(&bytes, &Env::default()).unwrap();
    let mut options = to(Kind::NCZARR3);
    let shape = VarLayout::Chunked(vec![3, 5]);
    options.storage.shards.vars.insert(VarId(0), shape);
    let (store, _) = stored(&*input, &options).unwrap();
    let keys = store.children("v/c/").unwrap();
    assert_eq!(keys, ["0", "1"]);
    assert_eq!(store.children("v/c/0/").unwrap(), ["0"]);
    let zarr = opened(&store);
    assert_eq!(all(&*zarr), all(&*input));
    // They stay what they are.
    let (again, _) = stored(&*zarr, &to(Kind::PURE_ZARR3)).unwrap();
    let key = "v/c/1/0";
    assert_eq!(again.get(key).unwrap(), store.get(key).unwrap());
    options.kind = Some(Kind::NCZARR);
    let e = stored(&*input, &options).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
}

#[test]
fn strings_get_the_room_that_they_need() {
    let mut s = dataset(Kind::Netcdf4, &[2]);
    let v = add(&mut s, b"v", Atomic::String, &[0]);
    let (target, out) = MemoryTarget::new("made");
    let env = Env::default();
    let mut w = format::create(Box::new(target), s, CreateOptions::default(), &env).unwrap();
    let long = vec![b'x'; 300];
    let strings = vec![Some(b"a"[..].into()), Some(long.into())];
    let bytes = w.put_heap(v, &Values::String(strings.clone())).unwrap();
    w.put_run(v, 0, &bytes).unwrap();
    w.finish().unwrap();
    let input = open(&out.lock().unwrap().take().unwrap(), &env).unwrap();
    for kind in [Kind::NCZARR, Kind::PURE_ZARR3] {
        let (store, _) = stored(&*input, &to(kind)).unwrap();
        assert_eq!(all(&*opened(&store)), Values::String(strings.clone()));
    }
    let (store, _) = stored(&*input, &to(Kind::NCZARR)).unwrap();
    let array = store.get("v/.zarray").unwrap().unwrap();
    assert!(String::from_utf8(array).unwrap().contains("\"|S300\""));
}

#[test]
fn codecs_of_zarr_only_are_replaced_or_refused_in_hdf5() {
    let mut s = dataset(Kind::PURE_ZARR, &[4]);
    let v = add(&mut s, b"v", Atomic::Int, &[0]);
    let storage = &mut s.vars[v.index()].storage;
    storage.layout = Some(StorageLayout::Chunked(vec![2]));
    storage.filters = vec![spec(codec::ids::DELTA, &[1]), spec(codec::ids::GZIP, &[5])];
    let planned = plan(&s, &to(Kind::Netcdf4)).unwrap();
    assert_eq!(planned.schema.vars[0].storage.filters, [spec(1, &[5])]);
    let said: Vec<_> = planned.notes.iter().map(|n| n.what.as_str()).collect();
    let with = "stored with the filter deflate in place of the codec gzip";
    assert_eq!(said, ["stored without the codec delta", with]);
    assert!(plan(&s, &to(Kind::NCZARR)).unwrap().notes.is_empty());
    let unknown = codec::pack_text(br#"{"id": "pcodec"}"#);
    s.vars[v.index()].storage.filters = vec![spec(codec::UNKNOWN, &unknown)];
    let e = plan(&s, &to(Kind::Netcdf4)).unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Unsupported, Some("/v")));
    assert_eq!(
        e.remedy(),
        Some("give other filters, as -F '/v,zstd,3', or none, -F '/v,none'")
    );
    assert!(plan(&s, &to(Kind::NCZARR)).is_ok());
    // What is asked for is done, or refused.
    let gzip = [spec(codec::ids::GZIP, &[5])];
    let mut options = to(Kind::Netcdf4);
    let asked = Filtering {
        filters: gzip.to_vec(),
        by_name: true,
    };
    options.storage.filters.vars.insert(v, asked);
    let e = plan(&s, &options).unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Unsupported, Some("/v")));
    let remedy = "give other filters, as -F '/v,zstd,3', or none, -F '/v,none'";
    assert_eq!(e.remedy(), Some(remedy));
}
