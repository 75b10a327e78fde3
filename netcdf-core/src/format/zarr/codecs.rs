//! Codecs as filters.

use crate::error::Result;
use crate::filter::{Context, Table};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// The filter that a codec is. To be replaced by the table of codecs.
///
/// # Errors
/// For damaged parameters.
pub fn filter(_: ZarrVersion, json: &Json, _: &Context, _: &Table) -> Result<FilterSpec> {
    let name = json.get("id").or(json.get("name")).and_then(Json::as_str).unwrap_or_default();
    let level = || {
        let level = json.get("level").and_then(Json::as_u64).unwrap_or(1);
        vec![u32::try_from(level).unwrap_or(1)]
    };
    let (id, params) = match name {
        "zlib" => (1, level()),
        "shuffle" => {
            let size = json.get("elementsize").and_then(Json::as_u64).unwrap_or(1);
            (2, vec![u32::try_from(size).unwrap_or(1)])
        }
        "fletcher32" => (3, vec![]),
        "bz2" => (307, level()),
        "zstd" => (32015, level()),
        _ => (0xffff_ffff, vec![]),
    };
    Ok(FilterSpec { id, params })
}
