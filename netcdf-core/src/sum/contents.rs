//! Digests of the elements or of the stored chunks of a variable, without names and attributes.

use super::digest::Digest;
use super::elements;
use super::stream::Stream;
use crate::chunk::Dataset;
use crate::chunk::InBands;
use crate::chunk::dataset::StoredChunks;
use crate::error::Result;
use crate::model::strings::characters;
use crate::model::{Region, Values, VarId};

/// Returns the digest of a variable's elements in row-major order.
///
/// # Errors
/// Returns errors of reading, with the variable's path.
pub fn elements_digest(set: Dataset<'_>, var: VarId) -> Result<Digest> {
    let mut to = Stream::new("elements");
    elements::all(set, var, &mut to)?;
    Ok(to.digest())
}

/// The number of characters that are read at once.
const CHARACTERS: u64 = 1 << 20;

/// Returns the digest of a variable's characters, or of its strings of one byte, in row-major order.
///
/// # Errors
/// Returns errors of reading, with the variable's path.
pub fn characters_digest(set: Dataset<'_>, var: VarId) -> Result<Digest> {
    let mut to = Stream::new("characters");
    let layout = set.layout(var)?;
    let region = Region::whole(&set.reader.schema().shape(var));
    let work = |_: &Region, bytes: Vec<u8>| Ok(characters(set.values(var, &layout, &bytes)?));
    set.bands(var, InBands::new(region, CHARACTERS), work, |values| {
        if let Values::Char(bytes) = values {
            to.add(&bytes);
        }
        Ok(())
    })?;
    Ok(to.digest())
}

/// Returns the digest of a variable's stored chunks, without decoding them. Two variables with the same layout and digest have the same
/// elements, unless the elements refer to other data.
///
/// # Errors
/// Returns errors of reading, with the variable's path.
pub fn chunks_digest(set: Dataset<'_>, var: VarId) -> Result<Digest> {
    let chunks = StoredChunks {
        var,
        within: set.whole_grid(var)?,
        memory: 0,
    };
    let mut to = Stream::new("chunks");
    let hash = |_: &_, bytes: Vec<u8>| Ok(Digest::of_bytes(&bytes));
    set.stored_chunks(&chunks, hash, |chunk, digest| {
        to.number(chunk.index);
        to.number(chunk.mask.into());
        to.add(digest.bytes());
        Ok(())
    })?;
    Ok(to.digest())
}
