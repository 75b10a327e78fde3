//! The system calls on the keys of a store that is changed in place, as a trait, so that tests can record them and make them fail.

use std::fmt::Debug;
use std::io::Result;
use std::sync::Arc;

/// A store of keys with an exclusive lock. The only implementation besides tests is in `io::file`.
pub trait RawKeys: Debug + Send + Sync {
    /// The name for messages: the path.
    fn name(&self) -> &Arc<str>;

    /// Returns the bytes of a key, or `None` for a missing key.
    ///
    /// # Errors
    /// Returns system errors.
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>>;

    /// Adds bytes at the end of a key. A missing key is created, with its directories.
    ///
    /// # Errors
    /// Returns system errors.
    fn append(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// Gives the key `from` the name `to`, atomically. The new key replaces an old one and keeps its permissions. Missing directories are
    /// created.
    ///
    /// # Errors
    /// Returns system errors.
    fn rename(&self, from: &str, to: &str) -> Result<()>;

    /// Removes a key, if it exists.
    ///
    /// # Errors
    /// Returns system errors.
    fn remove(&self, key: &str) -> Result<()>;

    /// Removes a directory with all keys, if it exists.
    ///
    /// # Errors
    /// Returns system errors.
    fn remove_folder(&self, folder: &str) -> Result<()>;

    /// Returns whether a key can be replaced by a rename: it is missing or a regular file, and no directory above it is a link.
    fn is_plain(&self, key: &str) -> bool;

    /// Waits until the disk has the bytes of these keys and the entries of these directories (`fsync`). The root directory is empty.
    /// Missing directories are skipped.
    ///
    /// # Errors
    /// Returns system errors. The state of the disk is then unknown.
    fn sync(&self, keys: &[String], folders: &[String]) -> Result<()>;

    /// Returns whether the path still names this store.
    fn is_at_path(&self) -> bool;

    /// Lets this process replace the store. Other writers are still refused.
    fn share_lock(&self);
}
