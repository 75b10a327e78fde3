use super::*;
use crate::error::ErrorKind;
use crate::filter::FilterTable;
use crate::filter::codec::{from_json, to_json};
use crate::filter::tests::{context, damage, decode};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// A codec's JSON, and numcodecs 0.16's encoding of 20 times "Zarr".
const VECTORS: [(&str, &str); 7] = [
    (
        r#"{"id": "lzma", "format": 1, "check": -1, "preset": null, "filters": null}"#,
        "fd377a585a000004e6d6b4460200210116000000742fe5a3e0004f000a5d002d184a596741800000000000009f05c329bb93dc4200012650fb6733881fb6f37d010000000004595a",
    ),
    (
        r#"{"id": "lzma", "format": 1, "check": 1, "preset": 1, "filters": null}"#,
        "fd377a585a0000016922de360200210110000000a8708e86e0004f000a5d002d184a47524c45aea000000000ae7eeeff00012250ffa25fec9042990d010000000001595a",
    ),
    (
        r#"{"id": "lzma", "format": 1, "check": 10, "preset": null, "filters": [{"id": 3, "dist": 4},{"id": 33, "preset": 1}]}"#,
        "fd377a585a00000ae1fb0ca10201030103210110a22a1215e0004f000b5d002d184a4743c85095dc00000000381f681e162a19635c6b7ff97ada2c71f4543eb4fd714e1cf88533ebc57cb4b400013f50e3ce3313189b4b9a01000000000a595a",
    ),
    (
        r#"{"id": "lzma", "format": 1, "check": 0, "preset": null, "filters": null}"#,
        "fd377a585a000000ff12d9410200210116000000742fe5a3e0004f000a5d002d184a5967418000000000000000011e5000dbac9f06729e7a010000000000595a",
    ),
    (
        r#"{"id": "lzma", "format": 2, "check": -1, "preset": null, "filters": null}"#,
        "5d00008000ffffffffffffffff002d184a596741c1efffffffe1000000",
    ),
    (
        r#"{"id": "lzma", "format": 3, "check": -1, "preset": null, "filters": [{"id": 3, "dist": 4},{"id": 33, "preset": 1}]}"#,
        "e0004f000b5d002d184a4743c85095dc000000",
    ),
    (
        r#"{"id": "lzma", "format": 3, "check": -1, "preset": null, "filters": [{"id": 4611686018427387905, "dict_size": 65536, "lc": 2, "lp": 1, "pb": 0}]}"#,
        "002d190db5e85bacc497ffffe1268000",
    ),
];

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap();
    (0..hex.len() / 2).map(byte).collect()
}

fn spec(json: &str) -> Result<FilterSpec> {
    let json = Json::parse(json.as_bytes()).unwrap();
    from_json(
        ZarrVersion::V2,
        &json,
        &context(80, 1),
        &FilterTable::default(),
    )
}

#[test]
fn matches_numcodecs() {
    let data = b"Zarr".repeat(20);
    for (json, stored) in VECTORS {
        let (spec, stored) = (spec(json).unwrap(), bytes(stored));
        let found = decode(spec.id, &spec.params, 80, &stored);
        assert_eq!(found.unwrap(), data, "{json}");
        let (context, mut made) = (context(80, 1), vec![]);
        let filter = (ENTRY.build)(&spec.params, &context).unwrap();
        filter.encode(&context, &data, &mut made).unwrap();
        let found = decode(spec.id, &spec.params, 80, &made);
        assert_eq!(found.unwrap(), data, "{json}");
        damage(spec.id, &spec.params, 80, &stored);
        let back = to_json(ZarrVersion::V2, &spec, &context, &FilterTable::default());
        let back = back.unwrap().to_bytes();
        assert_eq!(String::from_utf8(back).unwrap(), json);
    }
}

#[test]
fn more_than_expected_is_corrupt() {
    let (context, mut stored) = (context(1 << 20, 1), vec![]);
    let spec = spec(VECTORS[0].0).unwrap();
    let filter = (ENTRY.build)(&spec.params, &context).unwrap();
    filter.encode(&context, &[0; 1 << 20], &mut stored).unwrap();
    assert!(stored.len() < 1000);
    let e = decode(spec.id, &spec.params, 1000, &stored).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Corrupt);
}

#[test]
fn large_dictionaries_are_rejected() {
    // An .lzma header with a dictionary of 4 GiB - 1.
    let mut stored = vec![0x5D, 0xFF, 0xFF, 0xFF, 0xFF];
    stored.extend([0xFF; 8]);
    stored.extend([0; 100]);
    let spec = spec(r#"{"id": "lzma", "format": 2}"#).unwrap();
    assert!(decode(spec.id, &spec.params, 80, &stored).is_err());
    let large = r#"{"id": "lzma", "format": 3, "filters": [{"id": 33, "dict_size": 4294967295}]}"#;
    assert_eq!(self::spec(large).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn impossible_settings_are_rejected() {
    for json in [
        r#"{"id": "lzma", "format": "x"}"#,
        r#"{"id": "lzma", "format": 3}"#,
        r#"{"id": "lzma", "format": 1, "filters": []}"#,
        r#"{"id": "lzma", "format": 1, "filters": [{"id": 3}]}"#,
        r#"{"id": "lzma", "format": 1, "filters": [{"id": 4611686018427387905}]}"#,
        r#"{"id": "lzma", "format": 1, "preset": 10}"#,
        r#"{"id": "lzma", "format": 1, "check": 3}"#,
        r#"{"id": "lzma", "format": 3, "filters": [{"id": 33, "lc": 4, "lp": 4}]}"#,
    ] {
        assert_eq!(spec(json).unwrap_err().kind(), ErrorKind::Corrupt, "{json}");
    }
    let spec = spec(r#"{"id": "lzma", "format": 9}"#).unwrap();
    assert_eq!(spec.id, crate::filter::codec::UNKNOWN);
}
