//! Copies between HDF5 and Zarr.

use super::*;
use crate::copy::methods::Method;
use crate::copy::options::{Filtering, VarLayout};
use crate::copy::plan::{keep_fill_values, size_known_strings, size_strings};
use crate::filter::{ChunkContext, VariableFacts, codec};
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::{Store, StoreTarget};
use crate::model::{FilterSpec, StorageLayout, ZarrVersion};
use crate::testing::stored_chunks;

pub(super) fn spec(id: u32, params: &[u32]) -> FilterSpec {
    FilterSpec {
        id,
        params: params.to_vec(),
    }
}

pub(super) fn numbers(from: i32) -> Vec<u8> {
    (0..12).flat_map(|n| (from + n).to_le_bytes()).collect()
}

/// A chunk of 3 × 4 integers through the filters of a layout.
pub(super) fn encoded(layout: &Layout, chunk: &[u8]) -> Vec<u8> {
    let context = ChunkContext {
        shape: layout.chunk.clone(),
        element: layout.element,
        fill: None,
        len: layout.chunk_bytes(),
        about: VariableFacts::default(),
    };
    let chain = Env::default().filters.chain(&layout.filters, &context);
    chain
        .unwrap()
        .encode(chunk.to_vec(), &mut vec![])
        .unwrap()
        .1
}

