//! A file in the making.

use std::ops::Range;
use std::sync::Arc;

use super::plan::{ObjectId, Plan};
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Source, Target};

/// A file in the making. Nothing is visible before [`FileWriter::finish`].
#[derive(Debug)]
pub struct FileWriter {
    target: Box<dyn Target>,
    plan: Plan,
}

impl FileWriter {
    /// Gives every object its address. Nothing is written yet.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for what the format cannot hold, with the object's path.
    pub fn create(target: Box<dyn Target>, plan: Plan) -> Result<Self> {
        Ok(Self { target, plan })
    }

    /// Stores bytes of a contiguous or compact dataset, from byte `at` of its data on.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] beyond the dataset; those of the target.
    pub fn put_bytes(&mut self, dataset: ObjectId, at: u64, bytes: &[u8]) -> Result<()> {
        let _ = (&mut self.target, &self.plan, dataset, at, bytes);
        Err(Error::new(ErrorKind::Unsupported, "in the making"))
    }

    /// As [`FileWriter::put_bytes`], with bytes that stand in a source.
    ///
    /// # Errors
    /// As [`FileWriter::put_bytes`], and those of the source.
    pub fn move_bytes(
        &mut self,
        dataset: ObjectId,
        at: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()> {
        let _ = (dataset, at, source, range);
        Err(Error::new(ErrorKind::Unsupported, "in the making"))
    }

    /// Stores a whole chunk, encoded. `place` is where it is in the grid, counted in chunks; chunks
    /// of a dataset come in row-major order, those of several datasets in any order. Bit `n` of
    /// `mask` says that filter `n` was not applied.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] out of order or for a dataset without chunks; [`ErrorKind::Limit`]
    /// for a chunk of 4 GiB or more; those of the target.
    pub fn put_chunk(
        &mut self,
        dataset: ObjectId,
        place: &[u64],
        mask: u32,
        bytes: &[u8],
    ) -> Result<()> {
        let _ = (dataset, place, mask, bytes);
        Err(Error::new(ErrorKind::Unsupported, "in the making"))
    }

    /// As [`FileWriter::put_chunk`], with bytes that stand in a source; neighbours are copied at
    /// once.
    ///
    /// # Errors
    /// As [`FileWriter::put_chunk`], and those of the source.
    pub fn move_chunk(
        &mut self,
        dataset: ObjectId,
        place: &[u64],
        mask: u32,
        (source, range): (&Arc<dyn Source>, Range<u64>),
    ) -> Result<()> {
        let _ = (dataset, place, mask, source, range);
        Err(Error::new(ErrorKind::Unsupported, "in the making"))
    }

    /// Stores objects in the global heap; the references to them (16 bytes each: the number of
    /// elements, which the caller knows, address of the collection, index). Bytes of an object may
    /// themselves hold such references.
    ///
    /// # Errors
    /// Those of the target.
    pub fn put_heap(&mut self, objects: &[(u32, &[u8])]) -> Result<Vec<u8>> {
        let _ = objects;
        Err(Error::new(ErrorKind::Unsupported, "in the making"))
    }

    /// Sets the present lengths of a dataset.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if they are not as many as its dimensions or beyond their maximum.
    pub fn set_extent(&mut self, dataset: ObjectId, lens: &[u64]) -> Result<()> {
        let _ = (dataset, lens);
        Err(Error::new(ErrorKind::Unsupported, "in the making"))
    }

    /// Writes the metadata and makes the file visible.
    ///
    /// # Errors
    /// Those of the target.
    pub fn finish(self) -> Result<()> {
        Err(Error::new(ErrorKind::Unsupported, "in the making"))
    }
}
