//! What the input does not store: how many chunks the output has, and whether it would consist mostly of fill values.

use super::CopyJob;
use crate::arithmetic::Amount;
use crate::chunk::Dataset;
use crate::error::{Error, ErrorKind, Result};

/// Outputs up to this many bytes may be anything.
const LARGE: u64 = 1_000_000_000;

/// So many chunks are not counted where counting takes a request for each.
const FEW: u64 = 4096;

/// One of this many bytes has to be stored in the input.
const PARTS: u64 = 1000;

/// Checks that a large output is not made of fill values alone because chunks that the input does not store have
/// to be written. Data that merely compresses well counts as stored.
///
/// # Errors
/// [`ErrorKind::Limit`].
pub(super) fn check(set: Dataset<'_>, jobs: &[CopyJob]) -> Result<()> {
    if !set.env.made_up.refuse_large {
        return Ok(());
    }
    let filled: Vec<_> = jobs.iter().filter(|job| !job.leaves_out(set)).collect();
    let written = filled.iter().map(|job| job.written());
    let written = written.sum::<Amount>().get();
    if written <= LARGE {
        return Ok(());
    }
    let mut all = Amount::default();
    for job in filled {
        all = all + job.elements_stored(set)?;
        if all.get() >= written / PARTS {
            return Ok(());
        }
    }
    let stored = all.get();
    let what = format!(
        "the output would have {written} bytes, but the input stores only {stored}: the rest are fill values"
    );
    let remedy = "use --allow-large to write them, or keep the shape of the input's chunks, so that chunks not stored are left out";
    Err(Error::new(ErrorKind::Limit, what).with_remedy(remedy))
}

impl CopyJob {
    /// Whether chunks that the input does not store are not stored in the output either.
    fn leaves_out(&self, set: Dataset<'_>) -> bool {
        self.same_fill && !set.reader.assembles(self.pair.from)
    }

    /// The most chunks that the output has: those of its grid, or those that chunks of the input have elements of. The same wherever the
    /// input is, because it decides where data lies.
    pub(super) fn most_chunks(&self, set: Dataset<'_>) -> Result<u64> {
        let grid = Amount::product(&self.to.grid());
        let few = grid <= FEW.into() && !set.reader.has_index(self.pair.from);
        if few || !self.leaves_out(set) {
            return Ok(grid.get());
        }
        let lines = self.from.chunk.iter().zip(&self.to.chunk);
        let met = lines.map(|(&from, &to)| match from.checked_rem(to) {
            Some(0) => from / to,
            Some(_) => from / to + 2,
            None => 1,
        });
        let met = Amount::product(&met.collect::<Vec<_>>());
        let stored = met * set.chunks_stored(self.pair.from)?;
        Ok(grid.get().min(stored.get()))
    }

    /// The fewest bytes to be written: filters compress equal values to almost nothing.
    fn written(&self) -> u64 {
        match self.to.filters.len() {
            0 => self.bytes(),
            _ => self.bytes() / PARTS,
        }
    }

    /// Bytes of the elements that are stored in the input, before filters.
    fn elements_stored(&self, set: Dataset<'_>) -> Result<u64> {
        // The parts of virtual datasets are stored elsewhere.
        if let Some(assembly) = set.reader.assembly(self.pair.from) {
            let size = self.from.element.size;
            let enough = self.bytes() / PARTS / size.max(1);
            let elements = assembly.stored(self.pair.from, enough, set.env)?;
            return Ok((Amount::of(elements) * size).get().min(self.bytes()));
        }
        let stored = Amount::of(self.from.chunk_bytes()) * set.chunks_stored(self.pair.from)?;
        Ok(stored.get().min(self.bytes()))
    }
}
