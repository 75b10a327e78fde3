//! Files that a dataset refers to, relative to the dataset's directory.

use std::fs::File;
use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// The resolved path of the file `name` in the directory `folder`. Links must not lead outside the directory unless `outside` is set: a
/// downloaded dataset may contain links to any file.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for a link that leads outside, and [`ErrorKind::Io`].
pub(super) fn resolve(folder: &Path, name: &Path, outside: bool) -> Result<PathBuf> {
    let path = folder.join(name);
    let shown = path.to_string_lossy();
    let failed = |e| Error::io("cannot open", &shown, e);
    let real = std::fs::canonicalize(&path).map_err(failed)?;
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    if outside || real.starts_with(std::fs::canonicalize(folder).map_err(failed)?) {
        return Ok(real);
    }
    let what = format!(
        "the dataset refers to this link, which leads out of its directory, to {}",
        real.display()
    );
    let e = Error::new(ErrorKind::Unsupported, what).of(&shown);
    Err(e.with_remedy("use --allow-external to follow it"))
}

/// Opens a regular file. `path` is a resolved path, so no links are followed. Does not block on a pipe.
///
/// # Errors
/// Returns errors of opening the file, and an error if it is not a regular file.
pub(super) fn open(path: &Path) -> std::io::Result<File> {
    let file = open_itself(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let what = match kind.is_dir() {
        true => "it is a directory, not a file",
        false => "it is a pipe or device, not a file",
    };
    Err(std::io::Error::new(Failure::InvalidInput, what))
}

/// Opens a path without following a link in the last part. Does not block on a pipe.
///
/// # Errors
/// Returns errors of opening the file.
pub(in crate::io) fn open_itself(path: &Path) -> std::io::Result<File> {
    if cfg!(not(unix)) && path.is_symlink() {
        return Err(Failure::InvalidInput.into());
    }
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}
