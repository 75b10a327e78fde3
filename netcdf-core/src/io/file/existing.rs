//! Existing files whose bytes are overwritten, because a rename cannot replace them.
//!
//! The output is created elsewhere under no name, synced, given a name, and then copied into the existing file. The copy is not atomic: if
//! it fails or the process is killed, the finished output keeps its name.

use std::fs::{File, Metadata};
use std::io::Result as IoResult;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::id::FileId;
use super::obstacle::{self, Obstacle};
use super::positions::{read_exact_at, write_all_at};
use super::unnamed::UnnamedFile;
use super::{full, space, temporary, writers};
use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, Result};
use crate::notes::{Note, Notes};

/// Rules for an output in place of an existing file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Replacement<'n> {
    /// A file with several names (hard links) keeps all of them: its bytes are overwritten, which is not atomic.
    pub keep_links: bool,
    /// The maximum size of the output in bytes, if known.
    pub at_most: Option<u64>,
    /// Receives notes about files that are not replaced atomically. Without it, such a file is an error.
    pub notes: Option<&'n Notes>,
}

/// Bytes that are copied at a time.
const PIECE: usize = 1 << 20;

/// An existing file to overwrite, and the output elsewhere.
#[derive(Debug)]
pub(super) struct ExistingFile {
    /// The existing file.
    path: PathBuf,
    /// The identity of the existing file when the output was started.
    id: Option<FileId>,
    obstacle: Obstacle,
    making: UnnamedFile,
}

impl ExistingFile {
    /// Starts an output of `at_most` bytes for the existing file `path`.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if no directory has space for the output.
    pub(super) fn new(
        path: &Path,
        obstacle: Obstacle,
        at_most: Option<u64>,
    ) -> Result<(Self, File)> {
        let (making, file) = elsewhere(path, at_most)?;
        let name = path.to_string_lossy();
        restrict(&file).map_err(|e| full::failed("cannot create", &name, e))?;
        let existing = Self {
            path: path.to_owned(),
            id: FileId::of_path(path),
            obstacle,
            making,
        };
        Ok((existing, file))
    }

    /// The directory of the output until it is complete.
    pub(super) fn folder(&self) -> &Path {
        super::names::folder(self.making.path())
    }

    /// Notes that the output is not replaced atomically. The note is urgent, because nothing can be printed if the process is killed.
    pub(super) fn tell(&self, name: &str, notes: &Notes) {
        let made = self.making.path().display();
        let note = Note {
            object: name.to_owned(),
            what: format!(
                "{}: the finished output is copied into the file, which is not atomic; if the copy fails or is killed, the output is in {made}",
                self.obstacle.reason()
            ),
            remedy: None,
        };
        match self.obstacle {
            // The user requested this.
            Obstacle::Links => notes.urgent_remark(note),
            Obstacle::Mount | Obstacle::Directory | Obstacle::AppendOnly | Obstacle::Sticky => {
                notes.urgent(note);
            }
        }
    }

    /// Copies the finished output into the existing file. If that fails, the output stays where it was made, and the error names it.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::Busy`].
    pub(super) fn finish(self, name: &str, file: &File, sync: Option<&Disk>) -> Result<()> {
        let Self {
            path, id, making, ..
        } = self;
        let made = making.finish_unannounced(file);
        let made = made.map_err(|e| full::failed("cannot write", name, e))?;
        // After a power cut the finished output must still have its name.
        let named = sync.map_or(Ok(()), |disk| disk.folder(super::names::folder(&made)));
        let named =
            named.map_err(|e| Error::io("cannot write the output's directory to disk", name, e));
        let copied = named.and_then(|()| overwrite((&path, id), (name, file), sync));
        copied.map_err(|e| {
            let made = made.display();
            e.with_remedy(format!("the finished output is in {made}"))
        })?;
        std::fs::remove_file(&made).map_err(|e| {
            let what = "the output is complete, but its temporary copy cannot be removed";
            Error::io(what, &made.to_string_lossy(), e)
        })
    }
}

/// The error for a file that a rename cannot replace, where it must be replaced by one.
pub(super) fn refused(name: &str, obstacle: Obstacle, e: Option<std::io::Error>) -> Error {
    match e {
        Some(e) => full::failed("cannot create", name, e)
            .with_remedy("it is replaced as a whole, so its directory must be writable"),
        None => Error::new(ErrorKind::Unsupported, obstacle.reason()).of(name),
    }
}

