use super::*;
use crate::filter::codec::{from_json, to_json};
use crate::filter::tests::context;
use crate::filter::{ChunkContext, Filter, FilterTable};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// A codec's JSON, the number type, the numbers, numcodecs 0.16's encoding, and numcodecs' decoded numbers.
type Vector = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const VECTORS: [Vector; 29] = [
    (
        r#"{"id": "delta", "dtype": "<i4", "astype": "<i4"}"#,
        "<i4",
        "6400000063000000fbffffffffffff7f0000008000000000",
        "64000000ffffffff98ffffff040000800100000000000080",
        "6400000063000000fbffffffffffff7f0000008000000000",
    ),
    (
        r#"{"id": "delta", "dtype": ">i2", "astype": "|i1"}"#,
        ">i2",
        "000a000c0009012c",
        "0a02fd23",
        "000a000c0009002c",
    ),
    (
        r#"{"id": "delta", "dtype": "|u1", "astype": "<i4"}"#,
        "|u1",
        "0a0c09ff",
        "0a00000002000000fd000000f6000000",
        "0a0c09ff",
    ),
    (
        r#"{"id": "delta", "dtype": "<f4", "astype": "<f8"}"#,
        "<f4",
        "cdcccc3d9a99993e0000e840f90215d0",
        "000000a09999b93f000000c09999c93f000000c0cccc1b40000000205fa002c2",
        "cdcccc3d9a99993e0000e840f90215d0",
    ),
    (
        r#"{"id": "delta", "dtype": "<f2", "astype": "<f2"}"#,
        "<f2",
        "662ecd344047d0e3",
        "662e6732f346dee3",
        "662ecd344047d0e3",
    ),
    (
        r#"{"id": "delta", "dtype": "<u8", "astype": "<u8"}"#,
        "<u8",
        "01000000000000000000000000000000ffffffffffffffff0000000000000080",
        "0100000000000000ffffffffffffffffffffffffffffffff0100000000000080",
        "01000000000000000000000000000000ffffffffffffffff0000000000000080",
    ),
    (
        r#"{"id": "fixedscaleoffset", "scale": 10, "offset": 1, "dtype": "<f8", "astype": "<u2"}"#,
        "<f8",
        "000000000000f03f000000000000f43f9a9999999999f53fd7a3703d0a70b74014ae47e17a141f40",
        "00000200040056ea4400",
        "000000000000f03f333333333333f33f666666666666f63f000000000070b7403333333333331f40",
    ),
    (
        r#"{"id": "fixedscaleoffset", "scale": 10.5, "offset": 1000, "dtype": "<f4", "astype": "|u1"}"#,
        "<f4",
        "00007a4466467a44cdec7a448f027f4448f17b44",
        "000c27d252",
        "00007a4425497a44b7ed7a4400007f44cff37b44",
    ),
    (
        r#"{"id": "fixedscaleoffset", "scale": 3, "offset": -7, "dtype": "<i2", "astype": "<i4"}"#,
        "<i2",
        "0100f9ff30750c00",
        "1800000000000000a55f000039000000",
        "0100f9ffda1f0c00",
    ),
    (
        r#"{"id": "fixedscaleoffset", "scale": 0.1, "offset": 5, "dtype": ">i4", "astype": "|i1"}"#,
        ">i4",
        "00000001fffffff90000012c0000000c",
        "00ff1e01",
        "00000005fffffffb000001310000000f",
    ),
    (
        r#"{"id": "fixedscaleoffset", "scale": 100, "offset": 0.5, "dtype": "<f8", "astype": "<f4"}"#,
        "<f8",
        "000000000000f03f0000000000001cc0333333333333d33f0000000000002840",
        "0000484200803bc40000a0c100c08f44",
        "000000000000f03f0000000000001cc0000000403333d33f0000000000002840",
    ),
    (
        r#"{"id": "quantize", "digits": 2, "dtype": "<f8", "astype": "<f8"}"#,
        "<f8",
        "555555555555d53f555555555555e5bf000000205fa002427b14ae47e17a743f000000000000f87f",
        "000000000080d53f000000000040e5bf000000205fa00242000000000000803f000000000000f87f",
        "000000000080d53f000000000040e5bf000000205fa00242000000000000803f000000000000f87f",
    ),
    (
        r#"{"id": "quantize", "digits": 3, "dtype": ">f4", "astype": ">f2"}"#,
        ">f4",
        "3eaaaaabbf2aaaab447a00003ba3d70a",
        "3554b95663d01d00",
        "3eaa8000bf2ac000447a00003ba00000",
    ),
    (
        r#"{"id": "quantize", "digits": -1, "dtype": "<f4", "astype": "<f4"}"#,
        "<f4",
        "abaaaa3ecd4c85c300007a440000f642",
        "00000000000084c300007a440000f042",
        "00000000000084c300007a440000f042",
    ),
    (
        r#"{"id": "quantize", "digits": 0, "dtype": "<f4", "astype": "<f8"}"#,
        "<f4",
        "abaaaa3ecd4c85c30000003f0000c03f00002040",
        "00000000000000000000000000b070c0000000000000000000000000000000400000000000000040",
        "00000000008085c3000000000000004000000040",
    ),
    (
        r#"{"id": "bitround", "keepbits": 3}"#,
        "<f4",
        "abaaaa3ecd4c85c30000003f0000c03f000020409976967e",
        "0000b03e000080c30000003f0000c03f000020400000907e",
        "0000b03e000080c30000003f0000c03f000020400000907e",
    ),
    (
        r#"{"id": "bitround", "keepbits": 0}"#,
        "<f8",
        "555555555555d53f9a99999999a970c0000000000000f83f",
        "000000000000d03f00000000000070c00000000000000040",
        "000000000000d03f00000000000070c00000000000000040",
    ),
    (
        r#"{"id": "bitround", "keepbits": 52}"#,
        "<f8",
        "555555555555d53f9a99999999a970c0000000000000f83f",
        "555555555555d53f9a99999999a970c0000000000000f83f",
        "555555555555d53f9a99999999a970c0000000000000f83f",
    ),
    (
        r#"{"id": "bitround", "keepbits": 8}"#,
        "<f2",
        "55352adc003e",
        "543528dc003e",
        "543528dc003e",
    ),
    (
        r#"{"id": "packbits"}"#,
        "|b1",
        "0100010100000001010001",
        "05b1a0",
        "0100010100000001010001",
    ),
    (
        r#"{"id": "packbits"}"#,
        "|b1",
        "0100010100000001",
        "00b1",
        "0100010100000001",
    ),
    (
        r#"{"id": "astype", "encode_dtype": "<i2", "decode_dtype": "<i4"}"#,
        "<i4",
        "0100000090eefeff307500000c000000",
        "010090ee30750c00",
        "0100000090eeffff307500000c000000",
    ),
    (
        r#"{"id": "astype", "encode_dtype": "|i1", "decode_dtype": ">f8"}"#,
        ">f8",
        "3ffb333333333333c051b9999999999a405fc000000000004028000000000000",
        "01ba7f0c",
        "3ff0000000000000c051800000000000405fc000000000004028000000000000",
    ),
    (
        r#"{"id": "astype", "encode_dtype": "<f2", "decode_dtype": "<f8"}"#,
        "<f8",
        "555555555555d53f0000000080842e412b69a4292b1b703ecdccccccfcfdef40",
        "5535007c0100ff7b",
        "000000000054d53f000000000000f07f000000000000703e0000000000fcef40",
    ),
    (
        r#"{"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<i8"}"#,
        "<i8",
        "01000000000020000100000100000000fdffffffffffffff0100000040000040",
        "0000005a0000804b000040c00100805e",
        "00000000000020000000000100000000fdffffffffffffff0000000080000040",
    ),
    (
        r#"{"id": "astype", "encode_dtype": "<f2", "decode_dtype": "<i8"}"#,
        "<i8",
        "01080000000000000308000000000000fdffffffffffffff7011010000000000",
        "0068026800c2007c",
        "00080000000000000408000000000000fdffffffffffffff0000000000000080",
    ),
    (
        r#"{"id": "astype", "encode_dtype": "|b1", "decode_dtype": "|u1"}"#,
        "|u1",
        "0002ff",
        "000101",
        "000101",
    ),
    (
        r#"{"id": "astype", "encode_dtype": "<u4", "decode_dtype": "<f8"}"#,
        "<f8",
        "000000000000e03f0000e0ffffffef41000000000000f8bf",
        "00000000ffffffffffffffff",
        "00000000000000000000e0ffffffef410000e0ffffffef41",
    ),
    (
        r#"{"id": "astype", "encode_dtype": "<u8", "decode_dtype": "<f8"}"#,
        "<f8",
        "000000000000e03f000000000000e043003d9160e458e143",
        "000000000000000000000000000000800000e8890423c78a",
        "0000000000000000000000000000e043003d9160e458e143",
    ),
];

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap();
    (0..hex.len() / 2).map(byte).collect()
}

