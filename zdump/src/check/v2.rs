//! The members of `.zarray`.
//!
//! Specification: Zarr storage specification version 2.

use netcdf_core::json::Json;

use super::context::FindingCollector;
use super::members::{lengths, ranks, required, shape, version, word, wrong};
use super::rule::Rule;
use super::text::shown;

/// Checks an array.
pub(super) fn array(json: &Json, about: &mut FindingCollector<'_>) {
    version(json, 2, about);
    let (shape, least) = self::shape(json, about);
    let chunks = required(json, "chunks", about).and_then(|j| lengths(("chunks", j), least, about));
    ranks(
        ("shape", shape.as_deref()),
        ("chunks", chunks.as_deref()),
        about,
    );
    required(json, "dtype", about);
    required(json, "fill_value", about);
    if let Some(order) = required(json, "order", about) {
        word(("order", order), &["C", "F"], about);
    }
    if let Some(separator) = json.get("dimension_separator") {
        word(("dimension_separator", separator), &[".", "/"], about);
    }
    codecs(json, about);
}

fn codecs(json: &Json, about: &mut FindingCollector<'_>) {
    if let Some(compressor) = required(json, "compressor", about)
        && *compressor != Json::Null
    {
        codec("compressor", compressor, about);
    }
    match required(json, "filters", about) {
        None | Some(Json::Null) => {}
        Some(Json::Array(filters)) => filters.iter().for_each(|f| codec("filters", f, about)),
        Some(other) => wrong(("filters", other), "a list or null", about),
    }
}

fn codec(name: &str, json: &Json, about: &mut FindingCollector<'_>) {
    if json.get("id").and_then(Json::as_str).is_none() {
        let what = format!("a codec without an id in {name}: {}", shown(json));
        about.say(Rule::MemberWrong, what);
    }
}
