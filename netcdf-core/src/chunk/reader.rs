//! The interface of formats for reading: schema, storage layout and chunk locations.

use super::bytes::ChunkBytes;
use super::form::ElementForm;
use super::layout::Layout;
use super::metadata::MetadataExtent;
use super::scatter::Block;
use super::texts::Texts;
use super::visit::{Locate, Visit, Visited};
use crate::env::Env;
use crate::error::Result;
use crate::model::{Schema, StoredElement, Values, VarId};

/// An open dataset. Opening reads metadata only.
pub trait Reader: Send + Sync {
    /// Returns the schema: all metadata.
    fn schema(&self) -> &Schema;

    /// Returns facts about the file itself, for `ncdump -s` and `-K`.
    fn provenance(&self) -> Provenance;

    /// Returns the location of the metadata read so far; `None` if unknown. Readers of files record it if [`Env::survey`] is set.
    ///
    /// # Errors
    /// Returns errors from the search for data that belongs to no variable.
    fn metadata(&self, _env: &Env) -> Result<Option<MetadataExtent>> {
        Ok(None)
    }

    /// Returns the length of the file according to its metadata; `None` if the metadata does not determine it. Another length may mean that
    /// a change of the file is unfinished.
    fn file_len(&self) -> Option<u64> {
        None
    }

    /// Returns the external files with data of a variable, if the dataset names any.
    fn named_files(&self, _var: VarId) -> Option<&dyn NamedFiles> {
        None
    }

    /// Returns the indices along the first dimension of a variable at which other datasets begin, such as the inputs of a join. Copies in parts
    /// prefer these borders.
    fn borders(&self, _var: VarId) -> Vec<u64> {
        vec![]
    }

    /// Returns the storage layout of a variable.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::NotFound`] for an id that is not in the schema.
    fn layout(&self, var: VarId) -> Result<Layout>;

    /// Returns the stored form of the elements of a variable, as in its [`Reader::layout`].
    ///
    /// # Errors
    /// Returns the errors of [`Reader::layout`].
    fn element(&self, var: VarId) -> Result<StoredElement> {
        Ok(self.layout(var)?.element)
    }

    /// Visits chunks of a variable within a box of the chunk grid (counted in chunks), in row-major order. Missing chunks, which read as
    /// fill values, are skipped.
    ///
    /// # Errors
    /// Returns errors from reading the chunk index and from `visit`.
    fn locate(&self, var: VarId, chunks: &Block, which: Locate, visit: Visit<'_>) -> Visited;

    /// Returns true if [`Reader::locate`] reads an index in which locating thousands of neighbouring chunks takes little more time and no
    /// more slow requests. Returns false if locations are computed, or if each chunk may take a request. If true, [`Locate::Candidates`]
    /// visits only stored chunks.
    fn has_index(&self, _var: VarId) -> bool {
        false
    }

    /// Returns the access to the stored chunk bytes.
    fn bytes(&self) -> &dyn ChunkBytes;

    /// Returns the reader as an [`Assembly`] of this variable, if [`Layout`] cannot describe its chunks: the elements are parts of other
    /// datasets, or stored in a form that the chunk layer does not know. The layout then has no filters. Its chunk shape is one in which
    /// elements are cheap to read (the whole variable if any shape is). Chunks are neither located nor fetched.
    fn assembly(&self, _var: VarId) -> Option<&dyn Assembly> {
        None
    }

    /// Converts stored elements that are not [`plain`] to values: elements with heap data (strings, lists), of user types, and numbers in
    /// unusual forms.
    ///
    /// [`plain`]: crate::model::StoredElement::plain
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Unsupported`] for formats without these types.
    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values>;

    /// Returns the storage of a variable with texts of any length; `None` for all other variables. The elements refer to texts
    /// ([`element`](super::texts::element)), and the chunk layer decodes the texts without [`Reader::resolve`].
    fn texts(&self, _var: VarId) -> Option<&Texts> {
        None
    }

    /// Returns the meaning of the bytes of a variable's elements, if they have a user type of fixed size. If the output stores elements in
    /// the same form, they are copied without decoding.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<ElementForm>> {
        Ok(None)
    }
}

impl dyn Reader + '_ {
    /// Returns true if the reader assembles the elements of a variable ([`Reader::assembly`]).
    #[must_use]
    pub fn assembles(&self, var: VarId) -> bool {
        self.assembly(var).is_some()
    }
}

/// External files that a dataset names, with data of its variables.
pub trait NamedFiles {
    /// Opens the files of a variable, so that [`Env::siblings`] has their states. Ignores files that cannot be opened: the read reports
    /// them.
    ///
    /// # Errors
    /// Returns errors from reading the list of files.
    fn open(&self, var: VarId, env: &Env) -> Result<()>;
}

/// Assembles the elements of variables that are not in chunks.
pub trait Assembly: Send + Sync {
    /// Returns the elements of a box: row-major, in the element type and byte order of the layout, with fill values. If a region is read in
    /// bands, each element is requested once, from several threads. The boxes are as large as memory allows and lie in one chunk (unless
    /// chunks are small).
    ///
    /// # Errors
    /// Returns [`Unsupported`](crate::ErrorKind::Unsupported) for variables that are not assembled, and errors from reading.
    fn read_box(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>>;

    /// Returns the approximate memory of [`Assembly::read_box`] in addition to the box, in bytes: for chunks that it decodes. 0 if unknown.
    fn memory(&self, _var: VarId) -> u64 {
        0
    }

    /// Returns the number of stored elements. The count may stop at `enough`. Returns the number of all elements if it is unknown.
    ///
    /// # Errors
    /// Returns errors from locating chunks.
    fn stored(&self, _var: VarId, _enough: u64, _env: &Env) -> Result<u64> {
        Ok(u64::MAX)
    }
}

/// Facts about a file beyond its schema.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// The model word of `ncdump -K` (`classic`, `HDF5` …).
    pub model: &'static str,
    /// The mode word of `ncdump -K` (`NC_*` flags).
    pub mode: u32,
    /// `_NCProperties`.
    pub properties: Option<Vec<u8>>,
    /// `_SuperblockVersion`.
    pub superblock: Option<u32>,
    /// `_IsNetcdf4`.
    pub is_netcdf4: Option<bool>,
}
