//! The metadata of version 3 arrays: `zarr.json`.
//!
//! Specification: Zarr core protocol version 3.

use super::array::{ArrayDescription, Shard, is_version, lengths, one_of, shapes};
use super::dtype::{Dtype, StoredType};
use super::keys::ChunkKeys;
use crate::chunk::texts::TextCodec;
use crate::json::Json;
use crate::model::{Endianness, ZarrVersion};

/// The known members of `zarr.json`.
const KNOWN: [&str; 12] = [
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "attributes",
    "dimension_names",
    "storage_transformers",
    "consolidated_metadata",
];

/// Maximum nesting depth of shards.
const DEPTH: usize = 8;

/// Describes an array from its `zarr.json`.
///
/// # Errors
/// Returns the defect of the metadata.
pub(super) fn describe(json: &Json, rank: u32) -> Result<ArrayDescription, String> {
    let grid = json.get("chunk_grid");
    let regular = grid.and_then(name) == Some("regular");
    let shape = json.get("shape");
    let chunk = configured(grid, "chunk_shape").filter(|_| regular);
    let (shape, chunk) = shapes(shape, chunk.or(shape), rank)?;
    let dtype = json.get("data_type").ok_or("no data_type")?;
    let keys = json.get("chunk_key_encoding").and_then(ChunkKeys::v3);
    let codecs = json
        .get("codecs")
        .filter(|c| c.items().is_some_and(|i| !i.is_empty()));
    let mut described = ArrayDescription {
        version: ZarrVersion::V3,
        stored: StoredType::v3(dtype),
        keys: keys.unwrap_or(ChunkKeys {
            lead: Some('c'),
            separator: '/',
        }),
        fill: json.get("fill_value").cloned().unwrap_or(Json::Null),
        filters: vec![],
        heap: None,
        turned: vec![],
        shards: vec![],
        whole: vec![],
        codecs: codecs.cloned(),
        names: names(json, shape.len()),
        problem: is_version(json, ZarrVersion::V3).err().or(unknown(json)),
        rank: shape.len(),
        shape,
        chunk,
    };
    let list = codecs.and_then(Json::items).unwrap_or_default();
    let found = match (regular, keys) {
        (false, _) => Err("the chunk grid is not regular".to_owned()),
        (_, None) => Err("the encoding of chunk keys is not known".to_owned()),
        _ => chain(&mut described, list),
    };
    described.problem = described.problem.take().or(found.err());
    Ok(described)
}

/// Returns the name of a codec, a grid …: `{"name": …}`, or a plain string.
fn name(json: &Json) -> Option<&str> {
    json.as_str().or_else(|| json.get("name")?.as_str())
}

fn configured<'j>(json: Option<&'j Json>, key: &str) -> Option<&'j Json> {
    json?.get("configuration")?.get(key)
}

fn names(json: &Json, rank: usize) -> Option<Vec<Option<String>>> {
    let names = json.get("dimension_names")?.items()?;
    let name = |j: &Json| j.as_str().filter(|n| !n.is_empty()).map(str::to_owned);
    (names.len() == rank).then(|| names.iter().map(name).collect())
}

/// Returns the defect for an unknown extension that readers must understand.
fn unknown(json: &Json) -> Option<String> {
    let ignorable = |j: &Json| j.get("must_understand") == Some(&Json::Bool(false));
    let strange =
        |(key, value): &&(String, Json)| !KNOWN.contains(&key.as_str()) && !ignorable(value);
    if let Some((key, _)) = json.members().iter().find(strange) {
        return Some(format!(
            "the metadata has an extension \"{key}\" that is not known"
        ));
    }
    let transformers = json.get("storage_transformers").and_then(Json::items);
    let first = transformers.and_then(<[Json]>::first)?;
    let name = name(first).unwrap_or("without a name");
    Some(format!("the storage transformer {name} is not supported"))
}

/// Checks that a codec converts elements to bytes, and that no element codec follows.
fn in_order(codecs: &[Json]) -> Result<(), String> {
    let makes_bytes = |codec: &Json| {
        let makers = [
            "bytes",
            "endian",
            "vlen-utf8",
            "vlen-bytes",
            "sharding_indexed",
        ];
        name(codec).is_some_and(|name| makers.contains(&name))
    };
    let Some(at) = codecs.iter().position(makes_bytes) else {
        // Unknown codecs may convert elements to bytes.
        let others = ["transpose", "gzip", "zstd", "blosc", "crc32c"];
        let none = |codec| name(codec).is_some_and(|name| others.contains(&name));
        return match codecs.iter().all(none) {
            true => Err("no codec turns elements into bytes, as `bytes` does".into()),
            false => Ok(()),
        };
    };
    let mut behind = codecs.iter().skip(at + 1);
    let elements = |codec: &&Json| makes_bytes(codec) || name(codec) == Some("transpose");
    match behind.find(elements) {
        None => Ok(()),
        Some(codec) => Err(format!(
            "the codec {} needs elements, but follows a codec that outputs bytes",
            name(codec).unwrap_or_default()
        )),
    }
}

