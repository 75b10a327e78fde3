//! The members of `zarr.json`.
//!
//! Specification: Zarr core protocol version 3; the codec "sharding_indexed" 1.0.

use netcdf_core::json::Json;

use super::context::FindingCollector;
use super::members::{lengths, ranks, required, shape, version, word, wrong};
use super::rule::Rule;
use super::text::shown;
use crate::words::{configured, stated_name};

/// Maximum nesting of shards. The metadata parser rejects deeper shards.
const DEPTH: u32 = 16;

/// Checks a group or an array.
pub(super) fn node(json: &Json, about: &mut FindingCollector<'_>) {
    version(json, 3, about);
    if let Some(attributes) = json.get("attributes")
        && !matches!(attributes, Json::Object(_))
    {
        wrong(("attributes", attributes), "an object", about);
    }
    let Some(ty) = required(json, "node_type", about) else {
        return;
    };
    word(("node_type", ty), &["array", "group"], about);
    if ty.as_str() == Some("array") {
        array(json, about);
    }
}

fn array(json: &Json, about: &mut FindingCollector<'_>) {
    let (shape, least) = self::shape(json, about);
    let shape = ("shape", shape.as_deref());
    required(json, "data_type", about);
    if let Some(Json::Null) = required(json, "fill_value", about) {
        about.say(
            Rule::FillWrong,
            "the fill value is null; version 3 requires one",
        );
    }
    let chunk =
        required(json, "chunk_grid", about).and_then(|grid| configured(grid, "chunk_shape"));
    let chunk = chunk.and_then(|j| lengths(("chunk_shape", j), least, about));
    let chunk = ("chunk_shape", chunk.as_deref());
    ranks(shape, chunk, about);
    required(json, "chunk_key_encoding", about);
    match required(json, "codecs", about) {
        None => {}
        Some(Json::Array(list)) => codecs(list, shape, about, 0),
        Some(other) => wrong(("codecs", other), "a list", about),
    }
    match json.get("dimension_names") {
        None | Some(Json::Null) => {}
        Some(names) => self::names(names, shape.1, about),
    }
}

/// Checks the dimension names, which may be `null`.
fn names(json: &Json, shape: Option<&[u64]>, about: &mut FindingCollector<'_>) {
    let name = |j: &Json| *j == Json::Null || j.as_str().is_some();
    let Some(names) = json.items().filter(|names| names.iter().all(name)) else {
        return wrong(("dimension_names", json), "a list of names", about);
    };
    if let Some(shape) = shape.filter(|shape| shape.len() != names.len()) {
        let (names, shape) = (names.len(), shape.len());
        let what = format!("{names} dimension_names, shape has {shape} dimensions");
        about.say(Rule::DimensionCount, what);
    }
}

fn codecs(
    list: &[Json],
    shape: (&str, Option<&[u64]>),
    about: &mut FindingCollector<'_>,
    depth: u32,
) {
    // Codecs that convert elements to bytes.
    const BYTES: [&str; 5] = [
        "bytes",
        "endian",
        "vlen-utf8",
        "vlen-bytes",
        "sharding_indexed",
    ];
    let known = |codec: &Json| stated_name(codec).is_some_and(|name| BYTES.contains(&name));
    let others = |codec: &Json| {
        stated_name(codec).is_none_or(|name| name.contains('.') || name == "packbits")
    };
    if !list.iter().any(|codec| known(codec) || others(codec)) {
        let what = "no codec turns the elements into bytes";
        about.advise(Rule::CodecWrong, what, "add the codec \"bytes\"");
    }
    for codec in list {
        if stated_name(codec).is_none() {
            let what = format!("a codec without a name: {}", shown(codec));
            about.say(Rule::MemberWrong, what);
        }
        if stated_name(codec) == Some("transpose")
            && let Some(order) = configured(codec, "order")
            && let Some(order) = lengths(("order", order), 0, about)
        {
            ranks(shape, ("the order of transpose", Some(&order)), about);
        }
        if stated_name(codec) == Some("sharding_indexed") && depth < DEPTH {
            shards(codec, shape, about, depth);
        }
    }
}

fn shards(
    codec: &Json,
    shape: (&str, Option<&[u64]>),
    about: &mut FindingCollector<'_>,
    depth: u32,
) {
    let inner = configured(codec, "chunk_shape");
    let inner = inner.and_then(|j| lengths(("chunk_shape of the shards", j), 1, about));
    let within = ("chunk_shape of the shards", inner.as_deref());
    ranks(shape, within, about);
    for name in ["chunk_shape", "codecs", "index_codecs"] {
        if configured(codec, name).is_none() {
            about.say(Rule::MemberMissing, format!("the shards have no {name}"));
        }
    }
    if let Some(list) = configured(codec, "codecs").and_then(Json::items) {
        codecs(list, shape, about, depth + 1);
    }
}
