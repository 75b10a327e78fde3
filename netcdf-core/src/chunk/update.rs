//! The interface of formats for changing a dataset in place.

use super::reader::Reader;
use super::writer::PutRules;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{DimId, FillMode, Schema, Values, VarId};

/// A dataset that is changed in place. Changes become visible to other programs on [`Update::commit`]; dropping the update removes all
/// changes since then. Memory is proportional to the changes of existing data.
///
/// A method that returns [`Placement::Anew`] has changed nothing: the caller must write the dataset anew, with the data of
/// [`Update::reader`].
pub trait Update: Send + Sync {
    /// Returns the dataset with all changes so far.
    fn reader(&self) -> &dyn Reader;

    /// Returns the rules for storing a variable.
    fn rules(&self, _var: VarId) -> PutRules {
        PutRules::default()
    }

    /// Stores a whole encoded chunk, like [`Writer::put_chunk`](super::Writer::put_chunk), but in any order. The chunk may replace another
    /// one.
    ///
    /// # Errors
    /// Returns I/O errors, [`ErrorKind::Changed`] if another program changed the file, and [`ErrorKind::Unsupported`] if the format has no
    /// chunked storage.
    fn put_chunk(
        &mut self,
        _var: VarId,
        _index: u64,
        _mask: u32,
        _bytes: &[u8],
    ) -> Result<Placement> {
        let what = "the format has no chunked storage";
        Err(Error::new(ErrorKind::Unsupported, what))
    }

    /// Stores elements of unchunked data, like [`Writer::put_run`](super::Writer::put_run). An unlimited dimension grows as needed.
    ///
    /// # Errors
    /// Returns I/O errors, [`ErrorKind::Changed`] if another program changed the file, and [`ErrorKind::Argument`] for elements outside the
    /// variable.
    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<Placement>;

    /// Returns the stored form of values with heap data, like [`Writer::put_heap`](super::Writer::put_heap).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for formats without heap data.
    fn put_heap(&mut self, _var: VarId, _values: &Values) -> Result<Vec<u8>> {
        let what = "the format has no heap data";
        Err(Error::new(ErrorKind::Unsupported, what))
    }

    /// Extends an unlimited dimension to a length, unless it is already that long. Zarr stores also extend other dimensions; the other formats
    /// leave them as they are.
    ///
    /// # Errors
    /// Returns [`ErrorKind::DimSize`] beyond the format's limit, and the errors of [`Update::put_run`].
    fn set_len(&mut self, dim: DimId, len: u64) -> Result<Placement>;

    /// Extends the storage of a variable to the lengths of its dimensions. A dataset of HDF5 may be shorter than its dimensions: netCDF-C
    /// only extends the variables that a program writes. Chunks outside a dataset would never be read.
    ///
    /// # Errors
    /// Returns the errors of [`Update::put_run`].
    fn extend_variable(&mut self, _var: VarId) -> Result<Placement> {
        Ok(Placement::InPlace)
    }

    /// Changes attributes and names to those of `schema`, which has the ids of [`Update::reader`].
    ///
    /// # Errors
    /// Returns the errors of [`Update::put_run`], and errors of values that the format cannot store.
    fn define(&mut self, schema: &Schema) -> Result<Placement>;

    /// Writes fill values to unwritten elements, unless `fill` is [`FillMode::NoFill`], and makes all changes visible, atomically. After an
    /// error, the message states which state the file has.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] if another program changed the file, and I/O errors.
    fn commit(&mut self, fill: FillMode) -> Result<()>;

    /// Removes all changes since the last commit.
    ///
    /// # Errors
    /// Returns I/O errors.
    fn abandon(&mut self) -> Result<()>;

    /// Checks that no other program changed the dataset, and lets this process replace its file by a rename.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`], and I/O errors.
    fn prepare_replacement(&self) -> Result<()>;
}

/// The storage location of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Placement {
    /// The change is made in place.
    InPlace,
    /// The dataset must be written anew, for this reason.
    Anew(&'static str),
}
