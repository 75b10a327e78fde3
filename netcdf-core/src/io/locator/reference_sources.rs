//! Opens the sources of references, by the rules for files beside a dataset.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Location;
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::{Address, Service};
use crate::io::file::FileSource;
use crate::io::network::Network;
use crate::io::references::SourceOpener;
use crate::io::siblings::{self, SiblingAccess};
use crate::io::{Source, remote};
use crate::notes::Notes;
use crate::shown::ShownAddress;

/// Opens sources. By default, a source must be in or below the directory of the references: downloaded references must not read files such
/// as `/etc/passwd`, and must not send requests to other hosts.
#[derive(Debug)]
pub(super) struct ReferenceOpener {
    /// The references, or a file beside them.
    pub beside: Arc<dyn Source>,
    /// The address of remote references.
    pub address: Option<Address>,
    /// The path of local references.
    pub path: Option<PathBuf>,
    pub siblings: SiblingAccess,
    pub notes: Arc<Notes>,
    pub network: Arc<Network>,
}

impl ReferenceOpener {
    /// Opens a local source.
    fn local(&self, path: &Path) -> Result<Arc<dyn Source>> {
        if path.is_absolute() && self.address.is_some() {
            return match self.siblings.outside {
                true => Ok(Arc::new(FileSource::open(path)?)),
                false => Err(outside(&path.to_string_lossy(), self.beside.name())),
            };
        }
        let name = self.below_folder(path).unwrap_or_else(|| path.to_owned());
        let name = name.to_string_lossy();
        siblings::open(&*self.beside, name.as_bytes(), &self.siblings)
    }

    /// Returns an absolute path relative to the directory of the references, if the path is below the directory.
    fn below_folder(&self, path: &Path) -> Option<PathBuf> {
        let folder = self.path.as_deref()?.parent()?;
        let folder = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        let absolute = std::path::absolute(folder).ok()?;
        let real = std::fs::canonicalize(folder).ok()?;
        let below = path.strip_prefix(&absolute);
        let below = below.or_else(|_| path.strip_prefix(&real)).ok()?;
        Some(below.to_owned())
    }

    /// Opens a remote source.
    fn remote(&self, address: &Address) -> Result<Arc<dyn Source>> {
        let inside = self
            .address
            .as_ref()
            .is_some_and(|refs| is_beside(refs, address));
        if !self.siblings.outside && !inside {
            return Err(outside(&address.short(), self.beside.name()));
        }
        let source = remote::source(address, &self.notes, &self.network)?;
        let name = ShownAddress::new(source.name());
        self.siblings.opened.add(name.text(), &source.state())?;
        Ok(source)
    }
}

/// The error for a source outside the directory of the references.
fn outside(source: &str, references: &str) -> Error {
    let source = ShownAddress::new(source);
    let what = format!(
        "the references lead to {}, outside of their directory",
        source.text()
    );
    let e = Error::new(ErrorKind::Unsupported, what).of(references);
    e.with_remedy("use --allow-external to open it")
}

/// Checks whether an object is in or below the directory of remote references.
fn is_beside(refs: &Address, object: &Address) -> bool {
    let (refs, object) = match (&refs.service, &object.service) {
        (Service::Web { url: refs }, Service::Web { url: object }) => {
            (refs.as_str(), object.as_str())
        }
        (a, b) if a == b => (refs.key.as_str(), object.key.as_str()),
        _ => return false,
    };
    let folder = refs.rsplit_once('/').map_or("", |(folder, _)| folder);
    let rest = match folder {
        "" => Some(object),
        folder => object
            .strip_prefix(folder)
            .and_then(|rest| rest.strip_prefix('/')),
    };
    rest.is_some_and(|rest| !rest.split('/').any(|part| part == ".."))
}

impl SourceOpener for ReferenceOpener {
    fn open(&self, url: &str) -> Result<Arc<dyn Source>> {
        let location = Location::of_program(url)?;
        match location.remote() {
            Some(address) => self.remote(address),
            None => self.local(location.path()),
        }
    }

    fn is_remote(&self, url: &str) -> bool {
        match url.split_once("://") {
            Some((protocol, _)) => !protocol.eq_ignore_ascii_case("file"),
            None => self.address.is_some(),
        }
    }
}
