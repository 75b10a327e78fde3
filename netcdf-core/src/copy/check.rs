//! Checks before a copy starts: required filters must be available.

use super::{CopyJob, Method};
use crate::chunk::Dataset;
use crate::chunk::decode::fill;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::{ChunkContext, VariableFacts};
use crate::model::Schema;

impl CopyJob {
    /// Checks that the filters the copy has to decode or encode are available. Filters that no stored chunk used, and filters of moved
    /// chunks, may be missing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::FilterUnavailable`], or [`ErrorKind::Unsupported`] for decode-only filters. Either error names the variable's
    /// path.
    pub(super) fn check_filters(&self, set: Dataset<'_>, output: &Schema) -> Result<()> {
        match self.method {
            Method::Move | Method::Rows | Method::Chunks => return Ok(()),
            Method::Convert | Method::Recode | Method::Rechunk(_) => {}
        }
        set.check_filters(self.pair.from)?;
        let path = || set.reader.schema().var_path(self.pair.from);
        match self.can_encode(set, output) {
            Err(e) if self.encodes(set)? => Err(add_remedy(e, &path())).in_object(path),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Returns whether any chunk has to be encoded.
    fn encodes(&self, set: Dataset<'_>) -> Result<bool> {
        if !self.same_fill || set.reader.assembles(self.pair.from) {
            return Ok(self.elements() > 0);
        }
        set.has_chunks(self.pair.from)
    }

    /// Checks that the output's chunk encoder can apply its filters to the element type and chunk shape.
    fn can_encode(&self, set: Dataset<'_>, output: &Schema) -> Result<()> {
        let about = VariableFacts::new(output, self.to.element.ty, &self.to.filters);
        let fill = fill(output, self.pair.to, &self.to)?;
        let context = ChunkContext {
            fill: Some(fill),
            ..self.to.context(about)
        };
        set.env.filters.check_encoding(&self.to.filters, &context)
    }
}

/// Adds a remedy to the error: the copy keeps the input's filters unless options name different filters.
fn add_remedy(e: Error, path: &str) -> Error {
    match e.kind() {
        ErrorKind::Unsupported => e.with_remedy(format!(
            "chunks that keep their shape, type and filters are copied unchanged; otherwise choose other filters: -F '{path},none', \
             -F '{path},zstd,3'"
        )),
        _ => e,
    }
}
