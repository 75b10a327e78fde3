//! Sound stores in the form of their writers.

use netcdf_core::env::Env;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::json::Json;
use netcdf_core::model::ZarrVersion;

use super::{Keys, put, swap};

/// Integers of shape `[4,6]` in chunks of `[2,4]`, in zarr-python's form of version 2.
pub(super) const V2_PLAIN: &str = r#"{
  "shape": [4, 6], "chunks": [2, 4], "dtype": "<i4", "fill_value": 0, "order": "C", "filters": null,
  "dimension_separator": ".", "compressor": null, "zarr_format": 2
}"#;

/// Three numbers in chunks of two, with codecs.
pub(super) const V2_CODED: &str = r#"{"shape": [3], "chunks": [2], "dtype": "<f8", "fill_value": "NaN", "order": "C",
  "filters": [{"id": "shuffle", "elementsize": 8}, {"id": "fletcher32"}],
  "compressor": {"id": "zlib", "level": 1}, "zarr_format": 2}"#;

/// The same integers in zarr-python's form of version 3.
pub(super) const V3_PLAIN: &str = r#"{
  "shape": [4, 6], "data_type": "int32",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 4]}},
  "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
  "fill_value": 0, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
  "attributes": {}, "dimension_names": ["y", "x"], "zarr_format": 3, "node_type": "array", "storage_transformers": []
}"#;

pub(super) const V3_CODED: &str = r#"{
  "shape": [3], "data_type": "float64",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
  "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
  "fill_value": "NaN", "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
  {"name": "gzip", "configuration": {"level": 1}}, {"name": "crc32c"}],
  "attributes": {}, "zarr_format": 3, "node_type": "array", "storage_transformers": []
}"#;

/// Shards of `[4]` with two chunks.
pub(super) const V3_SHARDED: &str = r#"{
  "shape": [8], "data_type": "uint8",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
  "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
  "fill_value": 0, "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [2],
    "codecs": [{"name": "bytes"}], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
    {"name": "crc32c"}], "index_location": "end"}}],
  "attributes": {}, "zarr_format": 3, "node_type": "array", "storage_transformers": []
}"#;

pub(super) const V2_GROUP: &str = r#"{"zarr_format": 2}"#;
pub(super) const V3_GROUP: &str = r#"{"attributes": {}, "zarr_format": 3, "node_type": "group"}"#;

/// Encodes a chunk.
pub(super) fn encoded(array: &str, version: ZarrVersion, raw: Vec<u8>) -> Vec<u8> {
    let (json, env) = (Json::parse(array.as_bytes()).unwrap(), Env::default());
    let array = RawArray::new(&json, version, &env).unwrap();
    let chain = array.chain(&env).unwrap();
    chain.encode(raw, &mut vec![]).unwrap().1
}

/// Returns the stored form of a chunk with `len` bytes, independent of its array.
pub(super) fn zlib(len: usize) -> Vec<u8> {
    let array = format!(
        r#"{{"shape":[{len}],"chunks":[{len}],"dtype":"|u1","compressor":{{"id":"zlib","level":1}},"filters":null}}"#
    );
    encoded(&array, ZarrVersion::V2, vec![7; len])
}

/// Returns a shard of two chunks at these offsets, with the index checksum.
pub(super) fn shard(data: &[u8], places: [u64; 4]) -> Vec<u8> {
    let index = places.map(u64::to_le_bytes).concat();
    let sum = crc32c(&index).to_le_bytes();
    [data, &index, &sum].concat()
}

fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 & 0u32.wrapping_sub(crc & 1))
        })
    })
}

fn doubles() -> Vec<u8> {
    [1.5f64, 2.5].map(f64::to_le_bytes).concat()
}

