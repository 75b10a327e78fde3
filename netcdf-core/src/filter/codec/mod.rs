//! Zarr codecs: conversion between Zarr's JSON description of a filter and its number and parameters.
//!
//! A codec whose stored bytes are those of an HDF5 filter has its number, and the parameters that HDF5 stores
//! for the chunk and the type. Other codecs have their own numbers, from [`PRIVATE`] on, which no HDF5 file can
//! have: [`visible`](super::visible) returns `None` for them. An unknown codec is [`UNKNOWN`], with its JSON as parameters
//! ([`pack_text`]), so that it can be shown and copied.
//!
//! Version 2 has `{"id": NAME, …}`, version 3 `{"name": NAME, "configuration": {…}}`. There, numcodecs codecs
//! that are not part of version 3 are called `numcodecs.NAME`, with the same members as in version 2.

mod chain;
mod config;
mod description;
mod given;
pub mod ids;
mod label;
mod text;

pub use chain::{behind, filters, list};
pub use config::Config;
pub(super) use config::digits;
pub use description::{CodecNames, CodecStage, DescriptionUse, Members};
pub(super) use description::{whole, word};
pub use given::{SHARDS, from_text, within_shards};
pub use ids::{PRIVATE, UNKNOWN, is_private};
pub use label::Label;
pub(super) use label::unknown_name;
pub use text::{pack_text, unpack_text};

use std::sync::Arc;

use super::built_in::BUILT_IN;
use super::plugin::LibraryCodec;
use super::{ChunkContext, FilterTable};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// The stage of a filter's codec; that of filters that are not built in is [`CodecStage::Bytes`].
#[must_use]
pub fn stage(id: u32) -> CodecStage {
    let row = BUILT_IN.iter().find(|row| row.id == id);
    let codec = row.and_then(|row| row.codec.as_ref());
    codec.map_or(CodecStage::Bytes, |codec| codec.stage)
}

/// The name of a codec, and the parts of its JSON.
struct NamedCodec<'a> {
    /// As it is written.
    full: &'a str,
    members: &'a Json,
}

/// The members of a codec without any.
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
        // Version 3 allows a bare name.
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

    /// The name without the prefix of numcodecs.
    fn name(&self) -> &'a str {
        let prefixed = self.full.strip_prefix("numcodecs.");
        prefixed.unwrap_or(self.full)
    }
}

/// The filter that JSON describes, for chunks of this context. A codec that is neither built in nor known to a
/// codec library becomes [`UNKNOWN`].
///
/// # Errors
/// [`ErrorKind::Corrupt`] for a codec without a name, and for members that a known codec cannot have; the errors
/// of codec libraries.
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

/// The JSON that describes a filter, for chunks of this context.
///
/// # Errors
/// [`ErrorKind::Unsupported`], with a remedy, for a filter without a Zarr codec; the errors of codec libraries.
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

/// The JSON of an unknown codec, unchanged.
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

/// A codec's JSON.
fn wrapped(version: ZarrVersion, (v2, v3): (&str, &str), members: Members) -> Json {
    let with = |key: &str, name: &str, rest: Members| {
        let name = (key.to_owned(), Json::text(name));
        Json::Object(std::iter::once(name).chain(rest).collect())
    };
    match version {
        ZarrVersion::V2 => with("id", v2, members),
        // zarr-python requires the member for all codecs but its own.
        ZarrVersion::V3 if members.is_empty() && !v3.contains('.') => with("name", v3, vec![]),
        ZarrVersion::V3 => {
            let configuration = ("configuration".to_owned(), Json::Object(members));
            with("name", v3, vec![configuration])
        }
    }
}

impl FilterTable {
    /// The codec with this numcodecs name, and its filter number.
    fn codec(&self, name: &str) -> Option<(u32, &CodecNames)> {
        let codecs = self.rows.iter();
        let mut codecs = codecs.filter_map(|row| Some((row.id, row.codec.as_ref()?)));
        codecs.find(|(_, codec)| codec.name == name)
    }

    /// The codec library for a filter that is not one of our codecs.
    fn library(&self, id: u32) -> Option<Arc<LibraryCodec>> {
        match self.row(id).and_then(|row| row.codec) {
            Some(_) => None,
            None => self.plugins.as_ref()?.codec_of(id),
        }
    }

    /// The filter that a codec library makes from JSON.
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

    /// Returns the parameters that a codec library makes from a user's parameters for this chunk context. Returns `None`
    /// if no library describes the filter.
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

    /// Returns the JSON of a codec library for its working parameters.
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

/// The JSON form of codec libraries.
fn for_library(name: &str, members: &Json) -> Vec<u8> {
    let members = members.members().iter();
    let members = members.filter(|(key, _)| key != "id").cloned().collect();
    wrapped(ZarrVersion::V2, (name, ""), members).to_bytes()
}

/// Returns the filter with the parameters of a user. `spec` is the filter made from the JSON; a codec library may have
/// changed its parameters for the chunks.
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
