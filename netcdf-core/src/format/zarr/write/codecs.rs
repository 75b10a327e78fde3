//! Filters as codecs: the last one of a chain is the compressor, as netCDF-C has it.

use crate::chunk::layout::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::format::zarr::json::Json;
use crate::model::FilterSpec;
use crate::model::storage::ids::{DEFLATE, FLETCHER32, SHUFFLE};

/// The `compressor` and the `filters` of an array of version 2.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for a filter that is no codec.
pub fn v2(layout: &Layout) -> Result<(Json, Json)> {
    let one = |filter: &FilterSpec| codec(filter, layout);
    let Some((last, others)) = layout.filters.split_last() else {
        return Ok((Json::Null, Json::Null));
    };
    let filters = match others {
        [] => Json::Null,
        _ => Json::Array(others.iter().map(one).collect::<Result<_>>()?),
    };
    Ok((one(last)?, filters))
}

/// A codec of version 2.
fn codec(filter: &FilterSpec, layout: &Layout) -> Result<Json> {
    let first = || filter.params.first().copied().unwrap_or(0);
    let (id, setting) = match filter.id {
        DEFLATE => ("zlib", Some(("level", Json::int(first())))),
        SHUFFLE => (
            "shuffle",
            Some(("elementsize", Json::int(layout.element.size))),
        ),
        FLETCHER32 => ("fletcher32", None),
        id => {
            let what = format!("filter {id} is no codec of Zarr");
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
    };
    let id = [("id", Json::text(id))];
    let members = id.into_iter().chain(setting);
    Ok(Json::Object(
        members.map(|(k, v)| (k.to_owned(), v)).collect(),
    ))
}
