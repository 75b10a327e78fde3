//! A file as a target.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::disk::Disk;
use super::existing::{self, ExistingFile, Replacement};
use super::names::folder;
use super::obstacle::{self, Obstacle};
use super::paths::names;
use super::place::{self, PathEnd};
use super::positions::{copy_in_kernel, read_exact_at, write_pieces};
use super::source::FileSource;
use super::unnamed::UnnamedFile;
use super::{full, permissions, writers};
use crate::arithmetic::{Amount, exact};
use crate::cancel::Cancel;
use crate::error::{Error, OrInternal as _, Result};
use crate::io::source::Source;
use crate::io::target::{ConcurrentWriter, Target, copy_by_buffer};

/// What happens to the bytes when a [`FileTarget`] is committed.
#[derive(Debug)]
enum CommitMode {
    /// The new file takes the target's name.
    Rename(UnnamedFile),
    /// The bytes are copied into an existing file that cannot be replaced.
    Overwrite(ExistingFile),
    /// The bytes go through an open file that is not a regular one (a pipe, a device).
    Stream(File),
}

/// A file being written.
#[derive(Debug)]
pub struct FileTarget {
    name: Arc<str>,
    file: File,
    /// The temporary file in messages, if the bytes are in another directory until commit.
    temporary: Option<Arc<str>>,
    ending: CommitMode,
    /// `None` if the file is not synced.
    pub(super) sync: Option<Disk>,
    cancel: Cancel,
}

impl FileTarget {
    /// Creates a file that becomes `path` on commit. Until then the file has no name, or a name `.NAME.*.tmp` in the same directory on file
    /// systems without unnamed files. A symbolic link stays, and its target is replaced. An existing file passes its permissions on. If
    /// `path` is a pipe, a device, or an open file of the process (`/dev/stdout`), commit writes to it instead of replacing it.
    ///
    /// With `sync`, the data is synced before the rename.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Io`], and [`crate::ErrorKind::Busy`] for an HDF5 file that another program has open for writing, also on
    /// commit.
    pub fn create(path: &Path, sync: bool) -> Result<Self> {
        Self::create_as(path, sync, Replacement::default())
    }

    /// Like [`FileTarget::create`]. If `how` has notes, commit overwrites a file that a rename cannot replace.
    ///
    /// # Errors
    /// Returns the errors of [`FileTarget::create`], and the error of a strict note.
    pub fn create_as(path: &Path, sync: bool, how: Replacement) -> Result<Self> {
        let name = path.to_string_lossy();
        let failed = |e| full::failed("cannot create", &name, e);
        let real = match place::resolve(path).map_err(failed)? {
            PathEnd::Path(real) => real,
            PathEnd::Descriptor(path) => {
                let out = place::open_descriptor(&path).map_err(failed)?;
                return Self::through(&name, out);
            }
        };
        let old = match std::fs::metadata(&real) {
            Ok(old) => Some(old),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            // The path is impossible: the name is too long, or a file is where a directory should be.
            Err(e) => return Err(failed(e)),
        };
        if old.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(failed(std::io::ErrorKind::IsADirectory.into()));
        }
        if old.as_ref().is_some_and(|m| !m.is_file()) {
            let through = File::options().write(true).open(&real).map_err(failed)?;
            return Self::through(&name, through);
        }
        // Release the lock at once, because the copy may take long.
        writers::refuse(&real).map_err(|e| e.of(&name))?;
        let sync = sync.then(Disk::default);
        match old {
            None => {
                let (making, file) = UnnamedFile::new(&real).map_err(failed)?;
                Ok(Self::ending(&name, file, CommitMode::Rename(making), sync))
            }
            Some(old) => Self::over((&name, &real), &old, sync, how),
        }
    }

    fn ending(name: &str, file: File, ending: CommitMode, sync: Option<Disk>) -> Self {
        let temporary = match &ending {
            CommitMode::Rename(_) => None,
            CommitMode::Overwrite(existing) => Some(full::temporary(existing.folder()).into()),
            CommitMode::Stream(_) => Some(full::temporary(&std::env::temp_dir()).into()),
        };
        Self {
            name: name.into(),
            file,
            temporary,
            ending,
            sync,
            cancel: Cancel::default(),
        }
    }

    /// Starts the replacement of the existing file `real`.
    fn over(
        (name, real): (&str, &Path),
        old: &std::fs::Metadata,
        sync: Option<Disk>,
        how: Replacement,
    ) -> Result<Self> {
        let failed = |e| full::failed("cannot create", name, e);
        // Replacing a file requires write permission, like overwriting.
        obstacle::may_write(real).map_err(failed)?;
        let links = names(real);
        let obstacle = match how.keep_links && links > 1 {
            true => Some(Obstacle::Links),
            false => Obstacle::find(real, old),
        };
        let made = match obstacle {
            Some(obstacle) => Err((obstacle, None)),
            None => match UnnamedFile::new(real) {
                Err(e) if obstacle::is_closed(&e) => Err((Obstacle::Directory, Some(e))),
                made => Ok(made.map_err(failed)?),
            },
        };
        let (obstacle, e) = match made {
            Ok((making, file)) => {
                let opened = obstacle::open_to_read(real).map_err(failed)?;
                permissions::keep(name, &file, (&opened, old))?;
                existing::tell_links(name, links, how.notes)?;
                return Ok(Self::ending(name, file, CommitMode::Rename(making), sync));
            }
            Err(found) => found,
        };
        let Some(notes) = how.notes else {
            return Err(existing::refused(name, obstacle, e));
        };
        let (existing, file) = ExistingFile::new(real, obstacle, how.at_most)?;
        existing.tell(name, notes);
        notes.check()?;
        Ok(Self::ending(
            name,
            file,
            CommitMode::Overwrite(existing),
            sync,
        ))
    }

    /// Creates a temporary file. Commit copies its bytes to `out`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    pub fn through(name: &str, out: File) -> Result<Self> {
        let file = tempfile::tempfile();
        let file = file.map_err(|e| full::failed_to_make(name, e))?;
        Ok(Self::ending(name, file, CommitMode::Stream(out), None))
    }

    /// Sets the cancellation token. After cancellation, commit fails, also during a long sync.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    fn failed(&self, what: &str, e: std::io::Error) -> Error {
        failed(&self.name, self.temporary.as_deref(), (what, e))
    }
}

