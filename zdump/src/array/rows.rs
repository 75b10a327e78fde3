//! Elements of blocks, row by row.

use netcdf_core::chunk::scatter::{Block, advance};
use netcdf_core::model::{Region, Values};

use super::values::ValueAt;

/// The values of elements.
#[derive(Clone, Copy)]
pub(crate) enum ElementValues<'a> {
    /// The values of a chunk, and its block.
    Chunk(&'a Values, &'a Block),
    /// A single value for all elements.
    Fill(&'a Values),
}

impl<'a> ElementValues<'a> {
    /// Returns the value of an element of the array.
    pub(crate) fn at(self, index: &[u64]) -> ValueAt<'a> {
        match self {
            Self::Chunk(values, block) => ValueAt::new(values, offset(index, block)),
            Self::Fill(value) => ValueAt::only(value),
        }
    }
}

/// Visits the rows of a block while `visit` returns true. `visit` receives the index of the first element and the number of elements.
/// Returns whether all rows were visited.
pub(crate) fn rows(part: &Region, visit: &mut dyn FnMut(&[u64], usize) -> bool) -> bool {
    let len = part.count.last().copied().unwrap_or(1);
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let outer = part.count.len().saturating_sub(1);
    let lengths = part.count.get(..outer).unwrap_or_default();
    let mut at = vec![0u64; outer];
    let mut index = part.start.clone();
    loop {
        if !visit(&index, len) {
            return false;
        }
        if !advance(&mut at, lengths) {
            return true;
        }
        let places = index.iter_mut().zip(&part.start).zip(&at);
        places.for_each(|((index, start), at)| *index = start.saturating_add(*at));
    }
}

/// Returns the number of an element in a chunk.
fn offset(index: &[u64], block: &Block) -> usize {
    let parts = index.iter().zip(&block.start).zip(&block.count);
    let number = parts.fold(0u64, |n, ((at, start), len)| {
        n.saturating_mul(*len)
            .saturating_add(at.saturating_sub(*start))
    });
    usize::try_from(number).unwrap_or(usize::MAX)
}
