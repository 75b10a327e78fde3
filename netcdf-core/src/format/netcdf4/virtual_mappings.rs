//! A virtual dataset: the mappings, and the open sources.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use super::virtual_sources::{Nesting, SourceObject};
use crate::chunk::Reader;
use crate::error::Result;
use crate::format::hdf5::Hdf5File;
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message::layout::DataLayout;
use crate::format::hdf5::virtual_dataset::{self, Mapping};
use crate::format::recent::once;

/// The sources of a virtual dataset.
#[derive(Debug)]
pub(super) struct Virtual {
    pub(super) file: Arc<Hdf5File>,
    mappings: OnceLock<Vec<Mapping>>,
    /// See [`super::virtual_extent::SourcesExtent`].
    pub(super) counted: Vec<u64>,
    /// Open sources.
    pub(super) sources: Mutex<HashMap<SourceObject, Arc<OpenSource>>>,
    pub(super) nesting: Nesting,
}

/// An open source: a dataset with one variable.
pub(super) struct OpenSource {
    pub(super) reader: Box<dyn Reader>,
    /// The variable datatype.
    pub(super) datatype: Option<Arc<Datatype>>,
    /// The name of the file that contains the variable.
    pub(super) file: Arc<str>,
}

impl std::fmt::Debug for OpenSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a source in {}", self.file)
    }
}

impl Virtual {
    /// Creates the sources of a dataset in this file.
    #[must_use]
    pub(super) fn new(file: Arc<Hdf5File>, nesting: Nesting) -> Self {
        Self {
            file,
            mappings: OnceLock::new(),
            counted: vec![],
            sources: Mutex::default(),
            nesting,
        }
    }

    /// Sets the known numbers of sources.
    #[must_use]
    pub(super) fn with_counted(mut self, counted: Vec<u64>) -> Self {
        self.counted = counted;
        self
    }

    pub(super) fn mappings(&self, dataset: &Hdf5Dataset) -> Result<&[Mapping]> {
        let read = || {
            if let DataLayout::Virtual {
                heap: Some(heap),
                index,
            } = dataset.layout
                && let Some(object) = self.file.heap_object(heap, index)?
            {
                self.nesting.spend(0, object.len(), &self.file)?;
                // The list of sources is metadata, unlike other heap contents.
                self.file.note_object(&object);
                return virtual_dataset::parse(&self.file, &object, object.address());
            }
            Ok(vec![])
        };
        once(&self.mappings, read).map(Vec::as_slice)
    }
}
