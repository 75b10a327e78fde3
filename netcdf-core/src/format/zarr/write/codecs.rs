//! The codecs of an array in its metadata.

use super::json_forms::{lengths, named};
use super::storage::ArrayStorage;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::codec::{self, CodecStage, SHARDS};
use crate::filter::vlen_utf8;
use crate::json::Json;
use crate::model::{Endianness, FilterSpec};

/// The `compressor` and the `filters` of an array of version 2: the last codec is the compressor, as in netCDF-C.
#[must_use]
pub(crate) fn v2(codecs: &[Json]) -> (Json, Json) {
    match codecs.split_last() {
        None => (Json::Null, Json::Null),
        Some((last, [])) => (last.clone(), Json::Null),
        Some((last, others)) => (last.clone(), Json::Array(others.to_vec())),
    }
}

/// The `codecs` of an array of version 3: those that change elements, the one that turns elements into bytes, and those that
/// change bytes.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for a filter of elements after one of bytes.
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
    let ordered = stored.user.as_ref().is_some_and(super::user::has_order);
    let serializer = match stored.ty.size() {
        _ if ordered => bytes(order),
        None if stored.fixed_text => Json::object([("name", Json::text("bytes"))]),
        None => Json::object([("name", Json::text("vlen-utf8"))]),
        Some(1) => Json::object([("name", Json::text("bytes"))]),
        Some(_) => bytes(order),
    };
    let mut all = stored.codecs.clone();
    // This codec turns elements into bytes itself.
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

/// The codec of shards, with the index after the chunks.
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

/// The codec that turns elements of several bytes into bytes.
fn bytes(order: Endianness) -> Json {
    let endian = match order {
        Endianness::Little => "little",
        Endianness::Big => "big",
    };
    named("bytes", Json::object([("endian", Json::text(endian))]))
}

/// Whether a filter is an array-to-array codec in version 3.
#[must_use]
pub(crate) fn is_of_elements(id: u32) -> bool {
    codec::stage(id) == CodecStage::Elements
}
