//! What a format tells of a dataset, and the bytes that it hands out.

use std::sync::Arc;

use super::form::ElementForm;
use super::layout::{ChunkRef, Layout};
use super::metadata::Metadata;
use super::scatter::Block;
use super::texts::Texts;
use super::visit::{Locate, Visit, Visited};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::merge::Near;
use crate::io::store::Content;
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
    fn metadata(&self, _env: &Env) -> Result<Option<Metadata>> {
        Ok(None)
    }

    /// Whether the data of a variable lies in files of its own, which the dataset names.
    fn is_external(&self, _var: VarId) -> bool {
        false
    }

    /// How a variable is stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
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

    /// The stored bytes of chunks, or of parts of them.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if the file ends too early.
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>>;

    /// As [`Reader::fetch`], for chunks from [`Locate::Candidates`]: some may not be stored, or be longer than expected. A longer one
    /// is not read; who wants it asks again, with a range that is long enough.
    ///
    /// # Errors
    /// As [`Reader::fetch`].
    fn fetch_stored(&self, chunks: &[ChunkRef]) -> Result<Vec<Content>> {
        let fetched = self.fetch(chunks)?;
        Ok(fetched.into_iter().map(Content::Bytes).collect())
    }

    /// The source behind an object number of a [`ChunkRef`], for copying bytes unchanged; `None` if
    /// the bytes are not in a source and only [`Reader::fetch`] can read them.
    fn object(&self, object: u32) -> Option<&Arc<dyn Source>>;

    /// Whether the bytes of chunks lie in sources, from which they can be moved unchanged. If not, [`Reader::object`] has none.
    fn has_sources(&self) -> bool {
        true
    }

    /// True if an answer takes so long that many requests should be under way at a time.
    fn latency(&self) -> bool {
        self.object(0).is_some_and(|source| source.latency())
    }

    /// Which ranges of the object or key that holds two chunks are better asked for together; `None` if each has its own.
    fn near(&self, a: &ChunkRef, b: &ChunkRef) -> Option<Near> {
        let same = a.object == b.object;
        self.object(a.object)
            .filter(|_| same)
            .map(|object| object.near())
    }

    /// The name of the file or key that holds the bytes of a chunk, for messages.
    fn origin(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        let source = self.object(chunk.object);
        source.map(|source| Arc::clone(source.name()))
    }

    /// The name of a file of the dataset that has changed since it was opened or read.
    fn changed(&self) -> Option<Arc<str>> {
        let mut objects = (0..).map_while(|n| self.object(n));
        let changed = objects.find(|object| object.has_changed())?;
        Some(Arc::clone(changed.name()))
    }

    /// Whether the data comes from several places, such as other files or the parts of a virtual dataset. A copy would hold all of it
    /// by itself.
    fn is_spread(&self) -> bool {
        false
    }

    /// True if the reader provides the elements of this variable itself ([`Reader::read_box`]), because
    /// they are not in chunks as [`Layout`] describes them: they are parts of other datasets, or stored in a
    /// form that the engine does not know. The layout then has no filters, and its chunk shape is one in
    /// which elements are cheap to read (the whole variable, if any shape is); [`Reader::locate`] and
    /// [`Reader::fetch`] are not called for such a variable.
    fn assembles(&self, _var: VarId) -> bool {
        false
    }

    /// Bytes of memory that [`Reader::read_box`] takes on top of the box, roughly: for chunks that it decodes. 0 if the reader does not know.
    fn assembly_bytes(&self, _var: VarId) -> u64 {
        0
    }

    /// The number of elements of a variable that the reader assembles and that are stored somewhere, `enough` or more of them if
    /// there are as many. All, if the reader does not know.
    ///
    /// # Errors
    /// Those of finding where they are stored.
    fn assembled(&self, _var: VarId, _enough: u64, _env: &Env) -> Result<u64> {
        Ok(u64::MAX)
    }

    /// The elements of a box of a variable that the reader assembles: row-major, in the element type
    /// and byte order of the layout, with fill values. When a region is read in bands, each element is requested
    /// once, from several threads, in boxes that are as large as memory allows and lie in one chunk (unless
    /// they are small).
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for variables that are not assembled; those of reading.
    fn read_box(&self, _var: VarId, _part: &Block, _env: &Env) -> Result<Vec<u8>> {
        let what = "the elements of this variable are stored in chunks";
        Err(Error::new(ErrorKind::Unsupported, what))
    }

    /// The values of stored elements that are not [`plain`]: elements with heap data
    /// (strings, lists), of user types, and numbers in unusual forms.
    ///
    /// [`plain`]: crate::model::Element::plain
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for formats that have no such types.
    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values>;

    /// How a variable stores texts of any length; `None` if it does not. Its elements then are not plain, and refer to texts
    /// ([`element`](super::texts::element)) that the engine decodes: [`Reader::resolve`] is not called for this variable.
    fn texts(&self, _var: VarId) -> Option<&Texts> {
        None
    }

    /// The meaning of the bytes of a variable's elements, if they have a user type of fixed size.
    /// Elements that the output stores in the same form are copied without decoding.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<ElementForm>> {
        Ok(None)
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
