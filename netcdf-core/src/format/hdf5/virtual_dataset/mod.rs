//! Virtual datasets, mapped from elements of other datasets ("IV.A.2.i", "Virtual Storage").
//!
//! A [`Mapping`] maps elements of a source dataset to elements of the virtual dataset: selected element `n` of the source is selected
//! element `n` of the target. Elements without a source read as the fill value. The sources of a mapping may be numbered: `%b` in their
//! names stands for the block number in the target.

mod axis;
mod pieces;
mod rows;

pub use pieces::{MappedPiece, MappingShapes};

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::checksum::verify;
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::selection::Selection;
use crate::model::Region;
use crate::model::region::product;
use axis::BlockAxis;

/// Maps elements of a source to elements of the virtual dataset. Mappings with the same name share the string, as in the file: a long name
/// may occur in thousands of mappings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The source file name, `.` for the same file. `%` has a special meaning, see [`Mapping::names`].
    pub file: Arc<[u8]>,
    /// The source dataset path. `%` has a special meaning, see [`Mapping::names`].
    pub dataset: Arc<[u8]>,
    /// Elements of the source.
    pub source: Selection,
    /// Elements of the virtual dataset.
    pub target: Selection,
}

/// Flag of a mapping: the file name is shared with an earlier mapping.
const FILE_SHARED: u8 = 0x01;
/// Flag of a mapping: the dataset name is shared with an earlier mapping.
const DATASET_SHARED: u8 = 0x02;
/// Flag of a mapping: the source is in the same file.
const SAME_FILE: u8 = 0x04;

/// Reads the object of the global heap that the layout message refers to, versions 0 and 1.
///
/// # Errors
/// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Checksum`], [`ErrorKind::Unsupported`] and [`ErrorKind::Limit`].
pub fn parse(file: &Hdf5File, data: &[u8], address: Option<u64>) -> Result<Vec<Mapping>> {
    verify(file, data, address, "the mappings of a virtual dataset")?;
    let mut c = file.fields_of(data, address);
    let version = c.version(0..=1, "the mappings of a virtual dataset")?;
    let count = c.length()?;
    let mut mappings: Vec<Mapping> = vec![];
    let same: Arc<[u8]> = Arc::from(&b"."[..]);
    let mut left = ROWS;
    for _ in 0..count {
        // Each mapping takes some bytes, so the mapping count needs no limit.
        let flags = if version == 1 { c.u8()? } else { 0 };
        let file = match flags {
            f if f & SAME_FILE != 0 => Arc::clone(&same),
            f if f & FILE_SHARED != 0 => Arc::clone(&earlier(&mut c, &mappings)?.file),
            _ => c.zero_terminated()?.into(),
        };
        let dataset = match flags & DATASET_SHARED {
            0 => c.zero_terminated()?.into(),
            _ => Arc::clone(&earlier(&mut c, &mappings)?.dataset),
        };
        let (source, target) = (Selection::parse(&mut c)?, Selection::parse(&mut c)?);
        let mapping = Mapping {
            file,
            dataset,
            source,
            target,
        };
        left = check(&mapping, left)?;
        mappings.push(mapping);
    }
    Ok(mappings)
}

/// Maximum number of rows in all irregular selections of a dataset. Each read must skip these rows.
const ROWS: u64 = 1 << 22;

/// Checks that a mapping can be read in reasonable time. Returns the remaining number of rows for further mappings.
fn check(mapping: &Mapping, left: u64) -> Result<u64> {
    if mapping.counts() && mapping.names(0) == mapping.names(1) {
        let what = "a mapping of a virtual dataset has an unlimited number of sources, but all have the same name";
        return Err(Error::new(ErrorKind::Corrupt, what));
    }
    let rows = rows::count(&mapping.source).zip(rows::count(&mapping.target));
    let rows = rows.and_then(|(source, target)| source.checked_add(target));
    rows.and_then(|rows| left.checked_sub(rows)).ok_or_else(|| {
        let what = format!("selections of a virtual dataset have more than {ROWS} rows");
        Error::new(ErrorKind::Limit, what)
    })
}

/// Reads a mapping number. Returns the earlier mapping with this number.
fn earlier<'a>(c: &mut Fields, mappings: &'a [Mapping]) -> Result<&'a Mapping> {
    let number = c.length()?;
    let mapping = usize::try_from(number).ok().and_then(|n| mappings.get(n));
    let what = || format!("mapping {number} does not come before the mapping that refers to it");
    mapping.ok_or_else(|| c.error(ErrorKind::Corrupt, what()))
}