/// Returns the byte order of numbers according to a codec.
fn endianness(codec: &Json) -> Result<Endianness, String> {
    let endian = configured(Some(codec), "endian").filter(|j| **j != Json::Null);
    one_of(endian, "endian", ["little", "big"])?;
    Ok(match endian.and_then(Json::as_str) {
        Some("big") => Endianness::Big,
        _ => Endianness::Little,
    })
}

/// Sorts codecs by role: byte order, shards, text encodings, filters.
fn chain(described: &mut ArrayDescription, codecs: &[Json]) -> Result<(), String> {
    in_order(codecs)?;
    for (n, codec) in codecs.iter().enumerate() {
        match name(codec) {
            None => return Err("a codec has no name".into()),
            Some("bytes" | "endian") => {
                let order = endianness(codec)?;
                described.stored = described.stored.clone().in_order(order);
            }
            Some("vlen-utf8" | "vlen-bytes") => described.heap = Some(TextCodec::Lengths),
            Some("sharding_indexed") => {
                let order = order(described)?;
                let behind = codecs.get(n + 1..).unwrap_or_default();
                if !behind.is_empty() && !described.shards.is_empty() {
                    return Err("shards within shards are encoded as a whole".into());
                }
                described.whole.extend_from_slice(behind);
                return shard(described, codec, order);
            }
            Some(_) => described.filters.push(codec.clone()),
        }
    }
    match (&described.stored.dtype, described.heap) {
        (Dtype::Text | Dtype::Blob, None) => Err("the encoding of texts is not known".into()),
        (Dtype::Text | Dtype::Blob, Some(_)) | (_, None) => Ok(()),
        (_, Some(_)) => Err("the codec is for texts, but the elements are not texts".into()),
    }
}

/// Returns the order of array dimensions after the codecs so far. Only transpositions are supported before shards.
fn order(described: &ArrayDescription) -> Result<Vec<usize>, String> {
    let mut order: Vec<usize> = (0..described.chunk.len()).collect();
    for codec in &described.filters {
        let wrong = || "a codec other than transpose precedes the sharding codec".to_owned();
        let turned = Some(codec).filter(|codec| name(codec) == Some("transpose"));
        let rank = described.chunk.len() as u64;
        let turned = configured(turned, "order").and_then(|order| match order.as_str() {
            Some("F") => Some((0..rank).rev().collect()),
            Some("C") => Some((0..rank).collect()),
            _ => lengths(Some(order)),
        });
        let turned = turned.ok_or_else(wrong)?.into_iter();
        let place = |n: u64| order.get(usize::try_from(n).ok()?).copied();
        order = turned.map(place).collect::<Option<_>>().ok_or_else(wrong)?;
    }
    let mut sorted = order.clone();
    sorted.sort_unstable();
    match sorted.into_iter().eq(0..described.chunk.len()) {
        true => Ok(order),
        false => Err("the order of the dimensions of the shards is not a permutation".into()),
    }
}

fn shard(described: &mut ArrayDescription, codec: &Json, order: Vec<usize>) -> Result<(), String> {
    let turned =
        lengths(configured(Some(codec), "chunk_shape")).ok_or("the shards have no chunk_shape")?;
    let mut inner = turned.clone();
    for (&of, len) in order.iter().zip(turned) {
        if let Some(place) = inner.get_mut(of) {
            *place = len;
        }
    }
    let outer = std::mem::replace(&mut described.chunk, inner);
    let parts = outer.iter().zip(&described.chunk);
    let whole = parts.clone().all(|(o, i)| o.checked_rem(*i) == Some(0));
    if !whole || outer.len() != described.chunk.len() {
        described.chunk = outer;
        return Err("a shard must consist of whole chunks".into());
    }
    if described.shards.len() >= DEPTH {
        return Err("shards are nested too deeply".into());
    }
    let index = configured(Some(codec), "index_codecs").and_then(Json::items);
    let shard = index_form(codec, (outer, order), index.unwrap_or_default())?;
    described.shards.push(shard);
    let codecs = configured(Some(codec), "codecs").and_then(Json::items);
    chain(described, codecs.unwrap_or_default())
}

