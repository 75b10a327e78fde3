//! Where a dataset is, as users say it.

use std::path::{Path, PathBuf};

use super::modes::Modes;
use super::url::{self, UrlTarget};
use crate::error::Result;
use crate::io::address::Address;

/// Where a dataset is: standard input or output, a path, or a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    named: PathBuf,
    path: PathBuf,
    remote: Option<Address>,
    /// What a URL says of the dataset.
    modes: Option<Modes>,
    standard: bool,
}

impl Location {
    /// The location that a command line names: a path, a URL, or `-` for standard input or output.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for servers of OPeNDAP,
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) for unknown URLs.
    pub fn new(named: impl AsRef<Path>) -> Result<Self> {
        let named = named.as_ref();
        let standard = named == Path::new("-");
        let (place, modes) = match url::parse(named)? {
            Some(url) => (url.place, Some(url.modes)),
            None => (UrlTarget::Here(named.to_owned()), None),
        };
        let (path, remote) = match place {
            UrlTarget::Here(path) => (path, None),
            UrlTarget::Elsewhere(address) => (PathBuf::from(address.short()), Some(address)),
        };
        Ok(Self {
            named: named.to_owned(),
            path,
            remote,
            modes,
            standard,
        })
    }

    /// The location that a program names: a path, which may be `-`, or a URL.
    ///
    /// # Errors
    /// As [`Location::new`].
    pub fn of_program(named: impl AsRef<Path>) -> Result<Self> {
        let named = named.as_ref();
        match named == Path::new("-") {
            true => Self::new(Path::new(".").join(named)),
            false => Self::new(named),
        }
    }

    /// Standard input or output.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            standard: true,
            ..Self::of_path(Path::new("-"))
        }
    }

    /// A path of this machine, whatever it looks like.
    #[must_use]
    pub fn of_path(path: &Path) -> Self {
        Self {
            named: path.to_owned(),
            path: path.to_owned(),
            remote: None,
            modes: None,
            standard: false,
        }
    }

    /// The name as it was given, for messages.
    #[must_use]
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// The path on this machine; `-` for standard input or output, and a short form of the address of data on another machine.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The address, if the data is on another machine.
    #[must_use]
    pub fn remote(&self) -> Option<&Address> {
        self.remote.as_ref()
    }

    /// Whether this is standard input or output.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        self.standard
    }

    /// What a URL says; `None` for paths.
    pub(super) fn modes(&self) -> Option<&Modes> {
        self.modes.as_ref()
    }
}
