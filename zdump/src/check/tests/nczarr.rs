//! Faults in netCDF's own metadata, of all generations.

use super::stores::{V2_GROUP, V3_GROUP};
use super::{Keys, faults, put, remove, swap};

const COORDINATE: &str = r#"{"zarr_format": 2, "shape": [3], "dtype": "<f4", "chunks": [3], "fill_value": null,
    "order": "C", "compressor": null, "filters": null}"#;

fn variable() -> String {
    COORDINATE.replace("[3]", "[2,3]")
}

/// The form of netCDF-C 4.9.3 and later, and of nccopy.
pub(super) fn newest() -> Keys {
    let mut keys = Keys::new();
    put(&mut keys, ".zgroup", V2_GROUP);
    put(
        &mut keys,
        ".zattrs",
        r#"{"title": "t", "_nczarr_group": {"dimensions": {"t": {"size": 2, "unlimited": 1}, "x": 3},
        "arrays": ["v","s","c"], "groups": ["g"]}, "_nczarr_superblock": {"version": "2.0.0"},
        "_nczarr_attr": {"types": {"title": ">S1", "_nczarr_group": "|J0"}}}"#,
    );
    put(&mut keys, "v/.zarray", variable());
    put(
        &mut keys,
        "v/.zattrs",
        r#"{"_ARRAY_DIMENSIONS": ["t","x"],
        "_nczarr_array": {"dimension_references": ["/t","/x"], "storage": "chunked"}}"#,
    );
    put(&mut keys, "v/0.0", [0; 24]);
    put(&mut keys, "s/.zarray", COORDINATE.replace("[3]", "[1]"));
    put(
        &mut keys,
        "s/.zattrs",
        r#"{"_ARRAY_DIMENSIONS": ["_scalar_"],
        "_nczarr_array": {"dimension_references": [], "scalar": 1, "storage": "chunked"}}"#,
    );
    put(&mut keys, "s/0", [0; 4]);
    put(
        &mut keys,
        "c/.zarray",
        COORDINATE
            .replace("<f4", ">S1")
            .replace("null,\n", "\"\",\n"),
    );
    put(
        &mut keys,
        "c/.zattrs",
        r#"{"_ARRAY_DIMENSIONS": ["x"],
        "_nczarr_array": {"dimension_references": ["/x"], "storage": "chunked"}}"#,
    );
    put(&mut keys, "c/0", "abc");
    put(&mut keys, "g/.zgroup", V2_GROUP);
    put(
        &mut keys,
        "g/.zattrs",
        r#"{"_nczarr_group": {"dimensions": {"x": 5}, "arrays": ["w"], "groups": []}}"#,
    );
    put(&mut keys, "g/w/.zarray", COORDINATE.replace("[3]", "[5]"));
    put(
        &mut keys,
        "g/w/.zattrs",
        r#"{"_ARRAY_DIMENSIONS": ["x"],
        "_nczarr_array": {"dimension_references": ["/g/x"], "storage": "chunked"}}"#,
    );
    keys
}

