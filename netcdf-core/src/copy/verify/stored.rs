//! Compares chunks of both datasets as they are stored.

use std::collections::BTreeMap;

use super::{Both, differs};
use crate::arithmetic::Amount;
use crate::chunk::Dataset;
use crate::chunk::grid::Grid;
use crate::chunk::layout::ChunkRef;
use crate::error::Result;
use crate::model::{Region, VarId};

/// Chunks whose positions are held at a time, per dataset.
const CHUNKS: u64 = 1 << 12;

impl Both<'_> {
    /// Compares the chunks as they are stored, because their filters are missing.
    pub(super) fn compare_chunks(&self) -> Result<()> {
        if self.job.from.filters != self.job.to.filters {
            return Err(differs("its filters differ from the input's"));
        }
        let grid = Grid::new(&self.job.to, &self.job.shape);
        for part in grid.boxes(CHUNKS) {
            self.from.env.cancel.check()?;
            self.compare_stored(&part)?;
            let bytes = Amount::product(&part.count) * self.job.from.element.size;
            self.from.env.progress.advance(bytes.get());
        }
        Ok(())
    }

    fn compare_stored(&self, part: &Region) -> Result<()> {
        let had = chunks(self.from, self.job.pair.from, part)?;
        let got = chunks(self.to, self.job.pair.to, part)?;
        if !had.keys().eq(got.keys()) {
            return Err(differs("its chunks differ from the input's"));
        }
        for ((place, one), other) in had.iter().zip(got.values()) {
            if one.mask != other.mask || self.from.fetch_one(one)? != self.to.fetch_one(other)? {
                return Err(differs(format!(
                    "the chunk of element {place:?} differs from the input"
                )));
            }
        }
        Ok(())
    }
}

/// The stored chunks of a box of a variable.
fn chunks(set: Dataset<'_>, var: VarId, part: &Region) -> Result<BTreeMap<Vec<u64>, ChunkRef>> {
    set.chunks_by_place(var, &set.layout(var)?, part)
}
