//! JSON forms that several metadata objects share.

use crate::json::Json;

/// Lengths as JSON.
#[must_use]
pub(super) fn lengths(lengths: &[u64]) -> Json {
    Json::Array(lengths.iter().map(Json::int).collect())
}

/// Returns a name with configuration, in the form of version 3.
#[must_use]
pub(super) fn named(name: &str, configuration: Json) -> Json {
    Json::object([("name", Json::text(name)), ("configuration", configuration)])
}
