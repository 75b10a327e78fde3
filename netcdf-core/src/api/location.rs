//! Dataset locations.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format;
use crate::io::locator::{Destination, InputAccess, Location, OutputForm, OutputRequest};
use crate::io::memory::MemoryTarget;
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::trace::Trace;
use crate::io::{Container, Output, Store, StoreTarget};
use crate::model::{Kind, ZarrOptions};

/// The location of a dataset.
#[derive(Debug)]
pub(super) enum DatasetLocation {
    /// A path or URL, which can be written repeatedly.
    Named(Destination),
    /// An output that can be written once; `None` afterwards. The lock allows use from several threads.
    Once(Mutex<Option<Output>>, String),
    /// A container without write access.
    Container(String),
}

impl DatasetLocation {
    /// Returns the location of a new dataset.
    pub(super) fn new(named: &Path, asked: OutputRequest) -> Result<Self> {
        let to = Destination::resolve(&Location::of_program(named)?, asked)?;
        if to.kind != asked.kind {
            let e = Error::new(
                ErrorKind::Argument,
                "the URL selects another kind of dataset",
            );
            return Err(e.of(&named.to_string_lossy()));
        }
        Ok(Self::Named(to))
    }

    /// Returns the location of an open dataset; writing keeps the storage form.
    pub(super) fn of(named: &Path, container: &Container, kind: Kind) -> Result<Self> {
        let at = Location::of_program(named)?;
        if at.remote().is_some() {
            return Ok(Self::Container(container.name().to_string()));
        }
        let path = at.path().to_owned();
        let consolidated = match container {
            Container::Source(_) => false,
            Container::Store(store) => is_consolidated(&**store)?,
        };
        let form = match container {
            Container::Store(_) if path.is_dir() => OutputForm::Directory,
            Container::Store(_) => OutputForm::Zip {
                prefix: format::has_own_metadata(kind),
            },
            Container::Source(_) => OutputForm::File,
        };
        Ok(Self::Named(Destination {
            path,
            remote: None,
            form,
            by_name: false,
            kind: Some(kind),
            zarr: ZarrOptions {
                consolidated,
                ..ZarrOptions::default()
            },
            overwrite: false,
            keep_links: false,
            at_most: None,
        }))
    }

    /// Returns the name for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Named(to) => to.path.to_string_lossy().into_owned(),
            Self::Once(_, name) | Self::Container(name) => name.clone(),
        }
    }

    /// Returns the path of a location with a path.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Named(to) => Some(&to.path),
            Self::Once(..) | Self::Container(_) => None,
        }
    }

    /// Returns whether the location is remote.
    pub(super) fn is_remote(&self) -> bool {
        matches!(self, Self::Named(to) if to.remote.is_some())
    }

    /// Checks that a remote location is empty.
    pub(super) fn check_absent(&self, env: &Env) -> Result<()> {
        match self {
            Self::Named(to) if to.exists(&env.network)? => {
                let e = Error::new(ErrorKind::Exists, "the dataset already exists");
                Err(e.of(&self.name()))
            }
            Self::Named(_) | Self::Once(..) | Self::Container(_) => Ok(()),
        }
    }

    /// Returns the Zarr options for this location.
    pub(super) fn zarr(&self, asked: ZarrOptions) -> ZarrOptions {
        match self {
            Self::Named(to) => ZarrOptions {
                consolidated: asked.consolidated || to.zarr.consolidated,
                xarray: asked.xarray && to.zarr.xarray,
            },
            Self::Once(..) | Self::Container(_) => asked,
        }
    }

    /// Returns whether writing a new dataset here makes the opened dataset unreadable.
    pub(super) fn is_directory(&self) -> bool {
        match self {
            Self::Named(to) => to.form == OutputForm::Directory,
            Self::Once(..) | Self::Container(_) => false,
        }
    }

    /// Returns the directory for temporary files.
    pub(super) fn scratch(&self) -> Option<PathBuf> {
        match self {
            Self::Named(to) => to.scratch(),
            Self::Once(..) | Self::Container(_) => None,
        }
    }

    /// Returns the output for a dataset.
    pub(super) fn output(&mut self, sync: bool, env: &Env) -> Result<Output> {
        match self {
            Self::Named(to) => format::output(to, sync, env, &Trace::default()),
            Self::Once(output, name) => {
                let output = output.get_mut().unwrap_or_else(PoisonError::into_inner);
                output.take().ok_or_else(|| {
                    let what = "the output can be written only once";
                    Error::new(ErrorKind::Unsupported, what).of(name)
                })
            }
            Self::Container(name) => {
                let what = "the dataset has no output location";
                Err(Error::new(ErrorKind::ReadOnly, what).of(name))
            }
        }
    }
}

/// Opens the container at a path or URL.
pub(super) fn open(named: &Path, env: &Env) -> Result<Container> {
    let access = InputAccess {
        trace: Trace::default(),
        allow_external: env.siblings.outside,
        limits: env.limits.clone(),
        notes: Arc::clone(&env.notes),
        network: Arc::clone(&env.network),
        siblings: env.siblings.clone(),
        ..InputAccess::default()
    };
    access.input(&Location::of_program(named)?, &mut std::io::empty())
}

/// Returns whether a store has consolidated metadata.
fn is_consolidated(store: &dyn Store) -> Result<bool> {
    if store.size(".zmetadata")?.is_some() {
        return Ok(true);
    }
    let root = store.get("zarr.json")?.unwrap_or_default();
    let key = b"\"consolidated_metadata\"";
    Ok(root.windows(key.len()).any(|part| part == key))
}

/// Returns an output of a kind that discards all data.
pub(super) fn discarded(kind: Kind) -> Output {
    if !format::traits(kind).keys {
        return Box::new(MemoryTarget::new("(memory)").0).into();
    }
    let store = Arc::new(MemoryStore::new("(memory)"));
    let target: Box<dyn StoreTarget> = Box::new(MemoryStoreTarget::new(store).0);
    target.into()
}
