//! Checks what a job needs before anything is written.

use super::{CopyJob, Method};
use crate::chunk::Dataset;
use crate::chunk::decode::fill;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::{ChunkContext, VariableFacts};
use crate::model::Schema;

impl CopyJob {
    /// Checks that the filters the job has to undo or apply are available. Filters that no stored chunk went
    /// through, and filters of chunks that are moved unchanged, may be missing.
    ///
    /// # Errors
    /// [`ErrorKind::FilterUnavailable`]; [`ErrorKind::Unsupported`] for filters that can only be undone. Both
    /// name the variable's path.
    pub(super) fn check_filters(&self, set: Dataset<'_>, output: &Schema) -> Result<()> {
        match self.method {
            Method::Move | Method::Rows | Method::Chunks => return Ok(()),
            Method::Convert | Method::Recode | Method::Rechunk(_) => {}
        }
        set.check_filters(self.pair.from)?;
        let path = || set.reader.schema().var_path(self.pair.from);
        match self.can_encode(set, output) {
            Err(e) if self.encodes(set)? => Err(way_out(e, &path())).in_object(path),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// True if any chunk has to be encoded.
    fn encodes(&self, set: Dataset<'_>) -> Result<bool> {
        if !self.same_fill || set.reader.assembles(self.pair.from) {
            return Ok(self.elements() > 0);
        }
        set.has_chunks(self.pair.from)
    }

    /// Checks that the filters can be applied to chunks of the output, given what its encoder knows of them.
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

/// Adds a remedy to the error: filters of the input are kept unless others are asked for.
fn way_out(e: Error, path: &str) -> Error {
    match e.kind() {
        ErrorKind::Unsupported => e.with_remedy(format!(
            "chunks that keep their shape, type and filters are copied unchanged; otherwise choose other filters: -F '{path},none', \
             -F '{path},zstd,3'"
        )),
        _ => e,
    }
}
