//! A file being written. It has no name if the system allows that, so no leftover remains after a kill. Otherwise it has a temporary name
//! beside the output.

use std::fs::File;
use std::io::Result;
use std::path::{Path, PathBuf};

use super::exclusive::locks_are_sure;
use super::names::folder;
use super::temporary::{self, Lock};

/// A file being written. Drop removes it.
#[derive(Debug)]
pub(super) struct UnnamedFile {
    /// The final name.
    path: PathBuf,
    /// The temporary name, if the file has one.
    temp: Option<TemporaryName>,
}

/// A temporary name, removed on drop, and the lock that marks it as in use.
#[derive(Debug)]
struct TemporaryName {
    path: tempfile::TempPath,
    _lock: Lock,
}

impl UnnamedFile {
    /// Creates an empty file that can become `path`.
    ///
    /// # Errors
    /// Returns errors of creating the file.
    pub(super) fn new(path: &Path) -> Result<(Self, File)> {
        let path = path.to_owned();
        temporary::sweep_first(&path);
        if let Some(file) = unwatched(&path).or_else(|| without_name(folder(&path))) {
            return Ok((Self { path, temp: None }, file));
        }
        temporary::sweep(&path);
        let (file, temp) = named(&path, |builder, folder| builder.tempfile_in(folder))?;
        let temp = Some(temp);
        Ok((Self { path, temp }, file))
    }

    /// The final name.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives `file` its final name, and replaces an existing file. Programs that watch the directory see one event of the final name (see
    /// [`close_name`]).
    ///
    /// # Errors
    /// Returns errors of the file system. An existing file then keeps the name.
    pub(super) fn finish(self, file: &File) -> Result<PathBuf> {
        let is_new = self.temp.is_none() && link(file, &self.path).is_ok();
        match is_new {
            true => {
                close_name(&self.path);
                Ok(self.path)
            }
            false => self.finish_unannounced(file),
        }
    }

    /// Like [`UnnamedFile::finish`], but programs that wait for a file to be closed do not see the new file.
    ///
    /// # Errors
    /// Returns the errors of [`UnnamedFile::finish`].
    pub(super) fn finish_unannounced(self, file: &File) -> Result<PathBuf> {
        let temp = match self.temp {
            Some(temp) => temp,
            // Linking fails if a file has the name.
            None if link(file, &self.path).is_ok() => return Ok(self.path),
            None => linked(&self.path, file).or_else(|_| copied(&self.path, file))?,
        };
        temp.path.persist(&self.path).map_err(|e| e.error)?;
        Ok(self.path)
    }
}

/// Creates a file without a name in a directory that is removed at once. Programs that watch the directory of `path` see no events of the
/// file, not even that it is closed (inotify then reports names such as `#123`).
fn unwatched(path: &Path) -> Option<File> {
    // On other file systems, unnamed files or their events are impossible.
    if !locks_are_sure(folder(path)) {
        return None;
    }
    let make = |builder: &tempfile::Builder, folder: &Path| builder.tempdir_in(folder);
    let (made, _lock) = temporary::beside_first(path, 0o700, make).ok()?;
    without_name(made.path())
}

/// Opens a new file for writing and closes it. Programs that wait for a file to be closed (`CLOSE_WRITE`) then see the complete file.
/// Failures are ignored.
fn close_name(path: &Path) {
    let _ = super::obstacle::open(path);
}

/// Gives a file a temporary name beside its final name. A link cannot replace a file, but a rename can.
fn linked(path: &Path, file: &File) -> Result<TemporaryName> {
    let make = |builder: &tempfile::Builder, folder: &Path| {
        builder.make_in(folder, |path| link(file, path))
    };
    let (made, lock) = temporary::beside_first(path, 0o666, make)?;
    let path = made.into_parts().1;
    Ok(TemporaryName { path, _lock: lock })
}

