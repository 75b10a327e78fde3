//! Files: positioned reads, and outputs created beside the target and renamed when complete.

pub(super) mod adopt;
pub(super) mod disk;
mod exclusive;
mod existing;
pub(crate) mod full;
mod id;
mod leftovers;
pub(super) mod names;
pub(super) mod obstacle;
pub(super) mod permissions;
pub(super) mod place;
mod pool;
pub(super) mod references;
pub(super) mod replace;
mod scratch;
mod space;
mod stamp;
pub(super) mod swap;
pub(super) mod temporary;
pub(super) mod unnamed;
mod writers;

pub use exclusive::{FileLock, LockAttempt, Sharing};
pub use existing::Replacement;
pub use id::{FileId, host};
pub use leftovers::{clear, is_aside, recover, sweep};
pub use scratch::Scratch;
pub use stamp::FileStamp;

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::disk::Disk;
use self::existing::ExistingFile;
use self::names::folder;
use self::obstacle::Obstacle;
use self::place::PathEnd;
use self::pool::{Handle, Pool};
use self::unnamed::UnnamedFile;
use super::merge::merge;
use super::source::{Source, present, read_range, truncated};
use super::target::{ConcurrentWriter, Target, copy_by_buffer};
use crate::arithmetic::{Amount, exact, indices, length};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};

/// A regular file, read by position.
#[derive(Debug)]
pub struct FileSource {
    name: Arc<str>,
    /// The path at which the file was opened. `None` if the process inherited an open file.
    path: Option<PathBuf>,
    handle: Handle,
    /// The pool of open files beside this file.
    beside: Arc<Pool>,
    len: u64,
    modified: Option<std::time::SystemTime>,
}

impl FileSource {
    /// Opens `path`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`], with the path.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.to_string_lossy();
        let file = File::open(path).map_err(|e| Error::io("cannot open", &name, e))?;
        Ok(Self::from_file(&name, file)?.found_at(path))
    }

    /// Sets the path, so that files beside this file can be opened.
    #[must_use]
    pub fn found_at(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// Reads an open file, with a name for messages.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    pub fn from_file(name: &str, file: File) -> Result<Self> {
        let meta = file
            .metadata()
            .map_err(|e| Error::io("cannot open", name, e))?;
        if meta.is_dir() {
            let e = std::io::Error::from(std::io::ErrorKind::IsADirectory);
            return Err(Error::io("cannot read", name, e));
        }
        Ok(Self {
            name: name.into(),
            path: None,
            handle: Handle::Open(Arc::new(file)),
            beside: Arc::default(),
            len: meta.len(),
            modified: meta.modified().ok(),
        })
    }

    /// Opens `path` in a pool, which may close the file while another file is read. `real` is the resolved path.
    fn pooled(path: &Path, real: &Path, pool: &Arc<Pool>) -> Result<Self> {
        let name = path.to_string_lossy();
        let file = references::open(real).map_err(|e| Error::io("cannot open", &name, e))?;
        let opened = Self::from_file(&name, file)?.found_at(path);
        let handle = match opened.handle {
            Handle::Open(file) => Handle::pooled(pool, real, file),
            pooled @ Handle::Pooled(_) => Ok(pooled),
        };
        let name = &opened.name;
        Ok(Self {
            handle: handle.map_err(|e| Error::io("cannot open", name, e))?,
            beside: Arc::clone(pool),
            ..opened
        })
    }
}