/// Reads the storage format of a shard index.
fn index_form(
    codec: &Json,
    (shape, order): (Vec<u64>, Vec<usize>),
    codecs: &[Json],
) -> Result<Shard, String> {
    let location = configured(Some(codec), "index_location");
    one_of(location, "index_location", ["start", "end"])?;
    let location = location.and_then(Json::as_str);
    let mut shard = Shard {
        shape,
        order,
        index_first: location == Some("start"),
        big_endian: false,
        checksum: false,
    };
    for codec in codecs {
        match name(codec) {
            Some("bytes" | "endian") if !shard.checksum => {
                shard.big_endian = endianness(codec)? == Endianness::Big;
            }
            Some("crc32c") if !shard.checksum => shard.checksum = true,
            other => {
                let name = other.unwrap_or("without a name");
                return Err(format!("the shard index uses an unsupported codec: {name}"));
            }
        }
    }
    Ok(shard)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(more: &str) -> Result<ArrayDescription, String> {
        let text = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[64,48],"data_type":"float32","fill_value":0,
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[32,24]}}}},
            "chunk_key_encoding":{{"name":"default"}},{more}}}"#
        );
        describe(&Json::parse(text.as_bytes()).unwrap(), 8)
    }

    fn shards(inner: &str, more: &str) -> Result<ArrayDescription, String> {
        of(&format!(
            r#""codecs":[{{"name":"sharding_indexed","configuration":{{"chunk_shape":{inner},
            "codecs":[{{"name":"bytes","configuration":{{"endian":"big"}}}},{{"name":"gzip"}}],
            "index_codecs":[{{"name":"bytes"}},{{"name":"crc32c"}}],"index_location":"start"}}}}{more}]"#
        ))
    }

    #[test]
    fn shards_have_chunks() {
        let d = shards("[8,12]", "").unwrap();
        assert_eq!((d.chunk, d.filters.len()), (vec![8, 12], 1));
        let [shard] = d.shards.as_slice() else {
            panic!()
        };
        assert_eq!(shard.shape, [32, 24]);
        assert!(shard.index_first && shard.checksum && !shard.big_endian);
        assert_eq!(d.stored.order, Some(Endianness::Big));
        assert_eq!(d.problem, None);
    }

    #[test]
    fn shards_may_be_transposed_and_encoded_as_a_whole() {
        let turned = r#"{"name":"transpose","configuration":{"order":[1,0]}}"#;
        let text = |inner: &str| {
            let shard = format!(
                r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":{inner},"codecs":[{{"name":"bytes"}}],
                "index_codecs":[{{"name":"bytes"}}]}}}}"#
            );
            format!(r#""codecs":[{turned},{shard},{{"name":"gzip"}}]"#)
        };
        let d = of(&text("[12,8]")).unwrap();
        assert_eq!(d.problem, None);
        assert_eq!(
            (d.chunk, d.filters.len(), d.whole.len()),
            (vec![8, 12], 1, 1)
        );
        assert_eq!(
            (&d.shards[0].shape, &d.shards[0].order),
            (&vec![32, 24], &vec![1, 0])
        );
        let d = of(&text("[8,9]")).unwrap();
        assert!(d.problem.unwrap().contains("whole chunks"));
    }

    #[test]
    fn what_cannot_be_read_is_described() {
        for (d, what) in [
            (shards("[5,12]", ""), "whole chunks"),
            (shards("[0,12]", ""), "whole chunks"),
            (shards("[8]", ""), "whole chunks"),
            (of(r#""codecs":[{"name":"bytes"}],"extra":{}"#), "\"extra\""),
            (
                of(r#""codecs":[{"name":"vlen-utf8"}]"#),
                "elements are not texts",
            ),
            (
                of(r#""storage_transformers":[{"name":"t"}]"#),
                "transformer t is",
            ),
        ] {
            let problem = d.unwrap().problem.unwrap();
            assert!(problem.contains(what), "{problem}");
        }
    }

    #[test]
    fn extensions_may_be_ignorable() {
        let d = of(
            r#""codecs":[{"name":"bytes"}],"e":{"must_understand":false},"dimension_names":["y",null]"#,
        );
        let d = d.unwrap();
        assert_eq!(
            (d.problem, d.names),
            (None, Some(vec![Some("y".into()), None]))
        );
    }
}