impl Mapping {
    /// Whether the mapping has numbered sources: one source per target block.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.target.unlimited().is_some() && self.source.unlimited().is_none()
    }

    /// Returns the file and dataset names of source `number` (0 for a mapping with a single source).
    #[must_use]
    pub fn names(&self, number: u64) -> (Arc<[u8]>, Arc<[u8]>) {
        (
            substitute(&self.file, number),
            substitute(&self.dataset, number),
        )
    }

    /// Returns the source numbers that may contribute to a box of the virtual dataset.
    #[must_use]
    pub fn sources(&self, wanted: &Region) -> Range<u64> {
        let Selection::Regular(slabs) = &self.target else {
            return 0..1;
        };
        let mut numbers = 0..1;
        let dims = wanted.start.iter().zip(&wanted.count);
        for (slab, (&start, &count)) in slabs.iter().zip(dims) {
            let end = start.saturating_add(count);
            let found = BlockAxis::of_hyperslab_dim(slab, end).within(start, end);
            if found.is_empty() {
                return 0..0;
            }
            if let (None, Some(block), true) = (slab.count, slab.block, self.counts()) {
                numbers = found.start / block..found.end.div_ceil(block);
            }
        }
        numbers
    }

    /// Returns the maximum number of elements in a box that the mapping provides, from all sources.
    #[must_use]
    pub fn elements(&self, wanted: &Region) -> u64 {
        let starts = wanted.start.iter();
        let ends = starts.zip(&wanted.count).map(|(s, n)| s.saturating_add(*n));
        let bounds: Vec<(u64, u64)> = wanted.start.iter().copied().zip(ends).collect();
        let within = |lens: Vec<u64>| product(&lens).unwrap_or(u64::MAX);
        match &self.target {
            Selection::None => 0,
            Selection::All => within(wanted.count.clone()),
            Selection::Points(points) => points.len() as u64,
            Selection::Regular(slabs) => {
                let dims = slabs.iter().zip(&bounds).map(|(slab, &(start, end))| {
                    let found = BlockAxis::of_hyperslab_dim(slab, end).within(start, end);
                    found.end - found.start
                });
                within(dims.collect())
            }
            Selection::Blocks(blocks) => blocks.iter().fold(0, |sum, block| {
                let ends = block.start.iter().zip(&block.last).zip(&bounds);
                let dims = ends.map(|((first, last), &(start, end))| {
                    let end = last.saturating_add(1).min(end);
                    end.saturating_sub(start.max(*first))
                });
                sum.saturating_add(within(dims.collect()))
            }),
        }
    }

    /// Returns the end of the target selection in a dimension of the virtual dataset. Returns `None` if the end depends on the sources.
    #[must_use]
    pub fn end(&self, dim: usize) -> Option<u64> {
        let last = match &self.target {
            Selection::None | Selection::All => None,
            Selection::Points(points) => points.iter().filter_map(|p| p.get(dim)).max().copied(),
            Selection::Blocks(blocks) => {
                let ends = blocks.iter().filter_map(|b| b.last.get(dim));
                ends.max().copied()
            }
            Selection::Regular(slabs) => {
                let slab = slabs.get(dim)?;
                let (count, block) = slab.count.zip(slab.block)?;
                let before = count.checked_sub(1)?.saturating_mul(slab.stride);
                let last = slab.start.saturating_add(before);
                Some(last.saturating_add(block.checked_sub(1)?))
            }
        };
        last.map(|last| last.saturating_add(1))
    }

    /// Returns the unlimited dimension of the target, and the extent of the virtual dataset in this dimension. The result depends on the
    /// shape of the single source, or on the number of numbered sources.
    #[must_use]
    pub fn reach(&self, source: MappingSources) -> Option<(usize, u64)> {
        let (Selection::Regular(slabs), Some(dim)) = (&self.target, self.target.unlimited()) else {
            return None;
        };
        let slab = slabs.get(dim)?;
        let elements = match source {
            MappingSources::Sources(n) => n.checked_mul(slab.block?)?,
            MappingSources::Shape(dims) => {
                let Selection::Regular(from) = &self.source else {
                    return None;
                };
                let of = self.source.unlimited()?;
                BlockAxis::of_hyperslab_dim(from.get(of)?, *dims.get(of)?).len
            }
        };
        let end = match elements.checked_sub(1) {
            None => 0,
            Some(last) => BlockAxis::of_hyperslab_dim(slab, u64::MAX)
                .position(last)
                .saturating_add(1),
        };
        Some((dim, end))
    }
}

/// Known facts about the sources of a mapping.
#[derive(Debug, Clone, Copy)]
pub enum MappingSources<'a> {
    /// The shape of the single source.
    Shape(&'a [u64]),
    /// The number of sources before the first missing source, for a mapping with numbered sources.
    Sources(u64),
}

/// Replaces `%b` by the number and `%%` by `%`.
fn substitute(name: &Arc<[u8]>, number: u64) -> Arc<[u8]> {
    if !name.contains(&b'%') {
        return Arc::clone(name);
    }
    let mut out = vec![];
    let mut rest = name.iter().peekable();
    while let Some(&b) = rest.next() {
        match (b, rest.peek()) {
            (b'%', Some(b'b')) => out.extend(number.to_string().bytes()),
            (b'%', Some(b'%')) => out.push(b'%'),
            _ => {
                out.push(b);
                continue;
            }
        }
        rest.next();
    }
    out.into()
}

#[cfg(test)]
mod tests;