fn of(dtype: &str, len: usize) -> ChunkContext {
    let dtype = OrderedType::parse(dtype).unwrap();
    let size = dtype.size();
    ChunkContext {
        element: dtype.element(),
        ..context(len, size as u64)
    }
}

fn filter(
    json: &str,
    version: ZarrVersion,
    context: &ChunkContext,
) -> (FilterSpec, Box<dyn Filter>) {
    let (json, table) = (
        Json::parse(json.as_bytes()).unwrap(),
        FilterTable::default(),
    );
    let spec = from_json(version, &json, context, &table).unwrap();
    let filter = table.entry(spec.id).unwrap().build(&spec.params, context);
    (spec, filter.unwrap())
}

#[test]
fn matches_numcodecs() {
    for (json, dtype, data, stored, back) in VECTORS {
        let (data, stored, back) = (bytes(data), bytes(stored), bytes(back));
        let context = of(dtype, data.len());
        let (_, filter) = filter(json, ZarrVersion::V2, &context);
        let (mut made, mut read) = (vec![], vec![]);
        filter.encode(&context, &data, &mut made).unwrap();
        assert_eq!(made, stored, "{json}");
        filter.decode(&context, &stored, &mut read).unwrap();
        assert_eq!(read, back, "{json}");
        assert_eq!(filter.output(&context).len, Some(stored.len()), "{json}");
    }
}