/// The form of netCDF-C 4.9.0: characters are `<U1`, with one byte per character, and `NaN` is unquoted.
pub(super) fn capitals() -> Keys {
    let mut keys = Keys::new();
    put(
        &mut keys,
        ".zgroup",
        r#"{"zarr_format": 2, "_NCZARR_SUPERBLOCK": {"version": "2.0.0"},
        "_NCZARR_GROUP": {"dims": {"t": 2, "x": 3}, "vars": ["v","c","s"], "groups": []}}"#,
    );
    put(
        &mut keys,
        ".zattrs",
        r#"{"a": NaN, "_NCZARR_ATTR": {"types": {"a": "<f4"}}}"#,
    );
    let with = |text: &str, dims: &str| {
        let extra = format!(
            r#""filters": null, "_NCZARR_ARRAY": {{"dimrefs": [{dims}], "storage": "chunked"}}"#
        );
        text.replace(r#""filters": null"#, &extra)
    };
    put(&mut keys, "v/.zarray", with(&variable(), r#""/t","/x""#));
    put(
        &mut keys,
        "v/.zattrs",
        r#"{"_ARRAY_DIMENSIONS": ["t","x"], "_NCZARR_ATTR": {}}"#,
    );
    put(&mut keys, "v/0.0", [0; 24]);
    put(
        &mut keys,
        "c/.zarray",
        with(
            &COORDINATE
                .replace("<f4", "<U1")
                .replace("null,\n", "\"\",\n"),
            r#""/x""#,
        ),
    );
    put(
        &mut keys,
        "c/.zattrs",
        r#"{"_ARRAY_DIMENSIONS": ["x"], "_NCZARR_ATTR": {}}"#,
    );
    put(&mut keys, "c/0", "abc");
    put(
        &mut keys,
        "s/.zarray",
        with(&COORDINATE.replace("[3]", "[1]"), "").replace("chunked", "scalar"),
    );
    put(
        &mut keys,
        "s/.zattrs",
        r#"{"_ARRAY_DIMENSIONS": [], "_NCZARR_ATTR": {}}"#,
    );
    keys
}

/// The form of netCDF-C 4.8.0.
pub(super) fn oldest() -> Keys {
    let mut keys = Keys::new();
    put(&mut keys, ".zgroup", V2_GROUP);
    put(
        &mut keys,
        ".nczarr",
        r#"{"zarr_format":2,"nczarr_version":"1.0.0"}"#,
    );
    put(
        &mut keys,
        ".nczgroup",
        r#"{"dims": {"t": 2, "x": 3}, "vars": ["v"], "groups": []}"#,
    );
    put(&mut keys, "v/.zarray", variable());
    put(
        &mut keys,
        "v/.nczarray",
        r#"{"dimrefs": ["/t","/x"], "storage": "chunked"}"#,
    );
    put(&mut keys, "v/.nczattrs", r#"{"types": {}}"#);
    put(&mut keys, "v/0.0", [0; 24]);
    keys
}

/// The form of nccopy.
pub(super) fn version_3() -> Keys {
    let mut keys = Keys::new();
    let group =
        |contents: &str| V3_GROUP.replace("{},", &format!(r#"{{"_nczarr_group": {contents}}},"#));
    put(
        &mut keys,
        "zarr.json",
        group(
            r#"{"dimensions": [{"name": "t", "size": 2, "unlimited": 1},
        {"name": "x", "size": 3, "unlimited": 0}], "arrays": ["v"], "subgroups": ["g"]}"#,
        ),
    );
    put(
        &mut keys,
        "g/zarr.json",
        group(r#"{"dimensions": [], "arrays": [], "subgroups": []}"#),
    );
    put(
        &mut keys,
        "v/zarr.json",
        r#"{"zarr_format": 3, "node_type": "array", "shape": [2,3], "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1,3]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": 0.0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {"_nczarr_array": {"dimension_references": ["/t","/x"]}}, "dimension_names": ["t","x"]}"#,
    );
    put(&mut keys, "v/c/1/0", [0; 12]);
    keys
}

#[test]
fn attributes() {
    faults(
        newest,
        false,
        &[
            (
                "no such array",
                |k| swap(k, ".zattrs", "\"c\"]", "\"c\",\"d\"]"),
                &["nczarr-listed .zattrs"],
            ),
            (
                "no such group",
                |k| swap(k, ".zattrs", "[\"g\"]", "[\"g\",\"h\"]"),
                &["nczarr-listed .zattrs"],
            ),
            (
                "not listed",
                |k| swap(k, ".zattrs", ",\"c\"]", "]"),
                &["nczarr-unlisted .zattrs"],
            ),
            (
                "group not listed",
                |k| swap(k, ".zattrs", "[\"g\"]", "[]"),
                &["nczarr-unlisted .zattrs"],
            ),
            (
                "an array as a group",
                |k| swap(k, ".zattrs", "[\"g\"]", "[\"g\",\"v\"]"),
                &["nczarr-listed .zattrs"],
            ),
            (
                "length",
                |k| swap(k, ".zattrs", "\"x\": 3", "\"x\": 4"),
                &["dimension-length c/.zattrs", "dimension-length v/.zattrs"],
            ),
            (
                "records",
                |k| swap(k, ".zattrs", "\"size\": 2", "\"size\": 1"),
                &["dimension-length v/.zattrs"],
            ),
            (
                "no dimension",
                |k| swap(k, "g/w/.zattrs", "/g/x", "/g/z"),
                &[
                    "dimension-names g/w/.zattrs",
                    "dimension-unknown g/w/.zattrs",
                ],
            ),
            (
                "dimension of another group",
                |k| swap(k, "g/w/.zattrs", "/g/x", "/h/x"),
                &["dimension-unknown g/w/.zattrs"],
            ),
            (
                "names",
                |k| swap(k, "v/.zattrs", "[\"t\",\"x\"]", "[\"u\",\"x\"]"),
                &["dimension-names v/.zattrs"],
            ),
            (
                "count",
                |k| swap(k, "v/.zattrs", "[\"/t\",\"/x\"]", "[\"/t\"]"),
                &["dimension-count v/.zattrs"],
            ),
            (
                "contents",
                |k| swap(k, ".zattrs", "\"x\": 3", "\"x\": -3"),
                &["nczarr-wrong .zattrs"],
            ),
        ],
    );
    // The dimension has more records than the array.
    let mut keys = newest();
    swap(&mut keys, ".zattrs", "\"size\": 2", "\"size\": 7");
    assert_eq!(super::found(&keys, true), [""; 0]);
}

#[test]
fn older_generations() {
    faults(
        capitals,
        false,
        &[
            (
                "no such array",
                |k| swap(k, ".zgroup", "\"s\"]", "\"s\",\"d\"]"),
                &["nczarr-listed .zgroup"],
            ),
            (
                "length",
                |k| swap(k, ".zgroup", "\"x\": 3", "\"x\": 4"),
                &["dimension-length c/.zarray", "dimension-length v/.zarray"],
            ),
            (
                "size of text",
                |k| put(k, "c/0", "abcabcabcabc"),
                &["chunk-size c/0"],
            ),
        ],
    );
    faults(
        oldest,
        false,
        &[
            (
                "no such array",
                |k| swap(k, ".nczgroup", "\"v\"]", "\"v\",\"d\"]"),
                &["nczarr-listed .nczgroup"],
            ),
            (
                "no dimension",
                |k| swap(k, "v/.nczarray", "/t", "/u"),
                &["dimension-unknown v/.nczarray"],
            ),
            (
                "no JSON",
                |k| put(k, "v/.nczattrs", "{"),
                &["json-invalid v/.nczattrs"],
            ),
        ],
    );
}

#[test]
fn in_version_3() {
    faults(
        version_3,
        false,
        &[
            (
                "no such array",
                |k| swap(k, "zarr.json", "\"v\"]", "\"v\",\"d\"]"),
                &["nczarr-listed zarr.json"],
            ),
            (
                "no such group",
                |k| remove(k, "g/zarr.json"),
                &["nczarr-listed zarr.json"],
            ),
            (
                "not listed",
                |k| swap(k, "zarr.json", "[\"v\"]", "[]"),
                &["nczarr-unlisted zarr.json"],
            ),
            (
                "length",
                |k| swap(k, "zarr.json", "\"size\": 3", "\"size\": 4"),
                &["dimension-length v/zarr.json"],
            ),
            (
                "no dimension",
                |k| swap(k, "v/zarr.json", "\"/t\"", "\"/g/t\""),
                &["dimension-unknown v/zarr.json"],
            ),
            (
                "names",
                |k| swap(k, "v/zarr.json", "[\"t\",\"x\"]", "[\"u\",\"x\"]"),
                &["dimension-names v/zarr.json"],
            ),
        ],
    );
}
