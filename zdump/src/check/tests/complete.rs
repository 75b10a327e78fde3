//! Missing chunks.

use super::*;

const PLAIN: &str = r#"{"zarr_format":2,"shape":[5,4],"chunks":[2,2],"dtype":"|u1","fill_value":0,"order":"C",
    "filters":null,"compressor":null}"#;
const HUGE: &str = r#"{"zarr_format":2,"shape":[4000000000,4000000000],"chunks":[1,1],"dtype":"|u1","fill_value":0,
    "order":"C","filters":null,"compressor":null}"#;
const SHARDED: &str = r#"{"zarr_format":3,"node_type":"array","shape":[3,4],"data_type":"uint8","fill_value":0,
    "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4,4]}},
    "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"sharding_indexed","configuration":
    {"chunk_shape":[1,2],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"}]}}]}"#;

fn missing(keys: &Keys) -> (Vec<String>, u64) {
    let (store, env) = (store(keys), Env::default());
    let survey = StoreSurvey::read(&store, &env).unwrap();
    let (store, survey, env) = (&store, &survey, &env);
    let checked = CheckedStore { store, survey, env };
    let mut report = crate::check::look(checked, (false, true)).unwrap();
    let total = report.errors_of("v");
    let findings = report.sorted().iter();
    let lines = findings.map(|f| format!("{} {}: {}", f.rule.name(), f.key, f.what));
    (lines.collect(), total)
}

#[test]
fn missing_chunks_are_named() {
    let mut keys = Keys::new();
    put(&mut keys, ".zgroup", r#"{"zarr_format":2}"#);
    put(&mut keys, "v/.zarray", PLAIN);
    for key in ["v/0.0", "v/0.1", "v/1.0", "v/2.1"] {
        put(&mut keys, key, [0; 4]);
    }
    let want = [
        "chunk-missing v/1.1: the chunk is missing",
        "chunk-missing v/2.0: the chunk is missing",
    ];
    assert_eq!(missing(&keys).0, want);
    assert_eq!(found(&keys, true), [""; 0]);
    put(&mut keys, "v/1.1", [0; 4]);
    put(&mut keys, "v/2.0", [0; 4]);
    assert_eq!(missing(&keys).0, [""; 0]);
}

#[test]
fn a_grid_of_more_chunks_than_anybody_has_takes_no_time() {
    let mut keys = Keys::new();
    put(&mut keys, ".zgroup", r#"{"zarr_format":2}"#);
    put(&mut keys, "v/.zarray", HUGE);
    put(&mut keys, "v/0.1", [0]);
    let (lines, total) = missing(&keys);
    assert_eq!(lines.len(), 1000);
    assert!(lines.iter().all(|line| !line.contains("v/0.1:")));
    assert_eq!(total, 16_000_000_000_000_000_000 - 1);
}

#[test]
fn chunks_that_a_shard_does_not_have() {
    let mut keys = Keys::new();
    put(
        &mut keys,
        "zarr.json",
        r#"{"zarr_format":3,"node_type":"group"}"#,
    );
    put(&mut keys, "v/zarr.json", SHARDED);
    let mut shard = vec![1, 2];
    let none = [u64::MAX; 2];
    // Four rows of two chunks. The last row is beyond the end of the array.
    for entry in [none, [0, 2], none, none, none, none, none, none] {
        shard.extend(entry.map(u64::to_le_bytes).concat());
    }
    put(&mut keys, "v/c/0/0", shard);
    let want = "chunk-missing v/c/0/0: 5 chunks of 6 are missing in the shard: (0, 0) (1, 0) (1, 1) (2, 0) (2, 1)";
    assert_eq!(missing(&keys).0, [want]);
    remove(&mut keys, "v/c/0/0");
    assert_eq!(
        missing(&keys).0,
        ["chunk-missing v/c/0/0: the shard is missing"]
    );
}