#[test]
fn filters_convert_back_to_the_json() {
    let table = FilterTable::default();
    for (json, dtype, ..) in VECTORS {
        let context = of(dtype, 80);
        let (spec, _) = filter(json, ZarrVersion::V2, &context);
        let made = to_json(ZarrVersion::V2, &spec, &context, &table).unwrap();
        assert_eq!(String::from_utf8(made.to_bytes()).unwrap(), json);
    }
}

#[test]
fn version_3_uses_the_byte_order_of_the_elements() {
    let json = r#"{"name": "numcodecs.delta", "configuration": {"dtype": "<i4"}}"#;
    let context = of(">i4", 12);
    let (spec, filter) = filter(json, ZarrVersion::V3, &context);
    let mut made = vec![];
    let numbers = [1_i32, 3, 4].map(i32::to_be_bytes).concat();
    filter.encode(&context, &numbers, &mut made).unwrap();
    assert_eq!(made, [1_i32, 2, 1].map(i32::to_be_bytes).concat());
    let word = OrderedType::parse(">i4").unwrap().word();
    assert_eq!(spec.params, [word, word]);
}

#[test]
fn survives_damage() {
    for (json, dtype, data, stored, _) in VECTORS {
        let (data, stored) = (bytes(data), bytes(stored));
        let context = of(dtype, data.len());
        let (_, filter) = filter(json, ZarrVersion::V2, &context);
        for context in [context.clone(), context.of_any_length()] {
            let try_one = |bytes: &[u8]| {
                let mut out = vec![];
                if filter.decode(&context, bytes, &mut out).is_ok() {
                    assert!(out.len() <= context.limit());
                }
                let _ = filter.encode(&context, bytes, &mut vec![]);
            };
            (0..stored.len()).for_each(|n| try_one(&stored[..n]));
            for n in 0..stored.len() * 8 {
                let mut bytes = stored.clone();
                bytes[n / 8] ^= 1 << (n % 8);
                try_one(&bytes);
            }
        }
    }
}

#[test]
fn unsupported_types_become_unknown_codecs() {
    let table = FilterTable::default();
    for json in [
        r#"{"id": "delta", "dtype": "<c8", "astype": "<c8"}"#,
        r#"{"id": "delta", "dtype": "|b1", "astype": "|b1"}"#,
        r#"{"id": "astype", "decode_dtype": "<i4"}"#,
    ] {
        let json = Json::parse(json.as_bytes()).unwrap();
        let spec = from_json(ZarrVersion::V2, &json, &of("<i4", 8), &table).unwrap();
        assert_eq!(spec.id, crate::filter::codec::UNKNOWN);
    }
    for params in [
        &[][..],
        &[0],
        &[0x16904, 0xFFFF_FFFF],
        &[1, 2, 3, 4, 5, 6, 7],
    ] {
        for id in crate::filter::codec::ids::DELTA..=crate::filter::codec::ids::ASTYPE {
            let _ = table.entry(id).unwrap().build(params, &of("<i4", 8));
        }
    }
}

#[test]
fn spellings_of_types() {
    for (text, known) in [
        ("<i4", Some("<i4")),
        ("i4", Some("<i4")),
        ("int16", Some("<i2")),
        ("bool", Some("|b1")),
        (">u1", Some("|u1")),
        ("<M8[ns]", Some("<i8")),
        ("<U4", None),
        ("", None),
        ("\u{e9}", None),
    ] {
        let found = OrderedType::parse(text).map(OrderedType::text);
        assert_eq!(found.as_deref(), known, "{text}");
    }
    for (json, dtype, ..) in VECTORS {
        let dtype = OrderedType::parse(dtype).unwrap();
        assert_eq!(OrderedType::of_word(dtype.word()), Some(dtype), "{json}");
    }
}
