//! Locations of datasets on command lines.

use std::path::{Path, PathBuf};

use super::modes::Modes;
use super::url::{self, UrlTarget};
use crate::error::Result;
use crate::io::address::Address;

/// The location of a dataset: standard input or output, a path, or a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    named: PathBuf,
    path: PathBuf,
    remote: Option<Address>,
    /// The modes in the fragment of a URL.
    modes: Option<Modes>,
    standard: bool,
}

impl Location {
    /// Parses a command-line argument: a path, a URL, or `-` for standard input or output.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for OPeNDAP servers, [`ErrorKind::Argument`](crate::ErrorKind::Argument)
    /// for unknown URLs.
    pub fn new(named: impl AsRef<Path>) -> Result<Self> {
        let named = named.as_ref();
        let standard = named == Path::new("-");
        let (place, modes) = match url::parse(named)? {
            Some(url) => (url.place, Some(url.modes)),
            None => (UrlTarget::Local(named.to_owned()), None),
        };
        let (path, remote) = match place {
            UrlTarget::Local(path) => (path, None),
            UrlTarget::Remote(address) => (PathBuf::from(address.short()), Some(address)),
        };
        Ok(Self {
            named: named.to_owned(),
            path,
            remote,
            modes,
            standard,
        })
    }

    /// Parses a location from a program: a path or a URL. `-` is a path.
    ///
    /// # Errors
    /// Returns the errors of [`Location::new`].
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

    /// A local path, even if it looks like a URL.
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

    /// The original name, for messages.
    #[must_use]
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// The local path, `-` for standard input or output, or the short form of a remote address.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The address of remote data.
    #[must_use]
    pub fn remote(&self) -> Option<&Address> {
        self.remote.as_ref()
    }

    /// Whether this is standard input or output.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        self.standard
    }

    /// The modes of a URL. `None` for paths.
    pub(super) fn modes(&self) -> Option<&Modes> {
        self.modes.as_ref()
    }
}
