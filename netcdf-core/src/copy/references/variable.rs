//! The references to the chunks of a variable.

use std::sync::Arc;

use super::ReferenceOptions;
use super::codecs::{self, ReaderCodecs};
use super::frames::FramedVariable;
use super::located_chunks::LocatedChunks;
use crate::arithmetic::{Amount, exact, length};
use crate::chunk::Dataset;
use crate::chunk::layout::Layout;
use crate::copy::{CopiedVariable, Plan};
use crate::error::Result;
use crate::io::reference::{Reference, SourceState};
use crate::model::{Atomic, Endianness, Storage, StorageLayout, ZarrVersion};

/// A variable whose chunks can be referred to.
#[derive(Debug)]
pub(super) struct ReferencedVariable {
    /// The chunks: the number in the output's grid, and the location.
    pub chunks: Vec<(u64, Reference)>,
    /// The states of the sources.
    pub sources: Vec<(Arc<str>, SourceState)>,
    chunk: Vec<u64>,
    codecs: Option<Vec<u8>>,
    order: Endianness,
}

impl ReferencedVariable {
    /// Sets the storage of the output variable.
    pub(super) fn apply(&self, storage: &mut Storage) {
        storage.layout = Some(match self.chunk.is_empty() {
            true => StorageLayout::Contiguous,
            false => StorageLayout::Chunked(self.chunk.clone()),
        });
        storage.filters.clear();
        storage.codecs.clone_from(&self.codecs);
        storage.endianness = Some(self.order);
        (storage.shard, storage.quantize, storage.prepared) = (None, None, false);
    }
}

/// The result for a variable: the references, or the reason why readers cannot use references.
type Located = std::result::Result<ReferencedVariable, String>;

/// Locates the chunks of a variable. Reads a few chunks if readers may refuse frames of its filters.
///
/// # Errors
/// Returns errors of locating and reading chunks.
pub(super) fn located(
    set: Dataset<'_>,
    (plan, pair): (&Plan, CopiedVariable),
    options: &ReferenceOptions,
) -> Result<Located> {
    if set.reader.assembles(pair.from) {
        let why = "elements from chunks of several shapes, types or filters";
        return Ok(Err(why.to_owned()));
    }
    let layout = set.layout(pair.from)?;
    if let Some(why) = other_form(set, (plan, pair), &layout) {
        return Ok(Err(why));
    }
    let found = LocatedChunks::of(set, pair.from)?;
    let filters = match found.filters(&layout) {
        Ok(filters) => filters,
        Err(why) => return Ok(Err(why)),
    };
    let zarr = plan.schema.kind.as_zarr();
    let version = zarr.map_or(ZarrVersion::V2, |zarr| zarr.version);
    let codecs = codecs::of_filters(set, (pair.from, &layout), &filters, version);
    let codecs = match codecs {
        Ok(codecs) => codecs,
        Err(why) => return Ok(Err(why)),
    };
    let (encoded, trailing) = codecs::without_checksum(&filters);
    let framed = FramedVariable {
        set,
        var: pair.from,
        layout: &layout,
        filters: encoded,
        trailing,
    };
    if !framed.is_strict(&found.chunks)? {
        return Ok(Err("frames that readers refuse".to_owned()));
    }
    let shape = set.reader.schema().shape(pair.from);
    let grid = OutputGrid::new(&layout, &shape, (&codecs, options.chunk_size));
    referenced(found, (&layout, &grid), codecs)
}

/// Returns the reason why elements have another form in the output.
fn other_form(
    set: Dataset<'_>,
    (plan, pair): (&Plan, CopiedVariable),
    layout: &Layout,
) -> Option<String> {
    let (from, to) = (
        set.reader.schema().var(pair.from)?,
        plan.schema.var(pair.to)?,
    );
    let plain = layout
        .element
        .plain_type()
        .filter(|ty| *ty != Atomic::String);
    if plain.is_none_or(|ty| from.ty != ty.into()) || to.ty != from.ty {
        return Some("its type".to_owned());
    }
    let shape = set.reader.schema().shape(pair.from);
    (layout.extent != shape).then(|| "elements beyond the stored data".to_owned())
}

/// Returns the references to the chunks in the output's grid.
fn referenced(
    found: LocatedChunks,
    (layout, grid): (&Layout, &OutputGrid),
    codecs: ReaderCodecs,
) -> Result<Located> {
    let mut chunks = Vec::with_capacity(found.chunks.len());
    for (chunk, reference) in found.chunks {
        let Some(reference) = reference else {
            return Ok(Err("chunks without a location in a file".to_owned()));
        };
        let whole = layout.chunk_bytes().map(|n| n as u64);
        let expected = whole.filter(|_| codecs.text.is_none());
        let size = (Amount::of(length(&chunk.range)) - codecs.trailing).get();
        if expected.is_some_and(|bytes| size < bytes) {
            return Ok(Err("chunks with fewer bytes than elements".to_owned()));
        }
        let reference = cut(reference, expected.unwrap_or(size), codecs.trailing > 0);
        grid.add(layout, (chunk.index, reference), &mut chunks)?;
    }
    Ok(Ok(ReferencedVariable {
        chunks,
        sources: found.sources,
        chunk: grid.chunk.clone(),
        codecs: codecs.text,
        order: layout.element.order,
    }))
}

