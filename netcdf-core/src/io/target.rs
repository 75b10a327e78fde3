//! A run of bytes in the making.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::{Source, Store};
use crate::error::{Error, ErrorKind, Result};

/// Bytes written by position that become visible as a whole on [`Target::commit`]; a target that
/// is dropped leaves nothing. Bytes never written read as zero.
pub trait Target: Debug + Send {
    /// Name for messages: path or URL of what is being made.
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

    /// Copies a range of a source to byte `offset`, within the kernel where it can.
    ///
    /// # Errors
    /// Those of reading and writing.
    fn copy_from(&mut self, source: &dyn Source, range: Range<u64>, offset: u64) -> Result<()> {
        copy_by_buffer(self, source, &range, offset)
    }

    /// A hand that writes to the same bytes beside this one; `None` where only one can.
    fn hand(&self) -> Option<Arc<dyn Hand>> {
        None
    }

    /// What was written so far, to be read while nothing is written.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] for targets that cannot be read as a whole;
    /// [`crate::ErrorKind::Io`].
    fn written(&mut self) -> Result<Arc<dyn Source>> {
        let what = "what is written there cannot be read back";
        Err(Error::new(ErrorKind::Unsupported, what).of(self.name()))
    }

    /// Makes the bytes visible under the target's name, as a whole.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`]; the old target then stands as it was.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// Writes to a [`Target`] from several threads at once.
pub trait Hand: Debug + Send + Sync {
    /// Writes `bytes` from byte `offset` on. What several threads write has no byte in common.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()>;
}

/// A store in the making, that becomes visible as a whole on [`StoreTarget::commit`]; a target that is dropped
/// leaves nothing.
pub trait StoreTarget: Debug + Send {
    /// Where keys are put, each once. What was put can be read back.
    fn store(&self) -> &Arc<dyn Store>;

    /// What was put so far, opened anew where that is possible, to be read while nothing is put any more.
    ///
    /// # Errors
    /// Those of opening.
    fn written(&mut self) -> Result<Arc<dyn Store>> {
        Ok(Arc::clone(self.store()))
    }

    /// Makes the keys visible under the target's name, as a whole.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`]; the old target then stands as it was.
    fn commit(self: Box<Self>) -> Result<()>;
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
        let left = usize::try_from(range.end - done).unwrap_or(usize::MAX);
        let size = left.min(buf.len());
        let part = buf.get_mut(..size).unwrap_or_default();
        source.read_at(done, part)?;
        target.write_at(offset.saturating_add(done - range.start), part)?;
        done = done.saturating_add(size as u64);
    }
    Ok(())
}
