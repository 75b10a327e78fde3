//! Checks whether data can be decoded, before any data is read.

use super::Dataset;
use crate::chunk::scatter::Block;
use crate::chunk::visit::Locate;
use crate::error::Result;
use crate::model::VarId;

impl Dataset<'_> {
    /// Checks that all filters of the variable's stored chunks are available.
    ///
    /// The chunk index is read only if a filter is missing: some files declare filters that no chunk uses. No data
    /// is read.
    ///
    /// # Errors
    /// Returns [`FilterUnavailable`](crate::ErrorKind::FilterUnavailable) as in
    /// [`FilterTable::check`](crate::filter::FilterTable::check), with the variable's path, and errors from reading the
    /// index.
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
