//! Where datasets are.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use crate::io::memory::MemoryTarget;
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::{Container, Output, StoreTarget, file, locator};
use crate::model::Kind;

/// Where a dataset is, or is to be.
#[derive(Debug)]
pub(super) enum Place {
    /// Under a path, to which it can be written again and again.
    Path(PathBuf),
    /// In something that can be written once, unless it was; locked, as it is not for several threads.
    Once(Mutex<Option<Output>>, String),
    /// In something that is read only.
    Container(String),
}

impl Place {
    /// Name for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Path(path) => path.to_string_lossy().into_owned(),
            Self::Once(_, name) | Self::Container(name) => name.clone(),
        }
    }

    /// The path, if it has one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Once(..) | Self::Container(_) => None,
        }
    }

    /// Where temporary files are made.
    pub(super) fn scratch(&self) -> Option<PathBuf> {
        self.path().and_then(file::beside)
    }

    /// What to write a dataset to.
    pub(super) fn output(&mut self, sync: bool) -> Result<Output> {
        match self {
            Self::Path(path) => Ok(locator::output(path, sync)?.into()),
            Self::Once(output, name) => {
                let output = output.get_mut().unwrap_or_else(PoisonError::into_inner);
                output.take().ok_or_else(|| {
                    let what = "the output was written, which can be done once";
                    Error::new(ErrorKind::Unsupported, what).of(name)
                })
            }
            Self::Container(name) => {
                let what = "the dataset has no place to be written to";
                Err(Error::new(ErrorKind::ReadOnly, what).of(name))
            }
        }
    }
}

/// Opens what is under a path.
pub(super) fn open(path: &Path) -> Result<Container> {
    locator::input(path, &mut std::io::empty())
}

/// An output of a kind that is forgotten.
pub(super) fn nowhere(kind: Kind) -> Output {
    match kind {
        Kind::Zarr(_) => {
            let store = Arc::new(MemoryStore::new("(memory)"));
            let target: Box<dyn StoreTarget> = Box::new(MemoryStoreTarget::new(store).0);
            target.into()
        }
        Kind::Classic | Kind::Offset64 | Kind::Cdf5 | Kind::Netcdf4 | Kind::Netcdf4Classic => {
            Box::new(MemoryTarget::new("(memory)").0).into()
        }
    }
}
