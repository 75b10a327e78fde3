//! Conversion between Zarr's JSON description of a codec and a filter number with parameters.
//!
//! A codec with the same stored bytes as an HDF5 filter has the filter's number, and the parameters that HDF5 stores for the chunk and the
//! type. Other codecs have private numbers, from [`PRIVATE`] on, which no HDF5 file can contain: [`visible`](super::visible) returns `None`
//! for them. An unknown codec is [`UNKNOWN`], with its JSON as parameters ([`pack_text`]), so that tools can print and copy it.
//!
//! Version 2 has `{"id": NAME, …}`, version 3 `{"name": NAME, "configuration": {…}}`. Version 3 names numcodecs codecs outside its
//! specification `numcodecs.NAME`, with the same members as in version 2.

mod chain;
mod config;
mod description;
pub mod ids;
mod label;
mod text;
mod user_list;

pub use chain::{behind, filters, list};
pub use config::Config;
pub(super) use config::digits;
pub use description::{CodecNames, CodecStage, DescriptionUse, Members};
pub(super) use description::{whole, word};
pub use ids::{PRIVATE, UNKNOWN, is_private};
pub use label::Label;
pub(super) use label::unknown_name;
pub use text::{pack_text, unpack_text};
pub use user_list::{SHARDS, from_text, within_shards};

use std::sync::Arc;

use super::built_in::BUILT_IN;
use super::plugin::LibraryCodec;
use super::{ChunkContext, FilterTable};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// Returns the stage of a filter's codec; [`CodecStage::Bytes`] for filters that are not built in.
#[must_use]
pub fn stage(id: u32) -> CodecStage {
    let row = BUILT_IN.iter().find(|row| row.id == id);
    let codec = row.and_then(|row| row.codec.as_ref());
    codec.map_or(CodecStage::Bytes, |codec| codec.stage)
}

/// The name and the members in a codec's JSON.
struct NamedCodec<'a> {
    /// The name in the JSON, unchanged.
    full: &'a str,
    members: &'a Json,
}

/// The members of a codec without members.
const NOTHING: &Json = &Json::Object(Vec::new());

impl<'a> NamedCodec<'a> {
    fn of(version: ZarrVersion, json: &'a Json) -> Result<Self> {
        let (key, members) = match version {
            ZarrVersion::V2 => ("id", json),
            ZarrVersion::V3 => {
                let members = json.get("configuration");
                let members = members.filter(|m| **m != Json::Null);
                ("name", members.unwrap_or(NOTHING))
            }
        };
        // Version 3 allows the name alone.
        let alone = json.as_str().filter(|_| version == ZarrVersion::V3);
        let full = alone.or_else(|| json.get(key).and_then(Json::as_str));
        let full = full.ok_or_else(|| {
            let json = json.to_bytes();
            let json = String::from_utf8_lossy(&json);
            let what = format!("a codec without `{key}`: {json}");
            Error::new(ErrorKind::Corrupt, what)
        })?;
        Ok(Self { full, members })
    }

    /// Returns the name without the prefix `numcodecs.`.
    fn name(&self) -> &'a str {
        let prefixed = self.full.strip_prefix("numcodecs.");
        prefixed.unwrap_or(self.full)
    }
}

/// Converts JSON to a filter, for chunks of this context. A codec that is neither built in nor in a codec library becomes [`UNKNOWN`].
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] for a codec without a name or a known codec with impossible members, and errors of codec libraries.
pub fn from_json(
    version: ZarrVersion,
    json: &Json,
    context: &ChunkContext,
    table: &FilterTable,
) -> Result<FilterSpec> {
    let named = NamedCodec::of(version, json)?;
    let config = Config {
        name: named.name(),
        members: named.members,
        version,
        plain: version == ZarrVersion::V3 && named.name() == named.full,
        context,
    };
    match table.codec(named.name()) {
        Some((id, codec)) => match (codec.read)(&config) {
            Ok(params) => Ok(FilterSpec { id, params }),
            Err(e) if e.kind() == ErrorKind::Unsupported => Ok(unknown(json)),
            Err(e) => Err(e),
        },
        None => match table.library_codec(&config) {
            Some(spec) => spec,
            None => Ok(unknown(json)),
        },
    }
}

fn unknown(json: &Json) -> FilterSpec {
    FilterSpec {
        id: UNKNOWN,
        params: pack_text(&json.to_bytes()),
    }
}

/// Converts a filter to JSON, for chunks of this context.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`], with a remedy, for a filter without a Zarr codec, and errors of codec libraries.
pub fn to_json(
    version: ZarrVersion,
    spec: &FilterSpec,
    context: &ChunkContext,
    table: &FilterTable,
) -> Result<Json> {
    if spec.id == UNKNOWN {
        return same(version, spec);
    }
    if let Some(codec) = table.row(spec.id).and_then(|row| row.codec) {
        let members = (codec.write)(&spec.params, &DescriptionUse { version, context })?;
        return Ok(wrapped(version, (codec.name, codec.v3), members));
    }
    match table.library_json(version, spec, context) {
        Some(json) => json,
        None => Err(no_codec(spec.id, table)),
    }
}

