//! Writable bytes.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::{Source, Store};
use crate::arithmetic::{Amount, exact};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};

/// The unit of copies within the system's cache, if both offsets are aligned.
pub const PAGE: u64 = 4 << 10;

/// Bytes written by position that become visible atomically on [`Target::commit`]. Dropping the target removes them. Unwritten bytes read
/// as zero.
pub trait Target: Debug + Send {
    /// The name for messages: the path or URL of the output.
    fn name(&self) -> &Arc<str>;

    /// Writes `bytes` at `offset`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()>;

    /// Reads written bytes at `offset`. Unwritten bytes are zero.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> Result<()>;

    /// Sets the length in bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn set_len(&mut self, len: u64) -> Result<()>;

    /// Copies a range of a source to byte `offset`, within the kernel if possible.
    ///
    /// # Errors
    /// Returns errors of reading and writing.
    fn copy_from(&mut self, source: &dyn Source, range: Range<u64>, offset: u64) -> Result<()> {
        copy_by_buffer(self, source, &range, offset)
    }

    /// Returns a handle for writes from other threads, or `None` if the target has none.
    fn concurrent_writer(&self) -> Option<Arc<dyn ConcurrentWriter>> {
        None
    }

    /// Returns the written bytes. The caller must not write while it reads them.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Unsupported`] for targets that cannot be read back, and [`crate::ErrorKind::Io`].
    fn written(&mut self) -> Result<Arc<dyn Source>> {
        let what = "output there cannot be read back";
        Err(Error::new(ErrorKind::Unsupported, what).of(self.name()))
    }

    /// Makes the bytes visible under the target's name, atomically.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Io`]. The old target then stays unchanged.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// Writes to a [`Target`] from several threads.
pub trait ConcurrentWriter: Debug + Send + Sync {
    /// Writes `bytes` at `offset`. Concurrent writes must not overlap.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()>;
}

/// A new store, which becomes visible atomically on [`StoreTarget::commit`]. Dropping the target removes the store.
pub trait StoreTarget: Debug + Send {
    /// The store to put keys into. Each key is put once. The keys can be read back.
    fn store(&self) -> &Arc<dyn Store>;

    /// Returns the written keys, reopened if possible. The caller must not put keys while it reads them.
    ///
    /// # Errors
    /// Returns errors of opening the store.
    fn written(&mut self) -> Result<Arc<dyn Store>> {
        Ok(Arc::clone(self.store()))
    }

    /// Makes the keys visible under the target's name, atomically.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Io`]. The old target then stays unchanged.
    fn commit(self: Box<Self>) -> Result<()>;

    /// Commits like [`StoreTarget::commit`] if a check succeeds. Targets with several steps repeat the check before the last step.
    ///
    /// # Errors
    /// Returns errors of the check and of [`StoreTarget::commit`].
    fn commit_if(self: Box<Self>, check: &dyn Fn() -> Result<()>) -> Result<()> {
        check()?;
        self.commit()
    }
}

/// Copies `range` of `source` to `offset` through a buffer.
///
/// # Errors
/// Returns errors of reading and writing.
pub fn copy_by_buffer<T: Target + ?Sized>(
    target: &mut T,
    source: &dyn Source,
    range: &Range<u64>,
    offset: u64,
) -> Result<()> {
    let mut done = range.start;
    let mut buf = vec![0; if done < range.end { 1 << 20 } else { 0 }];
    while done < range.end {
        let size = Amount::of(range.end - done).count().min(buf.len());
        let part = buf.get_mut(..size).or_internal("a part of a buffer")?;
        source.read_at(done, part)?;
        target.write_at((exact(offset) + (done - range.start)).get()?, part)?;
        done += size as u64;
    }
    Ok(())
}
