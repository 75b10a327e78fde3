//! Faults in stores of version 3.

use super::stores::{V2_GROUP, V3_CODED, V3_GROUP, V3_PLAIN, shard, v3};
use super::{faults, flip, put, remove, rename, swap};

#[test]
fn metadata_as_text() {
    faults(
        v3,
        false,
        &[
            (
                "cut",
                |k| put(k, "v/zarr.json", "{"),
                &["json-invalid v/zarr.json"],
            ),
            (
                "lenient",
                |k| swap(k, "v/zarr.json", "\"fill_value\": 0", "\"fill_value\": 0."),
                &["json-lenient v/zarr.json"],
            ),
            (
                "twice",
                |k| {
                    swap(
                        k,
                        "v/zarr.json",
                        "\"attributes\": {}",
                        "\"attributes\": {\"a\":1,\"a\":2}",
                    )
                },
                &["json-duplicate v/zarr.json"],
            ),
            (
                "no object",
                |k| put(k, "g/zarr.json", "3"),
                &["member-wrong g/zarr.json"],
            ),
        ],
    );
}

#[test]
fn members() {
    faults(
        v3,
        false,
        &[
            (
                "no shape",
                |k| swap(k, "v/zarr.json", "\"shape\"", "\"attributes\""),
                &["json-duplicate v/zarr.json", "member-missing v/zarr.json"],
            ),
            (
                "no type",
                |k| swap(k, "v/zarr.json", "\"data_type\": \"int32\",", ""),
                &["member-missing v/zarr.json"],
            ),
            (
                "no grid",
                |k| {
                    swap(
                        k,
                        "g/w/zarr.json",
                        "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2]}},",
                        "",
                    )
                },
                &["member-missing g/w/zarr.json"],
            ),
            (
                "no keys",
                |k| {
                    swap(
                        k,
                        "v/zarr.json",
                        "\"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}},",
                        "",
                    )
                },
                &["member-missing v/zarr.json"],
            ),
            (
                "no fill",
                |k| swap(k, "v/zarr.json", "\"fill_value\": 0,", ""),
                &["member-missing v/zarr.json"],
            ),
            (
                "no codecs",
                |k| {
                    swap(
                        k,
                        "v/zarr.json",
                        "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}],",
                        "",
                    )
                },
                &["member-missing v/zarr.json"],
            ),
            (
                "no format",
                |k| swap(k, "v/zarr.json", "\"zarr_format\": 3,", ""),
                &["member-missing v/zarr.json"],
            ),
            (
                "no node type",
                |k| swap(k, "g/zarr.json", ", \"node_type\": \"group\"", ""),
                &["member-missing g/zarr.json"],
            ),
            (
                "format",
                |k| swap(k, "v/zarr.json", "\"zarr_format\": 3", "\"zarr_format\": 2"),
                &["format-wrong v/zarr.json"],
            ),
            (
                "node type",
                |k| swap(k, "g/zarr.json", "\"group\"", "\"grove\""),
                &["member-wrong g/zarr.json"],
            ),
            (
                "attributes",
                |k| swap(k, "v/zarr.json", "\"attributes\": {}", "\"attributes\": 1"),
                &["member-wrong v/zarr.json"],
            ),
            (
                "no shard codecs",
                |k| swap(k, "s/zarr.json", "\"codecs\": [{\"name\": \"bytes\"}],", ""),
                &["member-missing s/zarr.json"],
            ),
            (
                "rank",
                |k| swap(k, "v/zarr.json", "[2, 4]", "[2]"),
                &["rank-mismatch v/zarr.json"],
            ),
            (
                "rank of shards",
                |k| swap(k, "s/zarr.json", "[2]", "[2, 1]"),
                &["rank-mismatch s/zarr.json"],
            ),
            (
                "type",
                |k| swap(k, "v/zarr.json", "int32", "int33"),
                &["dtype-unknown v/zarr.json"],
            ),
            (
                "codec",
                |k| swap(k, "g/w/zarr.json", "gzip", "nosuch"),
                &["codec-missing g/w/zarr.json"],
            ),
            (
                "no bytes",
                |k| {
                    swap(
                        k,
                        "g/w/zarr.json",
                        "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}},",
                        "",
                    )
                },
                &["codec-wrong g/w/zarr.json"],
            ),
            (
                "extension",
                |k| {
                    swap(
                        k,
                        "v/zarr.json",
                        "\"attributes\"",
                        "\"new\": {}, \"attributes\"",
                    )
                },
                &["undecodable v/zarr.json"],
            ),
            (
                "fill",
                |k| {
                    swap(
                        k,
                        "v/zarr.json",
                        "\"fill_value\": 0",
                        "\"fill_value\": \"x\"",
                    )
                },
                &["fill-wrong v/zarr.json"],
            ),
            (
                "no fill value",
                |k| {
                    swap(
                        k,
                        "v/zarr.json",
                        "\"fill_value\": 0",
                        "\"fill_value\": null",
                    )
                },
                &["fill-wrong v/zarr.json"],
            ),
        ],
    );
}

