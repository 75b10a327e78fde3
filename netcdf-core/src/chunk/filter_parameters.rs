//! Prepares a variable's filters for its chunks.

use crate::error::{ErrorKind, Result};
use crate::filter::{ChunkContext, FilterTable};
use crate::model::FilterSpec;

/// Settings of [`prepared`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Preparation {
    /// Whether the parameters already fit the chunks and the type.
    pub keep: bool,
    /// Whether the format describes filters by codecs: codec libraries then generate their parameters.
    pub codecs: bool,
}

/// Returns filters with the parameters to store. Unsupported filters are stored unchanged; their chunks must be
/// already encoded.
///
/// # Errors
/// Returns errors from filters, except [`ErrorKind::Unsupported`] and codec libraries.
pub(crate) fn prepared(
    filters: &[FilterSpec],
    how: Preparation,
    mut context: ChunkContext,
    table: &FilterTable,
) -> Result<Vec<FilterSpec>> {
    let mut all = vec![];
    for filter in filters {
        let library = how.codecs.then(|| table.library_params(filter, &context));
        let entry = match how.keep && !table.has(filter.id) {
            // These parameters come from a plugin, which would change them a second time.
            true => None,
            false => table.entry(filter.id).ok(),
        };
        let prepare = || entry.as_ref().map(|e| e.prepare(&context, &filter.params));
        let params = match library.flatten() {
            Some(made) => made?,
            None => match prepare() {
                Some(Ok(params)) => params,
                Some(Err(e)) if e.kind() != ErrorKind::Unsupported => return Err(e),
                Some(Err(_)) | None => filter.params.clone(),
            },
        };
        let built = entry.map(|e| e.build(&params, &context));
        context = match built {
            Some(Ok(built)) => built.output(&context),
            Some(Err(_)) | None => context.of_any_length(),
        };
        all.push(FilterSpec {
            id: filter.id,
            params,
        });
    }
    Ok(all)
}
