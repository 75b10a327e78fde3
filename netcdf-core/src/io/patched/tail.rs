//! The new data behind the old end of a file.

use std::sync::Arc;

use crate::arithmetic::{Amount, exact};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Target;
use crate::io::raw_file::{RawFile, RawStamp};

/// The bytes of a file from `base`, as a target for buffered writes.
#[derive(Debug)]
pub(super) struct FileTail<'a> {
    pub(super) raw: &'a dyn RawFile,
    /// The old length of the file.
    pub(super) base: u64,
    /// The state of the file after the last write of ours.
    pub(super) stamp: &'a mut RawStamp,
    /// Whether the file was compared with `stamp` directly before the next write.
    pub(super) is_checked: bool,
}

/// Returns the error for a file that another program changed.
pub(super) fn changed(name: &Arc<str>) -> Error {
    let what = "another process changed the dataset since it was opened";
    let e = Error::new(ErrorKind::Changed, what).of(name);
    e.with_remedy("open the dataset again, and repeat the change")
}

/// Checks that no other program changed the file since the last write.
pub(super) fn check_stamp(raw: &dyn RawFile, stamp: &RawStamp) -> Result<()> {
    let now = raw.stamp();
    let now = now.map_err(|e| Error::io("cannot read", raw.name(), e))?;
    match now == *stamp {
        true => Ok(()),
        false => Err(changed(raw.name())),
    }
}

/// Records the state of the file after a write.
pub(super) fn renew(raw: &dyn RawFile, stamp: &mut RawStamp) -> Result<()> {
    let now = raw.stamp();
    *stamp = now.map_err(|e| Error::io("cannot read", raw.name(), e))?;
    Ok(())
}

impl Target for FileTail<'_> {
    fn name(&self) -> &Arc<str> {
        self.raw.name()
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        if !std::mem::take(&mut self.is_checked) {
            check_stamp(self.raw, self.stamp)?;
        }
        let written = self.raw.write_at((exact(self.base) + offset).get()?, bytes);
        // A failed write may have written a part.
        let renewed = renew(self.raw, self.stamp);
        written.map_err(|e| crate::io::file::full::failed("cannot write", self.raw.name(), e))?;
        renewed
    }

    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let at = (exact(self.base) + offset).get()?;
        buf.fill(0);
        let have = (Amount::of(self.stamp.len) - at).count().min(buf.len());
        let part = buf.get_mut(..have).or_internal("a part of a buffer")?;
        if part.is_empty() {
            return Ok(());
        }
        let read = self.raw.read_at(at, part);
        read.map_err(|e| Error::io("cannot read", self.raw.name(), e))
    }

    fn set_len(&mut self, _: u64) -> Result<()> {
        Err(Error::internal("the length of new data"))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        Err(Error::internal("new data is committed with its file"))
    }
}
