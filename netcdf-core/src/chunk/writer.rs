//! The interface of formats for writing a dataset.

use std::ops::Range;
use std::sync::Arc;

use super::form::ElementForm;
use super::layout::{ChunkRef, Layout};
use super::unwritten::put_copies;
use crate::env::Env;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source;
use crate::io::reference::{Reference, SourceState};
use crate::io::source::read_range;
use crate::io::sums::KeySum;
use crate::model::{DimId, Schema, Values, VarId, Variable};

/// A dataset that is written. A writer only creates datasets: the dataset becomes visible by [`Writer::finish`], and dropping the writer
/// removes all data.
pub trait Writer: Send {
    /// Returns the schema, with the current lengths of unlimited dimensions.
    fn schema(&self) -> &Schema;

    /// Returns the storage layout of a variable.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn layout(&self, var: VarId) -> Result<Layout>;

    /// Returns the rules for storing a variable.
    fn rules(&self, _var: VarId) -> PutRules {
        PutRules::default()
    }

    /// Stores a whole encoded chunk. The chunks of a variable must come in row-major order. `index` is the row-major number in the grid of
    /// [`Writer::layout`], whose extent must be final ([`Writer::set_len`]) except for the slowest dimension. Missing chunks read as fill
    /// values.
    ///
    /// # Errors
    /// Returns I/O errors of the target, or [`ErrorKind::Unsupported`] if the format has no chunked storage.
    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()>;

    /// Stores elements of unchunked data, in stored form, starting at a row-major element number. An unlimited dimension grows as needed.
    ///
    /// # Errors
    /// Returns errors from the target, or [`ErrorKind::Argument`] for elements outside the variable.
    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()>;

    /// Returns the stored form of values of a variable whose elements are not [`plain`]: values of user types, and values with heap data
    /// (strings, lists), which this call stores.
    ///
    /// [`plain`]: crate::model::StoredElement::plain
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for formats without these types.
    fn put_heap(&mut self, var: VarId, values: &Values) -> Result<Vec<u8>>;

    /// Returns the stored form of `count` unwritten elements of a variable with [`PutRules::heap_fill`]. Each element has its own heap data.
    ///
    /// # Errors
    /// Returns errors from [`Writer::put_heap`].
    fn put_fill(&mut self, var: VarId, count: u64) -> Result<Vec<u8>> {
        let fill = self.schema().var(var).and_then(Variable::unwritten);
        let fill = fill.or_internal("a variable without a fill value")?;
        put_copies(&fill, count, |values| self.put_heap(var, values))
    }

    /// Like [`Reader::form`](crate::chunk::Reader::form), for the elements that will be stored.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<ElementForm>> {
        Ok(None)
    }

    /// Extends an unlimited dimension to a length, unless it is already that long.
    ///
    /// # Errors
    /// Returns [`ErrorKind::DimSize`] beyond the format's limit.
    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()>;

    /// Returns faster ways to store data; `None` if the format has none.
    fn bulk(&mut self) -> Option<&mut dyn BulkWriter> {
        None
    }

    /// Returns the chunk index; `None` if the number of chunks does not affect the position of data.
    fn chunk_index(&mut self) -> Option<&mut dyn ChunkIndexWriter> {
        None
    }

    /// Returns the writer of references; `None` if the output stores bytes.
    fn references(&mut self) -> Option<&mut dyn ReferenceWriter> {
        None
    }

    /// Returns the writer for a dataset that several processes write concurrently.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for formats that only one process can write.
    fn shared(&mut self) -> Result<&mut dyn SharedWriter> {
        let what = "several processes cannot write a dataset of this format";
        Err(Error::new(ErrorKind::Unsupported, what))
    }

    /// Writes fill values to unwritten elements, and makes the dataset visible.
    ///
    /// # Errors
    /// Returns errors from the target.
    fn finish(self: Box<Self>) -> Result<()>;
}

impl dyn Writer + '_ {
    /// Like [`Writer::put_chunk`], for bytes that a source contains in the same stored form.
    ///
    /// # Errors
    /// Returns errors from [`Writer::put_chunk`] and from the source.
    pub fn move_chunk(
        &mut self,
        var: VarId,
        chunk: &ChunkRef,
        source: &Arc<dyn Source>,
    ) -> Result<()> {
        if let Some(bulk) = self.bulk() {
            return bulk.move_chunk(var, chunk, source);
        }
        let bytes = read_range(&**source, &chunk.range)?;
        self.put_chunk(var, chunk.index, chunk.mask, &bytes)
    }

    /// Like [`Writer::put_run`], for bytes that a source contains in the same stored form.
    ///
    /// # Errors
    /// Returns errors from [`Writer::put_run`] and from the source.
    pub fn move_run(
        &mut self,
        var: VarId,
        element: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()> {
        if let Some(bulk) = self.bulk() {
            return bulk.move_run(var, element, source, range);
        }
        self.put_run(var, element, &read_range(&**source, &range)?)
    }
}

