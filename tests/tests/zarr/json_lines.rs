//! All JSON output is valid for any input: records of `zdump`, and Zarr metadata.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use netcdf_tools_tests::harness::Sandbox;
use serde_json::Value;

/// Metadata with invalid JSON, as netCDF-C writes it and worse: invalid numbers, bytes that are not UTF-8.
const ARRAY: &[u8] = b"{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"<f8\", \"compressor\": \
    {\"id\": \"zlib\", \"level\": 01, \"odd\": [1.,.5,+1,-Infinity]}, \"filters\": null, \"order\": \"C\", \"fill_value\": NaN}";
const ATTRIBUTES: &[u8] = b"{\"_ARRAY_DIMENSIONS\": [\"x\"], \"a\": NaN, \"b\": [1.,2.,Infinity], \"c\": \"K\xe4se \x01\x1b[31m\", \
    \"d\": {\"e\": -nan}, \"x\xff\": 1}";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let chunk: Vec<u8> = [1.0, f64::NAN]
        .iter()
        .flat_map(|v: &f64| v.to_le_bytes())
        .collect();
    let plain = String::from_utf8_lossy(ARRAY)
        .replace("\"compressor\": {", "\"compressor\": null, \"other\": {");
    for (name, array, attributes) in [
        ("a.zarr", ARRAY, ATTRIBUTES),
        ("b.zarr", plain.as_bytes(), b"{\"a\": 1., \"b\": [NaN]}"),
    ] {
        sandbox.store(
            name,
            &[
                (".zgroup", &b"{\"zarr_format\": 2}"[..]),
                ("v/.zarray", array),
                ("v/.zattrs", attributes),
                ("v/0", &chunk),
            ],
        );
    }
    sandbox
}

#[test]
fn records_are_json_whatever_a_store_says() {
    let sandbox = sandbox();
    let mut strings = vec![];
    for command in [
        &["tree", "@a.zarr"][..],
        &["keys", "@a.zarr"],
        &["cat", "@a.zarr", "v/.zarray"],
        &["cat", "@a.zarr", "v/.zattrs"],
        &["codecs", "@a.zarr"],
        &["check", "--deep", "@a.zarr"],
        &["stat", "@a.zarr"],
        &["chunk", "@a.zarr", "v", "0"],
        &["chunk", "@b.zarr", "v", "0"],
        &["diff", "@a.zarr", "@b.zarr"],
        &["diff", "@b.zarr", "@a.zarr"],
        &["diff", "--raw", "@a.zarr", "@b.zarr"],
    ] {
        let args = [&["zdump", command[0], "--json"], &command[1..]].concat();
        let output = sandbox.run(zdump::run, &args);
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.len() > 1 || command[0] == "chunk",
            "{args:?}: {output}"
        );
        for line in lines {
            let record: Value =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{args:?}: {e}: {line}"));
            assert!(record["record"].is_string(), "{line}");
            texts(&record, &mut strings);
        }
    }
    for text in ["NaN", "1.", "01", "-Infinity"] {
        assert!(strings.iter().any(|s| s == text), "{text} as text");
    }
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(members) => members.values().for_each(|item| texts(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Copies of stores with invalid JSON have valid metadata.
#[test]
fn metadata_is_json_whatever_was_read() {
    let sandbox = sandbox();
    for kind in ["zarr", "nczarr", "zarr3", "nczarr3"] {
        let args = [
            "nccopy",
            "--quiet",
            "--no-sync",
            "--consolidated",
            "-k",
            kind,
            "@b.zarr",
            "@c.zarr",
        ];
        let _ = sandbox.run(nccopy::run, &args).clean();
        let mut left = vec![sandbox.path("c.zarr")];
        let mut count = 0;
        while let Some(folder) = left.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    left.push(path);
                } else if name.starts_with(".z") || name == "zarr.json" {
                    let bytes = std::fs::read(&path).unwrap();
                    let read = serde_json::from_slice::<Value>(&bytes);
                    read.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                    count += 1;
                }
            }
        }
        assert!(count >= 2, "{kind}");
    }
}
