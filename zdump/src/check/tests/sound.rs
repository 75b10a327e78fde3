//! Sound stores of all writers and generations.

use super::stores::{v2, v2_consolidated, v3, v3_consolidated};
use super::{Keys, found, look, nczarr, put, rename, swap};

#[test]
fn nothing_is_found_in_sound_stores() {
    for (name, keys) in [
        ("zarr-python, version 2", v2()),
        ("zarr-python, version 3", v3()),
        ("xarray, version 2", v2_consolidated()),
        ("xarray, version 3", v3_consolidated()),
        ("netCDF-C 4.10", nczarr::newest()),
        ("netCDF-C 4.9.0", nczarr::capitals()),
        ("netCDF-C 4.8.0", nczarr::oldest()),
        ("nccopy -k nczarr3", nczarr::version_3()),
    ] {
        for deep in [false, true] {
            assert_eq!(found(&keys, deep), [""; 0], "{name}");
        }
    }
}

#[test]
fn keys_of_other_encodings() {
    let mut keys = v2();
    swap(&mut keys, "v/.zarray", "\".\"", "\"/\"");
    for (from, to) in [("v/0.0", "v/0/0"), ("v/0.1", "v/0/1"), ("v/1.1", "v/1/1")] {
        rename(&mut keys, from, to);
    }
    assert_eq!(found(&keys, true), [""; 0]);
    let mut keys = v3();
    let default = r#""name": "default", "configuration": {"separator": "/"}"#;
    swap(
        &mut keys,
        "v/zarr.json",
        default,
        r#""name": "v2", "configuration": {"separator": "."}"#,
    );
    for (from, to) in [
        ("v/c/0/0", "v/0.0"),
        ("v/c/0/1", "v/0.1"),
        ("v/c/1/1", "v/1.1"),
    ] {
        rename(&mut keys, from, to);
    }
    assert_eq!(found(&keys, true), [""; 0]);
}

#[test]
fn what_is_below_broken_metadata_is_no_finding_of_its_own() {
    let mut keys = v2();
    put(&mut keys, "v/.zarray", "{");
    assert_eq!(found(&keys, true), ["json-invalid v/.zarray"]);
}

#[test]
fn arrays_alone_need_no_groups() {
    let keys: Keys = v2()
        .into_iter()
        .filter_map(|(key, bytes)| Some((key.strip_prefix("v/")?.to_owned(), bytes)))
        .collect();
    assert_eq!(found(&keys, true), [""; 0]);
}

#[test]
fn what_was_looked_at_is_counted() {
    let (_, counts) = look(&v3(), true, 2);
    let (keys, arrays) = (counts.keys, counts.arrays);
    assert_eq!((keys, arrays, counts.chunks, counts.decoded), (14, 4, 8, 9));
    let (_, counts) = look(&v3(), false, 2);
    assert_eq!(counts.decoded, 0);
}

/// zarr-python writes this form with a codec after the shards.
#[test]
fn shards_that_are_encoded_as_a_whole() {
    let metadata = r#"{"zarr_format":3,"node_type":"array","shape":[2,4],"data_type":"uint8","fill_value":0,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,4]}},
        "chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"attributes":{},
        "codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":[{"name":"bytes"}],
        "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"end"}},
        {"name":"numcodecs.adler32","configuration":{}}]}"#;
    let mut shard = vec![1, 2, 3, 4, 5, 6, 7, 8];
    for n in [0u64, 4, 4, 4] {
        shard.extend(n.to_le_bytes());
    }
    let sums = shard.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    let sum = (sums.1 << 16 | sums.0).to_le_bytes();
    let mut keys = Keys::new();
    let root = r#"{"zarr_format":3,"node_type":"group","attributes":{}}"#;
    put(&mut keys, "zarr.json", root);
    put(&mut keys, "v/zarr.json", metadata);
    put(&mut keys, "v/c/0/0", [sum.to_vec(), shard].concat());
    let (mut report, counts) = look(&keys, true, 2);
    assert_eq!((report.sorted().len(), counts.decoded), (0, 2));
    super::flip(&mut keys, "v/c/0/0", 6);
    assert_eq!(found(&keys, true), ["shard-index v/c/0/0"]);
}
