//! Stored dataspace selections ("VIII.A. Dataspace Selection").

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;
use crate::model::region::product;

/// Selected dataspace elements, in row-major order except for points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// None.
    None,
    /// All.
    All,
    /// Single elements in the given order.
    Points(Vec<Vec<u64>>),
    /// A regular hyperslab.
    Regular(Vec<HyperslabDim>),
    /// Disjoint blocks.
    Blocks(Vec<SelectedBlock>),
}

/// A hyperslab in one dimension, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HyperslabDim {
    /// Start of the first block.
    pub start: u64,
    /// Distance between block starts, at least the block length.
    pub stride: u64,
    /// Number of blocks; `None` for unlimited.
    pub count: Option<u64>,
    /// Block length, at least 1; `None` for up to the end of the extent.
    pub block: Option<u64>,
}

/// A block of elements.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SelectedBlock {
    /// First index per dimension.
    pub start: Vec<u64>,
    /// Last index per dimension.
    pub last: Vec<u64>,
}

impl Selection {
    /// Reads a selection.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`] and [`ErrorKind::Unsupported`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        let kind = c.u32_le()?;
        let version = c.u32_le()?;
        match (kind, version) {
            (0, 1) => c.skip(8).map(|()| Self::None),
            (3, 1) => c.skip(8).map(|()| Self::All),
            (1, 1 | 2) => points(c, version),
            (2, 1..=3) => hyperslab(c, version),
            _ => {
                let what = format!("version {version} of a selection of type {kind}");
                Err(c.error(ErrorKind::Unsupported, what))
            }
        }
    }

    /// The unlimited dimension of the selection.
    #[must_use]
    pub fn unlimited(&self) -> Option<usize> {
        match self {
            Self::Regular(slabs) => slabs.iter().position(HyperslabDim::is_unlimited),
            Self::None | Self::All | Self::Points(_) | Self::Blocks(_) => None,
        }
    }
}

impl HyperslabDim {
    /// Whether only the extent ends the selection.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.count.is_none() || self.block.is_none()
    }
}

fn points(c: &mut Fields, version: u32) -> Result<Selection> {
    let width = match version {
        1 => c.skip(8).map(|()| 4)?,
        _ => c.u8()?,
    };
    let rank = rank(c)?;
    let count = number(c, width)?;
    (0..checked_count(c, count, rank, width)?)
        .map(|_| numbers(c, rank, width))
        .collect::<Result<_>>()
        .map(Selection::Points)
}

fn hyperslab(c: &mut Fields, version: u32) -> Result<Selection> {
    if version == 1 {
        c.skip(8)?; // reserved, length
        return blocks(c, 4);
    }
    let regular = c.u8()? & 1 != 0;
    let width = match version {
        2 => c.skip(4).map(|()| 8)?, // length
        _ => c.u8()?,
    };
    if !regular {
        return blocks(c, width);
    }
    let rank = rank(c)?;
    let slabs: Vec<_> = (0..rank)
        .map(|_| hyperslab_dim(c, width))
        .collect::<Result<_>>()?;
    if slabs.iter().filter(|c| c.is_unlimited()).count() > 1 {
        let what = "a selection that is unlimited in several dimensions";
        return Err(c.error(ErrorKind::Corrupt, what.into()));
    }
    Ok(Selection::Regular(slabs))
}

/// Reads a number of `width` bytes.
fn number(c: &mut Fields, width: u8) -> Result<u64> {
    match width {
        2 | 4 | 8 => c.uint_le(width.into()),
        _ => Err(c.error(
            ErrorKind::Corrupt,
            format!("numbers of {width} bytes in a selection"),
        )),
    }
}

fn numbers(c: &mut Fields, count: usize, width: u8) -> Result<Vec<u64>> {
    (0..count).map(|_| number(c, width)).collect()
}

