//! Bytes being written.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::{Source, Store};
use crate::arithmetic::{Amount, exact};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};

/// The unit that systems copy within their cache, if it is aligned alike in both files.
pub const PAGE: u64 = 4 << 10;

/// Bytes written by position that become visible as a whole on [`Target::commit`]; a dropped target leaves
/// nothing. Bytes never written read as zero.
pub trait Target: Debug + Send {
    /// Name for messages: path or URL of the output.
    fn name(&self) -> &Arc<str>;

    /// Writes `bytes` from byte `offset` on.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()>;

    /// Reads back from byte `offset` on; zeros where nothing was written.
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
    /// Those of reading and writing.
    fn copy_from(&mut self, source: &dyn Source, range: Range<u64>, offset: u64) -> Result<()> {
        copy_by_buffer(self, source, &range, offset)
    }

    /// A second handle that writes to the same bytes; `None` if only one can.
    fn hand(&self) -> Option<Arc<dyn Hand>> {
        None
    }

    /// What has been written so far; nothing may be written while it is read.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] for targets that cannot be read as a whole;
    /// [`crate::ErrorKind::Io`].
    fn written(&mut self) -> Result<Arc<dyn Source>> {
        let what = "output there cannot be read back";
        Err(Error::new(ErrorKind::Unsupported, what).of(self.name()))
    }

    /// Makes the bytes visible under the target's name, as a whole.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`]; the old target then stays as it was.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// Writes to a [`Target`] from several threads at once.
pub trait Hand: Debug + Send + Sync {
    /// Writes `bytes` from byte `offset` on. Writes of several threads must not overlap.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()>;
}

/// A store being written, which becomes visible as a whole on [`StoreTarget::commit`]; a dropped target leaves
/// nothing.
pub trait StoreTarget: Debug + Send {
    /// The store to put keys into, each once. They can be read back.
    fn store(&self) -> &Arc<dyn Store>;

    /// What has been put so far, reopened if possible; nothing may be put while it is read.
    ///
    /// # Errors
    /// Those of opening.
    fn written(&mut self) -> Result<Arc<dyn Store>> {
        Ok(Arc::clone(self.store()))
    }

    /// Makes the keys visible under the target's name, as a whole.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`]; the old target then stays as it was.
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

/// Copies `range` of `source` to byte `offset` through a buffer.
///
/// # Errors
/// Those of reading and writing.
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