/// Returns an HDF5 file of 5 × 7 integers in shuffled and deflated chunks; one chunk skips all filters.
fn hdf5() -> (Vec<u8>, Vec<u8>) {
    let mut s = dataset(Kind::NETCDF4, &[5, 7]);
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

/// Copies into a store. Returns the store and the report.
pub(super) fn stored(
    reader: &dyn Reader,
    options: &CopyOptions,
) -> Result<(Arc<dyn Store>, CopyReport)> {
    let env = Env::default();
    let mut plan = plan(reader.schema(), options)?;
    size_strings(Dataset::new(reader, &env), &mut plan)?;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s.zarr"));
    let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
    let target: Box<dyn StoreTarget> = Box::new(target);
    let create = CreateOptions::default();
    let writer = format::create(target, plan.schema.clone(), create, &env)?;
    let report = run(Dataset::new(reader, &env), &plan, writer)?;
    Ok((store, report))
}

pub(super) fn opened(store: &Arc<dyn Store>) -> Box<dyn Reader> {
    format::open(Container::Store(Arc::clone(store)), &Env::default()).unwrap()
}

pub(super) fn all(reader: &dyn Reader) -> Values {
    let env = Env::default();
    let region = Region::whole(&reader.schema().shape(VarId(0)));
    Dataset::new(reader, &env).read(VarId(0), &region).unwrap()
}

/// The stored bytes of the first chunk.
fn first(reader: &dyn Reader) -> Vec<u8> {
    let env = Env::default();
    let set = Dataset::new(reader, &env);
    let found = stored_chunks(set, VarId(0));
    set.fetch_one(&found[0]).unwrap()
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
        let v3 = [Kind::NCZARR3, Kind::PURE_ZARR3].contains(&kind);
        // Version 3 has gzip, not zlib.
        assert_eq!(first(&*zarr) == chunk, !v3);
        assert_eq!(all(&*zarr), all(&*input));
        // To another store, and to a file.
        let (again, report) = stored(&*zarr, &to(Kind::NCZARR)).unwrap();
        assert_eq!(report.vars[0].method, Method::Chunks, "{kind:?}");
        assert_eq!(first(&*opened(&again)), chunk);
        let plan = plan(zarr.schema(), &to(Kind::NETCDF4)).unwrap();
        let (target, out) = MemoryTarget::new("out.nc");
        let (env, create) = (Env::default(), CreateOptions::default());
        let writer = format::create(Box::new(target), plan.schema.clone(), create, &env);
        let report = run(Dataset::new(&*zarr, &env), &plan, writer.unwrap()).unwrap();
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
    // The stored chunks are moved unchanged.
    let (again, _) = stored(&*zarr, &to(Kind::PURE_ZARR3)).unwrap();
    let key = "v/c/1/0";
    assert_eq!(again.get(key).unwrap(), store.get(key).unwrap());
    options.kind = Some(Kind::NCZARR);
    let e = stored(&*input, &options).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
}

#[test]
fn strings_get_the_room_that_they_need() {
    let mut s = dataset(Kind::NETCDF4, &[2]);
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

/// The text of a key.
fn text_of(store: &Arc<dyn Store>, key: &str) -> String {
    String::from_utf8(store.get(key).unwrap().unwrap()).unwrap()
}

#[test]
fn strings_of_characters_stay_such_in_pure_zarr() {
    let source = MemoryStore::new("u.zarr");
    let array = r#"{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":">U3","fill_value":"","order":"C",
        "compressor":null,"filters":null}"#;
    let chunk: Vec<u8> = "grüa\0\0"
        .chars()
        .flat_map(|c| u32::from(c).to_be_bytes())
        .collect();
    source.put(".zgroup", br#"{"zarr_format":2}"#).unwrap();
    source.put("v/.zarray", array.as_bytes()).unwrap();
    source
        .put("v/.zattrs", br#"{"_ARRAY_DIMENSIONS":["x"]}"#)
        .unwrap();
    source.put("v/0", &chunk).unwrap();
    let source: Arc<dyn Store> = Arc::new(source);
    let input = opened(&source);
    let wanted = ["grü", "a"].map(|text| Some(text.as_bytes().into()));
    for (kind, key, named) in [
        (Kind::PURE_ZARR, "v/.zarray", "\"<U3\""),
        (Kind::PURE_ZARR3, "v/zarr.json", "\"fixed_length_utf32\""),
        (Kind::NCZARR, "v/.zarray", "\"|S4\""),
    ] {
        let (store, _) = stored(&*input, &to(kind)).unwrap();
        assert!(
            text_of(&store, key).contains(named),
            "{}",
            text_of(&store, key)
        );
        assert_eq!(all(&*opened(&store)), Values::String(wanted.to_vec()));
    }
}

/// Fill values of structures and complex numbers are the same after a copy to netCDF-4 and back.
#[test]
fn fill_values_of_user_types_come_back() {
    for (dtype, fill) in [
        (r#"[["a","<i2"],["t","|S2"]]"#, r#""//9uYQ==""#),
        (r#""<c8""#, "[9.0,-1.5]"),
        (r#""|V3""#, r#""enp6""#),
    ] {
        let source = MemoryStore::new("s.zarr");
        let array = format!(
            r#"{{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":{dtype},"fill_value":{fill},"order":"C",
            "compressor":null,"filters":null}}"#
        );
        source.put(".zgroup", br#"{"zarr_format":2}"#).unwrap();
        source.put("v/.zarray", array.as_bytes()).unwrap();
        source
            .put("v/.zattrs", br#"{"_ARRAY_DIMENSIONS":["x"]}"#)
            .unwrap();
        let source: Arc<dyn Store> = Arc::new(source);
        let (target, out) = MemoryTarget::new("made");
        let env = Env::default();
        let input = opened(&source);
        let mut plan = plan(input.schema(), &to(Kind::NETCDF4)).unwrap();
        size_strings(Dataset::new(&*input, &env), &mut plan).unwrap();
        let (create, target) = (CreateOptions::default(), Box::new(target));
        let writer = format::create(target, plan.schema.clone(), create, &env).unwrap();
        run(Dataset::new(&*input, &env), &plan, writer).unwrap();
        let hdf5 = open(&out.lock().unwrap().take().unwrap(), &env).unwrap();
        let said = hdf5.schema().vars[0].attribute("_FillValue").unwrap();
        assert_eq!(all(&*hdf5).slice(1..2), said.values, "{dtype}");
        for (kind, key) in [
            (Kind::PURE_ZARR, "v/.zarray"),
            (Kind::PURE_ZARR3, "v/zarr.json"),
        ] {
            let (store, _) = stored(&*hdf5, &to(kind)).unwrap();
            let text = text_of(&store, key);
            assert!(text.contains(&format!("\"fill_value\": {fill}")), "{text}");
            assert_eq!(all(&*opened(&store)).slice(1..2), said.values, "{text}");
        }
        // netCDF-C does not open these stores.
        stored(&*hdf5, &to(Kind::NCZARR)).unwrap_err();
    }
}

/// xarray reads strings of a fixed size as bytes unless an attribute marks the data as text. xarray opens no store of version 3 with a
/// string `_FillValue`.
#[test]
fn strings_of_pure_zarr_say_that_they_are_text() {
    let mut s = dataset(Kind::NETCDF4, &[1]);
    let v = add(&mut s, b"v", Atomic::String, &[0]);
    let fill = Attribute::atomic(
        Name::stored(b"_FillValue"),
        Values::String(vec![Some(b"-"[..].into())]),
    );
    s.vars[v.index()].attributes.push(fill.unwrap());
    let (target, out) = MemoryTarget::new("made");
    let env = Env::default();
    let mut w = format::create(Box::new(target), s, CreateOptions::default(), &env).unwrap();
    let bytes = w
        .put_heap(v, &Values::String(vec![Some(b"a"[..].into())]))
        .unwrap();
    w.put_run(v, 0, &bytes).unwrap();
    w.finish().unwrap();
    let input = open(&out.lock().unwrap().take().unwrap(), &env).unwrap();
    for (kind, key, marked, filled) in [
        (Kind::PURE_ZARR, "v/.zattrs", true, true),
        (Kind::PURE_ZARR3, "v/zarr.json", false, false),
        (Kind::NCZARR, "v/.zattrs", false, true),
    ] {
        let (store, _) = stored(&*input, &to(kind)).unwrap();
        let text = text_of(&store, key);
        assert_eq!(text.contains(r#""_Encoding": "utf-8""#), marked, "{text}");
        assert_eq!(text.contains("_FillValue"), filled, "{text}");
        let back = opened(&store);
        let attributes = &back.schema().vars[0].attributes;
        assert_eq!(attributes.len(), 1, "{attributes:?}");
        assert_eq!(
            attributes[0].values,
            Values::String(vec![Some(b"-"[..].into())])
        );
    }
}

#[test]
fn codecs_of_zarr_only_are_replaced_or_refused_in_hdf5() {
    let mut s = dataset(Kind::PURE_ZARR, &[4]);
    let v = add(&mut s, b"v", Atomic::Int, &[0]);
    let storage = &mut s.vars[v.index()].storage;
    storage.layout = Some(StorageLayout::Chunked(vec![2]));
    storage.filters = vec![spec(codec::ids::DELTA, &[1]), spec(codec::ids::GZIP, &[5])];
    let planned = plan(&s, &to(Kind::NETCDF4)).unwrap();
    assert_eq!(planned.schema.vars[0].storage.filters, [spec(1, &[5])]);
    let said: Vec<_> = planned.remarks.iter().map(|n| n.what.as_str()).collect();
    assert_eq!(said, ["stored without the codec delta"]);
    assert!(plan(&s, &to(Kind::PURE_ZARR3)).unwrap().remarks.is_empty());
    // netCDF-C has the same codecs in Zarr.
    let planned = plan(&s, &to(Kind::NCZARR)).unwrap();
    assert_eq!(planned.schema.vars[0].storage.filters, [spec(1, &[5])]);
    assert_eq!(planned.remarks.len(), 1);
    let unknown = codec::pack_text(br#"{"id": "pcodec"}"#);
    s.vars[v.index()].storage.filters = vec![spec(codec::UNKNOWN, &unknown)];
    let e = plan(&s, &to(Kind::NETCDF4)).unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Unsupported, Some("/v")));
    let remedy = "if zarr-python has the codec, it can store the array with another one";
    assert_eq!(e.remedy(), Some(remedy));
    assert!(plan(&s, &to(Kind::NCZARR)).is_ok());
    // A requested filter is applied, or refused.
    let gzip = [spec(codec::ids::GZIP, &[5])];
    let mut options = to(Kind::NETCDF4);
    let asked = Filtering {
        filters: gzip.to_vec(),
        by_name: true,
    };
    options.storage.filters.vars.insert(v, asked);
    let e = plan(&s, &options).unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Unsupported, Some("/v")));
    let remedy = "choose another filter, -F '/v,zstd,3', or none, -F '/v,none'";
    assert_eq!(e.remedy(), Some(remedy));
}

/// xarray has no attribute for it.
#[test]
fn fill_values_of_pure_zarr_are_carried() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("in.zarr"));
    let array = br#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i2","fill_value":-9,"order":"C","filters":null,"compressor":null}"#;
    store.put("v/.zarray", array).unwrap();
    store.put("v/0", &[1, 0, 0xf7, 0xff]).unwrap();
    store.put("v/1", &[3, 0, 4, 0]).unwrap();
    let input = opened(&store);
    assert!(input.schema().vars[0].attributes.is_empty());
    let there = Values::Short(vec![-9]);
    for kind in [Kind::CLASSIC, Kind::NETCDF4] {
        let planned = plan(input.schema(), &to(kind)).unwrap();
        assert_eq!(planned.schema.vars[0].fill_value(), Some(there.clone()));
    }
    let copied = |kind| stored(&*input, &to(kind)).unwrap().0;
    for kind in [Kind::NCZARR, Kind::NCZARR3, Kind::PURE_ZARR3] {
        let store = copied(kind);
        let copy = opened(&store);
        let var = &copy.schema().vars[0];
        assert_eq!(var.fill_value(), Some(there.clone()), "{kind:?}");
        let key = if kind.as_zarr().unwrap().version == ZarrVersion::V2 {
            "v/.zarray"
        } else {
            "v/zarr.json"
        };
        let text = String::from_utf8(store.get(key).unwrap().unwrap()).unwrap();
        assert!(text.contains("\"fill_value\": -9"), "{text}");
    }
    let store = copied(Kind::PURE_ZARR);
    let text = String::from_utf8(store.get("v/.zarray").unwrap().unwrap()).unwrap();
    assert!(text.contains("\"fill_value\": -9"), "{text}");
    assert!(opened(&store).schema().vars[0].attributes.is_empty());
}

/// xarray masks values equal to the fill value of version 2, so this one is `_FillValue` if there is one, and absent otherwise.
#[test]
fn fill_values_of_version_2_are_those_of_attributes() {
    let mut s = dataset(Kind::NETCDF4, &[2]);
    let fill = Attribute::atomic(Name::stored(b"_FillValue"), Values::Float(vec![1e20]));
    for (name, attribute) in [(&b"told"[..], fill), (b"bare", None)] {
        let v = add(&mut s, name, Atomic::Float, &[0]);
        s.vars[v.index()].attributes.extend(attribute);
    }
    let (target, out) = MemoryTarget::new("made");
    let env = Env::default();
    let mut w = format::create(Box::new(target), s, CreateOptions::default(), &env).unwrap();
    let bytes = [1.0_f32, 1e20].map(f32::to_le_bytes).concat();
    w.put_run(VarId(0), 0, &bytes).unwrap();
    w.put_run(VarId(1), 0, &bytes).unwrap();
    w.finish().unwrap();
    let input = open(&out.lock().unwrap().take().unwrap(), &env).unwrap();
    let text = |store: &Arc<dyn Store>, key: &str| {
        String::from_utf8(store.get(key).unwrap().unwrap()).unwrap()
    };
    for kind in [Kind::NCZARR, Kind::PURE_ZARR] {
        let (store, _) = stored(&*input, &to(kind)).unwrap();
        let fill = "\"fill_value\": 1.0000000200408773e+20";
        assert!(text(&store, "told/.zarray").contains(fill), "{kind:?}");
        let attribute = "\"_FillValue\": 1.0000000200408773e+20";
        assert!(text(&store, "told/.zattrs").contains(attribute), "{kind:?}");
        let bare = text(&store, "bare/.zarray");
        assert!(bare.contains("\"fill_value\": null"), "{bare}");
        let copy = opened(&store);
        let told = copy.schema().vars.iter().find(|v| v.name.is("told"));
        assert_eq!(told.unwrap().fill_value(), Some(Values::Float(vec![1e20])));
    }
    for kind in [Kind::NCZARR3, Kind::PURE_ZARR3] {
        let (store, _) = stored(&*input, &to(kind)).unwrap();
        let told = text(&store, "told/zarr.json");
        let base64 = "\"_FillValue\": \"AAAAgB2vFUQ=\"";
        assert!(told.contains(base64), "{told}");
        let number = "\"fill_value\": 1.0000000200408773e+20";
        assert!(told.contains(number), "{told}");
    }
}

/// The grid has 10^9 chunks.
#[test]
fn chunks_that_are_not_stored_take_no_time() {
    let text = |len: u64| {
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[{len},{len}],"data_type":"int16",
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[1,2]}}}},
            "chunk_key_encoding":{{"name":"default"}},"fill_value":7,
            "codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}}]}}"#
        )
    };
    for len in [4, 40_000] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new("in.zarr"));
        store.put("v/zarr.json", text(len).as_bytes()).unwrap();
        store.put("v/c/1/0", &[1, 0, 2, 0]).unwrap();
        let input = opened(&store);
        for kind in [Kind::PURE_ZARR, Kind::NCZARR, Kind::PURE_ZARR3] {
            let mut plan = plan(input.schema(), &to(kind)).unwrap();
            keep_fill_values(Dataset::new(&*input, &Env::default()), &mut plan).unwrap();
            let out: Arc<dyn Store> = Arc::new(MemoryStore::new("out.zarr"));
            let (target, _) = MemoryStoreTarget::new(Arc::clone(&out));
            let target: Box<dyn StoreTarget> = Box::new(target);
            let (create, env) = (CreateOptions::default(), Env::default());
            let writer = format::create(target, plan.schema.clone(), create, &env);
            let report = run(Dataset::new(&*input, &env), &plan, writer.unwrap()).unwrap();
            assert_eq!(report.vars[0].method, Method::Chunks, "{kind:?}");
            let copy = opened(&out);
            let whole = Dataset::new(&*copy, &env);
            let chunks = stored_chunks(whole, VarId(0));
            let stored: Vec<u64> = chunks.iter().map(|chunk| chunk.index).collect();
            let text = out.get("v/.zarray").unwrap().unwrap_or_default();
            let text = String::from_utf8(text).unwrap();
            match (kind.as_zarr().unwrap().version, len) {
                // A few chunks are stored: then no fill value is needed, which xarray would mask.
                (ZarrVersion::V2, 4) => {
                    assert_eq!(stored, [0, 1, 2, 3, 4, 5, 6, 7]);
                    assert!(text.contains("\"fill_value\": null"), "{text}");
                }
                (ZarrVersion::V2, _) => {
                    assert_eq!(stored, [len / 2]);
                    assert!(text.contains("\"fill_value\": 7"), "{text}");
                }
                (ZarrVersion::V3, _) => assert_eq!(stored, [len / 2]),
            }
            let first = Region::boxed(vec![1, 1], vec![1, 3]);
            let read = whole.read(VarId(0), &first).unwrap();
            assert_eq!(read, Values::Short(vec![2, 7, 7]));
        }
    }
}

/// The copy does not read 2^34 missing strings to find the longest string.
#[test]
fn unwritten_strings_are_not_read() {
    let mut s = dataset(Kind::NETCDF4, &[1 << 34]);
    let v = add(&mut s, b"v", Atomic::String, &[0]);
    s.vars[v.index()].storage.layout = Some(StorageLayout::Chunked(vec![1 << 20]));
    let (target, out) = MemoryTarget::new("made");
    let env = Env::default();
    let w = format::create(Box::new(target), s, CreateOptions::default(), &env).unwrap();
    w.finish().unwrap();
    let bytes = out.lock().unwrap().take().unwrap();
    let reader = open(&bytes, &env).unwrap();
    let options = to(Kind::PURE_ZARR3);
    for size in [size_strings, size_known_strings] {
        let mut plan = plan(reader.schema(), &options).unwrap();
        assert_eq!(reader.schema().shape(v), [1 << 34]);
        size(Dataset::new(&*reader, &env), &mut plan).unwrap();
        assert_eq!(plan.schema.vars[0].storage.max_string, Some(1));
    }
}