/// The rules for storing a variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PutRules {
    /// Whether the data is stored as chunks ([`Writer::put_chunk`]), not as runs of elements ([`Writer::put_run`]).
    pub chunks: bool,
    /// Whether every chunk must have all filters of the variable, because the format has no filter mask.
    pub all_filters: bool,
    /// Whether unwritten elements have heap data. Two elements must not share heap data: libhdf5 frees the heap data of an element that it
    /// overwrites. So the unwritten elements of a stored chunk come from [`Writer::put_fill`].
    pub heap_fill: bool,
}

/// Stores data that is not in memory, and data from several threads.
pub trait BulkWriter {
    /// Stores a chunk that a source contains in the same stored form.
    ///
    /// # Errors
    /// Returns errors from [`Writer::put_chunk`] and from the source.
    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, source: &Arc<dyn Source>) -> Result<()>;

    /// Stores elements that a source contains in the same stored form.
    ///
    /// # Errors
    /// Returns errors from [`Writer::put_run`] and from the source.
    fn move_run(
        &mut self,
        var: VarId,
        element: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()>;

    /// Returns an object that stores runs of a variable from several threads concurrently; `None` if that is not possible or not worth it.
    /// While the object is in use, the writer must store no other data. Afterwards, the caller reports the stored runs with
    /// [`BulkWriter::ran`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for an id that is not in the schema, and errors from the target.
    fn runs(&mut self, _var: VarId) -> Result<Option<Box<dyn Runs>>> {
        Ok(None)
    }

    /// Records that [`Runs`] stored `bytes` bytes of a variable, starting at an element.
    ///
    /// # Errors
    /// Returns errors from [`Writer::put_run`].
    fn ran(&mut self, _var: VarId, _element: u64, _bytes: u64) -> Result<()> {
        Ok(())
    }
}

/// Stores references to chunks in other files.
pub trait ReferenceWriter {
    /// Stores the location of an encoded chunk, like [`Writer::put_chunk`].
    ///
    /// # Errors
    /// Returns errors from [`Writer::put_chunk`].
    fn put_reference(&mut self, var: VarId, index: u64, reference: &Reference) -> Result<()>;

    /// Records the state of a source.
    fn put_source(&mut self, url: &str, state: SourceState);
}

/// Reserves the chunk index.
pub trait ChunkIndexWriter {
    /// Reserves index space for the maximum number of chunks per variable, before the first data, so that the indexes are next to the other
    /// metadata. Additional chunks are stored as well.
    ///
    /// # Errors
    /// Returns errors from the target, and [`ErrorKind::Limit`] for an index that is too large.
    fn expect_chunks(&mut self, chunks: &[(VarId, u64)]) -> Result<()>;
}

/// Writes a part of a dataset that several processes write concurrently.
pub trait SharedWriter {
    /// Records the chunks of a variable that other processes have stored ([`SharedWriter::end_part`]). With `check`, reads the chunks and
    /// returns the sum of keys and bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for missing chunks, and errors from the target.
    fn put_elsewhere(&mut self, chunks: &PutChunks, check: Option<&Env>) -> Result<KeySum>;

    /// Ends the part: [`Writer::finish`] then stores the data, but no metadata. Returns the stored chunks by variable.
    ///
    /// # Errors
    /// Returns errors from the target.
    fn end_part(&mut self) -> Result<Vec<PutChunks>>;
}

/// The stored chunks of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutChunks {
    /// The variable.
    pub var: VarId,
    /// The chunk numbers in the grid, in runs: the first number and the end.
    pub runs: Vec<(u64, u64)>,
}

/// Stores runs of the elements of one variable, in any order and from several threads.
pub trait Runs: Send + Sync {
    /// Like [`Writer::put_run`]; no element may be stored twice.
    ///
    /// # Errors
    /// Returns errors from [`Writer::put_run`].
    fn put(&self, element: u64, bytes: &[u8]) -> Result<()>;
}