fn failed(name: &str, temporary: Option<&str>, (what, e): (&str, std::io::Error)) -> Error {
    match temporary {
        None => full::failed(what, name, e),
        Some(temporary) => full::failed_elsewhere(what, (temporary, name), e),
    }
}

/// A concurrent writer to an unfinished file.
#[derive(Debug)]
struct SharedFile {
    name: Arc<str>,
    file: File,
    temporary: Option<Arc<str>>,
}

impl ConcurrentWriter for SharedFile {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let wrote = write_pieces(&self.file, offset, bytes);
        wrote.map_err(|e| failed(&self.name, self.temporary.as_deref(), ("cannot write", e)))
    }
}

impl Target for FileTarget {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let wrote = write_pieces(&self.file, offset, bytes);
        wrote.map_err(|e| self.failed("cannot write", e))
    }

    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let len = self
            .file
            .metadata()
            .map_err(|e| self.failed("cannot read", e))?
            .len();
        buf.fill(0);
        let have = Amount::of(len) - offset;
        let part = buf.len().min(have.count());
        let part = buf.get_mut(..part).or_internal("a part of a buffer")?;
        read_exact_at(&self.file, part, offset).map_err(|e| self.failed("cannot read", e))
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.file
            .set_len(len)
            .map_err(|e| self.failed("cannot write", e))
    }

    fn copy_from(&mut self, source: &dyn Source, range: Range<u64>, offset: u64) -> Result<()> {
        let done = match source.as_file() {
            Some(from) => copy_in_kernel(&from, &self.file, &range, offset),
            None => 0,
        };
        let rest = (exact(range.start) + done).get()?..range.end;
        copy_by_buffer(self, source, &rest, (exact(offset) + done).get()?)
    }

    fn concurrent_writer(&self) -> Option<Arc<dyn ConcurrentWriter>> {
        Some(Arc::new(SharedFile {
            name: Arc::clone(&self.name),
            file: self.file.try_clone().ok()?,
            temporary: self.temporary.clone(),
        }))
    }

    fn written(&mut self) -> Result<Arc<dyn Source>> {
        let file = self.file.try_clone();
        let file = file.map_err(|e| self.failed("cannot read", e))?;
        Ok(Arc::new(FileSource::from_file(&self.name, file)?))
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        if let Some(disk) = &self.sync {
            let done = disk.open_file(Path::new(&*self.name), &self.file);
            done.map_err(|e| self.failed("cannot write to disk", e))?;
        }
        self.cancel.check()?;
        let name = Arc::clone(&self.name);
        let failed = |e| full::failed("cannot write", &name, e);
        match self.ending {
            CommitMode::Rename(making) => {
                // No program may open the old file for writing until it has lost its name.
                let _lock = writers::refuse(making.path())?;
                let path = making.finish(&self.file).map_err(failed)?;
                match self.sync {
                    Some(disk) => disk.folder_above(folder(&path), &name),
                    None => Ok(()),
                }
            }
            CommitMode::Overwrite(existing) => {
                existing.finish(&name, &self.file, self.sync.as_ref())
            }
            CommitMode::Stream(mut out) => {
                std::io::Seek::rewind(&mut self.file).map_err(failed)?;
                let copied = std::io::copy(&mut self.file, &mut out);
                copied.map(|_| ()).map_err(|e| cut_off(failed(e), &name))
            }
        }
    }
}

/// Converts the error of a closed pipe. Unlike truncated text, a truncated dataset is useless, so the closed pipe is an error.
fn cut_off(e: Error, name: &str) -> Error {
    if !e.is_broken_pipe() {
        return e;
    }
    let what = "cannot write: the output pipe was closed before the end of the dataset";
    Error::new(crate::ErrorKind::Io, what).of(name)
}
