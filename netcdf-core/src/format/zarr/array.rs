//! The contents of the metadata of an array, independent of its version.

use super::dtype::{StoredType, quoted};
use super::keys::ChunkKeys;
use crate::chunk::texts::TextCodec;
use crate::json::Json;
use crate::model::ZarrVersion;

/// An array as its metadata describes it.
#[derive(Debug, Clone)]
pub struct ArrayDescription {
    /// The version of its format.
    pub version: ZarrVersion,
    /// Its shape in elements.
    pub shape: Vec<u64>,
    /// The shape, in elements, of the unit of decoding: a chunk, or an inner chunk of a shard.
    pub chunk: Vec<u64>,
    /// The type of its elements.
    pub stored: StoredType,
    /// The keys of its chunks, or of its shards.
    pub keys: ChunkKeys,
    /// The fill value; `null` if there is none.
    pub fill: Json,
    /// The codecs that are filters, in the order of writing.
    pub filters: Vec<Json>,
    /// How variable-length values are encoded in a chunk, before the filters.
    pub heap: Option<TextCodec>,
    /// For each dimension of encoded variable-length values, the corresponding dimension of the chunk; empty if the order is the same.
    pub turned: Vec<usize>,
    /// Shards, then shards within shards, and so on.
    pub shards: Vec<Shard>,
    /// The codecs applied to a shard as a whole, in the order of writing.
    pub whole: Vec<Json>,
    /// All codecs, as in the metadata.
    pub codecs: Option<Json>,
    /// The names of the dimensions, in version 3.
    pub names: Option<Vec<Option<String>>>,
    /// The number of dimensions of its keys: the same as that of its shape, except for scalars of netCDF.
    pub rank: usize,
    /// Why its data cannot be read.
    pub problem: Option<String>,
}

impl ArrayDescription {
    /// Turns the array into a scalar: netCDF stores scalars as arrays of one element.
    pub fn scalar(&mut self) {
        if self.chunk.iter().any(|&n| n != 1) {
            self.problem = Some("a scalar in chunks of several elements".to_owned());
        }
        self.shape.clear();
        self.chunk.clear();
        for shard in &mut self.shards {
            shard.shape.clear();
        }
    }

    /// The place of a chunk in the grid of keys.
    #[must_use]
    pub fn key_place(&self, place: Vec<u64>) -> Vec<u64> {
        if place.is_empty() {
            vec![0; self.rank]
        } else {
            place
        }
    }
}

/// A chunk that consists of smaller ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// Its shape in elements.
    pub shape: Vec<u64>,
    /// For each dimension of its index, the corresponding dimension of the array.
    pub order: Vec<usize>,
    /// Whether its index is at the start instead of the end.
    pub index_first: bool,
    /// Whether the numbers of the index are big-endian.
    pub big_endian: bool,
    /// Whether a checksum follows the index.
    pub checksum: bool,
}

/// Checks that a member of the metadata, if present, is one of two texts.
///
/// # Errors
/// What was found, and what is expected.
pub(super) fn one_of(json: Option<&Json>, name: &str, texts: [&str; 2]) -> Result<(), String> {
    let [first, second] = texts;
    match json.filter(|json| json.as_str().is_none_or(|text| !texts.contains(&text))) {
        None => Ok(()),
        Some(other) => Err(format!(
            "the {name} is {}, expected \"{first}\" or \"{second}\"",
            quoted(other)
        )),
    }
}

/// Checks that the version in metadata, if present, is this one.
///
/// # Errors
/// What was found, and what is expected.
pub(super) fn is_version(json: &Json, version: ZarrVersion) -> Result<(), String> {
    let number = match version {
        ZarrVersion::V2 => 2,
        ZarrVersion::V3 => 3,
    };
    let said = json.get("zarr_format");
    match said.filter(|said| said.as_u64() != Some(number)) {
        None => Ok(()),
        Some(other) => Err(format!(
            "the zarr_format is {}, expected {number}",
            quoted(other)
        )),
    }
}

/// A JSON list of whole numbers.
#[must_use]
pub fn lengths(json: Option<&Json>) -> Option<Vec<u64>> {
    json?.lengths()
}

/// The shape and the chunk shape of an array, checked against each other.
///
/// # Errors
/// What is wrong with them.
pub(super) fn shapes(
    shape: Option<&Json>,
    chunk: Option<&Json>,
    rank: u32,
) -> Result<(Vec<u64>, Vec<u64>), String> {
    let shape = lengths(shape).ok_or("no shape")?;
    if u32::try_from(shape.len()).is_ok_and(|n| n > rank) {
        let have = shape.len();
        return Err(format!("{have} dimensions, the limit is {rank}"));
    }
    let mut chunk = lengths(chunk).ok_or("no chunk shape")?;
    if chunk.len() != shape.len() {
        let (chunk, shape) = (chunk.len(), shape.len());
        return Err(format!(
            "chunks of {chunk} dimensions in an array of {shape}"
        ));
    }
    for (cells, &len) in chunk.iter_mut().zip(&shape) {
        if *cells == 0 && len > 0 {
            return Err("chunks without elements".into());
        }
        *cells = (*cells).max(1);
    }
    Ok((shape, chunk))
}