/// Copies the file to a temporary name, on systems that cannot name an unnamed file.
fn copied(path: &Path, mut file: &File) -> Result<TemporaryName> {
    let (mut made, temp) = named(path, |builder, folder| builder.tempfile_in(folder))?;
    std::io::Seek::rewind(&mut file)?;
    std::io::copy(&mut file, &mut made)?;
    super::permissions::copy(&made, file)?;
    made.sync_all()?;
    Ok(temp)
}

/// Creates a file with a temporary name beside `path`.
fn named<R>(
    path: &Path,
    make: impl Fn(&tempfile::Builder, &Path) -> Result<tempfile::NamedTempFile<R>>,
) -> Result<(R, TemporaryName)> {
    let (made, lock) = temporary::beside(path, 0o666, make)?;
    let (made, path) = made.into_parts();
    Ok((made, TemporaryName { path, _lock: lock }))
}

/// Creates an unnamed file that can be named later. `None` if the file system does not support that.
#[cfg(target_os = "linux")]
fn without_name(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666)).ok()?;
    let file = File::from(file);
    // A sandbox may hide this path. Without it the file cannot be named.
    descriptor(&file).exists().then_some(file)
}

/// The path of an open file of this process.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives an unnamed file a name.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> Result<()> {
    use rustix::fs::{AtFlags, CWD};
    rustix::fs::linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn without_name(_: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(dir: &Path) -> Vec<String> {
        let list = std::fs::read_dir(dir).unwrap();
        list.map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// Tests both methods on any file system.
    #[test]
    fn a_file_gets_its_name_at_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.nc");
        let (file, temp) = named(&path, |builder, folder| builder.tempfile_in(folder)).unwrap();
        let seen = names(dir.path());
        assert!(
            seen[0].starts_with(".a.nc.") && seen[0].ends_with(".tmp"),
            "{seen:?}"
        );
        let temp = Some(temp);
        let with_name = UnnamedFile {
            path: path.clone(),
            temp,
        };
        for (making, mut file) in [(with_name, file), UnnamedFile::new(&path).unwrap()] {
            write!(file, "new").unwrap();
            assert_eq!(making.finish(&file).unwrap(), path);
            assert_eq!(names(dir.path()), ["a.nc"]);
            assert_eq!(std::fs::read(&path).unwrap(), b"new");
            std::fs::write(&path, "old").unwrap();
        }
    }

    #[test]
    fn a_file_that_gets_no_name_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.nc");
        let mut file = tempfile::tempfile().unwrap();
        write!(file, "new").unwrap();
        let temp = copied(&path, &file).unwrap();
        temp.path.persist(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(names(dir.path()), ["a.nc"]);
    }

    /// A process that is killed between link and rename leaves a temporary name.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_next_run_removes_what_a_killed_one_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.nc");
        let unnamed = || without_name(dir.path()).filter(|_| locks_are_sure(dir.path()));
        let Some(files) = (0..3).map(|_| unnamed()).collect::<Option<Vec<_>>>() else {
            eprintln!("this file system has no files without names, or no locks: test skipped");
            return;
        };
        let mut named = files.iter().map(|file| linked(&path, file).unwrap());
        for mut left in named.by_ref().take(2).collect::<Vec<_>>() {
            left.path.disable_cleanup(true);
        }
        assert_eq!(names(dir.path()).len(), 2);
        let living = named.next().unwrap();
        let (making, file) = UnnamedFile::new(&path).unwrap();
        assert_eq!(names(dir.path()).len(), 1);
        making.finish(&file).unwrap();
        drop(living);
        assert_eq!(names(dir.path()), ["a.nc"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn without_a_name_nothing_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        if without_name(dir.path()).is_none() {
            eprintln!("this file system has no files without names: test skipped");
            return;
        }
        let (making, _file) = UnnamedFile::new(&dir.path().join("a.nc")).unwrap();
        assert!(names(dir.path()).is_empty());
        drop(making);
        assert!(names(dir.path()).is_empty());
    }
}
