//! Inputs.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::url::{self, Asked, Modes};
use super::{consolidated_by_environment, local};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Container;
use crate::io::dir::{self, DirStore};
use crate::io::file::{FileSource, full};
use crate::io::source::Source;
use crate::io::store::{Hints, Store};
use crate::io::trace::Trace;

/// How inputs are opened.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Where operations on stores are said.
    pub trace: Trace,
    /// Whether links in a store may lead out of it.
    pub allow_external: bool,
}

/// Opens an input: a path, a URL, or `-` for `stdin`, which is spooled to a temporary file.
///
/// # Errors
/// As [`Access::input`].
pub fn input(named: &Path, stdin: &mut dyn Read) -> Result<Container> {
    Access::default().input(named, stdin)
}

impl Access {
    /// Opens an input: a path, a URL, or `-` for `stdin`, which is spooled to a temporary file. A path to a
    /// directory or zip file that holds Zarr metadata is a store, and so is what a URL says is one.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownFormat`] for a directory that is no store; [`ErrorKind::Io`]; as [`local`].
    pub fn input(&self, named: &Path, stdin: &mut dyn Read) -> Result<Container> {
        if named == Path::new("-") {
            return Ok(Container::Source(Arc::new(spool("(stdin)", stdin)?)));
        }
        let modes = url::parse(named)?.map(|url| url.modes).unwrap_or_default();
        let path = local(named)?;
        match modes.asked() {
            Asked::Zarr { pure } => {
                let hints = Hints {
                    pure,
                    no_xarray: modes.has("noxarray"),
                    consolidated: modes.has("consolidated") || consolidated_by_environment(),
                };
                self.store(&path, &modes, hints).map(Container::Store)
            }
            Asked::File => Ok(Container::Source(Arc::new(open(&path)?))),
            Asked::Nothing => self.any(&path),
        }
    }

    /// The store that a URL says there is.
    fn store(&self, path: &Path, _modes: &Modes, hints: Hints) -> Result<Arc<dyn Store>> {
        let store = DirStore::open(path)?.with_hints(hints);
        let store = store.allow_external(self.allow_external);
        Ok(self.trace.store(Arc::new(store)))
    }

    /// Whatever there is under a path.
    fn any(&self, path: &Path) -> Result<Container> {
        if path.is_dir() {
            if !dir::is_store(path) {
                let what = "a directory, and no Zarr store: it has no .zgroup, .zarray, .zattrs or zarr.json";
                let e = Error::new(ErrorKind::UnknownFormat, what);
                return Err(e.of(&path.to_string_lossy()));
            }
            let hints = Hints {
                consolidated: consolidated_by_environment(),
                ..Hints::default()
            };
            let store = self.store(path, &Modes::default(), hints)?;
            return Ok(Container::Store(store));
        }
        let source: Arc<dyn Source> = Arc::new(open(path)?);
        Ok(Container::Source(source))
    }
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
/// [`ErrorKind::Io`].
pub fn spool(name: &str, from: &mut dyn Read) -> Result<FileSource> {
    let failed = |e| full::failed_temporary("cannot read", name, e);
    let mut file = tempfile::tempfile().map_err(failed)?;
    std::io::copy(from, &mut file).map_err(failed)?;
    file.rewind().map_err(failed)?;
    FileSource::from_file(name, file)
}
