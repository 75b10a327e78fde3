//! The places of datasets.

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

/// The place of a dataset.
#[derive(Debug)]
pub(super) enum DatasetPlace {
    /// A path or URL, which can be written repeatedly.
    Named(Destination),
    /// Something that can be written once; `None` when done. The lock makes it usable from several threads.
    Once(Mutex<Option<Output>>, String),
    /// Something that can only be read.
    Container(String),
}

impl DatasetPlace {
    /// The place of a new dataset.
    pub(super) fn new(named: &Path, asked: OutputRequest) -> Result<Self> {
        let to = Destination::resolve(&Location::of_program(named)?, asked)?;
        if to.kind != asked.kind {
            let e = Error::new(
                ErrorKind::Argument,
                "the URL asks for another kind of dataset",
            );
            return Err(e.of(&named.to_string_lossy()));
        }
        Ok(Self::Named(to))
    }

    /// The place of an open dataset; it is written in the same form.
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

    /// Name for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Named(to) => to.path.to_string_lossy().into_owned(),
            Self::Once(_, name) | Self::Container(name) => name.clone(),
        }
    }

    /// The path, if it has one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Named(to) => Some(&to.path),
            Self::Once(..) | Self::Container(_) => None,
        }
    }

    /// Whether it is on another machine.
    pub(super) fn is_remote(&self) -> bool {
        matches!(self, Self::Named(to) if to.remote.is_some())
    }

    /// Checks that there is nothing, on another machine.
    pub(super) fn check_absent(&self, env: &Env) -> Result<()> {
        match self {
            Self::Named(to) if to.exists(&env.network)? => {
                let e = Error::new(ErrorKind::Exists, "the dataset already exists");
                Err(e.of(&self.name()))
            }
            Self::Named(_) | Self::Once(..) | Self::Container(_) => Ok(()),
        }
    }

    /// How Zarr is written there.
    pub(super) fn zarr(&self, asked: ZarrOptions) -> ZarrOptions {
        match self {
            Self::Named(to) => ZarrOptions {
                consolidated: asked.consolidated || to.zarr.consolidated,
                xarray: asked.xarray && to.zarr.xarray,
            },
            Self::Once(..) | Self::Container(_) => asked,
        }
    }

    /// True if the opened dataset can no longer be read after another was written there.
    pub(super) fn is_directory(&self) -> bool {
        match self {
            Self::Named(to) => to.form == OutputForm::Directory,
            Self::Once(..) | Self::Container(_) => false,
        }
    }

    /// Where temporary files are created.
    pub(super) fn scratch(&self) -> Option<PathBuf> {
        match self {
            Self::Named(to) => to.scratch(),
            Self::Once(..) | Self::Container(_) => None,
        }
    }

    /// The output for a dataset.
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
                let what = "the dataset has no place to write to";
                Err(Error::new(ErrorKind::ReadOnly, what).of(name))
            }
        }
    }
}

/// Opens what is at a path or URL.
pub(super) fn open(named: &Path, env: &Env) -> Result<Container> {
    let access = InputAccess {
        trace: Trace::default(),
        allow_external: env.siblings.outside,
        limits: env.limits.clone(),
        notes: Arc::clone(&env.notes),
        network: Arc::clone(&env.network),
        ..InputAccess::default()
    };
    access.input(&Location::of_program(named)?, &mut std::io::empty())
}

/// True for a store with consolidated metadata.
fn is_consolidated(store: &dyn Store) -> Result<bool> {
    if store.size(".zmetadata")?.is_some() {
        return Ok(true);
    }
    let root = store.get("zarr.json")?.unwrap_or_default();
    let key = b"\"consolidated_metadata\"";
    Ok(root.windows(key.len()).any(|part| part == key))
}

/// An output of a kind that is discarded.
pub(super) fn nowhere(kind: Kind) -> Output {
    if !format::traits(kind).keys {
        return Box::new(MemoryTarget::new("(memory)").0).into();
    }
    let store = Arc::new(MemoryStore::new("(memory)"));
    let target: Box<dyn StoreTarget> = Box::new(MemoryStoreTarget::new(store).0);
    target.into()
}
