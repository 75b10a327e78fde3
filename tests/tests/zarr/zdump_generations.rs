//! Snapshots of `zdump` on stores of all generations: netCDF-C from 4.8.0 on, NCZarr version 3, and zarr-python. Each store has the same 2
//! x 3 numbers in two chunks; one chunk is missing. Damaged versions of the stores follow.

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

const GROUP: &str = r#"{"zarr_format":2}"#;
const CHUNK: &str = "\0\0\u{0}\u{3f}\0\0\0\u{40}\0\0\u{40}\u{40}";

/// Returns `.zarray` with more members.
fn array(more: &str) -> String {
    format!(
        r#"{{"zarr_format":2,"shape":[2,3],"chunks":[1,3],"dtype":"<f4","fill_value":0.0,"order":"C",
        "filters":null,"compressor":null{more}}}"#
    )
}

/// Returns the `zarr.json` of an array with attributes.
fn array_3(attributes: &str) -> String {
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[2,3],"data_type":"float32","fill_value":0.0,
        "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[1,3]}}}},
        "chunk_key_encoding":{{"name":"default","configuration":{{"separator":"/"}}}},
        "codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}}],
        "dimension_names":["t","x"],"attributes":{{{attributes}}}}}"#
    )
}

fn group_3(attributes: &str) -> String {
    format!(r#"{{"zarr_format":3,"node_type":"group","attributes":{{{attributes}}}}}"#)
}

/// Returns the keys of a store of each generation.
fn keys(generation: &str) -> Vec<(&'static str, String)> {
    let text = str::to_owned;
    let plain = array("");
    let dims = r#"{"_ARRAY_DIMENSIONS":["t","x"]}"#;
    let mut keys = match generation {
        "netcdf-c-4.8.0" => vec![
            (".zgroup", text(GROUP)),
            (
                ".nczarr",
                text(r#"{"zarr_format":2,"nczarr_version":"1.0.0"}"#),
            ),
            (
                ".nczgroup",
                text(r#"{"dims":{"t":2,"x":3},"vars":["v"],"groups":[]}"#),
            ),
            ("v/.zarray", plain),
            (
                "v/.nczarray",
                text(r#"{"dimrefs":["/t","/x"],"storage":"chunked"}"#),
            ),
        ],
        "netcdf-c-4.9.0" => vec![
            (
                ".zgroup",
                text(
                    r#"{"zarr_format":2,"_NCZARR_SUPERBLOCK":{"version":"2.0.0"},
                    "_NCZARR_GROUP":{"dims":{"t":2,"x":3},"vars":["v"],"groups":[]}}"#,
                ),
            ),
            (
                "v/.zarray",
                array(r#","_NCZARR_ARRAY":{"dimrefs":["/t","/x"],"storage":"chunked"}"#),
            ),
            ("v/.zattrs", text(dims)),
        ],
        "netcdf-c-4.9.2" => vec![
            (
                ".zgroup",
                text(
                    r#"{"zarr_format":2,"_nczarr_superblock":{"version":"2.0.0"},
                    "_nczarr_group":{"dims":{"t":2,"x":3},"vars":["v"],"groups":[]}}"#,
                ),
            ),
            (
                "v/.zarray",
                array(r#","_nczarr_array":{"dimrefs":["/t","/x"],"storage":"chunked"}"#),
            ),
            ("v/.zattrs", text(dims)),
        ],
        "netcdf-c-4.10" => vec![
            (".zgroup", text(GROUP)),
            (
                ".zattrs",
                text(
                    r#"{"_nczarr_superblock":{"version":"2.0.0"},
                    "_nczarr_group":{"dimensions":{"t":2,"x":3},"arrays":["v"],"groups":[]}}"#,
                ),
            ),
            ("v/.zarray", plain),
            (
                "v/.zattrs",
                text(
                    r#"{"_ARRAY_DIMENSIONS":["t","x"],
                    "_nczarr_array":{"dimension_references":["/t","/x"],"storage":"chunked"}}"#,
                ),
            ),
        ],
        "nczarr-3" => vec![
            (
                "zarr.json",
                group_3(
                    r#""_nczarr_superblock":{"version":"3.0.0"},"_nczarr_group":{"dimensions":
                    [{"name":"t","size":2,"unlimited":0},{"name":"x","size":3,"unlimited":0}],
                    "arrays":["v"],"subgroups":[]}"#,
                ),
            ),
            (
                "v/zarr.json",
                array_3(r#""_nczarr_array":{"dimension_references":["/t","/x"]}"#),
            ),
        ],
        "zarr-2" => vec![
            (".zgroup", text(GROUP)),
            ("v/.zarray", plain),
            ("v/.zattrs", text(dims)),
        ],
        "zarr-3" => vec![("zarr.json", group_3("")), ("v/zarr.json", array_3(""))],
        "consolidated-only" => vec![(
            ".zmetadata",
            format!(
                r#"{{"zarr_consolidated_format":1,"metadata":{{".zgroup":{GROUP},"v/.zarray":{plain},"v/.zattrs":{dims}}}}}"#
            ),
        )],
        other => panic!("no generation {other}"),
    };
    let chunk = match generation {
        "nczarr-3" | "zarr-3" => "v/c/1/0",
        _ => "v/1.0",
    };
    keys.push((chunk, text(CHUNK)));
    keys
}

fn sandbox(keys: &[(&'static str, String)]) -> Sandbox {
    let sandbox = Sandbox::new();
    let keys: Vec<(&str, &str)> = keys.iter().map(|(key, text)| (*key, &**text)).collect();
    sandbox.store("s.zarr", &keys);
    sandbox
}

fn zdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(zdump::run, &[&["zdump"], args].concat())
}

/// Returns the output of several commands for a store.
fn shown(keys: &[(&'static str, String)]) -> String {
    let sandbox = sandbox(keys);
    let commands: [&[&str]; 7] = [
        &["tree", "@s.zarr"],
        &["keys", "@s.zarr"],
        &["codecs", "@s.zarr"],
        &["chunk", "--all", "@s.zarr", "v"],
        &["map", "@s.zarr", "v"],
        &["stat", "@s.zarr"],
        &["check", "--deep", "--quiet", "@s.zarr"],
    ];
    let each =
        commands.map(|args| format!("$ zdump {}\n{}", args.join(" "), zdump(&sandbox, args)));
    each.join("\n")
}

macro_rules! generations {
    ($($test:ident: $name:literal;)*) => {$(
        #[test]
        fn $test() {
            assert_snapshot!(shown(&keys($name)));
        }
    )*};
}

generations! {
    netcdf_c_4_8_0: "netcdf-c-4.8.0";
    netcdf_c_4_9_0: "netcdf-c-4.9.0";
    netcdf_c_4_9_2: "netcdf-c-4.9.2";
    netcdf_c_4_10: "netcdf-c-4.10";
    nczarr_version_3: "nczarr-3";
    pure_version_2: "zarr-2";
    pure_version_3: "zarr-3";
    consolidated_only: "consolidated-only";
}

/// Returns a store in which the text of a key is truncated.
fn damaged(generation: &str, key: &str, len: usize) -> Vec<(&'static str, String)> {
    let mut keys = keys(generation);
    let found = keys.iter_mut().find(|(name, _)| *name == key).unwrap();
    found.1.truncate(len);
    keys
}

#[test]
fn metadata_that_is_cut() {
    assert_snapshot!(shown(&damaged("zarr-2", "v/.zarray", 40)));
}

#[test]
fn metadata_of_version_3_that_is_cut() {
    assert_snapshot!(shown(&damaged("zarr-3", "v/zarr.json", 40)));
}

#[test]
fn a_chunk_that_is_cut() {
    assert_snapshot!(shown(&damaged("netcdf-c-4.10", "v/1.0", 5)));
}
