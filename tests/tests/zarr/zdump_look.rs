//! Snapshots of `zdump keys`, `cat`, `codecs`, `stat` and `--compat`, on stores built from keys.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

const GROUP: &str = r#"{"zarr_format":2}"#;
const V2: &str = r#"{"zarr_format":2,"shape":[5,3],"chunks":[2,3],"dtype":">i2","fill_value":-1,"order":"C",
    "filters":[{"id":"shuffle","elementsize":2}],"compressor":{"id":"zlib","level":1}}"#;
const TEXTS: &str = r#"{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|O","fill_value":"","order":"C",
    "filters":[{"id":"vlen-utf8"}],"compressor":{"id":"pcodec","level":8}}"#;
const SHARDED: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"uint16","fill_value":0,
    "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,4]}},
    "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"sharding_indexed","configuration":
    {"chunk_shape":[2,2],"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},
    {"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":3}}],
    "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]}}]}"#;

/// A store of versions 2 and 3, with an unknown codec, metadata that is not JSON, and bytes that are not text.
fn store() -> Sandbox {
    let sandbox = Sandbox::new();
    let keys: &[(&str, &[u8])] = &[
        (".zgroup", GROUP.as_bytes()),
        (
            ".zattrs",
            b"{\"b\": 1.50, \"a\": [1, 2.0, NaN], \"b\": \"\xc2\x9bm\", \"none\": {}}",
        ),
        ("v/.zarray", V2.as_bytes()),
        ("v/0.0", b"0123456789"),
        ("v/2.0", b"01234"),
        ("v/9.0", b"beyond the end"),
        ("v/notes.txt", b"a text\nof two lines\n"),
        ("g/t/.zarray", TEXTS.as_bytes()),
        ("g/t/.zattrs", b"{\"cut\": "),
        ("g/t/0", &[0; 70]),
        ("g/s/zarr.json", SHARDED.as_bytes()),
        ("g/s/c/0/0", b"a shard that is none"),
        ("broken/.zarray", b"{\"shape\":[1,2],\"chunks\":[1]}"),
        ("odd", b"\x1b[31mred"),
        ("empty", b""),
    ];
    sandbox.store("s.zarr", keys);
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
    keys: "keys", "@s.zarr";
    keys_json: "keys", "--json", "@s.zarr";
    keys_of_arrays: "keys", "@s.zarr", "**/.zarray";
    keys_of_one_level: "keys", "@s.zarr", "v/?.0";
    keys_that_are_none: "keys", "@s.zarr", "*.0";
    cat_array: "cat", "@s.zarr", "v/.zarray";
    cat_odd_json: "cat", "@s.zarr", "/.zattrs";
    cat_odd_json_json: "cat", "--json", "@s.zarr", ".zattrs";
    cat_text: "cat", "@s.zarr", "v/notes.txt";
    cat_text_json: "cat", "--json", "@s.zarr", "v/notes.txt";
    cat_bytes: "cat", "@s.zarr", "g/t/0";
    cat_bytes_json: "cat", "--json", "@s.zarr", "odd";
    cat_hex: "cat", "--hex", "@s.zarr", ".zgroup";
    cat_raw: "cat", "--raw", "@s.zarr", ".zgroup";
    cat_raw_and_hex: "cat", "--raw", "--hex", "@s.zarr", ".zgroup";
    cat_no_json: "cat", "@s.zarr", "g/t/.zattrs";
    cat_empty: "cat", "@s.zarr", "empty";
    cat_no_key: "cat", "@s.zarr", "nosuch";
    cat_an_array_itself: "cat", "@s.zarr", "v";
    codecs: "codecs", "@s.zarr";
    codecs_json: "codecs", "--json", "@s.zarr";
    codecs_missing: "codecs", "--missing", "@s.zarr";
    codecs_missing_json: "codecs", "--missing", "--json", "@s.zarr";
    codecs_of_two_stores: "codecs", "@s.zarr", "@s.zarr";
    stat: "stat", "@s.zarr";
    stat_json: "stat", "--json", "@s.zarr";
    stat_of_nothing: "stat", "@s.zarr/nosuch";
    compat: "--compat", "-t", "short", "@s.zarr";
    compat_metadata: "--compat", "-h", "@s.zarr";
    compat_hexadecimal: "--compat", "-x", "objdump", "-tushort", "-F%04x", "@s.zarr";
    compat_keys: "--compat", "-dh", "-tint", "-xobjdump", "@s.zarr";
    compat_usage: "--compat", "-v";
    compat_clear: "--compat", "-x", "clear", "@s.zarr";
    compat_a_format_of_texts: "--compat", "-F%s%n", "@s.zarr";
}

/// If no codec is missing, the list is empty, and the exit status is 0.
#[test]
fn no_codec_is_missing() {
    let sandbox = Sandbox::new();
    sandbox.store("s.zarr", &[(".zgroup", GROUP), ("v/.zarray", V2)]);
    let found = zdump(&sandbox, &["codecs", "--missing", "@s.zarr"]).clean();
    assert_eq!(found.text(), "no codec is missing\n");
    let all = zdump(&sandbox, &["codecs", "@s.zarr"]).clean();
    assert!(all.text().contains("shuffle"), "{all}");
    sandbox.store("g.zarr", &[(".zgroup", GROUP)]);
    let none = zdump(&sandbox, &["codecs", "@g.zarr"]).clean();
    assert_eq!(none.text(), "there are no arrays\n");
}

/// Commands never write: the store does not change.
#[test]
fn a_store_stays_as_it_is() {
    let sandbox = store();
    let keys = |sandbox: &Sandbox| zdump(sandbox, &["--compat", "-t", "ubyte", "@s.zarr"]).text();
    let before = keys(&sandbox);
    for args in [
        &["--compat", "-x", "clear", "@s.zarr"][..],
        &["keys", "@s.zarr"],
        &["stat", "@s.zarr"],
    ] {
        let _ = zdump(&sandbox, args);
    }
    assert_eq!(keys(&sandbox), before);
}
