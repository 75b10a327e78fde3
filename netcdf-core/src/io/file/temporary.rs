//! Temporary names beside an output, `.NAME.??????.tmp`, and removal of leftovers with such a name.
//!
//! A run locks its temporary file. The next run with the same output removes an unlocked temporary file, because its run was killed. Two
//! conditions make this safe. The last letters of the name are computed from the first letters, so other programs do not create such a
//! name. And the file system is local, so that locks of all processes are visible.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Result;
use std::path::{Path, PathBuf};

use super::exclusive::{self, Sharing, locks_are_sure};
use super::names::{folder, prefix};
use super::references::open_itself;
use crate::error::is_too_many;

/// The number of random letters in a name. Equally many letters are computed.
const CHOSEN: usize = 3;
const FOLLOW: usize = 3;
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SUFFIX: &str = ".tmp";
/// The suffix of a directory that contains a replaced directory ([`super::swap`]).
pub(super) const REPLACED: &str = ".was";

/// Creates a file or directory beside `path` under an unused name, with the permissions `mode`, and locks it. `make` gets a builder for the
/// name, and the directory.
///
/// # Errors
/// Returns errors of `make`.
pub(in crate::io) fn beside<T: AsRef<Path>>(
    path: &Path,
    mode: u32,
    make: impl Fn(&tempfile::Builder, &Path) -> Result<T>,
) -> Result<(T, Lock)> {
    named(path, (mode, SUFFIX), make, |_| random())
}

/// Like [`beside`], with predictable names, so that [`sweep_first`] finds leftovers without listing the directory.
///
/// # Errors
/// Returns errors of `make`.
pub(in crate::io) fn beside_first<T: AsRef<Path>>(
    path: &Path,
    mode: u32,
    make: impl Fn(&tempfile::Builder, &Path) -> Result<T>,
) -> Result<(T, Lock)> {
    named(path, (mode, SUFFIX), make, |attempt| {
        match attempt < FIRST {
            true => attempt,
            false => random(),
        }
    })
}

/// Like [`beside`], with the suffix [`REPLACED`].
///
/// # Errors
/// Returns errors of `make`.
pub(super) fn beside_replaced<T: AsRef<Path>>(
    path: &Path,
    make: impl Fn(&tempfile::Builder, &Path) -> Result<T>,
) -> Result<(T, Lock)> {
    named(path, (0o700, REPLACED), make, |_| random())
}

/// Random letters for a name.
pub(super) fn random_letters() -> String {
    letters(&mut random(), 2 * CHOSEN)
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Creates a file or directory under an unused name and locks it. `number` returns the number for the letters of each attempt.
fn named<T: AsRef<Path>>(
    path: &Path,
    (mode, suffix): (u32, &str),
    make: impl Fn(&tempfile::Builder, &Path) -> Result<T>,
    number: impl Fn(u64) -> u64,
) -> Result<(T, Lock)> {
    let mut last = None;
    for attempt in 0..64 {
        let name = name(path, number(attempt), suffix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&name).suffix("").rand_bytes(0);
        permit(&mut builder, mode);
        let made = make(&builder, folder(path));
        let made = made.and_then(|made| Ok((Lock::at(made.as_ref())?, made)));
        match made {
            // Another process may have removed the file as a leftover before it was locked.
            Ok((lock, made)) if lock.is_of(made.as_ref()) => return Ok((made, lock)),
            Ok(_) => {}
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => last = Some(e),
            Err(e) => return Err(e),
        }
    }
    Err(last.unwrap_or_else(|| std::io::Error::other("no name is free for a temporary file")))
}

#[cfg(unix)]
fn permit(builder: &mut tempfile::Builder, mode: u32) {
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
}

#[cfg(not(unix))]
fn permit(_: &mut tempfile::Builder, _: u32) {}

/// A temporary name for the output `path`.
fn name(path: &Path, mut number: u64, suffix: &str) -> OsString {
    let mut name = prefix(path);
    let chosen = letters(&mut number, CHOSEN);
    let end = follow(&name, &chosen);
    name.push(chosen);
    name.push(end);
    name.push(suffix);
    name
}

fn letters(number: &mut u64, count: usize) -> String {
    let mut letter = || {
        let n = usize::try_from(*number % 62).unwrap_or(0);
        *number /= 62;
        char::from(LETTERS.get(n).copied().unwrap_or(b'0'))
    };
    (0..count).map(|_| letter()).collect()
}

/// The computed letters of a name, the same in every run and version (FNV-1a).
fn follow(prefix: &OsStr, chosen: &str) -> String {
    let bytes = prefix.as_encoded_bytes().iter().chain(chosen.as_bytes());
    let mut sum = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    sum ^= sum >> 32;
    letters(&mut sum, FOLLOW)
}

/// Checks whether [`name`] generates this name from the prefix and suffix.
fn is_ours(name: &OsStr, (prefix, suffix): (&OsStr, &str)) -> bool {
    let rest = name.as_encoded_bytes();
    let rest = rest.strip_prefix(prefix.as_encoded_bytes());
    let rest = rest.and_then(|rest| rest.strip_suffix(suffix.as_bytes()));
    let Some(letters) = rest.and_then(|rest| std::str::from_utf8(rest).ok()) else {
        return false;
    };
    let parts = letters.split_at_checked(CHOSEN);
    parts.is_some_and(|(chosen, end)| end.len() == FOLLOW && end == follow(prefix, chosen))
}

/// A lock on a temporary file or directory. `None` if the file cannot be opened: then other processes cannot remove it either.
#[derive(Debug)]
pub(in crate::io) struct Lock(Option<File>);

impl Lock {
    /// Locks the file or directory at `path`.
    ///
    /// # Errors
    /// Returns an error if another process has locked the file to remove it, or if too many files are open.
    pub(in crate::io) fn at(path: &Path) -> Result<Self> {
        let file = match open_itself(path) {
            Ok(file) => file,
            Err(e) if is_too_many(&e) => return Err(e),
            Err(_) => return Ok(Self(None)),
        };
        match lock(&file) {
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {
                Err(std::io::ErrorKind::AlreadyExists.into())
            }
            // Some file systems have no locks. Where locks are unreliable, no process removes leftovers.
            Ok(()) | Err(_) => Ok(Self(Some(file))),
        }
    }

    /// Checks whether `path` still leads to the locked file.
    fn is_of(&self, path: &Path) -> bool {
        let Some(file) = &self.0 else {
            // The file could not be opened, perhaps because it was removed.
            return path.symlink_metadata().is_ok();
        };
        exclusive::is_at(file, path)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            exclusive::unlock(file);
        }
    }
}

