//! Unreadable data: the data list of a variable is missing, or ends before the first unreadable value.

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{Atomic, DataType, VarId};

use crate::cdl::write::CdlWriter;
use crate::write::RowGrid;

/// Data missing from the text.
pub(in crate::cdl::write) struct OmittedData {
    /// The reason.
    pub(in crate::cdl::write) why: Error,
    /// The index of the first missing value; `None` if all values are missing.
    pub(in crate::cdl::write) from: Option<Vec<u64>>,
}

/// The progress of writing a list.
#[derive(Default)]
pub(super) struct ListProgress {
    /// Number of written values.
    pub(super) values: u64,
    /// Whether the output ends within quotes.
    in_quotes: bool,
    /// Whether the output failed.
    pub(super) sink_failed: bool,
}

impl ListProgress {
    /// Writes the text of values. `put` returns whether the output ends within quotes.
    pub(super) fn put(&mut self, values: u64, put: impl FnOnce() -> Result<bool>) -> Result<()> {
        self.sink_failed = true;
        self.in_quotes = put()?;
        self.sink_failed = false;
        self.values = self.values.saturating_add(values);
        Ok(())
    }
}

/// Returns whether a read error concerns one variable, so that other variables can be written.
pub(super) fn concerns_variable(e: &Error) -> bool {
    let known = matches!(
        e.kind(),
        ErrorKind::FilterUnavailable | ErrorKind::Unsupported | ErrorKind::NoContent
    );
    known || e.is_damage() || e.is_absence()
}

impl CdlWriter<'_, '_> {
    /// Ends a list after its written values with a fill value. Returns the index of the first missing value.
    pub(super) fn end_early(&mut self, id: VarId, progress: &ListProgress) -> Vec<u64> {
        let shape = self.schema.shape(id);
        let index = index_of(progress.values, &shape);
        let levels = (1..shape.len()).filter(|&level| self.is_unlimited(id, level));
        let levels: Vec<_> = levels.collect();
        for &level in &levels {
            if RowGrid::is_first(&index, level) {
                self.out.bytes(b"{");
            }
        }
        let fill: &[u8] = match (self.is_text(id), progress.in_quotes) {
            (_, true) => b"\"",
            (true, false) => b"\"\"",
            (false, false) => b"_",
        };
        self.out.bytes(fill);
        self.out.bytes(&vec![b'}'; levels.len()]);
        self.out.bytes(b" ;");
        self.wrap.end_line();
        index
    }

    fn is_unlimited(&self, id: VarId, level: usize) -> bool {
        let var = self.schema.var(id);
        let dim = var.and_then(|var| self.schema.dim(*var.dims.get(level)?));
        dim.is_some_and(|dim| dim.unlimited)
    }

    /// Returns whether the values are quoted texts, with an empty text as fill value.
    fn is_text(&self, id: VarId) -> bool {
        let var = self.schema.var(id);
        let forms = self.options.forms;
        var.is_some_and(|var| var.ty == DataType::Atomic(Atomic::Char))
            && forms.and_then(|forms| forms.data(id)).is_none()
    }
}

/// Returns the index of a value from its row-major number.
fn index_of(mut number: u64, shape: &[u64]) -> Vec<u64> {
    let mut index: Vec<_> = (shape.iter().rev())
        .map(|&len| {
            let i = number.checked_rem(len).unwrap_or(0);
            number = number.checked_div(len).unwrap_or(0);
            i
        })
        .collect();
    index.reverse();
    index
}
