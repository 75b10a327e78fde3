//! The storage layer: sources and targets of bytes.
//!
//! A [`Source`] or [`Target`] is a file (classic formats, HDF5, HDF4), and a [`Store`] is a set of keys (Zarr). Reads are positioned and
//! use no memory maps. If a file shrinks during a read, the read returns an error instead of a crash.

pub mod address;
pub(crate) mod blocks;
pub mod claimed;
pub mod commit_check;
mod concurrency;
pub mod deferred;
pub mod dir;
pub mod file;
pub mod foreign_format;
pub(crate) mod head;
pub mod invalid_entries;
pub mod key;
pub mod key_reads;
pub mod lease;
pub mod locator;
pub mod memory;
pub mod memory_store;
pub(crate) mod merge;
pub mod network;
pub mod patched;
pub(crate) mod prefetch;
pub mod raw_file;
pub mod reference;
pub mod references;
#[cfg(feature = "remote")]
pub(crate) mod remote;
#[cfg(not(feature = "remote"))]
#[path = "no_remote.rs"]
pub(crate) mod remote;
pub mod request_counter;
pub(crate) mod request_limit;
#[cfg(test)]
pub(crate) mod rounds;
pub mod siblings;
pub mod source;
pub(crate) mod spans;
pub(crate) mod stdout;
pub mod store;
#[cfg(test)]
pub(crate) mod suite;
pub mod sums;
pub mod target;
pub mod trace;
mod tree;
pub mod trial_file;
pub mod zip;

pub use source::Source;
pub use store::Store;
pub use target::{ConcurrentWriter, StoreTarget, Target};

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};

/// An opened input dataset.
#[derive(Debug, Clone)]
pub enum Container {
    /// A file, an object, or bytes in memory.
    Source(Arc<dyn Source>),
    /// A key-value store.
    Store(Arc<dyn Store>),
}

impl Container {
    /// The name for messages.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        match self {
            Self::Source(s) => s.name(),
            Self::Store(s) => s.name(),
        }
    }

    /// Records keys that are read from now on ([`Store::watch`]). A file does not need a record, because it has one state.
    pub fn watch(&self, reads: &Arc<key_reads::KeyReads>) {
        match self {
            Self::Source(_) => {}
            Self::Store(store) => store.watch(reads),
        }
    }

    /// Returns a text that changes with the content ([`Source::state`], [`Store::state`]). `None` if the store has no such text.
    ///
    /// # Errors
    /// Returns I/O errors of the store.
    pub fn state(&self) -> Result<Option<String>> {
        match self {
            Self::Source(source) => Ok(Some(source.state())),
            Self::Store(store) => store.state(),
        }
    }
}

/// An output dataset.
#[derive(Debug)]
pub enum Output {
    /// A file, an object, or bytes in memory.
    Target(Box<dyn Target>),
    /// A key-value store.
    Store(Box<dyn StoreTarget>),
}

impl Output {
    /// The name for messages.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        match self {
            Self::Target(t) => t.name(),
            Self::Store(s) => s.store().name(),
        }
    }

    /// Returns the written data. The caller must not write while it reads this data.
    ///
    /// # Errors
    /// Returns the errors of [`Target::written`] and [`StoreTarget::written`].
    pub fn written(&mut self) -> Result<Container> {
        match self {
            Self::Target(target) => target.written().map(Container::Source),
            Self::Store(target) => target.written().map(Container::Store),
        }
    }

    /// Makes the output visible atomically.
    ///
    /// # Errors
    /// Returns the errors of [`Target::commit`] and [`StoreTarget::commit`].
    pub fn commit(self) -> Result<()> {
        match self {
            Self::Target(target) => target.commit(),
            Self::Store(target) => target.commit(),
        }
    }

    /// Returns the file, for formats that need a file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a store.
    pub fn target(self, format: &str) -> Result<Box<dyn Target>> {
        match self {
            Self::Target(target) => Ok(target),
            Self::Store(s) => {
                let what = format!("a {format} dataset is a file, not a set of keys");
                Err(Error::new(ErrorKind::Argument, what).of(s.store().name()))
            }
        }
    }

    /// Returns the store, for formats that need a store.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a file.
    pub fn store(self, format: &str) -> Result<Box<dyn StoreTarget>> {
        match self {
            Self::Store(store) => Ok(store),
            Self::Target(t) => {
                let what = format!("a {format} dataset is a set of keys, not a file");
                Err(Error::new(ErrorKind::Argument, what).of(t.name()))
            }
        }
    }
}

impl From<Box<dyn Target>> for Output {
    fn from(target: Box<dyn Target>) -> Self {
        Self::Target(target)
    }
}

impl<T: Target + 'static> From<Box<T>> for Output {
    fn from(target: Box<T>) -> Self {
        Self::Target(target)
    }
}

impl From<Box<dyn StoreTarget>> for Output {
    fn from(store: Box<dyn StoreTarget>) -> Self {
        Self::Store(store)
    }
}
