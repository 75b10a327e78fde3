//! Faults in stores of version 2.

use netcdf_core::model::ZarrVersion;

use super::stores::{V2_CODED, V2_PLAIN, encoded, v2, zlib};
use super::{faults, flip, put, remove, rename, swap};

#[test]
fn metadata_as_text() {
    faults(
        v2,
        false,
        &[
            (
                "cut",
                |k| swap(k, "v/.zarray", "]", ""),
                &["json-invalid v/.zarray"],
            ),
            (
                "no text",
                |k| put(k, ".zattrs", b"\xff"),
                &["json-invalid .zattrs"],
            ),
            (
                "empty",
                |k| put(k, "v/.zattrs", ""),
                &["json-invalid v/.zattrs"],
            ),
            (
                "nested",
                |k| put(k, "v/.zattrs", "[".repeat(200)),
                &["json-invalid v/.zattrs"],
            ),
            (
                "lenient",
                |k| swap(k, ".zattrs", "1e-5", "0."),
                &["json-lenient .zattrs"],
            ),
            (
                "latin 1",
                |k| put(k, ".zattrs", b"{\"a\":\"\xe9\"}"),
                &["json-lenient .zattrs"],
            ),
            (
                "twice",
                |k| swap(k, "v/.zarray", "\"order\"", "\"order\":\"C\",\"order\""),
                &["json-duplicate v/.zarray"],
            ),
            (
                "attribute twice",
                |k| put(k, ".zattrs", r#"{"a":{"b":1,"b":1}}"#),
                &["json-duplicate .zattrs"],
            ),
            (
                "no object",
                |k| put(k, ".zattrs", "[]"),
                &["member-wrong .zattrs"],
            ),
        ],
    );
}

#[test]
fn members() {
    faults(
        v2,
        false,
        &[
            (
                "no shape",
                |k| swap(k, "v/.zarray", "\"shape\"", "\"s\""),
                &["member-missing v/.zarray"],
            ),
            (
                "no chunks",
                |k| swap(k, "v/.zarray", "\"chunks\"", "\"s\""),
                &["member-missing v/.zarray"],
            ),
            (
                "no dtype",
                |k| swap(k, "v/.zarray", "\"dtype\"", "\"s\""),
                &["member-missing v/.zarray"],
            ),
            (
                "no fill",
                |k| swap(k, "v/.zarray", "\"fill_value\"", "\"s\""),
                &["member-missing v/.zarray"],
            ),
            (
                "no order",
                |k| swap(k, "v/.zarray", "\"order\"", "\"s\""),
                &["member-missing v/.zarray"],
            ),
            (
                "no filters",
                |k| swap(k, "v/.zarray", "\"filters\"", "\"s\""),
                &["member-missing v/.zarray"],
            ),
            (
                "no compressor",
                |k| swap(k, "v/.zarray", "\"compressor\"", "\"s\""),
                &["member-missing v/.zarray"],
            ),
            (
                "no format",
                |k| swap(k, "v/.zarray", "\"zarr_format\"", "\"s\""),
                &["member-missing v/.zarray"],
            ),
            (
                "no format of a group",
                |k| put(k, "g/.zgroup", "{}"),
                &["member-missing g/.zgroup"],
            ),
            (
                "format",
                |k| swap(k, "v/.zarray", "\"zarr_format\": 2", "\"zarr_format\": 3"),
                &["format-wrong v/.zarray"],
            ),
            (
                "format of a group",
                |k| swap(k, ".zgroup", "2", "1"),
                &["format-wrong .zgroup"],
            ),
            (
                "length",
                |k| swap(k, "v/.zarray", "[4, 6]", "[4, -6]"),
                &["member-wrong v/.zarray"],
            ),
            (
                "no chunk",
                |k| swap(k, "v/.zarray", "[2, 4]", "[2, 0]"),
                &["member-wrong v/.zarray"],
            ),
            (
                "order",
                |k| swap(k, "v/.zarray", "\"C\"", "\"Q\""),
                &["member-wrong v/.zarray"],
            ),
            (
                "separator",
                |k| swap(k, "v/.zarray", "\".\"", "\"-\""),
                &["member-wrong v/.zarray"],
            ),
            (
                "compressor",
                |k| swap(k, "v/.zarray", "\"compressor\": null", "\"compressor\": {}"),
                &["member-wrong v/.zarray", "codec-wrong v/.zarray"],
            ),
            (
                "filters",
                |k| swap(k, "v/.zarray", "\"filters\": null", "\"filters\": 3"),
                &["member-wrong v/.zarray"],
            ),
            (
                "rank",
                |k| swap(k, "v/.zarray", "[2, 4]", "[2]"),
                &["rank-mismatch v/.zarray"],
            ),
            (
                "type",
                |k| swap(k, "v/.zarray", "<i4", "<i5"),
                &["dtype-unknown v/.zarray"],
            ),
            (
                "structure",
                |k| swap(k, "v/.zarray", "\"<i4\"", "[[\"a\"]]"),
                &["dtype-unknown v/.zarray"],
            ),
            (
                "codec",
                |k| swap(k, "g/w/.zarray", "zlib", "nosuch"),
                &["codec-missing g/w/.zarray"],
            ),
            (
                "objects",
                |k| swap(k, "v/.zarray", "<i4", "|O"),
                &["codec-missing v/.zarray"],
            ),
            (
                "parameters",
                |k| swap(k, "g/w/.zarray", "\"fletcher32\"", "\"fixedscaleoffset\""),
                &["codec-wrong g/w/.zarray"],
            ),
            (
                "fill",
                |k| swap(k, "v/.zarray", "\"fill_value\": 0", "\"fill_value\": \"x\""),
                &["fill-wrong v/.zarray"],
            ),
            (
                "fill range",
                |k| {
                    swap(
                        k,
                        "v/.zarray",
                        "\"fill_value\": 0",
                        "\"fill_value\": 3000000000",
                    )
                },
                &["fill-wrong v/.zarray"],
            ),
        ],
    );
}

#[test]
fn dimensions() {
    faults(
        v2,
        false,
        &[
            (
                "count",
                |k| swap(k, "v/.zattrs", "[\"y\", \"x\"]", "[\"y\"]"),
                &["dimension-count v/.zattrs"],
            ),
            (
                "no names",
                |k| swap(k, "v/.zattrs", "[\"y\", \"x\"]", "[1, 2]"),
                &["member-wrong v/.zattrs"],
            ),
            (
                "lengths",
                |k| swap(k, "v/.zattrs", "[\"y\", \"x\"]", "[\"x\", \"x\"]"),
                &["dimension-conflict v/.zarray"],
            ),
            (
                "lengths of two",
                |k| {
                    put(k, "w/.zarray", V2_CODED);
                    put(k, "w/.zattrs", r#"{"_ARRAY_DIMENSIONS": ["x"]}"#);
                },
                &["dimension-conflict w/.zarray"],
            ),
        ],
    );
}

#[test]
fn nodes() {
    faults(
        v2,
        false,
        &[
            (
                "no root",
                |k| {
                    remove(k, ".zgroup");
                    remove(k, ".zattrs");
                },
                &["group-missing .zgroup"],
            ),
            (
                "no group",
                |k| remove(k, "g/.zgroup"),
                &["group-missing g/.zgroup"],
            ),
            (
                "two",
                |k| put(k, "v/.zgroup", r#"{"zarr_format":2}"#),
                &["group-or-array v/.zgroup"],
            ),
            (
                "below",
                |k| put(k, "v/w/.zarray", V2_PLAIN),
                &["below-array v/w/.zarray"],
            ),
            (
                "attributes",
                |k| put(k, "a/.zattrs", "{}"),
                &["orphan-metadata a/.zattrs"],
            ),
            (
                "version 3",
                |k| put(k, "g/zarr.json", super::stores::V3_GROUP),
                &[
                    "mixed-versions g/w/.zarray",
                    "mixed-versions g/zarr.json",
                    "mixed-versions g/zarr.json",
                ],
            ),
            (
                "case",
                |k| put(k, "G/.zgroup", r#"{"zarr_format":2}"#),
                &["names-case g/.zgroup"],
            ),
            (
                "long name",
                |k| {
                    put(
                        k,
                        &format!("{}/.zgroup", "n".repeat(256)),
                        r#"{"zarr_format":2}"#,
                    )
                },
                &[concat!(
                    "key-long nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
                    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
                    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
                    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn/.zgroup"
                )],
            ),
        ],
    );
}

#[test]
fn keys() {
    faults(
        v2,
        false,
        &[
            (
                "rank",
                |k| put(k, "v/0.0.0", [1; 32]),
                &["chunk-key v/0.0.0"],
            ),
            (
                "separator",
                |k| rename(k, "v/0.1", "v/0/1"),
                &["chunk-key v/0/1"],
            ),
            (
                "zeros",
                |k| rename(k, "v/0.1", "v/0.01"),
                &["chunk-key v/0.01"],
            ),
            (
                "version 3",
                |k| rename(k, "v/0.1", "v/c/0/1"),
                &["chunk-key v/c/0/1"],
            ),
            (
                "outside",
                |k| put(k, "v/2.0", [1; 32]),
                &["chunk-outside v/2.0"],
            ),
            (
                "far outside",
                |k| put(k, "v/0.99999999999999999999", [1; 32]),
                &["chunk-outside v/0.99999999999999999999"],
            ),
            ("scalar", |k| put(k, "s/0.0", [1; 4]), &["chunk-key s/0.0"]),
            (
                "other",
                |k| put(k, "v/notes.txt", "x"),
                &["orphan-key v/notes.txt"],
            ),
            ("size", |k| put(k, "v/0.1", [1; 31]), &["chunk-size v/0.1"]),
            (
                "a killed change in place",
                |k| put(k, "v/.netcdf-update/journal", "x"),
                &["change-unfinished v/.netcdf-update/journal"],
            ),
            ("foreign", |k| put(k, "README", "x"), &["orphan-key README"]),
            ("removed", |k| remove(k, "s/.zarray"), &["orphan-chunk s/0"]),
            (
                "removed with dots",
                |k| {
                    remove(k, "v/.zarray");
                    remove(k, "v/.zattrs");
                },
                &[
                    "orphan-chunk v/0.0",
                    "orphan-chunk v/0.1",
                    "orphan-chunk v/1.1",
                ],
            ),
            (
                "below a missing group",
                |k| put(k, "x/y/3", "x"),
                &["orphan-chunk x/y/3"],
            ),
        ],
    );
}

#[test]
fn chunks() {
    faults(
        v2,
        true,
        &[
            (
                "no zlib",
                |k| put(k, "g/w/1", "nonsense"),
                &["chunk-undecodable g/w/1"],
            ),
            (
                "cut",
                |k| {
                    let cut = k["g/w/0"][..9].to_vec();
                    put(k, "g/w/0", cut);
                },
                &["chunk-undecodable g/w/0"],
            ),
            (
                "empty",
                |k| put(k, "g/w/0", ""),
                &["chunk-undecodable g/w/0"],
            ),
            (
                "checksum",
                |k| {
                    let without = V2_CODED
                        .replace(r#", {"id": "fletcher32"}"#, "")
                        .replace("\"<f8\"", "\"|V10\"");
                    let raw = (0..20).collect();
                    put(
                        k,
                        "g/w/0",
                        encoded(&without.replace("\"NaN\"", "null"), ZarrVersion::V2, raw),
                    );
                },
                &["chunk-checksum g/w/0"],
            ),
        ],
    );
    fn zlibbed() -> super::Keys {
        let mut keys = v2();
        swap(
            &mut keys,
            "v/.zarray",
            "\"compressor\": null",
            "\"compressor\": {\"id\": \"zlib\"}",
        );
        for place in ["v/0.0", "v/0.1", "v/1.1"] {
            put(&mut keys, place, zlib(32));
        }
        keys
    }
    faults(
        zlibbed,
        true,
        &[
            (
                "short",
                |k| put(k, "v/0.1", zlib(28)),
                &["chunk-size v/0.1"],
            ),
            ("long", |k| put(k, "v/0.1", zlib(36)), &["chunk-size v/0.1"]),
            (
                "flipped",
                |k| flip(k, "v/0.1", 4),
                &["chunk-undecodable v/0.1"],
            ),
        ],
    );
}
