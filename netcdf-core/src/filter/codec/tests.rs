use super::*;
use crate::filter::tests::context;
use crate::filter::visible;
use ZarrVersion::{V2, V3};

fn read(version: ZarrVersion, json: &str) -> Result<FilterSpec> {
    let json = Json::parse(json.as_bytes()).unwrap();
    from_json(version, &json, &context(400, 4), &FilterTable::default())
}

fn write(version: ZarrVersion, id: u32, params: &[u32]) -> Result<String> {
    let spec = FilterSpec {
        id,
        params: params.to_vec(),
    };
    let json = to_json(version, &spec, &context(400, 4), &FilterTable::default())?;
    Ok(String::from_utf8(json.to_bytes()).unwrap())
}

/// Checks that `json` converts to the filter and the filter to `back`.
fn check(version: ZarrVersion, json: &str, id: u32, params: &[u32], back: &str) {
    let spec = read(version, json).unwrap();
    assert_eq!((spec.id, &*spec.params), (id, params), "{json}");
    assert_eq!(write(version, id, params).unwrap(), back);
}

fn same(version: ZarrVersion, json: &str, id: u32, params: &[u32]) {
    check(version, json, id, params, json);
}

#[test]
fn codecs_of_version_2() {
    same(V2, r#"{"id": "zlib", "level": 5}"#, 1, &[5]);
    same(V2, r#"{"id": "shuffle", "elementsize": 8}"#, 2, &[8]);
    let zero = r#"{"id": "shuffle", "elementsize": 0}"#;
    check(V2, zero, 2, &[4], &zero.replace('0', "4"));
    same(V2, r#"{"id": "fletcher32"}"#, 3, &[]);
    same(
        V2,
        r#"{"id": "szip", "mask": 32, "pixels-per-block": 4}"#,
        4,
        &[169, 4, 32, 100],
    );
    same(V2, r#"{"id": "bz2", "level": 9}"#, 307, &[9]);
    same(V2, r#"{"id": "zstd", "level": 3}"#, 32015, &[3]);
    same(
        V2,
        r#"{"id": "zstd", "level": -1, "checksum": true}"#.replace("-1", "7").as_str(),
        32015,
        &[7, 1],
    );
    same(
        V2,
        r#"{"id": "blosc", "clevel": 5, "blocksize": 0, "cname": "lz4", "shuffle": 1}"#,
        32001,
        &[2, 2, 4, 400, 5, 1, 1],
    );
    let auto = r#"{"blocksize": 256, "clevel": 5, "cname": "zstd", "id": "blosc", "shuffle": -1}"#;
    let made = r#"{"id": "blosc", "clevel": 5, "blocksize": 256, "cname": "zstd", "shuffle": 1}"#;
    check(V2, auto, 32001, &[2, 2, 4, 400, 5, 1, 5, 256], made);
}

/// netCDF-C before 4.10.0 wrote numbers as strings.
#[test]
fn numbers_as_texts() {
    for json in [
        r#"{"id": "zlib", "level": 7}"#,
        r#"{"id": "shuffle", "elementsize": 8}"#,
        r#"{"id": "bz2", "level": 7}"#,
        r#"{"id": "zstd", "level": -7}"#,
        r#"{"id": "zstd", "level": 7, "checksum": true}"#,
        r#"{"id": "zstd", "level": 7, "checksum": false}"#,
        r#"{"id": "gzip", "level": 7}"#,
        r#"{"id": "szip", "mask": 32, "pixels-per-block": 4}"#,
        r#"{"id": "blosc", "clevel": 7, "blocksize": 256, "cname": "lz4", "shuffle": 2}"#,
        r#"{"id": "blosc", "clevel": 7, "blocksize": 0, "cname": "lz4", "shuffle": -1}"#,
        r#"{"id": "lz4", "acceleration": 3}"#,
        r#"{"id": "lzma", "preset": 3, "format": 1, "check": 0}"#,
        r#"{"id": "bitround", "keepbits": 3}"#,
        r#"{"id": "crc32c", "initval": 7}"#,
        r#"{"id": "quantize", "digits": 3, "dtype": "<f4"}"#,
        r#"{"id": "fixedscaleoffset", "scale": 10, "offset": 1.5, "dtype": "<f4", "astype": "|u1"}"#,
        r#"{"id": "zfpy", "mode": 4, "tolerance": 0.5, "rate": -1, "precision": -1}"#,
        r#"{"id": "transpose", "order": [0]}"#,
    ] {
        let texts = quoted(json);
        assert_ne!(texts, json);
        assert_eq!(
            read(V2, &texts).unwrap(),
            read(V2, json).unwrap(),
            "{texts}"
        );
        let (json, texts) = (in_version_3(json), in_version_3(&texts));
        assert_eq!(
            read(V3, &texts).unwrap(),
            read(V3, &json).unwrap(),
            "{texts}"
        );
    }
}

/// Writes numbers and booleans of JSON in quotes.
fn quoted(json: &str) -> String {
    let bare = |c: char| c.is_ascii_digit() || "-.truefals".contains(c);
    let mut out = String::new();
    for (n, part) in json.split('"').enumerate() {
        let text = n % 2 == 1;
        let found = part.find(|c: char| c.is_ascii_digit() || "-tf".contains(c));
        let ends = found.map(|at| {
            (
                at,
                part[at..].find(|c| !bare(c)).map_or(part.len(), |n| at + n),
            )
        });
        match ends.filter(|_| !text) {
            Some((at, end)) => {
                out.push_str(&format!(
                    "{}\"{}\"{}",
                    &part[..at],
                    &part[at..end],
                    &part[end..]
                ));
            }
            None => out.push_str(part),
        }
        out.push('"');
    }
    out.pop();
    out
}

/// Converts version 2 JSON to version 3, with the same members.
fn in_version_3(json: &str) -> String {
    let (name, rest) = json[8..].split_once('"').unwrap();
    let members = rest[1..rest.len() - 1].trim();
    format!(r#"{{"name": "numcodecs.{name}", "configuration": {{{members}}}}}"#)
}

#[test]
fn wrong_sizes_of_shuffle() {
    for size in ["0", "\"0\"", "-1", "\"x\"", "1e30", "1.5", "[8]", "true"] {
        for version in [V2, V3] {
            let json = format!(r#"{{"id": "shuffle", "elementsize": {size}}}"#);
            let json = match version {
                V2 => json,
                V3 => in_version_3(&json),
            };
            let spec = read(version, &json).unwrap();
            assert_eq!((spec.id, &*spec.params), (2, &[4][..]), "{json}");
        }
    }
}

#[test]
fn codecs_of_version_3() {
    let of =
        |name: &str, rest: &str| format!(r#"{{"name": "{name}", "configuration": {{{rest}}}}}"#);
    same(V3, &of("numcodecs.zlib", r#""level": 5"#), 1, &[5]);
    same(V3, &of("numcodecs.shuffle", r#""elementsize": 4"#), 2, &[4]);
    same(V3, &of("numcodecs.fletcher32", ""), 3, &[]);
    same(V3, r#"{"name": "crc32c"}"#, ids::CRC32C, &[1]);
    same(V3, &of("numcodecs.bz2", r#""level": 5"#), 307, &[5]);
    let zstd = of("zstd", r#""level": 0, "checksum": false"#);
    same(V3, &zstd, 32015, &[0]);
    check(
        V3,
        r#"{"name": "numcodecs.zstd"}"#,
        32015,
        &[3],
        &zstd.replace('0', "3"),
    );
    let blosc = r#""typesize": 2, "cname": "blosclz", "clevel": 5, "shuffle": "bitshuffle", "blocksize": 0"#;
    same(V3, &of("blosc", blosc), 32001, &[2, 2, 2, 400, 5, 2, 0]);
    let defaults = blosc
        .replace("blosclz", "lz4")
        .replace("bitsh", "sh")
        .replace('2', "4");
    check(
        V3,
        r#"{"name": "numcodecs.blosc", "configuration": {"cname": "lz4"}}"#,
        32001,
        &[2, 2, 4, 400, 5, 1, 1],
        &of("blosc", &defaults),
    );
    let alone = read(V3, r#""numcodecs.fletcher32""#).unwrap();
    assert_eq!(alone.id, 3);
}

#[test]
fn szip_takes_its_scanlines_from_the_dimension_and_never_declines() {
    let mut context = context(96, 4);
    context.shape = vec![4, 6];
    context.about.dims = vec![8, 12];
    context.element.ty = crate::model::Atomic::Int.into();
    let json = Json::parse(br#"{"id": "szip", "mask": 32, "pixels-per-block": 4}"#).unwrap();
    let table = FilterTable::default();
    let spec = from_json(V2, &json, &context, &table).unwrap();
    assert_eq!(spec.params, [169, 4, 32, 12]);
    assert_eq!(visible(&spec).unwrap().params, [32, 4]);
    let noise: Vec<u8> = (0..96_u32).map(|n| (n * n * 97 / 3 % 251) as u8).collect();
    for mandatory in [false, true] {
        context.about.mandatory = mandatory;
        let chain = table.chain(std::slice::from_ref(&spec), &context).unwrap();
        let (mask, stored) = chain.encode(noise.clone(), &mut vec![]).unwrap();
        assert_eq!(mask, u32::from(!mandatory));
        assert_eq!(chain.decode(mask, stored, &mut vec![]).unwrap(), noise);
    }
}

#[test]
fn visible_parameters_are_those_of_the_user() {
    let shown = |id, params: &[u32]| {
        let params = params.to_vec();
        visible(&FilterSpec { id, params }).map(|f| f.params)
    };
    assert_eq!(shown(2, &[4]).unwrap(), [0_u32; 0]);
    assert_eq!(shown(4, &[169, 4, 32, 4]).unwrap(), [32, 4]);
    assert_eq!(
        shown(32001, &[2, 2, 4, 400, 5, 1, 1]).unwrap(),
        [0, 0, 0, 0, 5, 1, 1]
    );
    assert_eq!(shown(32015, &[3, 1]).unwrap(), [3]);
    assert_eq!(shown(ids::GZIP, &[3]), None);
    assert!(is_private(UNKNOWN) && !is_private(65_535));
}

#[test]
fn unknown_codecs_stay_unchanged() {
    let text = r#"{"id": "pcodec", "level": 8}"#;
    let spec = read(V2, text).unwrap();
    assert_eq!(spec.id, UNKNOWN);
    assert_eq!(unpack_text(&spec.params).unwrap(), text.as_bytes());
    assert_eq!(write(V2, UNKNOWN, &spec.params).unwrap(), text);
    let e = write(V3, UNKNOWN, &spec.params).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    let form = read(V2, r#"{"id": "blosc", "cname": "new"}"#).unwrap();
    assert_eq!(form.id, UNKNOWN);
}

#[test]
fn damaged_codecs_are_refused() {
    for (json, what) in [
        (r#"{"level": 5}"#, r#"a codec without `id`: {"level": 5}"#),
        (r#"5"#, "a codec without `id`: 5"),
        (
            r#"{"id": "zlib", "level": "x"}"#,
            r#"codec zlib: `level` is "x", not a whole number"#,
        ),
        (
            r#"{"id": "szip", "mask": 32}"#,
            "codec szip: no `pixels-per-block`, which must be a whole number",
        ),
        (
            r#"{"id": "bitround", "keepbits": "1x"}"#,
            r#"codec bitround: `keepbits` is "1x", not a whole number"#,
        ),
    ] {
        let e = read(V2, json).unwrap_err();
        assert_eq!((e.kind(), &*e.what().text()), (ErrorKind::Corrupt, what));
    }
}

/// Converts every codec's JSON with each byte changed in turn, then random parameters and chunks.
#[test]
fn hostile_codecs_do_no_harm() {
    let codecs = [
        r#"{"id": "blosc", "clevel": 5, "blocksize": 256, "cname": "zstd", "shuffle": -1}"#,
        r#"{"id": "szip", "mask": 32, "pixels-per-block": 4}"#,
        r#"{"id": "lzma", "format": 3, "filters": [{"id": 3, "dist": 4}, {"id": 33, "dict_size": 65536}]}"#,
        r#"{"id": "fixedscaleoffset", "scale": 10, "offset": 1.5, "dtype": "<i4", "astype": "<u2"}"#,
        r#"{"id": "quantize", "digits": 2, "dtype": "<f4"}"#,
        r#"{"id": "delta", "dtype": "<i4", "astype": ">i2"}"#,
        r#"{"id": "bitround", "keepbits": 8}"#,
        r#"{"id": "zfpy", "mode": 4, "tolerance": 0.01, "rate": -1}"#,
        r#"{"id": "transpose", "order": [0]}"#,
        r#"{"id": "packbits"}"#,
        r#"{"id": "jenkins_lookup3", "initval": 5}"#,
    ];
    let (table, mut context) = (FilterTable::default(), context(400, 4));
    context.element.ty = crate::model::Atomic::Int.into();
    let noise: Vec<u8> = (0..400_u32).map(|n| (n * n * 97 / 3 % 256) as u8).collect();
    let try_one = |spec: &FilterSpec| {
        let _ = to_json(V2, spec, &context, &table).map(|json| json.to_bytes());
        let _ = (visible(spec), table.label(spec));
        let built = table
            .entry(spec.id)
            .and_then(|e| e.build(&spec.params, &context));
        let Ok(filter) = built else { return };
        let behind = filter.output(&context);
        for (context, len) in [(&context, 400), (&context, 37), (&behind, 400)] {
            let mut out = vec![];
            if filter.decode(context, &noise[..len], &mut out).is_ok() {
                assert!(out.len() <= context.limit().max(len));
            }
        }
        let _ = filter.encode(&context, &noise, &mut vec![]);
    };
    for text in codecs {
        for n in 0..text.len() {
            for byte in *b"0-\"9]x" {
                let mut other = text.as_bytes().to_vec();
                other[n] = byte;
                let Ok(json) = Json::parse(&other) else {
                    continue;
                };
                for version in [V2, V3] {
                    let spec = from_json(version, &json, &context, &table);
                    spec.iter().for_each(try_one);
                }
            }
        }
    }
    for id in PRIVATE..PRIVATE + 20 {
        for n in 0..400 {
            let word =
                |k: u32| [n, k, 0x6904, u32::MAX, 1 << (n % 32), 0][(n / (k + 1) % 6) as usize];
            let params = (0..n % 8).map(word).collect();
            try_one(&FilterSpec { id, params });
        }
    }
}

#[test]
fn filters_without_a_codec_are_rejected_with_a_remedy() {
    let e = write(V2, 32004, &[]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    assert_eq!(e.what(), "filter 32004 (lz4) is not a Zarr codec");
    assert!(e.remedy().unwrap().contains("-F"));
}
