//! Zarr's description of a filter: names, stage, and conversion of parameters.

use super::config::Config;
use crate::error::Result;
use crate::filter::ChunkContext;
use crate::json::Json;
use crate::model::ZarrVersion;

/// Members of a JSON object.
pub type Members = Vec<(String, Json)>;

/// Zarr's names for a filter, and the conversion of its parameters.
#[derive(Debug, Clone, Copy)]
pub struct CodecNames {
    /// `id` in version 2: the name in numcodecs or NCZarr.
    pub name: &'static str,
    /// `name` in version 3, with the prefix `numcodecs.` if the codec is not part of version 3.
    pub v3: &'static str,
    /// The input of the codec in version 3.
    pub stage: CodecStage,
    /// Converts JSON to stored parameters.
    ///
    /// Returns [`Corrupt`](crate::ErrorKind::Corrupt) for impossible members, and [`Unsupported`](crate::ErrorKind::Unsupported) for
    /// unsupported forms of the codec.
    pub read: fn(&Config<'_>) -> Result<Vec<u32>>,
    /// Converts stored parameters to the members of the JSON.
    pub write: fn(&[u32], &DescriptionUse<'_>) -> Result<Members>,
}

/// The input of a codec of version 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodecStage {
    /// Converts elements to elements.
    Elements,
    /// Converts elements to bytes.
    Serializer,
    /// Converts bytes to bytes.
    Bytes,
}

/// The purpose of a JSON description.
#[derive(Debug, Clone, Copy)]
pub struct DescriptionUse<'a> {
    /// The format version.
    pub version: ZarrVersion,
    /// The input of the filter on encoding.
    pub context: &'a ChunkContext,
}

/// Returns a member with a whole number as value.
pub(in crate::filter) fn whole(key: &str, n: impl std::fmt::Display) -> (String, Json) {
    (key.to_owned(), Json::int(n))
}

/// Returns a member with a string as value.
pub(in crate::filter) fn word(key: &str, text: &str) -> (String, Json) {
    (key.to_owned(), Json::text(text))
}
