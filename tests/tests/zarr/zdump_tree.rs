//! Snapshots of `zdump tree`, on stores built from keys.

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

const GROUP: &str = r#"{"zarr_format":2}"#;
const V2: &str = r#"{"zarr_format":2,"shape":[5,3],"chunks":[2,3],"dtype":"<i2","fill_value":-1,"order":"C",
    "filters":[{"id":"shuffle","elementsize":2}],"compressor":{"id":"zlib","level":1}}"#;
const NCZARR: &str = r#"{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<f8","fill_value":0,"order":"C",
    "filters":null,"compressor":null}"#;
const STRUCTURES: &str = r#"{"zarr_format":2,"shape":[2,1],"chunks":[2,1],"dtype":[["x","<i2"]],"fill_value":null,"order":"F",
    "filters":null,"compressor":{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1}}"#;
/// The last shards extend beyond the array. The fill value is a NaN, which is not a JSON number.
const PADDED: &str = r#"{"zarr_format":3,"node_type":"array","shape":[5,3],"data_type":"float32","fill_value":"0x7fc00001",
    "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[40,90]}},"dimension_names":["lat",null],
    "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"sharding_indexed","configuration":
    {"chunk_shape":[1,90],"codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":
    {"level":5,"checksum":false}}],"index_codecs":[{"name":"bytes"},{"name":"crc32c"}]}}]}"#;
const SHARDED: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"uint8","fill_value":0,
    "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,4]}},
    "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"sharding_indexed","configuration":
    {"chunk_shape":[2,2],"codecs":[{"name":"bytes"},{"name":"zstd","configuration":{"level":3}}],
    "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]}}]}"#;

/// A store with arrays of version 2, version 3 with shards, NCZarr, a broken array, and names that are not text.
fn store() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.store(
        "s.zarr",
        &[
            (".zgroup", GROUP),
            (".zattrs", r#"{"_nczarr_superblock":{"version":"3.0.0"}}"#),
            ("v/.zarray", V2),
            ("v/0.0", "0123456789"),
            ("v/2.0", "01234"),
            ("v/9.0", "beyond the end"),
            ("g/.zgroup", GROUP),
            ("g/h/.zgroup", GROUP),
            ("g/h/x/.zarray", NCZARR),
            (
                "g/h/x/.zattrs",
                r#"{"_nczarr_array":{"dimension_references":["/x"],"storage":"chunked"}}"#,
            ),
            ("g/h/x/0", "0123456789abcdef"),
            ("sharded/zarr.json", SHARDED),
            ("sharded/c/0/0", "a shard that is none"),
            ("padded/zarr.json", PADDED),
            ("padded/c/0/0", "some twenty bytes ..."),
            ("broken/.zarray", r#"{"shape":[1,2],"chunks":[1]}"#),
            ("cut/.zarray", r#"{"shape":[1,"#),
            ("bell\u{7}/.zgroup", GROUP),
            ("w/.zarray", STRUCTURES),
            ("w/.zattrs", r#"{"_ARRAY_DIMENSIONS":["time","a,b"]}"#),
        ],
    );
    sandbox
}

fn zdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(zdump::run, &[&["zdump"], args].concat())
}

fn of_store(args: &[&str]) -> CommandOutput {
    zdump(&store(), args)
}

snapshots! {
    of_store =>
    a_tree: "tree", "@s.zarr";
    json: "tree", "--json", "@s.zarr";
    depth: "tree", "--depth", "1", "@s.zarr";
    no_depth: "tree", "--depth", "x", "@s.zarr";
    a_word_that_is_like_a_command: "tre", "@s.zarr";
    a_word_that_is_like_none: "x.zarr", "@s.zarr";
    a_folder_that_is_no_store: "tree", "@s.zarr/g/h/x/nosuch";
}

#[test]
fn a_store_alone_is_shown_as_a_tree() {
    let sandbox = store();
    let tree = zdump(&sandbox, &["tree", "@s.zarr"]);
    assert_eq!(tree.code, 0, "{tree}");
    assert_eq!(zdump(&sandbox, &["@s.zarr"]), tree);
}

#[test]
fn other_directories_are_named() {
    let sandbox = Sandbox::new();
    sandbox.store("empty", &[("a/b", "")]);
    assert_snapshot!(zdump(&sandbox, &["tree", "@empty"]));
}