impl Source for FileSource {
    fn sibling(&self, name: &Path, outside: bool) -> Result<Arc<dyn Source>> {
        let folder = self.path.as_deref().and_then(Path::parent);
        let folder = folder.ok_or_else(|| {
            let what = format!("no file {} beside this source", name.display());
            Error::new(crate::ErrorKind::Unsupported, what).of(&self.name)
        })?;
        let real = references::resolve(folder, name, outside)?;
        let sibling = Self::pooled(&folder.join(name), &real, &self.beside)?;
        Ok(Arc::new(sibling))
    }

    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let file = self.handle.file()?;
        read_exact_at(&file, buf, offset).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                // The file may have been truncated.
                let len = file.metadata().map_or(self.len, |m| m.len());
                let have = len.saturating_sub(offset);
                truncated(&self.name, offset, buf.len() as u64, have)
            }
            _ => Error::io("cannot read", &self.name, e).at(&self.name, offset),
        })
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        let mut out = Vec::with_capacity(ranges.len());
        for read in merge(ranges, self.coalesce_limits()) {
            match ranges.get(read.members).or_internal("ranges of a read")? {
                [only] => out.push(read_range(self, only)?),
                members => self.read_merged(&read.range, members, &mut out)?,
            }
        }
        Ok(out)
    }

    fn has_changed(&self) -> bool {
        let now = self.handle.file().ok().and_then(|f| f.metadata().ok());
        !now.is_some_and(|m| m.len() == self.len && m.modified().ok() == self.modified)
    }

    fn state(&self) -> String {
        let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).ok();
        match self.modified.and_then(since) {
            Some(at) => {
                let (seconds, nanos) = (at.as_secs(), at.subsec_nanos());
                format!("{} bytes, changed at {seconds}.{nanos:09}", self.len)
            }
            None => format!("{} bytes", self.len),
        }
    }

    fn as_file(&self) -> Option<Arc<File>> {
        self.handle.file().ok()
    }
}

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
fn put_if(
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

/// Appends a line to a file in one call, so that lines of several processes do not mix. Does not block on a pipe.
///
/// # Errors
/// [`crate::ErrorKind::Io`].
pub fn append(path: &Path, line: &[u8]) -> Result<()> {
    let failed = |e| Error::io("cannot write", &path.to_string_lossy(), e);
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let mut file = options.open(path).map_err(failed)?;
    std::io::Write::write_all(&mut file, line).map_err(failed)
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
        return Err(wrong("not a file, but a directory, a pipe or a device"));
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

/// Syncs the name `path`, if its directory exists.
///
/// # Errors
/// The error states that the output is complete.
pub fn sync_name(path: &Path) -> Result<()> {
    let above = folder(path);
    match above.is_dir() {
        true => Disk::default().folder_above(above, &path.to_string_lossy()),
        false => Ok(()),
    }
}

impl FileSource {
    /// Reads `range` in one call, and returns the requested ranges.
    fn read_merged(
        &self,
        range: &Range<u64>,
        members: &[Range<u64>],
        out: &mut Vec<Vec<u8>>,
    ) -> Result<()> {
        for member in members {
            present(self, member)?;
        }
        let bytes = read_range(self, range)?;
        for member in members {
            let place = indices(exact(member.start) - range.start, length(member))?;
            let part = bytes.get(place).or_internal("a range outside its read")?;
            out.push(part.to_vec());
        }
        Ok(())
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buf: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buf, offset)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buf: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !buf.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, buf, offset)?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        buf = buf.get_mut(n..).unwrap_or_default();
        offset += n as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        if n == 0 {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(n..).unwrap_or_default();
        offset += n as u64;
    }
    Ok(())
}

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
    sync: Option<Disk>,
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

/// The maximum number of bytes in one write call. Larger writes make Linux use larger runs of free memory for the page cache. A virtual
/// machine may first have to get such runs from its host, which took up to ten times as long. If runs are available, they save a quarter of
/// the time.
pub(super) const PIECE: usize = 32 << 10;

/// Writes blocks that end at multiples of [`PIECE`]. Unaligned blocks take 50% longer, because the kernel then uses several small runs of
/// memory.
fn write_pieces(file: &File, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
    let (mut at, mut rest) = (offset, bytes);
    while !rest.is_empty() {
        let room = PIECE - usize::try_from(at % PIECE as u64).unwrap_or(0);
        let (piece, more) = rest.split_at(room.min(rest.len()));
        write_all_at(file, piece, at)?;
        at += piece.len() as u64;
        rest = more;
    }
    Ok(())
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

/// Copies `range` within the kernel as far as possible, and returns the number of copied bytes. The caller copies the rest. An unaligned
/// start is first copied up to a multiple of [`PIECE`], because the kernel continues in steps from the start.
#[cfg(target_os = "linux")]
fn copy_in_kernel(from: &File, to: &File, range: &Range<u64>, offset: u64) -> u64 {
    let (mut source, mut target) = (range.start, offset);
    while source < range.end {
        let whole = PIECE as u64;
        let most = match target % whole {
            0 => 1 << 30,
            begun => whole - begun,
        };
        let left = Amount::of((range.end - source).min(most)).count();
        match rustix::fs::copy_file_range(from, Some(&mut source), to, Some(&mut target), left) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
    }
    source - range.start
}

#[cfg(not(target_os = "linux"))]
fn copy_in_kernel(_: &File, _: &File, _: &Range<u64>, _: u64) -> u64 {
    0
}

/// Checks whether an output at `path` is written in place, without a named temporary file: a pipe, a device, or an open file of the
/// process.
#[must_use]
pub fn in_place(path: &Path) -> bool {
    match place::resolve(path) {
        Ok(PathEnd::Path(real)) => {
            std::fs::metadata(real).is_ok_and(|m| !m.is_file() && !m.is_dir())
        }
        Ok(PathEnd::Descriptor(_)) => true,
        Err(_) => false,
    }
}

/// Returns the path of an output. `-` is standard output.
#[must_use]
pub fn or_stdout(path: &Path) -> PathBuf {
    match path.as_os_str() == "-" {
        true => PathBuf::from("/dev/stdout"),
        false => path.to_owned(),
    }
}

/// The resolved path of an output, the same for all paths that lead to the same file. The file may be missing.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    let to = match place::resolve(path) {
        Ok(PathEnd::Path(to) | PathEnd::Descriptor(to)) => to,
        Err(_) => path.to_owned(),
    };
    match (std::fs::canonicalize(folder(&to)), to.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        (Ok(_) | Err(_), _) => to,
    }
}

