//! The codecs of an array in its metadata.

use super::json_forms::{lengths, named};
use super::storage::ArrayStorage;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::codec::{self, CodecStage, SHARDS};
use crate::filter::vlen_utf8;
use crate::json::Json;
use crate::model::{Endianness, FilterSpec};

/// Returns the `compressor` and the `filters` of a version 2 array. The last codec is the compressor, as in netCDF-C.
#[must_use]
pub(crate) fn v2(codecs: &[Json]) -> (Json, Json) {
    match codecs.split_last() {
        None => (Json::Null, Json::Null),
        Some((last, [])) => (last.clone(), Json::Null),
        Some((last, others)) => (last.clone(), Json::Array(others.to_vec())),
    }
}

/// Returns the `codecs` of a version 3 array in this order: array-to-array codecs, the array-to-bytes codec, bytes-to-bytes codecs.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for an element filter after a byte filter.
pub(crate) fn v3(stored: &ArrayStorage, order: Endianness) -> Result<Json> {
    let filters = stored.layout.filters.iter();
    let of_strings = |f: &&FilterSpec| f.id == vlen_utf8::ID;
    let filters: Vec<_> = filters.filter(|f| !of_strings(f)).collect();
    let first = filters.iter().take_while(|f| is_of_elements(f.id)).count();
    if filters.iter().skip(first).any(|f| is_of_elements(f.id)) {
        let what = "a filter of elements after one of bytes, which Zarr version 3 does not have";
        let remedy = "give the filters in another order, or use version 2";
        return Err(Error::new(ErrorKind::Unsupported, what).with_remedy(remedy));
    }
    let ordered = stored
        .user
        .as_ref()
        .is_some_and(super::user_types::has_order);
    let serializer = match stored.ty.size() {
        _ if ordered => bytes(order),
        None if stored.fixed_text => Json::object([("name", Json::text("bytes"))]),
        None => Json::object([("name", Json::text("vlen-utf8"))]),
        Some(1) => Json::object([("name", Json::text("bytes"))]),
        Some(_) => bytes(order),
    };
    let mut all = stored.codecs.clone();
    // This codec itself converts elements to bytes.
    if filters
        .get(first)
        .is_none_or(|f| codec::stage(f.id) != CodecStage::Serializer)
    {
        all.insert(first.min(all.len()), serializer);
    }
    Ok(Json::Array(match &stored.shard {
        None => all,
        Some(_) => vec![sharding(&stored.layout.chunk, all)],
    }))
}

/// Returns the sharding codec, with the index after the chunks.
fn sharding(chunk: &[u64], codecs: Vec<Json>) -> Json {
    let index = vec![
        bytes(Endianness::Little),
        Json::object([("name", Json::text("crc32c"))]),
    ];
    let configuration = Json::object([
        ("chunk_shape", lengths(chunk)),
        ("codecs", Json::Array(codecs)),
        ("index_codecs", Json::Array(index)),
        ("index_location", Json::text("end")),
    ]);
    named(SHARDS, configuration)
}

/// Returns the codec that converts elements of several bytes to bytes.
fn bytes(order: Endianness) -> Json {
    let endian = match order {
        Endianness::Little => "little",
        Endianness::Big => "big",
    };
    named("bytes", Json::object([("endian", Json::text(endian))]))
}

/// Checks whether a filter is an array-to-array codec in version 3.
#[must_use]
pub(crate) fn is_of_elements(id: u32) -> bool {
    codec::stage(id) == CodecStage::Elements
}
