//! The environment passed down to everything that opens, reads or writes. Only the workers of [`Runtime::default`] belong to the process.

use std::num::NonZeroU16;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::io::network::{Network, OutputRun};
use crate::io::siblings;
use crate::limits::Limits;
use crate::notes::Notes;
use crate::runtime::{Buffers, Runtime};

/// The environment of a run, created once in `main` (or by a test) and passed down.
#[derive(Debug, Default)]
pub struct Env {
    /// Limits on what files may make us allocate.
    pub limits: Limits,
    /// Available chunk filters.
    pub filters: crate::filter::FilterTable,
    /// Threads and memory budget.
    pub runtime: Runtime,
    /// Messages that are not fatal.
    pub notes: Arc<Notes>,
    /// Damage of single attributes or objects.
    pub damage: Damage,
    /// Set by a signal.
    pub cancel: Cancel,
    /// Bytes done, for a progress bar.
    pub progress: Progress,
    /// Memory for chunks and bands.
    pub buffers: Arc<Buffers>,
    /// Memory for jobs that need much of it.
    pub memory: Memory,
    /// Where temporary files are created; `None` for the system's directory.
    pub scratch: Option<std::path::PathBuf>,
    /// What a copy may make up for missing data.
    pub made_up: MadeUp,
    /// How other machines are asked.
    pub network: Arc<Network>,
    /// Which files beside a dataset may be opened.
    pub siblings: siblings::SiblingAccess,
    /// Whether readers show inexpressible types of fixed size as opaque bytes instead of skipping the objects. Comparisons and digests
    /// need the bytes.
    pub raw_types: bool,
    /// Whether Zarr readers show JSON `null` in attributes as a string. Copies, comparisons and digests need the difference from the text
    /// "null"; netCDF-C shows characters.
    pub exact_null: bool,
    /// Whether readers note where the metadata of files lies.
    pub survey: bool,
}

/// Bytes that are sent to another machine at a time: at least, and at most.
const LEAST_SENT: u64 = 8 << 20;
const MOST_SENT: u64 = 64 << 20;

impl Env {
    /// The default environment with this number of threads; with `None`, one per core.
    #[must_use]
    pub fn with_threads(threads: Option<NonZeroU16>) -> Self {
        let mut env = Self::default();
        if let Some(threads) = threads {
            env.runtime = Runtime::new(threads.get().into());
        }
        env
    }

    /// What an output on another machine needs of the run.
    #[must_use]
    pub fn run(&self) -> OutputRun {
        OutputRun {
            cancel: self.cancel.clone(),
            notes: Arc::clone(&self.notes),
            network: Arc::clone(&self.network),
            memory: (self.runtime.memory() / 4).clamp(LEAST_SENT, MOST_SENT),
        }
    }

    /// Sets the number of requests at a time to any source; with `None`, it depends on the source.
    pub fn set_requests(&mut self, requests: Option<NonZeroU16>) {
        if let Some(requests) = requests {
            self.runtime = self.runtime.with_requests(requests.get().into());
        }
    }
}

/// What may be made up for missing data. Usually it may be: that is what readers do.
#[derive(Debug, Clone, Copy, Default)]
pub struct MadeUp {
    /// Missing sources of virtual datasets are errors, and not replaced by fill values.
    pub refuse_missing: bool,
    /// Outputs of more than a gigabyte that consist almost entirely of fill values are errors.
    pub refuse_large: bool,
}

/// Bytes of memory for a job that has to hold much data at a time, for instance to change chunk shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory(pub u64);

impl Default for Memory {
    fn default() -> Self {
        Self(256 << 20)
    }
}

/// How damage of single attributes or objects is handled. Usually it is an error like any other; a tool that
/// tolerates it has to ask for that, report the damage, and fail in the end.
#[derive(Debug, Default)]
pub struct Damage(Option<Mutex<Vec<Error>>>);

/// With more damage than this, a dataset is better not shown.
const MOST_DAMAGE: usize = 100;

impl Damage {
    /// Leaves out what is damaged, and records it.
    #[must_use]
    pub fn tolerated() -> Self {
        Self(Some(Mutex::default()))
    }

    /// Records damage.
    ///
    /// # Errors
    /// The error itself if it is not tolerated: if no damage is, if there was too much before, or if it is not
    /// damage.
    pub fn meet(&self, e: Error) -> Result<()> {
        let damage = e.is_damage();
        self.keep(e, damage)
    }

    /// Records an object of a store that cannot be read for whatever reason: this counts as damage of one
    /// object, too.
    ///
    /// # Errors
    /// As [`Damage::meet`]; cancellation does not count as damage.
    pub fn meet_lost(&self, e: Error) -> Result<()> {
        let lost = matches!(
            e.kind(),
            ErrorKind::Io | ErrorKind::Unsupported | ErrorKind::NoContent | ErrorKind::BadName
        );
        let damage = lost || e.is_damage();
        self.keep(e, damage)
    }

    fn keep(&self, e: Error, damage: bool) -> Result<()> {
        let Some(found) = &self.0 else {
            return Err(e);
        };
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.len() >= MOST_DAMAGE || !damage {
            return Err(e);
        }
        found.push(e);
        Ok(())
    }

    /// Takes the tolerated errors so far, in order.
    #[must_use]
    pub fn take(&self) -> Vec<Error> {
        self.0.as_ref().map_or_else(Vec::new, |found| {
            std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }
}

/// Bytes done and in total; a tool on a terminal shows them.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<ByteCounts>);

#[derive(Debug, Default)]
struct ByteCounts {
    total: std::sync::atomic::AtomicU64,
    done: std::sync::atomic::AtomicU64,
}

impl Progress {
    /// Adds to the total bytes.
    pub fn expect(&self, bytes: u64) {
        self.0.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds to the bytes done.
    pub fn advance(&self, bytes: u64) {
        self.0.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes done and in total.
    #[must_use]
    pub fn get(&self) -> (u64, u64) {
        (
            self.0.done.load(Ordering::Relaxed),
            self.0.total.load(Ordering::Relaxed),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_tolerated_on_demand_and_not_without_end() {
        let damage = || Error::new(ErrorKind::Checksum, "odd");
        assert!(Damage::default().meet(damage()).is_err());
        let tolerated = Damage::tolerated();
        for _ in 0..MOST_DAMAGE {
            assert!(tolerated.meet(damage()).is_ok());
        }
        assert!(tolerated.meet(damage()).is_err());
        assert_eq!(tolerated.take().len(), MOST_DAMAGE);
        assert!(tolerated.take().is_empty());
    }

    #[test]
    fn only_damage_is_tolerated() {
        let tolerated = Damage::tolerated();
        for kind in [ErrorKind::Cancelled, ErrorKind::Io, ErrorKind::Unsupported] {
            let e = tolerated.meet(Error::new(kind, "odd")).unwrap_err();
            assert_eq!(e.kind(), kind);
        }
        assert!(tolerated.take().is_empty());
    }

    #[test]
    fn what_a_store_does_not_give_is_damage() {
        let tolerated = Damage::tolerated();
        for kind in [ErrorKind::Io, ErrorKind::NoContent, ErrorKind::Corrupt] {
            assert!(tolerated.meet_lost(Error::new(kind, "odd")).is_ok());
        }
        let cancelled = || Error::new(ErrorKind::Cancelled, "odd");
        assert!(tolerated.meet_lost(cancelled()).is_err());
        assert!(Damage::default().meet_lost(cancelled()).is_err());
        assert_eq!(tolerated.take().len(), 3);
    }
}