fn lock(file: &File) -> Result<()> {
    exclusive::try_lock(file, Sharing::Exclusive)
}

/// The number of names that [`beside_first`] tries before random ones.
const FIRST: u64 = 4;

/// The maximum number of directory entries to scan. Leftovers in larger directories stay.
const MOST: usize = 20_000;

/// Removes leftovers of killed runs beside `path`. Failures to remove are ignored.
pub(in crate::io) fn sweep(path: &Path) {
    if locks_are_sure(folder(path)) {
        left(path, SUFFIX).iter().for_each(|path| remove(path));
    }
}

/// Removes leftovers beside `path`, except entries locked by a running process. The caller has the right to remove all entries of the
/// directory. Failures to remove are ignored.
pub(in crate::io) fn clear(path: &Path) {
    for left in left(path, SUFFIX) {
        let locked = |e: std::io::Error| e.kind() == std::io::ErrorKind::WouldBlock;
        match open_itself(&left) {
            Ok(file) if lock(&file).is_err_and(locked) => {}
            Ok(file) => remove_unlocked(&left, &file),
            Err(_) => {}
        }
    }
}

/// Removes leftovers with the names that [`beside_first`] tries first. Failures to remove are ignored.
pub(in crate::io) fn sweep_first(path: &Path) {
    let above = folder(path);
    for number in 0..FIRST {
        let left = above.join(name(path, number, SUFFIX));
        if left.symlink_metadata().is_ok() && locks_are_sure(above) {
            remove(&left);
        }
    }
}

/// The entries beside `path` with the temporary names of these tools.
pub(super) fn left(path: &Path, suffix: &str) -> Vec<PathBuf> {
    let prefix = prefix(path);
    let Ok(entries) = std::fs::read_dir(folder(path)) else {
        return vec![];
    };
    let entries = entries.take(MOST).flatten();
    entries
        .filter(|entry| is_ours(&entry.file_name(), (&prefix, suffix)))
        .map(|entry| entry.path())
        .collect()
}

pub(super) fn remove(path: &Path) {
    let Ok(file) = open_itself(path) else {
        return;
    };
    if lock(&file).is_ok() {
        remove_unlocked(path, &file);
    }
}

fn remove_unlocked(path: &Path, file: &File) {
    let _ = match file.metadata() {
        Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(path),
        Ok(meta) if meta.is_file() => std::fs::remove_file(path),
        Ok(_) | Err(_) => Ok(()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_themselves() {
        let path = Path::new("d/a.nc");
        let one = name(path, random(), SUFFIX);
        let text = one.to_str().unwrap();
        assert!(text.starts_with(".a.nc.") && text.ends_with(".tmp") && text.len() == 16);
        let ours = |name: &str| is_ours(OsStr::new(name), (&prefix(path), SUFFIX));
        assert!(ours(text));
        for other in [
            ".a.nc.backup.tmp",
            ".a.nc.tmp",
            ".a.nc.old.tmp",
            "a.nc",
            ".b.nc.123456.tmp",
        ] {
            assert!(!ours(other), "{other}");
        }
        assert_eq!(
            follow(OsStr::new(".x."), "abc"),
            follow(OsStr::new(".x."), "abc")
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_nobody_holds_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        if !locks_are_sure(dir.path()) {
            eprintln!("nothing is removed on this file system: test skipped");
            return;
        }
        let path = dir.path().join("s.zarr");
        let make = |builder: &tempfile::Builder, folder: &Path| {
            let path = builder.tempdir_in(folder)?.keep();
            std::fs::write(path.join("0"), "x")?;
            Ok(path)
        };
        let (living, held) = beside(&path, 0o777, make).unwrap();
        let (left, _) = beside(&path, 0o777, make).unwrap();
        let backup = dir.path().join(".s.zarr.backup.tmp");
        std::fs::create_dir(&backup).unwrap();
        sweep(&path);
        assert!(living.exists() && backup.exists() && !left.exists());
        drop(held);
        sweep(&path);
        assert!(!living.exists());
    }
}