/// The directory for temporary files of an output: the output's directory, unless the output is written in place or no file can be created
/// in the directory.
#[must_use]
pub fn beside(output: &Path) -> Option<PathBuf> {
    let usable = !in_place(output) && obstacle::may_create(folder(output));
    output.parent().filter(|_| usable).map(Path::to_path_buf)
}

/// Checks whether `output` and `input` are the same, or one is inside the other. Writing the output would then damage the input, or put the
/// output inside it.
#[must_use]
pub fn overlap(input: &Path, output: &Path) -> bool {
    let input = input_path(input);
    same_file(input, output) || within(input, output) || within(output, input)
}

/// The path of an input. `-` is standard input, which may be a file.
#[must_use]
pub fn input_path(input: &Path) -> &Path {
    match input == Path::new("-") {
        true => Path::new("/dev/stdin"),
        false => input,
    }
}

/// Checks whether `path` is below the directory `folder`. The last part of `path` may be missing.
#[must_use]
pub fn within(path: &Path, folder: &Path) -> bool {
    let real = std::fs::canonicalize(path).or_else(|_| {
        let above = std::fs::canonicalize(names::folder(path))?;
        Ok::<_, std::io::Error>(above.join(path.file_name().unwrap_or_default()))
    });
    let folder = std::fs::canonicalize(folder);
    real.is_ok_and(|real| folder.is_ok_and(|folder| real != folder && real.starts_with(folder)))
}

/// The number of names (hard links) of the file at `path`, or 1 if unknown.
#[must_use]
pub fn names(path: &Path) -> u64 {
    #[cfg(unix)]
    let names =
        std::fs::metadata(path).map_or(1, |meta| std::os::unix::fs::MetadataExt::nlink(&meta));
    #[cfg(not(unix))]
    let names = path.exists().into();
    names
}

/// Checks whether two paths lead to the same file, through any links.
#[must_use]
pub fn same_file(a: &Path, b: &Path) -> bool {
    FileId::of_path(a).is_some_and(|id| FileId::of_path(b) == Some(id))
}

#[cfg(test)]
mod tests;
