//! Missing data of the input: counts the output's chunks, and refuses outputs that would consist mostly of fill values.

use super::CopyJob;
use crate::arithmetic::Amount;
use crate::chunk::Dataset;
use crate::error::{Error, ErrorKind, Result};

/// Maximum bytes of outputs without this check.
const LARGE: u64 = 1_000_000_000;

/// Maximum grid size without counting stored chunks. Counting may take one request per chunk.
const FEW: u64 = 4096;

/// The input must store at least one of this many output bytes.
const PARTS: u64 = 1000;

/// Checks that a large output does not consist only of fill values written for missing input chunks. Highly compressible data counts as
/// stored.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for an output of fill values.
pub(super) fn check(set: Dataset<'_>, jobs: &[CopyJob]) -> Result<()> {
    if !set.env.missing_data.refuse_large {
        return Ok(());
    }
    let filled: Vec<_> = jobs.iter().filter(|job| !job.keeps_missing(set)).collect();
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
    let remedy = "use --allow-large to write the fill values, or keep the input's chunk shape so that missing chunks stay missing";
    Err(Error::new(ErrorKind::Limit, what).with_remedy(remedy))
}

impl CopyJob {
    /// Returns whether chunks missing in the input stay missing in the output.
    fn keeps_missing(&self, set: Dataset<'_>) -> bool {
        self.same_fill && !set.reader.assembles(self.pair.from)
    }

    /// Returns the maximum number of output chunks: the grid size, or the number of output chunks that overlap stored input chunks. The
    /// number must not depend on the input's location, because it determines data offsets.
    pub(super) fn max_chunks(&self, set: Dataset<'_>) -> Result<u64> {
        let grid = Amount::product(&self.to.grid());
        let few = grid <= FEW.into() && !set.reader.has_index(self.pair.from);
        if few || !self.keeps_missing(set) {
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

    /// Returns the minimum bytes of the output. Filters compress equal values to almost zero bytes.
    fn written(&self) -> u64 {
        match self.to.filters.len() {
            0 => self.bytes(),
            _ => self.bytes() / PARTS,
        }
    }

    /// Returns the bytes of elements stored in the input, before filters.
    fn elements_stored(&self, set: Dataset<'_>) -> Result<u64> {
        // Virtual datasets store no data; their source datasets do.
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
