//! The interface of formats: how a dataset is stored.

use super::bytes::ChunkBytes;
use super::form::ElementForm;
use super::layout::Layout;
use super::metadata::MetadataExtent;
use super::scatter::Block;
use super::texts::Texts;
use super::visit::{Locate, Visit, Visited};
use crate::env::Env;
use crate::error::Result;
use crate::model::{Schema, Values, VarId};

/// An open dataset. Opening reads metadata only.
pub trait Reader: Send + Sync {
    /// The schema: everything but the data.
    fn schema(&self) -> &Schema;

    /// What is known of the file itself, for `ncdump -s` and `-K`.
    fn provenance(&self) -> Provenance;

    /// Where the metadata lies that was read so far; `None` if that is not known. Readers of files know it if [`Env::survey`] is set.
    ///
    /// # Errors
    /// Those of looking for data that belongs to no variable.
    fn metadata(&self, _env: &Env) -> Result<Option<MetadataExtent>> {
        Ok(None)
    }

    /// The other files that have data of a variable, if the dataset names such files.
    fn named_files(&self, _var: VarId) -> Option<&dyn NamedFiles> {
        None
    }

    /// How a variable is stored.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] for an id that is not in the schema.
    fn layout(&self, var: VarId) -> Result<Layout>;

    /// Visits chunks of a variable within a box of the chunk grid (counted in chunks), in row-major order. Missing chunks are not
    /// visited: they read as fill values.
    ///
    /// # Errors
    /// Those of reading the chunk index, and those of the visitor.
    fn locate(&self, var: VarId, chunks: &Block, which: Locate, visit: Visit<'_>) -> Visited;

    /// True if [`Reader::locate`] reads an index of this variable, in which thousands of chunks beside those of a box take
    /// little more time, and no more requests that take long. False if places are computed, or if each may take a request.
    /// Where it is true, [`Locate::Candidates`] are the chunks that are stored.
    fn has_index(&self, _var: VarId) -> bool {
        false
    }

    /// The stored bytes of chunks.
    fn bytes(&self) -> &dyn ChunkBytes;

    /// The reader as the maker of the elements of this variable, if they are not in chunks as [`Layout`] describes them: they are parts
    /// of other datasets, or stored in a form that the engine does not know. The layout then has no filters, and its chunk shape is one in
    /// which elements are cheap to read (the whole variable, if any shape is); chunks are not located and not fetched.
    fn assembly(&self, _var: VarId) -> Option<&dyn Assembly> {
        None
    }

    /// The values of stored elements that are not [`plain`]: elements with heap data
    /// (strings, lists), of user types, and numbers in unusual forms.
    ///
    /// [`plain`]: crate::model::StoredElement::plain
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] for formats that have no such types.
    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values>;

    /// The storage of a variable with texts of any length; `None` for all other variables. The elements refer to texts
    /// ([`element`](super::texts::element)), and the engine decodes the texts without [`Reader::resolve`].
    fn texts(&self, _var: VarId) -> Option<&Texts> {
        None
    }

    /// The meaning of the bytes of a variable's elements, if they have a user type of fixed size.
    /// Elements that the output stores in the same form are copied without decoding.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<ElementForm>> {
        Ok(None)
    }
}

impl dyn Reader + '_ {
    /// True if the reader makes the elements of a variable itself ([`Reader::assembly`]).
    #[must_use]
    pub fn assembles(&self, var: VarId) -> bool {
        self.assembly(var).is_some()
    }
}

/// Files that a dataset names, with data of its variables.
pub trait NamedFiles {
    /// Opens the files of a variable, so that [`Env::siblings`] has their states. Ignores files that cannot be opened: the read reports
    /// them.
    ///
    /// # Errors
    /// Returns errors of reading the list of files.
    fn open(&self, var: VarId, env: &Env) -> Result<()>;
}

/// Makes the elements of variables that are not in chunks.
pub trait Assembly: Send + Sync {
    /// The elements of a box: row-major, in the element type and byte order of the layout, with fill values. When a region is read in
    /// bands, each element is requested once, from several threads, in boxes that are as large as memory allows and lie in one chunk
    /// (unless they are small).
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for variables that are not assembled; errors of reading.
    fn read_box(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>>;

    /// Bytes of memory that [`Assembly::read_box`] takes on top of the box, roughly: for chunks that it decodes. 0 if it does not know.
    fn memory(&self, _var: VarId) -> u64 {
        0
    }

    /// The number of stored elements. The count may stop at `enough`. All elements, if the number is not known.
    ///
    /// # Errors
    /// Returns errors of the search for places.
    fn stored(&self, _var: VarId, _enough: u64, _env: &Env) -> Result<u64> {
        Ok(u64::MAX)
    }
}

/// What is known of a file beyond its schema.
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
