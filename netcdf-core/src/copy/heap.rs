//! Writes values with heap data to the output.

use super::CopyJob;
use crate::chunk::{Dataset, Writer};
use crate::error::Result;
use crate::format;
use crate::model::Values;

impl CopyJob {
    /// Stores the heap data of values, and returns the stored form of the values. Strings in netCDF-4 files end at a zero byte, so a note
    /// reports nonzero bytes after the first zero byte.
    ///
    /// # Errors
    /// Returns errors of the writer.
    pub(super) fn put_heap(
        &self,
        set: Dataset<'_>,
        writer: &mut dyn Writer,
        values: &Values,
    ) -> Result<Vec<u8>> {
        let path = || set.reader.schema().var_path(self.pair.from);
        format::tell_of_strings(values, writer.schema().kind, &set.env.notes, path)?;
        writer.put_heap(self.pair.to, values)
    }
}
