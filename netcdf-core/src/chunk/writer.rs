//! What a format takes to store a dataset.

use std::ops::Range;
use std::sync::Arc;

use super::form::ElementForm;
use super::layout::{ChunkRef, Layout};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::sums::KeySum;
use crate::model::{DimId, FilterSpec, Schema, Values, VarId};

/// A dataset being written. It can only be created: nothing is visible before [`Writer::finish`], and a
/// writer that is dropped leaves nothing behind.
pub trait Writer: Send {
    /// What is being written, with the lengths of unlimited dimensions so far.
    fn schema(&self) -> &Schema;

    /// How a variable will be stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn layout(&self, var: VarId) -> Result<Layout>;

    /// True if the format has an index of chunks, and the number of chunks decides where data lies ([`Writer::expect_chunks`]).
    fn has_index(&self) -> bool {
        false
    }

    /// Says before the first data how many chunks of variables will be put at most, so that their indexes lie next to the other
    /// metadata. More chunks are stored, too.
    ///
    /// # Errors
    /// Those of the target; [`ErrorKind::Limit`] for an index that is too large.
    fn expect_chunks(&mut self, _chunks: &[(VarId, u64)]) -> Result<()> {
        Ok(())
    }

    /// Stores a whole encoded chunk. The chunks of a variable come in row-major order. `index` is the row-major
    /// number in the grid of [`Writer::layout`], whose extent must be final by then
    /// ([`Writer::set_len`]) except for the slowest dimension. Chunks that are left out read as fill values.
    ///
    /// # Errors
    /// Those of the target; [`ErrorKind::Unsupported`] where nothing is chunked.
    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()>;

    /// As [`Writer::put_chunk`], for bytes that a source holds in the same stored form.
    ///
    /// # Errors
    /// As [`Writer::put_chunk`], and those of the source.
    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, source: &Arc<dyn Source>) -> Result<()> {
        let bytes = crate::io::source::read_range(&**source, &chunk.range)?;
        self.put_chunk(var, chunk.index, chunk.mask, &bytes)
    }

    /// Stores elements of unchunked data, in stored form, starting at a row-major element number. An
    /// unlimited dimension grows as needed.
    ///
    /// # Errors
    /// Those of the target; [`ErrorKind::Argument`] beyond the variable.
    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()>;

    /// An object that stores runs of a variable from several threads at once; `None` if that is not possible or not worth
    /// it. While it is in use nothing else may be put; afterwards, report what was stored with [`Writer::ran`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema; those of the target.
    fn runs(&mut self, _var: VarId) -> Result<Option<Box<dyn Runs>>> {
        Ok(None)
    }

    /// Records that [`Runs`] stored `bytes` bytes of a variable, starting at an element.
    ///
    /// # Errors
    /// As [`Writer::put_run`].
    fn ran(&mut self, _var: VarId, _element: u64, _bytes: u64) -> Result<()> {
        Ok(())
    }

    /// As [`Writer::put_run`], for bytes that a source holds in the same stored form.
    ///
    /// # Errors
    /// As [`Writer::put_run`], and those of the source.
    fn move_run(
        &mut self,
        var: VarId,
        element: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()>;

    /// True if data of a variable has been put.
    fn has_data(&self, _var: VarId) -> bool {
        false
    }

    /// Refuses a filter: once there is a writer, definitions are over. Use
    /// [`Schema::define_filter`] before that.
    ///
    /// # Errors
    /// Always: those of [`Schema::takes_filters`] for a variable that cannot have filters, otherwise
    /// [`ErrorKind::LateDefinition`] if the variable has data and [`ErrorKind::NotInDefineMode`] if not.
    fn define_filter(&mut self, var: VarId, filter: &FilterSpec) -> Result<()> {
        self.schema().takes_filters(var)?;
        let (kind, why) = match self.has_data(var) {
            true => (ErrorKind::LateDefinition, "the variable already has data"),
            false => (ErrorKind::NotInDefineMode, "the dataset is defined"),
        };
        let what = format!("{why}: filter {} comes too late", filter.id);
        Err(Error::new(kind, what).in_object(&self.schema().var_path(var)))
    }

    /// True if the data of a variable is put as chunks, false if as runs of elements.
    fn takes_chunks(&self, _var: VarId) -> bool {
        false
    }

    /// True if every chunk must go through all filters of its variable, because the format has no filter mask.
    fn needs_all_filters(&self) -> bool {
        false
    }

    /// True if [`Writer::put_heap`] stores something, because the format keeps what elements refer to apart from them.
    fn stores_heap(&self) -> bool {
        true
    }

    /// The stored form of values of a variable whose elements are not [`plain`]: those of user types, and
    /// those with heap data (strings, lists), which this call stores.
    ///
    /// [`plain`]: crate::model::StoredElement::plain
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for formats that have no such types.
    fn put_heap(&mut self, var: VarId, values: &Values) -> Result<Vec<u8>>;

    /// As [`Reader::form`](crate::chunk::Reader::form), for the elements that will be stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<ElementForm>> {
        Ok(None)
    }

    /// Extends an unlimited dimension to a length, unless it is already that long.
    ///
    /// # Errors
    /// [`ErrorKind::DimSize`] beyond the format's limit.
    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()>;

    /// Records the chunks of a variable that other processes put ([`Writer::finish_part`]). With `check`, reads them and returns the sum of
    /// their keys and bytes.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for chunks that are not there; those of the target; [`ErrorKind::Unsupported`] for formats in which
    /// processes do not write together.
    fn put_elsewhere(&mut self, _chunks: &PutChunks, _check: Option<&Env>) -> Result<KeySum> {
        Err(apart())
    }

    /// Ends a part of a dataset that other processes write, too: what was put is stored, but no metadata. Returns the chunks that were
    /// put, by variable.
    ///
    /// # Errors
    /// Those of the target; [`ErrorKind::Unsupported`] for formats in which processes do not write together.
    fn finish_part(self: Box<Self>) -> Result<Vec<PutChunks>> {
        Err(apart())
    }

    /// Writes fill values where nothing was written, and makes the dataset visible.
    ///
    /// # Errors
    /// Those of the target.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Chunks of a variable that were put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutChunks {
    /// The variable.
    pub var: VarId,
    /// Their numbers in the grid, in runs: the first number, and the one after the last.
    pub runs: Vec<(u64, u64)>,
}

fn apart() -> Error {
    let what = "processes do not write datasets of this format together";
    Error::new(ErrorKind::Unsupported, what)
}

/// Stores runs of the elements of one variable, in any order and from several threads.
pub trait Runs: Send + Sync {
    /// As [`Writer::put_run`]; no element may be stored twice.
    ///
    /// # Errors
    /// As [`Writer::put_run`].
    fn put(&self, element: u64, bytes: &[u8]) -> Result<()>;
}
