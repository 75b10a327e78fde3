//! What tools name on their command lines: inputs and outputs by path, `-` for the standard ones.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::file::{FileSource, FileTarget, full};
use super::{Container, Target};
use crate::error::{Error, Result};

/// Opens an input: a path, or `-` for `stdin`, which is spooled to a temporary file.
///
/// # Errors
/// [`crate::ErrorKind::Io`].
pub fn input(path: &Path, stdin: &mut dyn Read) -> Result<Container> {
    let source = if path == Path::new("-") {
        spool("(stdin)", stdin)?
    } else {
        open(path)?
    };
    Ok(Container::Source(Arc::new(source)))
}

/// A path as a source; what has no length (a pipe) is spooled to a temporary file.
fn open(path: &Path) -> Result<FileSource> {
    let name = path.to_string_lossy();
    let mut file = File::open(path).map_err(|e| Error::io("cannot open", &name, e))?;
    let meta = file
        .metadata()
        .map_err(|e| Error::io("cannot open", &name, e))?;
    if meta.is_file() || meta.is_dir() {
        return FileSource::from_file(&name, file).map(|f| f.found_at(path));
    }
    spool(&name, &mut file)
}

/// All of `from` in a temporary file without a name.
///
/// # Errors
/// [`crate::ErrorKind::Io`].
pub fn spool(name: &str, from: &mut dyn Read) -> Result<FileSource> {
    let failed = |e| full::failed_temporary("cannot read", name, e);
    let mut file = tempfile::tempfile().map_err(failed)?;
    std::io::copy(from, &mut file).map_err(failed)?;
    file.rewind().map_err(failed)?;
    FileSource::from_file(name, file)
}

/// An output under `path`.
///
/// # Errors
/// [`crate::ErrorKind::Io`].
pub fn output(path: &Path, sync: bool) -> Result<Box<dyn Target>> {
    Ok(Box::new(FileTarget::create(path, sync)?))
}