/// Limits a reference to the first `size` bytes. References to whole keys are only limited for a checksum.
fn cut(reference: Reference, size: u64, checksum: bool) -> Reference {
    match reference {
        Reference::Inline(bytes) => {
            let kept = bytes.get(..Amount::of(size).count()).unwrap_or(&bytes);
            Reference::Inline(kept.into())
        }
        Reference::Whole(url) if checksum => Reference::Range {
            url,
            offset: 0,
            len: size,
        },
        Reference::Whole(_) => reference,
        Reference::Range { url, offset, .. } => Reference::Range {
            url,
            offset,
            len: size,
        },
    }
}

/// The chunk grid of the output. Contiguous data is divided along a dimension.
struct OutputGrid {
    chunk: Vec<u64>,
    grid: Vec<u64>,
    /// The number of output chunks in a stored chunk.
    parts: u64,
}

impl OutputGrid {
    fn new(layout: &Layout, shape: &[u64], (codecs, size): (&ReaderCodecs, u64)) -> Self {
        let mut chunk = layout.chunk.clone();
        let mut parts = 1;
        let is_one = layout.chunk == shape && !shape.is_empty();
        if codecs.text.is_none() && codecs.trailing == 0 && is_one {
            parts = divide(&mut chunk, layout.element.size, size);
        }
        let lengths = shape.iter().zip(&chunk);
        let grid = lengths.map(|(len, chunk)| len.div_ceil((*chunk).max(1)));
        let grid = grid.collect();
        Self { chunk, grid, parts }
    }

    /// Adds the references of the output chunks in a stored chunk.
    fn add(
        &self,
        layout: &Layout,
        (index, reference): (u64, Reference),
        out: &mut Vec<(u64, Reference)>,
    ) -> Result<()> {
        let Reference::Range { url, offset, len } = &reference else {
            out.push((self.number(&layout.place(index))?, reference));
            return Ok(());
        };
        if self.parts == 1 {
            out.push((self.number(&layout.place(index))?, reference));
            return Ok(());
        }
        let part = len / self.parts;
        for n in 0..self.parts {
            let reference = Reference::Range {
                url: Arc::clone(url),
                offset: (exact(*offset) + exact(part) * n).get()?,
                len: part,
            };
            out.push((n, reference));
        }
        Ok(())
    }

    /// Returns the row-major number of a position in the grid.
    fn number(&self, place: &[u64]) -> Result<u64> {
        let places = place.iter().zip(&self.grid);
        let number = places.fold(exact(0u64), |n, (at, cells)| n * *cells + *at);
        number.get()
    }
}

/// Divides the slowest varying dimension with more than one index, so that a chunk has about `size` bytes. Only lengths that divide the
/// dimension are possible, because readers expect complete chunks. Returns the number of chunks.
fn divide(chunk: &mut [u64], element: u64, size: u64) -> u64 {
    let bytes = (Amount::product(chunk) * element).get();
    let Some(len) = chunk.iter_mut().find(|len| **len > 1) else {
        return 1;
    };
    let row = (bytes / *len).max(1);
    let wanted = (size / row).clamp(1, *len);
    let least = (wanted / 16).max(1);
    let divides = |n: &u64| len.is_multiple_of(*n);
    let found = (least..=wanted).rev().take(1 << 20).find(divides);
    let Some(found) = found else {
        return 1;
    };
    let parts = *len / found;
    *len = found;
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_data_is_divided_into_equal_chunks() {
        let divided = |shape: &[u64], size| {
            let mut chunk = shape.to_vec();
            let parts = divide(&mut chunk, 4, size);
            (chunk, parts)
        };
        assert_eq!(divided(&[12, 10], 160), (vec![4, 10], 3));
        assert_eq!(divided(&[1, 12, 10], 170), (vec![1, 4, 10], 3));
        assert_eq!(divided(&[12, 10], 1 << 20), (vec![12, 10], 1));
        assert_eq!(divided(&[12, 10], 8), (vec![1, 10], 12));
        assert_eq!(divided(&[10_007], 4000), (vec![10_007], 1));
        assert_eq!(divided(&[1, 1], 1), (vec![1, 1], 1));
    }
}