#[test]
fn dimensions() {
    faults(
        v3,
        false,
        &[
            (
                "count",
                |k| swap(k, "v/zarr.json", "[\"y\", \"x\"]", "[\"y\"]"),
                &["dimension-count v/zarr.json"],
            ),
            (
                "no names",
                |k| swap(k, "v/zarr.json", "[\"y\", \"x\"]", "[1, 2]"),
                &["member-wrong v/zarr.json"],
            ),
            (
                "lengths",
                |k| swap(k, "v/zarr.json", "[\"y\", \"x\"]", "[\"x\", \"x\"]"),
                &["dimension-conflict v/zarr.json"],
            ),
            (
                "names",
                |k| {
                    swap(
                        k,
                        "v/zarr.json",
                        "\"attributes\": {}",
                        "\"attributes\": {\"_ARRAY_DIMENSIONS\": [\"y\", \"z\"]}",
                    )
                },
                &["dimension-names v/zarr.json"],
            ),
            (
                "lengths of two",
                |k| {
                    put(
                        k,
                        "w/zarr.json",
                        V3_CODED.replace(
                            "\"attributes\"",
                            "\"dimension_names\": [\"x\"], \"attributes\"",
                        ),
                    )
                },
                &["dimension-conflict w/zarr.json"],
            ),
        ],
    );
}

#[test]
fn nodes() {
    faults(
        v3,
        false,
        &[
            (
                "no root",
                |k| remove(k, "zarr.json"),
                &["group-missing zarr.json"],
            ),
            (
                "no group",
                |k| remove(k, "g/zarr.json"),
                &["group-missing g/zarr.json"],
            ),
            (
                "below",
                |k| {
                    put(
                        k,
                        "v/w/zarr.json",
                        V3_PLAIN.replace("\"y\", \"x\"", "null, null"),
                    )
                },
                &["below-array v/w/zarr.json"],
            ),
            (
                "attributes",
                |k| put(k, "a/.zattrs", "{}"),
                &["orphan-metadata a/.zattrs"],
            ),
            (
                "version 2 in one place",
                |k| put(k, "g/.zgroup", V2_GROUP),
                &["mixed-versions g/zarr.json"],
            ),
            (
                "version 2 below",
                |k| put(k, "h/.zgroup", V2_GROUP),
                &["mixed-versions h/.zgroup"],
            ),
            (
                "case",
                |k| put(k, "V/zarr.json", V3_GROUP),
                &["names-case v/zarr.json"],
            ),
        ],
    );
    let mut keys = v3();
    put(
        &mut keys,
        &format!("{}/zarr.json", vec!["nnn"; 300].join("/")),
        V3_GROUP,
    );
    let found = super::found(&keys, false);
    assert_eq!(
        found.iter().filter(|f| f.starts_with("key-long")).count(),
        1
    );
}

#[test]
fn keys() {
    faults(
        v3,
        false,
        &[
            (
                "rank",
                |k| put(k, "g/w/c/2/0", [1; 32]),
                &["chunk-key g/w/c/2/0"],
            ),
            (
                "separator",
                |k| rename(k, "v/c/0/1", "v/c.0.1"),
                &["chunk-key v/c.0.1"],
            ),
            (
                "version 2",
                |k| rename(k, "v/c/0/1", "v/0.1"),
                &["chunk-key v/0.1"],
            ),
            (
                "zeros",
                |k| rename(k, "v/c/0/1", "v/c/00/1"),
                &["chunk-key v/c/00/1"],
            ),
            (
                "outside",
                |k| put(k, "v/c/0/2", [1; 32]),
                &["chunk-outside v/c/0/2"],
            ),
            (
                "shard outside",
                |k| put(k, "s/c/2", [1; 32]),
                &["chunk-outside s/c/2"],
            ),
            (
                "scalar",
                |k| rename(k, "z/c", "z/c/0"),
                &["chunk-key z/c/0"],
            ),
            (
                "other",
                |k| put(k, "v/c/notes", "x"),
                &["orphan-key v/c/notes"],
            ),
            (
                "size",
                |k| put(k, "v/c/0/1", [1; 33]),
                &["chunk-size v/c/0/1"],
            ),
            (
                "removed",
                |k| remove(k, "s/zarr.json"),
                &["orphan-chunk s/c/0", "orphan-chunk s/c/1"],
            ),
        ],
    );
}

#[test]
fn chunks() {
    faults(
        v3,
        true,
        &[
            (
                "checksum",
                |k| flip(k, "g/w/c/0", 12),
                &["chunk-checksum g/w/c/0"],
            ),
            (
                "short",
                |k| put(k, "g/w/c/0", "123"),
                &["chunk-undecodable g/w/c/0"],
            ),
            (
                "chunk of a shard",
                |k| put(k, "s/c/0", shard(&[1, 2, 3, 4], [0, 1, 2, 2])),
                &["chunk-size s/c/0"],
            ),
        ],
    );
}

#[test]
fn shards() {
    faults(
        v3,
        false,
        &[
            ("checksum", |k| flip(k, "s/c/0", 6), &["shard-index s/c/0"]),
            (
                "too short",
                |k| put(k, "s/c/0", [0; 35]),
                &["shard-index s/c/0"],
            ),
            (
                "outside",
                |k| put(k, "s/c/0", shard(&[1, 2, 3, 4], [0, 2, 39, 2])),
                &["shard-index s/c/0"],
            ),
            (
                "far outside",
                |k| put(k, "s/c/0", shard(&[1, 2, 3, 4], [0, 2, 2, u64::MAX])),
                &["shard-index s/c/0"],
            ),
            (
                "overlap",
                |k| put(k, "s/c/0", shard(&[1, 2, 3, 4], [0, 2, 1, 2])),
                &["shard-index s/c/0"],
            ),
            (
                "in the index",
                |k| put(k, "s/c/0", shard(&[1, 2, 3, 4], [0, 2, 3, 2])),
                &["shard-index s/c/0"],
            ),
        ],
    );
}
