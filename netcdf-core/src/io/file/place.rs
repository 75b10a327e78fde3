//! Resolves output paths.

use std::fs::File;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

/// The end of a path after all symbolic links.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PathEnd {
    /// A path, which may or may not exist.
    Path(PathBuf),
    /// An open file of a process, such as `/proc/self/fd/1` or `/dev/fd/1`.
    Descriptor(PathBuf),
}

/// Resolves `path`. Names of open files look like links but are not followed, because other processes may write to the same open file.
///
/// # Errors
/// Returns an error for a cycle of links.
pub(crate) fn resolve(path: &Path) -> Result<PathEnd> {
    let mut at = path.to_path_buf();
    for _ in 0..40 {
        if is_descriptor(&at) {
            return Ok(PathEnd::Descriptor(at));
        }
        match std::fs::read_link(&at) {
            Ok(to) => at = at.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(PathEnd::Path(at)),
        }
    }
    Err(Error::other("too many levels of symbolic links"))
}

/// Checks for names of open files: entries of `/dev/fd` or `/proc/<process>/fd`.
fn is_descriptor(path: &Path) -> bool {
    let number = path.file_name().and_then(|n| n.to_str());
    if number.is_none_or(|n| n.parse::<u32>().is_err()) {
        return false;
    }
    let dir = path.parent().unwrap_or(Path::new(""));
    let real = std::fs::canonicalize(dir).unwrap_or_default();
    dir == Path::new("/dev/fd") || (real.starts_with("/proc") && real.ends_with("fd"))
}

/// Opens the file of a [`PathEnd::Descriptor`] for writing. Standard output and error are written at their current offset. A regular file
/// opened by number is written from its start.
///
/// # Errors
/// Returns errors of opening the file.
pub(crate) fn open_descriptor(path: &Path) -> Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let dir = path.parent().map(std::fs::canonicalize);
        // A thread (`/proc/thread-self/fd`) shares the files of its process.
        let process = Path::new("/proc").join(std::process::id().to_string());
        let is_own = |dir: PathBuf| dir.starts_with(&process) && dir.ends_with("fd");
        let own = path.starts_with("/dev/fd") || dir.is_some_and(|d| d.is_ok_and(is_own));
        match path.file_name().and_then(|n| n.to_str()).filter(|_| own) {
            Some("1") => return crate::io::stdout::stdout(),
            Some("2") => return Ok(std::io::stderr().as_fd().try_clone_to_owned()?.into()),
            Some(_) | None => {}
        }
    }
    let regular = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    File::options().write(true).truncate(regular).open(path)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn names_of_open_files_are_not_followed() {
        let stdout = PathEnd::Descriptor("/proc/self/fd/1".into());
        assert_eq!(resolve(Path::new("/dev/stdout")).unwrap(), stdout);
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("l");
        std::os::unix::fs::symlink("/dev/fd/3", &link).unwrap();
        let three = PathEnd::Descriptor("/dev/fd/3".into());
        assert_eq!(resolve(&link).unwrap(), three);
    }

    #[test]
    fn other_links_are() {
        let dir = tempfile::tempdir().unwrap();
        let (link, end) = (dir.path().join("l"), dir.path().join("fd").join("1"));
        std::os::unix::fs::symlink("fd/1", &link).unwrap();
        assert_eq!(resolve(&link).unwrap(), PathEnd::Path(end));
    }
}
