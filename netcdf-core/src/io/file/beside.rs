//! Files that a dataset names, found from its directory.

use std::fs::File;
use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// Where the file `name` in the directory `folder` is, all links followed. Unless `outside` allows it, they must not lead out
/// of that directory: a dataset from elsewhere may come with links to any file.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for a link that leads out; [`ErrorKind::Io`].
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

/// Opens a regular file. `path` has no links, and gets none: it was looked at before. A pipe is not waited for.
///
/// # Errors
/// Those of opening; for what is no regular file.
pub(super) fn open(path: &Path) -> std::io::Result<File> {
    let file = open_itself(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let what = match kind.is_dir() {
        true => "it is a directory, where a file is expected",
        false => "it is a pipe or device, where a file is expected",
    };
    Err(std::io::Error::new(Failure::InvalidInput, what))
}

/// Opens a path whose last part is no link; a pipe that has no writer is not waited for.
///
/// # Errors
/// Those of opening.
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
