//! Small files in one call: files created atomically, appended lines, and files of other processes.

use std::fs::File;
use std::path::Path;

use super::positions::write_all_at;
use super::{full, temporary};
use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, Result};

/// Creates a complete file atomically. Returns false if the file exists.
///
/// # Errors
/// [`crate::ErrorKind::Io`], with the path.
pub fn put_new(path: &Path, bytes: &[u8]) -> Result<bool> {
    put_with(path, bytes, Readers::Umask)
}

/// Users that may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// All users that the umask allows.
    Umask,
    /// Only the owner: the file has mode 600. The file is not created on file systems without permissions.
    Owner,
    /// Only the owner, on file systems that have permissions.
    OwnerIfPossible,
}

/// Like [`put_new`], for a file that only `readers` may read.
///
/// # Errors
/// Returns the errors of [`put_new`], and [`crate::ErrorKind::Unsupported`] if other users could read the file.
pub fn put_with(path: &Path, bytes: &[u8], readers: Readers) -> Result<bool> {
    put_if(path, bytes, (readers, others_read))
}

/// Like [`put_with`]. `others_read` checks whether other users may read a file.
pub(super) fn put_if(
    path: &Path,
    bytes: &[u8],
    (readers, others_read): (Readers, fn(&std::fs::Metadata) -> bool),
) -> Result<bool> {
    let name = path.to_string_lossy();
    let failed = |e| full::failed("cannot create", &name, e);
    let mode = match readers {
        Readers::Umask => 0o666,
        Readers::Owner | Readers::OwnerIfPossible => 0o600,
    };
    let (made, _lock) =
        temporary::beside(path, mode, |builder, folder| builder.tempfile_in(folder))
            .map_err(failed)?;
    let meta = made.as_file().metadata().map_err(failed)?;
    if readers == Readers::Owner && others_read(&meta) {
        let what = "other users could read this file: the file system has no permissions";
        return Err(Error::new(ErrorKind::Unsupported, what).of(&name));
    }
    write_all_at(made.as_file(), bytes, 0).map_err(failed)?;
    made.as_file().sync_all().map_err(failed)?;
    let e = match made.persist_noclobber(path) {
        Ok(_) => return Ok(true),
        Err(e) => e,
    };
    match (e.error.kind(), path.symlink_metadata()) {
        (std::io::ErrorKind::AlreadyExists, _) | (_, Ok(_)) => Ok(false),
        // The file system has neither hard links nor renames that fail on an existing file. If two processes create the file at the same
        // moment, the last process wins. Callers compare the file with their own bytes.
        (
            std::io::ErrorKind::InvalidInput
            | std::io::ErrorKind::Unsupported
            | std::io::ErrorKind::PermissionDenied,
            Err(_),
        ) => e
            .file
            .persist(path)
            .map(|_| true)
            .map_err(|e| failed(e.error)),
        (_, Err(_)) => Err(failed(e.error)),
    }
}

/// Appends a line to a file in one call, so that lines of several processes do not mix.
///
/// # Errors
/// [`crate::ErrorKind::Corrupt`] for a directory, a pipe or a device; [`crate::ErrorKind::Io`].
pub fn append(path: &Path, line: &[u8]) -> Result<()> {
    let name = path.to_string_lossy();
    let failed = |e| Error::io("cannot write", &name, e);
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    // A directory, or a pipe without a reader, cannot be opened.
    let opened = options.open(path);
    let meta = match &opened {
        Ok(file) => file.metadata(),
        Err(_) => path.metadata(),
    };
    if meta.is_ok_and(|meta| !meta.is_file()) {
        return Err(not_a_file(&name));
    }
    let mut file = opened.map_err(failed)?;
    std::io::Write::write_all(&mut file, line).map_err(failed)
}

fn not_a_file(name: &str) -> Error {
    let what = "not a file, but a directory, a pipe or a device";
    Error::new(ErrorKind::Corrupt, what).of(name)
}

/// Reads a small file of another process. Pipes and devices are errors.
///
/// # Errors
/// [`crate::ErrorKind::Corrupt`] for a pipe, a device or more than `most` bytes; [`crate::ErrorKind::Io`].
pub fn read_small(path: &Path, most: u64) -> Result<Vec<u8>> {
    let name = path.to_string_lossy();
    let failed = |e| Error::io("cannot read", &name, e);
    let wrong = |what: &str| Error::new(crate::ErrorKind::Corrupt, what.to_owned()).of(&name);
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() {
        return Err(not_a_file(&name));
    }
    if meta.len() > most {
        return Err(wrong("larger than any file of this name can be"));
    }
    let mut bytes = vec![];
    std::io::Read::read_to_end(
        &mut std::io::Read::take(&file, (Amount::of(most) + 1u64).get()),
        &mut bytes,
    )
    .map_err(failed)?;
    match bytes.len() as u64 > most {
        true => Err(wrong("larger than any file of this name can be")),
        false => Ok(bytes),
    }
}

/// Whether other users may read a file.
#[cfg(unix)]
fn others_read(meta: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o077 != 0
}

/// Whether other users may read a file. On this system, only directories decide that.
#[cfg(not(unix))]
fn others_read(_: &std::fs::Metadata) -> bool {
    false
}
