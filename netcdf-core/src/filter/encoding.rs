//! Checks that filters can encode the chunks of a variable, before the first chunk.

use super::{ChunkContext, FilterTable, UsableFilter};
use crate::error::Result;
use crate::model::FilterSpec;

impl FilterTable {
    /// Checks that filters, with their stored parameters, can encode chunks of this context.
    ///
    /// # Errors
    /// Returns [`FilterUnavailable`](crate::ErrorKind::FilterUnavailable) for the first missing filter,
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a filter that can only decode, or cannot encode these chunks, and errors of the
    /// filter parameters.
    pub fn check_encoding(&self, filters: &[FilterSpec], context: &ChunkContext) -> Result<()> {
        let mut next = context.clone();
        for spec in filters {
            self.check(std::slice::from_ref(spec), 0)?;
            let entry = self.entry(spec.id)?;
            let params = match &entry {
                UsableFilter::BuiltIn(row) => (row.prepare)(&next, &spec.params)?,
                // Some plugins cannot prepare stored parameters again.
                UsableFilter::Plugin(plugin) => {
                    plugin.check(&next, &spec.params)?;
                    spec.params.clone()
                }
            };
            next = entry.build(&params, &next)?.output(&next);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::filter::tests::context;

    #[test]
    fn missing_and_read_only_filters_are_found() {
        let found = |ids: &[u32]| {
            let spec = |&id: &u32| FilterSpec { id, params: vec![] };
            let specs: Vec<_> = ids.iter().map(spec).collect();
            let checked = FilterTable::default().check_encoding(&specs, &context(64, 4));
            checked.err().map(|e| e.kind())
        };
        assert_eq!(found(&[2, 3]), None);
        assert_eq!(found(&[2, 40_000]), Some(ErrorKind::FilterUnavailable));
        for only_read in [5, 6] {
            assert_eq!(found(&[2, only_read]), Some(ErrorKind::Unsupported));
        }
    }
}
