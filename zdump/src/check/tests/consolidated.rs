//! Stale consolidated metadata, with added and removed objects.

use super::nczarr::{newest, version_3 as nczarr3};
use super::stores::{
    V2_CODED, V3_CODED, consolidate, consolidate_v3, v2_consolidated, v3_consolidated,
};
use super::{Keys, faults, found, put, remove, said, swap};

#[test]
fn version_2() {
    faults(
        v2_consolidated,
        false,
        &[
            (
                "changed",
                |k| swap(k, "v/.zattrs", "y", "lat"),
                &["consolidated-stale .zmetadata"],
            ),
            (
                "added",
                |k| put(k, "w/.zarray", V2_CODED),
                &["consolidated-stale .zmetadata"],
            ),
            (
                "removed",
                |k| {
                    remove(k, "s/.zarray");
                    remove(k, "s/0");
                },
                &["consolidated-stale .zmetadata"],
            ),
            (
                "strange",
                |k| swap(k, ".zmetadata", "\"s/.zarray\"", "\"s\""),
                &[
                    "consolidated-stale .zmetadata",
                    "consolidated-stale .zmetadata",
                ],
            ),
            (
                "no format",
                |k| swap(k, ".zmetadata", ", \"zarr_consolidated_format\": 1", ""),
                &["consolidated-wrong .zmetadata"],
            ),
            (
                "format",
                |k| swap(k, ".zmetadata", "_format\": 1", "_format\": 2"),
                &["consolidated-wrong .zmetadata"],
            ),
            (
                "no metadata",
                |k| swap(k, ".zmetadata", "\"metadata\"", "\"m\""),
                &["consolidated-wrong .zmetadata"],
            ),
            (
                "no JSON",
                |k| put(k, ".zmetadata", "{"),
                &["json-invalid .zmetadata"],
            ),
            (
                "alone",
                |k| k.retain(|key, _| key == ".zmetadata" || !key.contains(".z")),
                &["consolidated-only .zmetadata"],
            ),
        ],
    );
    let mut keys = v2_consolidated();
    swap(&mut keys, "v/.zattrs", "\"y\"", "\"lat\"");
    let place = "v/.zattrs differs from the object itself in /_ARRAY_DIMENSIONS";
    assert_eq!(said(&keys), place);
}

#[test]
fn version_3() {
    faults(
        v3_consolidated,
        false,
        &[
            (
                "changed",
                |k| swap(k, "v/zarr.json", "{}", "{\"units\": \"K\"}"),
                &["consolidated-stale zarr.json"],
            ),
            (
                "added",
                |k| put(k, "w/zarr.json", V3_CODED),
                &["consolidated-stale zarr.json"],
            ),
            (
                "removed",
                |k| {
                    remove(k, "z/zarr.json");
                    remove(k, "z/c");
                },
                &["consolidated-stale zarr.json"],
            ),
            (
                "kind",
                |k| {
                    swap(
                        k,
                        "zarr.json",
                        "\"kind\": \"inline\", \"must_understand\": false,\n",
                        "\"kind\": \"x\", \"must_understand\": false,\n",
                    )
                },
                &["consolidated-wrong zarr.json"],
            ),
            (
                "no metadata",
                |k| {
                    put(
                        k,
                        "zarr.json",
                        r#"{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline"}}"#,
                    )
                },
                &["consolidated-wrong zarr.json"],
            ),
        ],
    );
}

#[test]
fn with_metadata_of_netcdf() {
    faults(
        || consolidate(newest()),
        false,
        &[
            (
                "the contents of a group changed",
                |k| swap(k, "g/.zattrs", "{\"x\": 5}", "{\"x\": 5, \"y\": 1}"),
                &["consolidated-stale .zmetadata"],
            ),
            (
                "not in it",
                |k| swap(k, ".zmetadata", "\"g/w/.zarray\"", "\"g/u/.zarray\""),
                &[
                    "consolidated-stale .zmetadata",
                    "consolidated-stale .zmetadata",
                    "nczarr-unlisted g/.zattrs",
                ],
            ),
            (
                "in it only",
                |k| remove(k, "s/.zattrs"),
                &["consolidated-stale .zmetadata"],
            ),
        ],
    );
    faults(
        || consolidate_v3(nczarr3()),
        false,
        &[
            (
                "references changed",
                |k| swap(k, "v/zarr.json", "0.0", "1.0"),
                &["consolidated-stale zarr.json"],
            ),
            (
                "not in it",
                |k| {
                    let all = k["zarr.json"].clone();
                    let text = String::from_utf8(all).unwrap();
                    put(k, "zarr.json", text.replacen("\"g\": {", "\"h\": {", 1));
                },
                &[
                    "nczarr-unlisted zarr.json",
                    "consolidated-stale zarr.json",
                    "consolidated-stale zarr.json",
                ],
            ),
        ],
    );
}

#[test]
fn objects_without_a_root_are_compared() {
    let mut keys: Keys = v2_consolidated();
    keys.retain(|key, _| key == ".zmetadata" || !key.starts_with(".z"));
    swap(&mut keys, "v/.zattrs", "\"y\"", "\"lat\"");
    let found = found(&keys, false);
    let of = |rule: &str| found.iter().filter(|f| f.starts_with(rule)).count();
    assert_eq!(of("consolidated-only .zmetadata"), 1, "{found:?}");
    assert_eq!(of("consolidated-stale .zmetadata"), 1, "{found:?}");
}