/// Returns a store of zarr-python in version 2.
pub(super) fn v2() -> Keys {
    let mut keys = Keys::new();
    for key in [".zgroup", "g/.zgroup"] {
        put(&mut keys, key, V2_GROUP);
    }
    // Python writes NaN and infinity in this form.
    put(
        &mut keys,
        ".zattrs",
        r#"{"title": "t", "nan": NaN, "inf": [-Infinity, 1e-5]}"#,
    );
    put(&mut keys, "v/.zarray", V2_PLAIN);
    put(
        &mut keys,
        "v/.zattrs",
        r#"{"_ARRAY_DIMENSIONS": ["y", "x"]}"#,
    );
    for place in ["0.0", "0.1", "1.1"] {
        put(&mut keys, &format!("v/{place}"), [1; 32]);
    }
    put(&mut keys, "g/w/.zarray", V2_CODED);
    let chunk = encoded(V2_CODED, ZarrVersion::V2, doubles());
    put(&mut keys, "g/w/0", &chunk);
    put(&mut keys, "g/w/1", &chunk);
    put(
        &mut keys,
        "s/.zarray",
        V2_PLAIN.replace("[4, 6]", "[]").replace("[2, 4]", "[]"),
    );
    put(&mut keys, "s/0", [1; 4]);
    keys
}

/// Returns a store of zarr-python in version 3.
pub(super) fn v3() -> Keys {
    let mut keys = Keys::new();
    for key in ["zarr.json", "g/zarr.json"] {
        put(&mut keys, key, V3_GROUP);
    }
    put(&mut keys, "v/zarr.json", V3_PLAIN);
    for place in ["0/0", "0/1", "1/1"] {
        put(&mut keys, &format!("v/c/{place}"), [1; 32]);
    }
    put(&mut keys, "g/w/zarr.json", V3_CODED);
    let chunk = encoded(V3_CODED, ZarrVersion::V3, doubles());
    put(&mut keys, "g/w/c/0", &chunk);
    put(&mut keys, "g/w/c/1", &chunk);
    put(&mut keys, "s/zarr.json", V3_SHARDED);
    put(&mut keys, "s/c/0", shard(&[1, 2, 3, 4], [2, 2, 0, 2]));
    put(
        &mut keys,
        "s/c/1",
        shard(&[1, 2], [u64::MAX, u64::MAX, 0, 2]),
    );
    let scalar = V3_PLAIN.replace("[4, 6]", "[]").replace("[2, 4]", "[]");
    put(
        &mut keys,
        "z/zarr.json",
        scalar.replace(r#"["y", "x"]"#, "[]"),
    );
    put(&mut keys, "z/c", [1; 4]);
    keys
}

/// Returns a consolidated store of xarray in version 2.
pub(super) fn v2_consolidated() -> Keys {
    consolidate(v2())
}

/// Returns a store of version 2 with consolidated metadata.
pub(super) fn consolidate(mut keys: Keys) -> Keys {
    let objects = keys.iter().filter(|(key, _)| key.contains(".z"));
    let objects: Vec<_> = objects.map(|(key, text)| member(key, text)).collect();
    let metadata = objects.join(",");
    let text = format!(r#"{{"metadata": {{{metadata}}}, "zarr_consolidated_format": 1}}"#);
    put(&mut keys, ".zmetadata", text);
    keys
}

/// Returns a consolidated store of xarray in version 3. The copies of groups also have consolidated metadata.
pub(super) fn v3_consolidated() -> Keys {
    consolidate_v3(v3())
}

/// Returns a store of version 3 with consolidated metadata.
pub(super) fn consolidate_v3(mut keys: Keys) -> Keys {
    let objects = keys.iter().filter_map(|(key, text)| {
        let path = key.strip_suffix("/zarr.json")?;
        let own = r#""consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {}}, "node_type": "group""#;
        let copy = String::from_utf8(text.clone()).unwrap();
        Some(member(path, copy.replace(r#""node_type": "group""#, own).as_bytes()))
    });
    let metadata = objects.collect::<Vec<_>>().join(",");
    let all = format!(
        r#""consolidated_metadata": {{"kind": "inline", "must_understand": false,
        "metadata": {{{metadata}}}}}, "node_type": "group""#
    );
    swap(&mut keys, "zarr.json", r#""node_type": "group""#, &all);
    keys
}

fn member(name: &str, text: &[u8]) -> String {
    format!("\"{name}\": {}", std::str::from_utf8(text).unwrap())
}
