//! What is passed down to everything that opens, reads or writes: no global state.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::chunk::pool::Pool;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// The surroundings of a run, made once in `main` (or by a test) and passed down.
#[derive(Debug, Default)]
pub struct Env {
    /// What files may make us allocate.
    pub limits: Limits,
    /// Chunk filters that can be used.
    pub filters: crate::filter::Table,
    /// Threads and memory budget.
    pub pool: Pool,
    /// Reports that are not fatal.
    pub notes: Notes,
    /// Set by a signal.
    pub cancel: Cancel,
    /// Bytes done, for a progress bar.
    pub progress: Progress,
    /// Memory for chunks and bands.
    pub buffers: Arc<crate::chunk::buffers::Buffers>,
    /// Memory for jobs that want much of it.
    pub memory: Memory,
    /// Where temporary files are made; without it, where the system has them.
    pub scratch: Option<std::path::PathBuf>,
    /// Whether a dataset may name files outside of its directory.
    pub allow_external: bool,
}

impl Env {
    /// The default surroundings with this number of threads; with `None`, one a core.
    #[must_use]
    pub fn with_threads(threads: Option<NonZeroU16>) -> Self {
        let mut env = Self::default();
        if let Some(threads) = threads {
            env.pool = Pool::new(threads.get().into());
        }
        env
    }
}

/// Bytes of memory that a job may take which has to hold much data at a time, as to change the
/// shapes of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory(pub u64);

impl Default for Memory {
    fn default() -> Self {
        Self(256 << 20)
    }
}

/// A report that is not fatal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The object or resource concerned.
    pub object: String,
    /// What is to be said.
    pub what: String,
    /// The way out, if there is one.
    pub remedy: Option<String>,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.object, self.what)?;
        match &self.remedy {
            Some(remedy) => write!(f, " ({remedy})"),
            None => Ok(()),
        }
    }
}

/// The one way for a report that is not fatal. Tools print the notes; `--strict` makes them fatal.
#[derive(Debug, Default)]
pub struct Notes(Mutex<Vec<Note>>);

impl Notes {
    /// Adds a note, unless it was said already.
    pub fn say(&self, note: Note) {
        let mut notes = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Takes what was said so far, in order.
    #[must_use]
    pub fn take(&self) -> Vec<Note> {
        std::mem::take(
            &mut *self
                .0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }
}

/// Cancellation: the number of the signal that asked for it, 0 for none.
#[derive(Debug, Clone, Default)]
pub struct Cancel(pub Arc<AtomicUsize>);

impl Cancel {
    /// The signal that cancelled the run.
    #[must_use]
    pub fn signal(&self) -> Option<usize> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal),
        }
    }

    /// # Errors
    /// [`ErrorKind::Cancelled`] once a signal came.
    pub fn check(&self) -> Result<()> {
        match self.signal() {
            None => Ok(()),
            Some(n) => Err(Error::new(
                ErrorKind::Cancelled,
                format!("stopped by signal {n}"),
            )),
        }
    }
}

/// Bytes to do and done; a tool with a terminal shows them.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    total: std::sync::atomic::AtomicU64,
    done: std::sync::atomic::AtomicU64,
}

impl Progress {
    /// Adds to the bytes to do.
    pub fn expect(&self, bytes: u64) {
        self.0.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds to the bytes done.
    pub fn advance(&self, bytes: u64) {
        self.0.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes done and to do.
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
    fn notes_are_said_once() {
        let notes = Notes::default();
        let note = Note {
            object: "/v".into(),
            what: "odd".into(),
            remedy: None,
        };
        notes.say(note.clone());
        notes.say(note.clone());
        assert_eq!(notes.take(), [note]);
        assert!(notes.take().is_empty());
    }

    #[test]
    fn cancel_names_the_signal() {
        let cancel = Cancel::default();
        assert!(cancel.check().is_ok());
        cancel.0.store(15, Ordering::Relaxed);
        assert_eq!(cancel.check().unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(cancel.signal(), Some(15));
    }
}