fn rank(c: &mut Fields) -> Result<usize> {
    let rank = c.u32_le()?;
    match rank {
        1..=32 => Ok(usize::try_from(rank).unwrap_or(0)),
        _ => Err(c.error(
            ErrorKind::Corrupt,
            format!("a selection of {rank} dimensions"),
        )),
    }
}

/// Checks that the remaining bytes suffice for `count` lists of `rank` numbers. Returns `count`.
fn checked_count(c: &Fields, count: u64, rank: usize, width: u8) -> Result<u64> {
    let bytes = count.saturating_mul(rank as u64 * u64::from(width));
    if bytes > c.remaining() as u64 {
        return Err(c.short(bytes));
    }
    Ok(count)
}

fn hyperslab_dim(c: &mut Fields, width: u8) -> Result<HyperslabDim> {
    let most = u64::MAX >> (64 - 8 * u32::from(width.clamp(1, 8)));
    let (start, stride) = (number(c, width)?, number(c, width)?);
    let mut limit = || number(c, width).map(|n| (n != most).then_some(n));
    let (count, block) = (limit()?, limit()?);
    let slab = HyperslabDim {
        start,
        stride,
        count,
        block,
    };
    let many = count != Some(1);
    if block == Some(0) || count == Some(0) || (many && block.is_none_or(|b| b > stride)) {
        return Err(c.error(ErrorKind::Corrupt, format!("a hyperslab of {slab:?}")));
    }
    Ok(slab)
}

fn blocks(c: &mut Fields, width: u8) -> Result<Selection> {
    let rank = rank(c)?;
    let count = number(c, width)?;
    let one = |c: &mut Fields| {
        let (start, last) = (numbers(c, rank, width)?, numbers(c, rank, width)?);
        if start.iter().zip(&last).any(|(s, l)| s > l) {
            let what = format!("a block from {start:?} to {last:?}");
            return Err(c.error(ErrorKind::Corrupt, what));
        }
        Ok(SelectedBlock { start, last })
    };
    let mut all: Vec<_> = (0..checked_count(c, count, 2 * rank, width)?)
        .map(|_| one(c))
        .collect::<Result<_>>()?;
    all.sort_unstable();
    Ok(match regular(&all, rank) {
        Some(slabs) => Selection::Regular(slabs),
        None => Selection::Blocks(all),
    })
}

/// Converts a list of blocks to a regular hyperslab if possible. Old versions store hyperslabs as block lists.
fn regular(blocks: &[SelectedBlock], rank: usize) -> Option<Vec<HyperslabDim>> {
    let mut slabs = vec![];
    for dim in 0..rank {
        let ends = blocks
            .iter()
            .map(|b| Some((*b.start.get(dim)?, *b.last.get(dim)?)));
        let mut ends: Vec<(u64, u64)> = ends.collect::<Option<_>>()?;
        ends.sort_unstable();
        ends.dedup();
        slabs.push(hyperslab_dim_of(&ends)?);
    }
    let counts: Option<Vec<u64>> = slabs.iter().map(|c| c.count).collect();
    // The blocks are distinct, and their number equals the number of positions: each position has one block.
    let different = blocks.is_sorted_by(|a, b| a < b);
    (different && product(&counts?)? == blocks.len() as u64).then_some(slabs)
}

/// The hyperslab with these first and last block elements, in order.
fn hyperslab_dim_of(ends: &[(u64, u64)]) -> Option<HyperslabDim> {
    let &(start, last) = ends.first()?;
    let block = (last - start).checked_add(1)?;
    let stride = ends.get(1).map_or(block, |second| second.0 - start);
    let fits = |((n, &(s, l)), expected): ((usize, &(u64, u64)), u64)| {
        s == expected && l - s == last - start && (n == 0 || stride >= block)
    };
    let expected = (0..ends.len() as u64).map(|n| start.saturating_add(n.saturating_mul(stride)));
    ends.iter()
        .enumerate()
        .zip(expected)
        .all(fits)
        .then_some(HyperslabDim {
            start,
            stride,
            count: Some(ends.len() as u64),
            block: Some(block),
        })
}