/// Returns the JSON of an unknown codec, unchanged.
fn same(version: ZarrVersion, spec: &FilterSpec) -> Result<Json> {
    let text = unpack_text(&spec.params).unwrap_or_default();
    let json = Json::parse(&text)?;
    match NamedCodec::of(version, &json) {
        Ok(_) => Ok(json),
        Err(_) => {
            let text = String::from_utf8_lossy(&text);
            let what = format!("this version of Zarr cannot describe the codec {text}");
            Err(Error::new(ErrorKind::Unsupported, what).with_remedy(OTHERS))
        }
    }
}

const OTHERS: &str = "choose another filter, -F '*,zstd,3', or none, -F '*,none'";

fn no_codec(id: u32, table: &FilterTable) -> Error {
    let name = table
        .name(id)
        .map_or(String::new(), |name| format!(" ({name})"));
    let what = format!("filter {id}{name} is not a Zarr codec");
    Error::new(ErrorKind::Unsupported, what).with_remedy(OTHERS)
}

/// Builds a codec's JSON.
fn wrapped(version: ZarrVersion, (v2, v3): (&str, &str), members: Members) -> Json {
    let with = |key: &str, name: &str, rest: Members| {
        let name = (key.to_owned(), Json::text(name));
        Json::Object(std::iter::once(name).chain(rest).collect())
    };
    match version {
        ZarrVersion::V2 => with("id", v2, members),
        // zarr-python requires the member for codecs other than its own.
        ZarrVersion::V3 if members.is_empty() && !v3.contains('.') => with("name", v3, vec![]),
        ZarrVersion::V3 => {
            let configuration = ("configuration".to_owned(), Json::Object(members));
            with("name", v3, vec![configuration])
        }
    }
}

impl FilterTable {
    /// Returns the filter number of the codec with this numcodecs name, and the codec.
    fn codec(&self, name: &str) -> Option<(u32, &CodecNames)> {
        let codecs = self.rows.iter();
        let mut codecs = codecs.filter_map(|row| Some((row.id, row.codec.as_ref()?)));
        codecs.find(|(_, codec)| codec.name == name)
    }

    /// Returns the codec library for a filter that has no built-in codec.
    fn library(&self, id: u32) -> Option<Arc<LibraryCodec>> {
        match self.row(id).and_then(|row| row.codec) {
            Some(_) => None,
            None => self.plugins.as_ref()?.codec_of(id),
        }
    }

    /// Converts JSON to a filter with a codec library.
    fn library_codec(&self, config: &Config<'_>) -> Option<Result<FilterSpec>> {
        let codec = self.plugins.as_ref()?.codec(config.name)?;
        let json = for_library(config.name, config.members);
        let made = codec.parameters(&json);
        let made = made.and_then(|visible| codec.modify(config.context, &visible));
        Some(made.map(|made| FilterSpec {
            id: codec.filter,
            params: made.working,
        }))
    }

    /// Converts a user's parameters with a codec library, for this chunk context. Returns `None` if no library describes the filter.
    ///
    /// # Errors
    /// Returns errors of the library.
    pub fn library_params(
        &self,
        user: &FilterSpec,
        context: &ChunkContext,
    ) -> Option<Result<Vec<u32>>> {
        let codec = self.library(user.id)?;
        let made = codec.modify(context, &user.params);
        Some(made.map(|made| made.working))
    }

    /// Converts a codec library's working parameters to JSON.
    fn library_json(
        &self,
        version: ZarrVersion,
        spec: &FilterSpec,
        context: &ChunkContext,
    ) -> Option<Result<Json>> {
        let codec = self.library(spec.id)?;
        let json = codec
            .json(&codec.described(context, &spec.params))
            .and_then(|text| Json::parse(&text));
        Some(json.map(|json| {
            let members = json.members().iter();
            let members = members.filter(|(key, _)| key != "id").cloned().collect();
            wrapped(version, (&codec.name, &codec.name), members)
        }))
    }
}

/// Returns the JSON in the form that codec libraries expect.
fn for_library(name: &str, members: &Json) -> Vec<u8> {
    let members = members.members().iter();
    let members = members.filter(|(key, _)| key != "id").cloned().collect();
    wrapped(ZarrVersion::V2, (name, ""), members).to_bytes()
}

/// Returns the filter with a user's parameters. `spec` is the filter converted from the JSON; a codec library may have adapted its
/// parameters to the chunks.
#[must_use]
pub fn of_user(
    version: ZarrVersion,
    json: &Json,
    spec: &FilterSpec,
    table: &FilterTable,
) -> FilterSpec {
    let visible = || {
        let codec = table.library(spec.id)?;
        let named = NamedCodec::of(version, json).ok()?;
        codec
            .parameters(&for_library(named.name(), named.members))
            .ok()
    };
    FilterSpec {
        id: spec.id,
        params: visible().unwrap_or_else(|| spec.params.clone()),
    }
}

#[cfg(test)]
mod tests;
