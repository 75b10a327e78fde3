//! Zarr's description of a filter: names, stage, and conversion of parameters.

use super::config::Config;
use crate::error::Result;
use crate::filter::ChunkContext;
use crate::json::Json;
use crate::model::ZarrVersion;

/// Members of a JSON object.
pub type Members = Vec<(String, Json)>;

/// Zarr's names for a filter, and how it describes its parameters.
#[derive(Debug, Clone, Copy)]
pub struct CodecNames {
    /// `id` in version 2: the name that numcodecs or NCZarr use.
    pub name: &'static str,
    /// `name` in version 3, with the prefix `numcodecs.` if it is not a codec of version 3 itself.
    pub v3: &'static str,
    /// The input of the codec in version 3.
    pub stage: CodecStage,
    /// Converts JSON to stored parameters.
    ///
    /// Fails with [`Corrupt`](crate::ErrorKind::Corrupt) for impossible members, and with [`Unsupported`](crate::ErrorKind::Unsupported) for forms
    /// of the codec that we do not support.
    pub read: fn(&Config<'_>) -> Result<Vec<u32>>,
    /// Converts stored parameters to the members of the JSON.
    pub write: fn(&[u32], &DescriptionUse<'_>) -> Result<Members>,
}

/// The input of a codec of version 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodecStage {
    /// Elements, which it returns as elements.
    Elements,
    /// Elements, which it turns into bytes.
    Serializer,
    /// Bytes.
    Bytes,
}

/// The purpose of a JSON description.
#[derive(Debug, Clone, Copy)]
pub struct DescriptionUse<'a> {
    /// The version of the format.
    pub version: ZarrVersion,
    /// The input of the filter on writing.
    pub context: &'a ChunkContext,
}

/// A member with a whole number as value.
pub(in crate::filter) fn whole(key: &str, n: impl std::fmt::Display) -> (String, Json) {
    (key.to_owned(), Json::int(n))
}

/// A member with a text as value.
pub(in crate::filter) fn word(key: &str, text: &str) -> (String, Json) {
    (key.to_owned(), Json::text(text))
}
