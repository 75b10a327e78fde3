//! Codecs that a user specifies as JSON text, in the attribute `_Codecs`.

use super::{UNKNOWN, filters};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{ChunkContext, FilterTable};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// The name of the sharding codec.
pub const SHARDS: &str = "sharding_indexed";

/// Checks whether a codec turns elements into bytes. The variable type determines this codec.
fn is_serializer(name: &str) -> bool {
    matches!(name, "bytes" | "vlen-utf8" | "vlen-bytes")
}

/// Returns the codecs of a list; for a sharding codec, the codecs of the inner chunks.
#[must_use]
pub fn within_shards(json: &Json) -> &[Json] {
    let mut list = json.items().unwrap_or_default();
    while let [only] = list
        && only.get("name").and_then(Json::as_str) == Some(SHARDS)
    {
        let inner = only.get("configuration").and_then(|c| c.get("codecs"));
        list = inner.and_then(Json::items).unwrap_or_default();
    }
    list
}

/// Parses `_Codecs`: a list of version 2 codecs with the compressor last, or of version 3 codecs.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] if the text is not a list of codecs, or contains an unknown codec.
pub fn from_text(
    text: &[u8],
    context: &ChunkContext,
    table: &FilterTable,
) -> Result<Vec<FilterSpec>> {
    let wrong = |why: String| {
        let what = format!("_Codecs: {why}");
        let remedy = r#"give a list such as [{"id": "shuffle", "elementsize": 4},{"id": "zlib", "level": 5}]"#;
        Error::new(ErrorKind::Argument, what).with_remedy(remedy)
    };
    let json = Json::parse(text).map_err(|e| wrong(e.what().to_string()))?;
    let one = [json.clone()];
    let list = match &json {
        Json::Object(_) => &one[..],
        Json::Array(_) => within_shards(&json),
        Json::Null => &[],
        Json::Bool(_) | Json::Number(_) | Json::Text(_) => {
            return Err(wrong("expected a list of codecs".to_owned()));
        }
    };
    let named = |json: &Json| json.get("name").is_some();
    let version = match list.iter().any(named) {
        true => ZarrVersion::V3,
        false => ZarrVersion::V2,
    };
    let serializer = |json: &&Json| {
        json.get("name")
            .and_then(Json::as_str)
            .is_some_and(is_serializer)
    };
    let list: Vec<Json> = list.iter().filter(|j| !serializer(j)).cloned().collect();
    let filters = filters(version, &list, context, table);
    let filters = filters.map_err(|e| wrong(e.what().to_string()))?;
    for (filter, json) in filters.iter().zip(&list) {
        if filter.id == UNKNOWN {
            let json = json.to_bytes();
            let json = String::from_utf8_lossy(&json);
            return Err(wrong(format!("the codec {json} is not known")));
        }
    }
    Ok(filters)
}