/// Notes that other names of a file that a rename replaces keep the old content.
///
/// # Errors
/// The error of [`Notes::check`].
pub(super) fn tell_links(name: &str, links: u64, notes: Option<&Notes>) -> Result<()> {
    let Some(notes) = notes.filter(|_| links > 1) else {
        return Ok(());
    };
    let others = match links - 1 {
        1 => "1 other name (hard link) keeps".to_owned(),
        n => format!("{n} other names (hard links) keep"),
    };
    notes.say(Note {
        object: name.to_owned(),
        what: format!("{others} the old content, because the file is replaced"),
        remedy: Some("use --keep-links to overwrite the file under all its names".to_owned()),
    });
    notes.check()
}

/// Starts a file in the best directory for it.
fn elsewhere(path: &Path, at_most: Option<u64>) -> Result<(UnnamedFile, File)> {
    let mut last = None;
    for folder in space::directories(path, at_most) {
        match UnnamedFile::new(&folder.join(complete_name(path))) {
            Ok(made) => return Ok(made),
            Err(e) => last = Some(e),
        }
    }
    let e = last.unwrap_or_else(|| std::io::ErrorKind::StorageFull.into());
    let e = Error::io(
        "no directory has space for a temporary output",
        &path.to_string_lossy(),
        e,
    );
    Err(e.with_remedy("set TMPDIR to a directory with enough space"))
}

/// The name of a finished output beside or instead of its target. No run takes it for a leftover.
fn complete_name(path: &Path) -> std::ffi::OsString {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    if name.len() > 200 {
        name = "output".into();
    }
    name.push(format!(".{}.complete", temporary::random_letters()));
    name
}

/// Lets only the owner read a file: the existing file may have permissions that the directory of the output does not have.
fn restrict(file: &File) -> IoResult<()> {
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Overwrites an existing file with the bytes of `file`. The caller adds the remedy.
fn overwrite(
    (path, id): (&Path, Option<FileId>),
    (name, file): (&str, &File),
    sync: Option<&Disk>,
) -> Result<()> {
    let failed = |e| Error::io("cannot write", name, e);
    let _lock = writers::refuse(path)?;
    let out = obstacle::open(path).map_err(failed)?;
    let old = out.metadata().map_err(failed)?;
    if !old.is_file() || id != FileId::of_open(path, &old) {
        let what = "another program replaced the file meanwhile";
        return Err(Error::new(ErrorKind::Busy, what).of(name));
    }
    let len = file.metadata().map_err(failed)?.len();
    if let Err(e) = reserve(&out, (path, &old), len) {
        // Returns reserved blocks. The bytes are unchanged.
        let _ = out.set_len(old.len());
        return Err(failed(e));
    }
    copy(file, &out, len).map_err(failed)?;
    let synced = sync.map_or(Ok(()), |disk| disk.open_file(path, &out));
    synced.map_err(|e| Error::io("cannot write to disk", name, e))
}

/// Checks that an existing file can grow to `len` bytes, before a byte of it is changed.
#[cfg(target_os = "linux")]
fn reserve(out: &File, (path, old): (&Path, &Metadata), len: u64) -> IoResult<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    match fallocate(out, FallocateFlags::KEEP_SIZE, 0, len) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::NODEV) => {
            is_free(path, old, len)
        }
        done => Ok(done?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, (path, old): (&Path, &Metadata), len: u64) -> IoResult<()> {
    is_free(path, old, len)
}

/// Checks that the file system has the bytes by which a file grows.
fn is_free(path: &Path, old: &Metadata, len: u64) -> IoResult<()> {
    let more = (Amount::of(len) - old.len()).get();
    match space::free(path).is_some_and(|free| free < more) {
        true => Err(std::io::ErrorKind::StorageFull.into()),
        false => Ok(()),
    }
}

/// Copies the first `len` bytes. A signal does not stop it, because half a file is useless.
fn copy(from: &File, to: &File, len: u64) -> IoResult<()> {
    let mut buf = vec![0; PIECE];
    let mut at = 0;
    while at < len {
        let size = Amount::of(len - at).count().min(buf.len());
        let piece = buf.get_mut(..size).unwrap_or_default();
        read_exact_at(from, piece, at)?;
        write_all_at(to, piece, at)?;
        at += size as u64;
    }
    to.set_len(len)
}
