//! Reads regions of variables that the reader assembles.

use super::variable::{ReadVariable, is_dense};
use crate::chunk::layout::{ChunkHolder, ChunkRef};
use crate::chunk::scatter::{Block, advance};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::model::{Region, VarId};

impl ReadVariable<'_> {
    /// Reads a region. A region with gaps is read row by row.
    pub(super) fn assemble(&self, region: &Region) -> Result<Vec<u8>> {
        let mut canvas = self.canvas(&region.count)?;
        if !is_dense(region) {
            for row in rows(region) {
                let bytes = self.assembled_box(&row)?;
                canvas.put_part(&row, &bytes, region)?;
            }
        } else if !region.count.contains(&0) {
            let bytes = self.assembled_box(&Block::of(region))?;
            canvas.take(bytes).map_err(|_| {
                let what = "fewer elements than the region contains";
                Error::new(ErrorKind::Corrupt, what)
            })?;
        }
        canvas.into_bytes()
    }
}

impl ReadVariable<'_> {
    /// Returns the elements of a box from the reader.
    fn assembled_box(&self, part: &Block) -> Result<Vec<u8>> {
        let assembly = self.assembly.or_internal("a variable with an assembly")?;
        assembly.read_box(self.var, part, self.set.env)
    }
}

/// Returns a substitute for the location of a chunk that the reader assembles.
pub(super) fn placeholder(variable: VarId, index: u64) -> ChunkRef {
    ChunkRef {
        variable,
        index,
        holder: ChunkHolder::Source(0),
        range: 0..0,
        mask: 0,
    }
}

/// Returns the rows of a region with gaps, each as its bounding box.
fn rows(region: &Region) -> impl Iterator<Item = Block> + '_ {
    let rank = region.count.len();
    let outer = region
        .count
        .split_last()
        .map_or(&[][..], |(_, outer)| outer);
    let mut at = (!region.count.contains(&0)).then(|| vec![0; outer.len()]);
    std::iter::from_fn(move || {
        let mut now = at.take()?;
        let lines = region.start.iter().zip(&region.stride);
        let place = lines.zip(now.iter().chain(std::iter::repeat(&0)));
        let start = place.map(|((s, stride), n): ((&u64, &u64), &u64)| s + n * stride);
        let mut row = Block {
            start: start.collect(),
            count: vec![1; rank],
        };
        let (len, step) = (region.count.last(), region.stride.last());
        if let (Some(count), Some(&len), Some(&step)) = (row.count.last_mut(), len, step) {
            *count = (len - 1) * step + 1;
        }
        if advance(&mut now, outer) {
            at = Some(now);
        }
        Some(row)
    })
}
