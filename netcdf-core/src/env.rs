//! The environment that all functions get that open, read or write. Only the workers of [`Runtime::default`] belong to the process.

use std::num::NonZeroU16;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// Allocation limits for data from files.
    pub limits: Limits,
    /// Available chunk filters.
    pub filters: crate::filter::FilterTable,
    /// Threads and memory budget.
    pub runtime: Runtime,
    /// Messages that are not fatal.
    pub notes: Arc<Notes>,
    /// The handling of damaged attributes and objects.
    pub damage: Damage,
    /// Set by a signal.
    pub cancel: Cancel,
    /// The progress in bytes, for a progress bar.
    pub progress: Progress,
    /// Memory for chunks and bands.
    pub buffers: Arc<Buffers>,
    /// The memory for jobs with large buffers.
    pub memory: Memory,
    /// The directory for temporary files; `None` for the system's directory.
    pub scratch: Option<std::path::PathBuf>,
    /// Whether a copy replaces missing data by fill values.
    pub missing_data: MissingDataPolicy,
    /// The settings of network requests.
    pub network: Arc<Network>,
    /// The access rights to files next to a dataset.
    pub siblings: siblings::SiblingAccess,
    /// Whether readers show inexpressible types of fixed size as opaque bytes instead of skipping the objects. Comparisons and digests
    /// need the bytes.
    pub raw_types: bool,
    /// Whether Zarr readers show JSON `null` in attributes as a string. Copies, comparisons and digests need the difference from the text
    /// "null"; netCDF-C shows characters.
    pub exact_null: bool,
    /// Whether readers record the metadata ranges of files.
    pub survey: bool,
}

/// Minimum and maximum size of an upload request in bytes.
const LEAST_SENT: u64 = 8 << 20;
const MOST_SENT: u64 = 64 << 20;

impl Env {
    /// Returns the default environment with this number of threads; with `None`, one per core.
    #[must_use]
    pub fn with_threads(threads: Option<NonZeroU16>) -> Self {
        let mut env = Self::default();
        if let Some(threads) = threads {
            env.runtime = Runtime::new(threads.get().into());
        }
        env
    }

    /// Returns an environment with the same settings and resources, and other notes.
    #[must_use]
    pub fn with_notes(&self, notes: Arc<Notes>) -> Self {
        Self {
            limits: self.limits.clone(),
            filters: self.filters.clone(),
            runtime: self.runtime.clone(),
            notes,
            damage: self.damage.clone(),
            cancel: self.cancel.clone(),
            progress: self.progress.clone(),
            buffers: Arc::clone(&self.buffers),
            memory: self.memory,
            scratch: self.scratch.clone(),
            missing_data: self.missing_data,
            network: Arc::clone(&self.network),
            siblings: self.siblings.clone(),
            raw_types: self.raw_types,
            exact_null: self.exact_null,
            survey: self.survey,
        }
    }

    /// Returns the run settings for a remote output.
    #[must_use]
    pub fn run(&self) -> OutputRun {
        OutputRun {
            cancel: self.cancel.clone(),
            notes: Arc::clone(&self.notes),
            network: Arc::clone(&self.network),
            memory: (self.runtime.memory() / 4).clamp(LEAST_SENT, MOST_SENT),
        }
    }

    /// Sets the number of concurrent requests to any source; with `None`, it depends on the source.
    pub fn set_requests(&mut self, requests: Option<NonZeroU16>) {
        if let Some(requests) = requests {
            self.runtime = self.runtime.with_requests(requests.get().into());
        }
    }
}

/// Whether missing data becomes fill values. Usually it does: netCDF readers return fill values.
#[derive(Debug, Clone, Copy, Default)]
pub struct MissingDataPolicy {
    /// Whether a missing source of a virtual dataset is an error.
    pub refuse_missing: bool,
    /// Whether an output of more than a gigabyte that consists almost entirely of fill values is an error.
    pub refuse_large: bool,
}

/// The memory limit in bytes of a job with large buffers, for instance a job that changes chunk shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory(pub u64);

impl Default for Memory {
    fn default() -> Self {
        Self(256 << 20)
    }
}

