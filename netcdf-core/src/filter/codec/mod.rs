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
mod given;
mod label;
mod text;

pub use chain::{behind, filters, list};
pub use config::Config;
pub use given::{SHARDS, from_text, within_shards};
pub(super) use config::digits;
pub use label::Label;
pub(super) use label::unknown_name;
pub use text::{pack_text, unpack_text};

use std::sync::Arc;

use super::plugin::Codec as LibraryCodec;
use super::{Context, Table};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// The first of the numbers that are not HDF5 filters.
pub const PRIVATE: u32 = 0x8000_0000;

/// The number of unknown codecs.
pub const UNKNOWN: u32 = PRIVATE;

/// Numbers of the codecs that are not HDF5 filters.
pub mod ids {
    use super::PRIVATE;

    /// `gzip`.
    pub const GZIP: u32 = PRIVATE + 1;
    /// `lz4`, as numcodecs frames it.
    pub const LZ4: u32 = PRIVATE + 2;
    /// `crc32`.
    pub const CRC32: u32 = PRIVATE + 3;
    /// `crc32c`.
    pub const CRC32C: u32 = PRIVATE + 4;
    /// `adler32`.
    pub const ADLER32: u32 = PRIVATE + 5;
    /// `jenkins_lookup3`.
    pub const JENKINS_LOOKUP3: u32 = PRIVATE + 6;
    /// `delta`.
    pub const DELTA: u32 = PRIVATE + 7;
    /// `fixedscaleoffset`.
    pub const FIXED_SCALE_OFFSET: u32 = PRIVATE + 8;
    /// `quantize`.
    pub const QUANTIZE: u32 = PRIVATE + 9;
    /// `bitround`.
    pub const BITROUND: u32 = PRIVATE + 10;
    /// `packbits`.
    pub const PACKBITS: u32 = PRIVATE + 11;
    /// `astype`.
    pub const ASTYPE: u32 = PRIVATE + 12;
    /// `lzma`.
    pub const LZMA: u32 = PRIVATE + 13;
    /// `zfpy`.
    pub const ZFPY: u32 = PRIVATE + 14;
    /// `transpose`, and `order: "F"` of version 2. Parameters: for each stored dimension, the dimension of the
    /// chunk.
    pub const TRANSPOSE: u32 = PRIVATE + 15;
    /// `base64`.
    pub const BASE64: u32 = PRIVATE + 16;
}

/// Members of a JSON object.
pub type Members = Vec<(String, Json)>;

/// Zarr's names for a filter, and how it describes its parameters.
#[derive(Debug, Clone, Copy)]
pub struct Codec {
    /// `id` in version 2: the name that numcodecs or NCZarr use.
    pub name: &'static str,
    /// `name` in version 3, with the prefix `numcodecs.` if it is not a codec of version 3 itself.
    pub v3: &'static str,
    /// What it works on in version 3.
    pub stage: Stage,
    /// Converts JSON to stored parameters.
    ///
    /// Fails with [`ErrorKind::Corrupt`] for impossible members, and with [`ErrorKind::Unsupported`] for forms
    /// of the codec that we do not support.
    pub read: fn(&Config<'_>) -> Result<Vec<u32>>,
    /// Converts stored parameters to the members of the JSON.
    pub write: fn(&[u32], &Shown<'_>) -> Result<Members>,
}

/// What a codec of version 3 works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Elements, which it returns as elements.
    Elements,
    /// Elements, which it turns into bytes.
    Serializer,
    /// Bytes.
    Bytes,
}

/// The stage of a filter's codec; that of filters that are not built in is [`Stage::Bytes`].
#[must_use]
pub fn stage(id: u32) -> Stage {
    let row = super::BUILT_IN.iter().find(|row| row.id == id);
    let codec = row.and_then(|row| row.codec.as_ref());
    codec.map_or(Stage::Bytes, |codec| codec.stage)
}

/// What JSON is made for.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The version of the format.
    pub version: ZarrVersion,
    /// What the filter gets on writing.
    pub context: &'a Context,
}

/// Whether a number belongs to a codec that is not an HDF5 filter.
#[must_use]
pub fn is_private(id: u32) -> bool {
    id >= PRIVATE
}

/// The name of a codec, and the parts of its JSON.
struct Named<'a> {
    /// As it is written.
    full: &'a str,
    members: &'a Json,
}

/// The members of a codec without any.
const NOTHING: &Json = &Json::Object(Vec::new());

impl<'a> Named<'a> {
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
    context: &Context,
    table: &Table,
) -> Result<FilterSpec> {
    let named = Named::of(version, json)?;
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
    context: &Context,
    table: &Table,
) -> Result<Json> {
    if spec.id == UNKNOWN {
        return same(version, spec);
    }
    if let Some(codec) = table.row(spec.id).and_then(|row| row.codec) {
        let members = (codec.write)(&spec.params, &Shown { version, context })?;
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
    match Named::of(version, &json) {
        Ok(_) => Ok(json),
        Err(_) => {
            let text = String::from_utf8_lossy(&text);
            let what = format!("this version of Zarr cannot describe the codec {text}");
            Err(Error::new(ErrorKind::Unsupported, what).with_remedy(OTHERS))
        }
    }
}

const OTHERS: &str = "choose another filter, -F '*,zstd,3', or none, -F '*,none'";

fn no_codec(id: u32, table: &Table) -> Error {
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

impl Table {
    /// The codec with this numcodecs name, and its filter number.
    fn codec(&self, name: &str) -> Option<(u32, &Codec)> {
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
    pub fn library_params(&self, user: &FilterSpec, context: &Context) -> Option<Result<Vec<u32>>> {
        let codec = self.library(user.id)?;
        let made = codec.modify(context, &user.params);
        Some(made.map(|made| made.working))
    }

    /// Returns the JSON of a codec library for its working parameters.
    fn library_json(
        &self,
        version: ZarrVersion,
        spec: &FilterSpec,
        context: &Context,
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
pub fn of_user(version: ZarrVersion, json: &Json, spec: &FilterSpec, table: &Table) -> FilterSpec {
    let visible = || {
        let codec = table.library(spec.id)?;
        let named = Named::of(version, json).ok()?;
        codec
            .parameters(&for_library(named.name(), named.members))
            .ok()
    };
    FilterSpec {
        id: spec.id,
        params: visible().unwrap_or_else(|| spec.params.clone()),
    }
}

/// A member whose value is a whole number.
pub(super) fn whole(key: &str, n: impl std::fmt::Display) -> (String, Json) {
    (key.to_owned(), Json::int(n))
}

/// A member whose value is a text.
pub(super) fn word(key: &str, text: &str) -> (String, Json) {
    (key.to_owned(), Json::text(text))
}

#[cfg(test)]
mod tests;
