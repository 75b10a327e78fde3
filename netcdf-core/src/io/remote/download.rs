//! A completely downloaded file, and the files beside it on the server.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::source::{HEAD, RemoteObject, below, missing};
use super::wait::wait;
use super::web::{First, Web};
use super::{Objects as _, below as prefix};
use crate::error::{Error, ErrorKind, Result};
use crate::io::file::FileSource;
use crate::io::source::Source;

/// The maximum number of cached files per directory. Each file needs a temporary file.
const MOST: usize = 64;

/// A copy in an unnamed temporary file.
#[derive(Debug)]
pub(super) struct Downloaded {
    copy: FileSource,
    /// The directory of the first opened file. `None` if the address has no directory.
    folder: Option<Arc<ServerDirectory>>,
    /// The prefix for keys of files beside this file.
    place: String,
}

/// A directory on a server.
#[derive(Debug)]
struct ServerDirectory {
    web: Arc<Web>,
    /// The opened files. No file is downloaded twice.
    opened: Mutex<BTreeMap<String, Arc<dyn Source>>>,
}

impl Downloaded {
    /// Wraps the copy of a file in the directory `folder`.
    pub(super) fn new(copy: FileSource, folder: Option<Arc<Web>>) -> Self {
        let folder = folder.map(|web| {
            let opened = Mutex::default();
            Arc::new(ServerDirectory { web, opened })
        });
        let place = String::new();
        Self {
            copy,
            folder,
            place,
        }
    }
}

impl ServerDirectory {
    /// Opens a file, unless it is open.
    fn get(&self, key: &str) -> Result<Arc<dyn Source>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = opened.get(key) {
            return Ok(Arc::clone(file));
        }
        let file = self.open(key)?;
        if opened.len() < MOST {
            opened.insert(key.to_owned(), Arc::clone(&file));
        }
        Ok(file)
    }

    /// The directory for a cached file. Its own cache is empty, to avoid a reference cycle.
    fn again(&self) -> Self {
        Self {
            web: Arc::clone(&self.web),
            opened: Mutex::default(),
        }
    }

    /// Opens a file: by range requests if the server supports them, and otherwise as a copy.
    fn open(&self, key: &str) -> Result<Arc<dyn Source>> {
        let web = &self.web;
        match wait(web.first_of(key, HEAD))? {
            First::Part(Some(first)) => {
                let object = RemoteObject::new(Arc::clone(web) as Arc<_>, key, first);
                Ok(Arc::new(object))
            }
            First::Part(None) => Err(missing(&**web, key)),
            First::NoRanges { .. } => {
                let (copy, ..) = web.whole_of(key)?;
                let copy = FileSource::from_file(&web.address(key), copy)?;
                let folder = key.rsplit_once('/').map_or("", |(folder, _)| folder);
                Ok(Arc::new(Downloaded {
                    copy,
                    folder: Some(Arc::new(self.again())),
                    place: prefix(folder),
                }))
            }
        }
    }
}

impl Source for Downloaded {
    fn name(&self) -> &Arc<str> {
        self.copy.name()
    }

    fn len(&self) -> u64 {
        self.copy.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.copy.read_at(offset, buf)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        self.copy.read_ranges(ranges)
    }

    fn sibling(&self, name: &Path, _outside: bool) -> Result<Arc<dyn Source>> {
        let failed = |what: String| Error::new(ErrorKind::Unsupported, what).of(self.name());
        let shown = name.display();
        let Some(below) = below(name) else {
            let what = format!("the file {shown} is outside the directory of this file");
            return Err(failed(what));
        };
        let Some(folder) = &self.folder else {
            let what =
                format!("cannot read the file {shown}: the address of this file has no directory");
            return Err(failed(what).with_remedy("download both, and use their paths"));
        };
        folder.get(&format!("{}{below}", self.place))
    }

    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        Some((Arc::clone(self.name()), range.start))
    }

    fn has_changed(&self) -> bool {
        self.copy.has_changed()
    }

    fn as_file(&self) -> Option<Arc<std::fs::File>> {
        self.copy.as_file()
    }
}