/// The policy for damaged attributes and objects. By default, damage is an ordinary error. A tool that tolerates damage must turn this on,
/// report the damage, and exit with an error.
/// Clones share the record.
#[derive(Debug, Clone, Default)]
pub struct Damage {
    tolerated: Option<ToleratedDamage>,
    found: Arc<Mutex<FoundDamage>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToleratedDamage {
    Objects,
    Attributes,
}

#[derive(Debug, Default)]
struct FoundDamage {
    errors: Vec<Error>,
    /// The paths of variables and groups with damaged attributes.
    owners: Vec<String>,
}

/// The maximum number of tolerated damaged objects in a dataset.
const MOST_DAMAGE: usize = 100;

impl Damage {
    /// Returns a policy that skips and records damaged objects.
    #[must_use]
    pub fn tolerated() -> Self {
        Self {
            tolerated: Some(ToleratedDamage::Objects),
            ..Self::default()
        }
    }

    /// Returns a policy that skips damaged attributes, and records the variables and groups that have them. Other damage is an error.
    #[must_use]
    pub fn tolerated_in_attributes() -> Self {
        Self {
            tolerated: Some(ToleratedDamage::Attributes),
            ..Self::default()
        }
    }

    /// Records damage.
    ///
    /// # Errors
    /// Returns the error if damage is not tolerated, if it is no damage, or if the limit is reached.
    pub fn meet(&self, e: Error) -> Result<()> {
        let damage = e.is_damage();
        self.keep_object(e, damage)
    }

    /// Records a damaged attribute of the variable or group with the path `owner`.
    ///
    /// # Errors
    /// Returns the error under the conditions of [`Damage::meet`].
    pub fn meet_attribute(&self, e: Error, owner: &str) -> Result<()> {
        let damage = e.is_damage();
        let mut found = self.keep(e, damage && self.tolerated.is_some())?;
        found.owners.push(owner.to_owned());
        Ok(())
    }

    /// Records an object in a store that cannot be read. Every reason counts as damage of this object, except cancellation.
    ///
    /// # Errors
    /// Returns the error under the conditions of [`Damage::meet`].
    pub fn meet_lost(&self, e: Error) -> Result<()> {
        let lost = matches!(
            e.kind(),
            ErrorKind::Io | ErrorKind::Unsupported | ErrorKind::NoContent | ErrorKind::BadName
        );
        let damage = lost || e.is_damage();
        self.keep_object(e, damage)
    }

    fn keep_object(&self, e: Error, damage: bool) -> Result<()> {
        let is_tolerated = self.tolerated == Some(ToleratedDamage::Objects);
        self.keep(e, damage && is_tolerated).map(drop)
    }

    fn keep(&self, e: Error, is_tolerated: bool) -> Result<MutexGuard<'_, FoundDamage>> {
        let mut found = self.found();
        if !is_tolerated || found.errors.len() >= MOST_DAMAGE {
            return Err(e);
        }
        found.errors.push(e);
        Ok(found)
    }

    fn found(&self) -> MutexGuard<'_, FoundDamage> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the recorded errors, in order.
    #[must_use]
    pub fn take(&self) -> Vec<Error> {
        std::mem::take(&mut self.found().errors)
    }

    /// Takes the paths of the variables and groups with damaged attributes.
    #[must_use]
    pub fn take_owners(&self) -> Vec<String> {
        std::mem::take(&mut self.found().owners)
    }
}

/// Processed and expected bytes; a tool on a terminal shows them.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<ByteCounts>);

#[derive(Debug, Default)]
struct ByteCounts {
    total: std::sync::atomic::AtomicU64,
    done: std::sync::atomic::AtomicU64,
}

impl Progress {
    /// Adds to the expected bytes.
    pub fn expect(&self, bytes: u64) {
        self.0.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds to the processed bytes.
    pub fn advance(&self, bytes: u64) {
        self.0.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the processed and the expected bytes.
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
    fn damage_of_attributes_can_be_tolerated_alone() {
        let damage = || Error::new(ErrorKind::Corrupt, "odd");
        let alone = Damage::tolerated_in_attributes();
        assert!(alone.meet(damage()).is_err());
        assert!(alone.meet_lost(damage()).is_err());
        assert!(alone.meet_attribute(damage(), "/v").is_ok());
        assert_eq!(
            (alone.take().len(), alone.take_owners()),
            (1, vec!["/v".to_owned()])
        );
        assert!(Damage::default().meet_attribute(damage(), "/v").is_err());
        let unsupported = Error::new(ErrorKind::Unsupported, "odd");
        assert!(alone.meet_attribute(unsupported, "/v").is_err());
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
