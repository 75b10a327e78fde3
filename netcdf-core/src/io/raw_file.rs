//! The system calls on a file that is changed in place, as a trait, so that tests can record them and make them fail.

use std::fmt::Debug;
use std::io::Result;
use std::sync::Arc;
use std::time::SystemTime;

/// An open file with an exclusive lock. The only implementation besides tests is in `io::file`.
pub trait RawFile: Debug + Send + Sync {
    /// The name for messages: the path.
    fn name(&self) -> &Arc<str>;

    /// Returns the current length and modification time.
    ///
    /// # Errors
    /// Returns system errors.
    fn stamp(&self) -> Result<RawStamp>;

    /// Fills `buf` with the bytes at `offset`.
    ///
    /// # Errors
    /// Returns `UnexpectedEof` past the end, and system errors.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()>;

    /// Writes `bytes` at `offset`. A write past the end extends the file.
    ///
    /// # Errors
    /// Returns system errors.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()>;

    /// Sets the length in bytes.
    ///
    /// # Errors
    /// Returns system errors.
    fn set_len(&self, len: u64) -> Result<()>;

    /// Waits until the disk has all earlier writes (`fsync`).
    ///
    /// # Errors
    /// Returns system errors. The state of the disk is then unknown.
    fn sync(&self) -> Result<()>;

    /// Returns the state of the file like [`RawFile::stamp`]; `None` if the path does not name this file any more.
    fn stamp_at_path(&self) -> Option<RawStamp>;

    /// Lets other processes take a shared lock, which is necessary to replace the file by a rename.
    fn share_lock(&self);
}

/// The state of a file that a program without locks may have changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RawStamp {
    /// The length in bytes.
    pub len: u64,
    /// The modification time, if the system has one.
    pub modified: Option<SystemTime>,
}
