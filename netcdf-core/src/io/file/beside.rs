//! Files that a dataset refers to, relative to its directory.

use std::fs::File;
use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// The real path of the file `name` in the directory `folder`. Unless `outside` allows it, links must not lead
/// out of that directory: a dataset from elsewhere may contain links to any file.
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

/// Opens a regular file. `path` was checked before and has no links; none are followed. Does not wait for a
/// pipe.
///
/// # Errors
/// Those of opening; if it is not a regular file.
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

/// Opens a path whose last part is not a link; does not wait for the writer of a pipe.
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
