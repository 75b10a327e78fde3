//! The layout of a variable in a view.

use super::selection::DimSelection;
use crate::arithmetic::{Amount, exact};
use crate::chunk::Reader;
use crate::chunk::decode::fill;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::{Block, number};
use crate::error::{OrInternal as _, Result};
use crate::model::VarId;

/// A variable's layout in the base and in the view.
#[derive(Debug)]
pub(super) struct ViewVariable {
    pub(super) base: Layout,
    pub(super) layout: Layout,
    /// True if all elements are selected.
    pub(super) whole: bool,
    /// The position of the view's first chunk in the base grid; `None` if the view has no chunks of the base.
    pub(super) first: Option<Vec<u64>>,
}

impl ViewVariable {
    /// Creates a variable with this shape in the view. `selected` has the selection of each dimension.
    pub(super) fn new(
        reader: &dyn Reader,
        var: VarId,
        (selected, shape): (&[Option<&DimSelection>], Vec<u64>),
    ) -> Result<Self> {
        let base = reader.layout(var)?;
        let whole = selected.iter().all(Option::is_none);
        let first = match whole {
            true => Some(vec![0; selected.len()]),
            false if reader.assembles(var) => None,
            false => first(selected, &base.chunk),
        };
        let mut layout = match &first {
            Some(first) => in_chunks(&base, first, selected, &shape),
            None => by_elements(&base, selected, shape),
        };
        if base.element.plain_type().is_some() {
            // The attributes of the view may declare a different fill value, but missing elements must read as
            // before.
            layout.fill = Some(fill(reader.schema(), var, &base)?);
        }
        Ok(Self {
            base,
            layout,
            whole,
            first,
        })
    }

    fn first(&self) -> Result<&[u64]> {
        let first = self.first.as_deref();
        first.or_internal("a variable with chunks of the base")
    }

    /// Returns the memory for decoding a chunk of the base, in bytes: the stored bytes and the elements.
    pub(super) fn decoding(&self) -> u64 {
        match self.base.filters.is_empty() {
            true => 0,
            false => (Amount::of(self.base.chunk_bytes()) * 2u64).get(),
        }
    }

    /// Converts a box of the view's grid to a box of the base grid.
    pub(super) fn within(&self, chunks: &Block) -> Result<Block> {
        Ok(Block {
            start: sums(&chunks.start, self.first()?),
            count: chunks.count.clone(),
        })
    }

    /// Converts a chunk number of the base to a chunk number of the view.
    pub(super) fn out(&self, index: u64) -> Result<u64> {
        let place = self.base.place(index);
        let place = place
            .iter()
            .zip(self.first()?)
            .map(|(n, first)| exact(*n) - *first);
        let place: Vec<u64> = place.map(|n| n.get()).collect::<Result<_>>()?;
        number(&place, &self.layout.grid())
    }

    /// Converts a chunk number of the view to a chunk number of the base.
    pub(super) fn back(&self, index: u64) -> Result<u64> {
        let place = sums(&self.layout.place(index), self.first()?);
        number(&place, &self.base.grid())
    }
}

/// Returns the position of the first chunk, if whole chunks are selected.
fn first(selected: &[Option<&DimSelection>], chunk: &[u64]) -> Option<Vec<u64>> {
    let one = |(selected, &len): (&Option<&DimSelection>, &u64)| match selected {
        Some(selected) => Some(selected.whole_chunks(len.max(1))? / len.max(1)),
        None => Some(0),
    };
    selected.iter().zip(chunk).map(one).collect()
}

fn in_chunks(
    base: &Layout,
    first: &[u64],
    selected: &[Option<&DimSelection>],
    shape: &[u64],
) -> Layout {
    let dims = base
        .extent
        .iter()
        .zip(&base.chunk)
        .zip(first.iter().zip(shape));
    let extent =
        dims.zip(selected).map(
            |(((&extent, &chunk), (first, &len)), selected)| match selected {
                Some(_) => (extent - extent.min(first * chunk)).min(len),
                None => extent,
            },
        );
    Layout {
        extent: extent.collect(),
        ..base.clone()
    }
}

/// The view has no chunks of the base, but elements of the same chunk should be read together.
fn by_elements(base: &Layout, selected: &[Option<&DimSelection>], shape: Vec<u64>) -> Layout {
    let lengths = selected.iter().zip(&base.chunk).zip(&shape);
    let chunk = lengths.map(|((selected, &chunk), &len)| {
        let stride = selected.map_or(1, DimSelection::stride);
        (chunk / stride).clamp(1, len.max(1))
    });
    Layout {
        chunk: chunk.collect(),
        extent: shape,
        filters: vec![],
        ..base.clone()
    }
}

fn sums(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
