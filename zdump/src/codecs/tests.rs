use super::*;
use netcdf_core::env::Env;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::model::ZarrVersion;

/// Returns the rows of an array, with commas between cells.
fn rows(text: &str) -> Vec<String> {
    let json = Json::parse(text.as_bytes()).unwrap();
    let version = match json.get("zarr_format").and_then(Json::as_u64) {
        Some(3) => ZarrVersion::V3,
        _ => ZarrVersion::V2,
    };
    let env = Env::default();
    let array = RawArray::new(&json, version, &env).unwrap();
    let steps = step::steps(&array, &env);
    steps.iter().map(|step| step.cells().join(",")).collect()
}

#[test]
fn version_2_has_its_byte_order_in_the_type() {
    let found = rows(
        r#"{"zarr_format":2,"shape":[4,4],"chunks":[2,2],"dtype":">i4","fill_value":0,"order":"F",
        "filters":[{"id":"shuffle","elementsize":4}],"compressor":{"id":"zlib","level":5}}"#,
    );
    let want = [
        "byte order,-,bytes,-,built in,big",
        "filter,transpose,transpose,-,built in,order=[1,0]",
        "filter,shuffle,shuffle,2,built in,elementsize=4",
        "filter,zlib,zlib,1,built in,level=5",
    ];
    assert_eq!(found.len(), 4, "{found:?}");
    for (found, want) in found.iter().zip(want) {
        let plain = found.replace("numcodecs.", "");
        assert_eq!(plain, want);
    }
}

#[test]
fn steps_in_shards_are_in_their_place() {
    let found = rows(
        r#"{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"int16","fill_value":0,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4,4]}},
        "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"sharding_indexed","configuration":
        {"chunk_shape":[2,2],"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes",
        "configuration":{"endian":"big"}},{"name":"zstd","configuration":{"level":3}}],
        "index_codecs":[{"name":"bytes"},{"name":"crc32c"}]}}]}"#,
    );
    let want = [
        "shards,-,sharding_indexed,-,built in,2x2 in 4x4, index last with crc32c",
        "filter,transpose,transpose,-,built in,order=[1,0]",
        "byte order,-,bytes,-,built in,big",
        "filter,zstd,zstd,32015,built in,level=3",
    ];
    assert_eq!(found, want);
}

#[test]
fn texts_and_what_is_missing_or_wrong() {
    let found = rows(
        r#"{"shape":[4],"chunks":[2],"dtype":"|O","fill_value":"","filters":[{"id":"vlen-utf8"}],
        "compressor":{"id":"pcodec","level":8}}"#,
    );
    assert!(found[0].starts_with("texts,vlen-utf8,vlen-utf8,-,built in,number"));
    let bytes = rows(
        r#"{"shape":[4],"chunks":[2],"dtype":"|O","fill_value":"","filters":[{"id":"vlen-bytes"}],
        "compressor":null}"#,
    );
    assert!(bytes[0].starts_with("texts,vlen-bytes,vlen-bytes,-,"));
    let want = "filter,pcodec,pcodec,-,missing,level=8";
    assert_eq!(found[1], want);
    let found = rows(
        r#"{"shape":[4],"chunks":[2],"dtype":"<i4","fill_value":0,"filters":[{"id":"pcodec"}],
        "compressor":{"level":1}}"#,
    );
    assert_eq!(found[1], "filter,pcodec,pcodec,-,missing,");
    assert_eq!(found[2], r#"filter,-,-,-,wrong,{"level": 1}"#);
}
