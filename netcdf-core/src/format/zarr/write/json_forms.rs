//! Forms of JSON that metadata objects share.

use crate::json::Json;

/// Lengths as JSON.
#[must_use]
pub(super) fn lengths(lengths: &[u64]) -> Json {
    Json::Array(lengths.iter().map(Json::int).collect())
}

/// A name with its configuration, in version 3's form.
#[must_use]
pub(super) fn named(name: &str, configuration: Json) -> Json {
    Json::object([("name", Json::text(name)), ("configuration", configuration)])
}
