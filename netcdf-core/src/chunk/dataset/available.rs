//! Checks whether data can be decoded at all, before any of it is read.

use super::Dataset;
use crate::chunk::scatter::Block;
use crate::chunk::visit::Locate;
use crate::error::Result;
use crate::model::VarId;

impl Dataset<'_> {
    /// Checks that all filters are available that the stored chunks of a variable went through.
    ///
    /// The chunk index is read only if a filter is missing: some files name filters that no chunk went through.
    /// No data is read.
    ///
    /// # Errors
    /// [`FilterUnavailable`](crate::ErrorKind::FilterUnavailable) as in
    /// [`Table::check`](crate::filter::FilterTable::check), with the variable's path; those of reading the index.
    pub fn check_filters(&self, var: VarId) -> Result<()> {
        let layout = self.layout(var)?;
        let table = &self.env.filters;
        if table.check(&layout.filters, 0).is_ok() {
            return Ok(());
        }
        let all = Block::whole(&layout.grid());
        self.locate_chunks(var, &all, Locate::Again, &mut |chunk| {
            Ok(table.check(&layout.filters, chunk.mask)?)
        })
    }
}
