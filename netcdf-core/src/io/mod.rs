//! Where bytes come from and go to: the storage layer.
//!
//! [`Source`] and [`Target`] are files (classic formats, HDF5, HDF4), [`Store`] is a set of keys
//! (Zarr). Positioned reads, no memory maps: a file that shrinks while it is read is an error,
//! not a crash.

pub mod blocks;
pub mod file;
pub mod held;
pub mod locator;
pub mod memory;
pub mod merge;
pub mod siblings;
pub mod source;
pub mod spans;
pub mod stdout;
pub mod store;
pub mod target;

pub use source::Source;
pub use store::Store;
pub use target::Target;

use std::sync::Arc;

/// What a dataset is read from.
#[derive(Debug, Clone)]
pub enum Container {
    /// A file, or something like one.
    Source(Arc<dyn Source>),
    /// A set of keys.
    Store(Arc<dyn Store>),
}

impl Container {
    /// Name for messages.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        match self {
            Self::Source(s) => s.name(),
            Self::Store(s) => s.name(),
        }
    }
}
