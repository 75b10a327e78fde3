//! Pairs of variables with the same shape, read together in boxes of whole chunks.

use std::collections::BTreeMap;

use super::dataset::{BoxElements, COPIES, Cuts, PartsOf};
use super::grid::ChunkGrid;
use super::layout::Layout;
use super::plan::{BandWay, Bands};
use super::rechunk::{decoding, gcd};
use super::scatter::Block;
use super::{ChunkRef, Dataset};
use crate::arithmetic::Amount;
use crate::chunk::visit::Locate;
use crate::env::Env;
use crate::error::Result;
use crate::limits;
use crate::model::{Region, VarId};

/// The size in bytes up to which starting threads does not pay off.
const SMALL: u64 = 1 << 18;

/// The number of elements per assembled piece.
const PIECE: u64 = 1 << 16;

/// The layouts of two variables to compare. The shape may be smaller than both variables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairLayout<'a> {
    /// The layout of each variable.
    pub layouts: [&'a Layout; 2],
    /// The shape to compare.
    pub shape: &'a [u64],
}

impl PairLayout<'_> {
    /// Returns the box shape for the comparison, of about `most` bytes: whole chunks of the variable that causes fewer decodes. If both are
    /// equal, the first variable decides.
    #[must_use]
    pub(crate) fn cut(&self, most: u64) -> Vec<u64> {
        let ways = self.layouts.map(|layout| cut(layout, self.shape, most));
        let cost = |part: &Vec<u64>| self.cost(part);
        let best = ways.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
        best.unwrap_or_else(|| self.shape.to_vec())
    }

    /// Returns how often a chunk of each variable is decoded on average, added up, if both variables are read in boxes of this shape.
    #[must_use]
    pub(crate) fn cost(&self, part: &[u64]) -> f64 {
        let decoded = |layout: &Layout| match layout.filters.len() {
            0 => 1.0,
            _ => decoding(layout, self.shape, part),
        };
        self.layouts.map(decoded).iter().sum()
    }

    /// Returns the shape of the smallest boxes that divide no chunk of both variables.
    #[must_use]
    pub(crate) fn whole_in_both(&self) -> Vec<u64> {
        let [a, b] = self.layouts;
        let lines = self.shape.iter().zip(a.chunk.iter().zip(&b.chunk));
        let common = |(&len, (&a, &b)): (&u64, (&u64, &u64))| {
            let (a, b) = (a.clamp(1, len.max(1)), b.clamp(1, len.max(1)));
            (Amount::of(a / gcd(a, b)) * b).get().min(len)
        };
        lines.map(common).collect()
    }
}

/// Returns the shape of boxes of whole chunks with about `most` bytes.
fn cut(layout: &Layout, shape: &[u64], most: u64) -> Vec<u64> {
    let size = layout.element.size.max(1);
    let first = if layout.filters.is_empty() {
        Bands::new(Region::whole(shape), &[], (most / size).max(1)).next()
    } else {
        let grid = ChunkGrid::new(layout, shape);
        let chunk = Amount::product(&grid.largest()) * size;
        grid.boxes((Amount::of(most) / chunk).get()).next()
    };
    first.map_or_else(|| shape.to_vec(), |part| part.count)
}

impl Dataset<'_> {
    /// Returns the stored form of a box's elements, decoded on all threads with up to `memory` bytes in addition to the elements.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::read_stored`], and [`Limit`](crate::ErrorKind::Limit) without memory for the elements.
    pub fn read_whole(&self, var: VarId, part: &Region, memory: u64) -> Result<Vec<u8>> {
        let layout = self.layout(var)?;
        let bytes = Amount::product(&part.count) * layout.element.size;
        if bytes <= SMALL.into() {
            return self.read_stored(var, &layout, part);
        }
        let pieces = |slab: &Region| -> PartsOf {
            Box::new(Bands::new(Region::whole(&slab.count), &[], PIECE))
        };
        let cuts = Cuts {
            slabs: Box::new(std::iter::once(part.clone())),
            way: BandWay::Staged { slabs: 1 },
            parts: Box::new(pieces),
            tile: None,
            memory,
            copies: COPIES,
        };
        let mut all = room(bytes.get(), self.env)?;
        let sink = |bytes: Vec<u8>| {
            all.extend_from_slice(&bytes);
            self.env.buffers.give_large(bytes);
            Ok(())
        };
        self.parts(var, cuts, |_, part: BoxElements| Ok(part.bytes), sink)?;
        Ok(all)
    }

    /// Returns the variable's stored chunks in a box, keyed by their first elements.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::locate_chunks`].
    pub fn chunks_by_place(
        &self,
        var: VarId,
        layout: &Layout,
        part: &Region,
    ) -> Result<BTreeMap<Vec<u64>, ChunkRef>> {
        let cells = part.start.iter().zip(&part.count).zip(&layout.chunk);
        let cells = cells
            .zip(layout.grid())
            .map(|(((&start, &count), &len), all)| {
                let first = (start / len.max(1)).min(all);
                (first, count.div_ceil(len.max(1)).min(all - first))
            });
        let (start, count) = cells.unzip();
        let mut found = BTreeMap::new();
        let within = Block { start, count };
        self.locate_chunks(var, &within, Locate::Stored, &mut |chunk| {
            found.insert(layout.block(chunk.index).start, chunk);
            Ok(())
        })?;
        Ok(found)
    }
}

/// Allocates memory for the elements of a box, regardless of the memory budget: the box has at least one chunk of any size.
fn room(bytes: u64, env: &Env) -> Result<Vec<u8>> {
    let what = "a part to compare";
    let len = env.limits.item(bytes, what)?;
    limits::room(len, what)?;
    Ok(Vec::with_capacity(len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::layout::tests::layout;
    use crate::error::ErrorKind;
    use crate::model::FilterSpec;

    /// An allocation without a check would end the process.
    #[test]
    fn memory_that_is_not_there_is_an_error() {
        for bytes in [1 << 62, u64::MAX] {
            let e = room(bytes, &Env::default()).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Limit);
        }
        assert_eq!(room(8, &Env::default()).unwrap().capacity(), 8);
    }

    #[test]
    fn boxes_divide_no_chunk_if_they_may_be_large() {
        let filtered = |chunk: &[u64]| Layout {
            filters: vec![FilterSpec {
                id: 1,
                params: vec![],
            }],
            ..layout(&[64, 64], chunk)
        };
        let (a, b) = (filtered(&[1, 16]), filtered(&[4, 8]));
        let stored = PairLayout {
            layouts: [&a, &b],
            shape: &[64, 64],
        };
        assert_eq!(stored.whole_in_both(), [4, 16]);
        assert!((stored.cost(&[4, 16]) - 2.0).abs() < 1e-9);
        assert!(stored.cost(&[1, 16]) > 2.0);
        assert_eq!(stored.cut(64), [4, 16], "boxes have the maximum size");
        let whole = PairLayout {
            shape: &[3, 64],
            ..stored
        };
        assert_eq!(
            whole.whole_in_both(),
            [3, 16],
            "boxes are not longer than the variable"
        );
    }
}
