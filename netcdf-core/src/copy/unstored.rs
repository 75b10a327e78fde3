//! Outputs that would be fill values for the most part.

use super::Job;
use crate::chunk::Dataset;
use crate::error::{Error, ErrorKind, Result};

/// Bytes of an output that may be anything.
const LARGE: u64 = 1_000_000_000;

/// Of so many bytes one has to be stored in the input.
const PARTS: u64 = 1000;

/// That an output which is large is not made of fill values alone, where chunks that are not stored in the input have to be
/// written. What merely compresses well is stored.
///
/// # Errors
/// [`ErrorKind::Limit`].
pub(super) fn check(set: Dataset<'_>, jobs: &[Job]) -> Result<()> {
    if !set.env.made_up.refuse_large {
        return Ok(());
    }
    let filled: Vec<_> = jobs.iter().filter(|job| !job.leaves_out()).collect();
    let written = filled.iter().map(|job| job.written());
    let written = written.fold(0, u64::saturating_add);
    if written <= LARGE {
        return Ok(());
    }
    let mut stored = 0u64;
    for job in filled {
        stored = stored.saturating_add(job.elements_stored(set)?);
        if stored >= written / PARTS {
            return Ok(());
        }
    }
    let what = format!(
        "the output would have {written} bytes, of which {stored} are stored in the input: all others are fill values"
    );
    let remedy = "--allow-large writes them; chunks of the shape of the input's are left out where they are not stored";
    Err(Error::new(ErrorKind::Limit, what).with_remedy(remedy))
}

impl Job {
    /// Whether chunks that are not stored in the input are not stored in the output either.
    fn leaves_out(&self) -> bool {
        self.chunked && self.same_fill
    }

    /// Bytes that are written at least: filters make little of what is all the same.
    fn written(&self) -> u64 {
        match self.to.filters.len() {
            0 => self.bytes(),
            _ => self.bytes() / PARTS,
        }
    }

    /// Bytes of the elements that are stored in the input, before filters.
    fn elements_stored(&self, set: Dataset<'_>) -> Result<u64> {
        // What virtual datasets are put together of is stored elsewhere.
        if set.reader.assembles(self.pair.from) {
            return Ok(self.bytes());
        }
        let chunk = self.from.chunk_bytes().unwrap_or(usize::MAX) as u64;
        let stored = set.chunks_stored(self.pair.from)?.saturating_mul(chunk);
        Ok(stored.min(self.bytes()))
    }
}
