//! Array metadata, independent of the Zarr version.

use super::dtype::{StoredType, quoted};
use super::keys::ChunkKeys;
use crate::chunk::texts::TextCodec;
use crate::json::Json;
use crate::model::ZarrVersion;

/// The contents of an array's metadata.
#[derive(Debug, Clone)]
pub struct ArrayDescription {
    /// The format version.
    pub version: ZarrVersion,
    /// The array shape in elements.
    pub shape: Vec<u64>,
    /// The shape in elements of a decoding unit: a chunk, or an inner chunk of a shard.
    pub chunk: Vec<u64>,
    /// The element type.
    pub stored: StoredType,
    /// The keys of the chunks or shards.
    pub keys: ChunkKeys,
    /// The fill value; `null` if there is none.
    pub fill: Json,
    /// The codecs that are filters, in encoding order.
    pub filters: Vec<Json>,
    /// The encoding of variable-length values in a chunk, before the filters.
    pub heap: Option<TextCodec>,
    /// The chunk dimension for each dimension of encoded variable-length values. Empty if the order is the same.
    pub turned: Vec<usize>,
    /// The shards, outermost level first.
    pub shards: Vec<Shard>,
    /// The codecs that encode complete shards, in encoding order.
    pub whole: Vec<Json>,
    /// All codecs, as in the metadata.
    pub codecs: Option<Json>,
    /// The dimension names, in version 3.
    pub names: Option<Vec<Option<String>>>,
    /// The number of dimensions in keys. The number differs from the rank of `shape` only for netCDF scalars.
    pub rank: usize,
    /// The reason why the data cannot be read.
    pub problem: Option<String>,
}

impl ArrayDescription {
    /// Turns the array into a scalar. netCDF stores scalars as arrays of one element.
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

    /// Returns the grid position of a chunk's key.
    #[must_use]
    pub fn key_place(&self, place: Vec<u64>) -> Vec<u64> {
        if place.is_empty() {
            vec![0; self.rank]
        } else {
            place
        }
    }
}

/// A chunk that consists of inner chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// The shard shape in elements.
    pub shape: Vec<u64>,
    /// The array dimension for each dimension of the shard index.
    pub order: Vec<usize>,
    /// Whether the index is at the start of the shard instead of the end.
    pub index_first: bool,
    /// Whether the index numbers are big-endian.
    pub big_endian: bool,
    /// Whether a checksum follows the index.
    pub checksum: bool,
}

/// Checks that a member of the metadata, if present, is one of two texts.
///
/// # Errors
/// Returns the actual and the expected text.
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
/// Returns the actual and the expected version.
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

/// Returns the numbers of a JSON list of whole numbers.
#[must_use]
pub fn lengths(json: Option<&Json>) -> Option<Vec<u64>> {
    json?.lengths()
}

/// Returns the shape and the chunk shape of an array after consistency checks.
///
/// # Errors
/// Returns a description of the defect.
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
