//! The output of a part, which goes into a segment.

use std::ops::Range;
use std::sync::Arc;

use super::segment::{SegmentPiece, SegmentPieceKind, SegmentWriter};
use crate::chunk::{BulkWriter, ChunkRef, ElementForm, Layout, PutRules, Writer};
use crate::error::{Error, Result};
use crate::format::traits;
use crate::io::source::read_range;
use crate::io::{Source, Target};
use crate::model::{DimId, Schema, Values, VarId};

/// Stores the data of one part in a segment.
pub struct PartOutput {
    /// The output's writer, used only for its layouts; it stores no data.
    whole: Box<dyn Writer>,
    segment: SegmentWriter,
}

impl PartOutput {
    /// Creates the output of a part. `whole` could write the whole output; the segment goes to `target`.
    #[must_use]
    pub fn new(whole: Box<dyn Writer>, target: Box<dyn Target>) -> Self {
        Self {
            whole,
            segment: SegmentWriter::new(target),
        }
    }

    /// Writes the end of the segment, and makes the segment visible. Returns its length and digest.
    ///
    /// # Errors
    /// Returns I/O errors of the target.
    pub fn complete(self) -> Result<super::segment::SegmentContent> {
        self.segment.finish()
    }
}

impl Writer for PartOutput {
    fn schema(&self) -> &Schema {
        self.whole.schema()
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        self.whole.layout(var)
    }

    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()> {
        let kind = SegmentPieceKind::Chunk {
            index,
            mask,
            moved: false,
        };
        self.segment.add(SegmentPiece { var, kind }, None, bytes)
    }

    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()> {
        let kind = SegmentPieceKind::Run { element };
        self.segment.add(SegmentPiece { var, kind }, None, bytes)
    }

    fn rules(&self, var: VarId) -> PutRules {
        self.whole.rules(var)
    }

    fn put_heap(&mut self, var: VarId, values: &Values) -> Result<Vec<u8>> {
        match traits(self.schema().kind).heap {
            true => Err(Error::internal("values with heap data in a part of a copy")),
            false => self.whole.put_heap(var, values),
        }
    }

    fn form(&self, var: VarId) -> Result<Option<ElementForm>> {
        self.whole.form(var)
    }

    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()> {
        self.whole.set_len(dim, len)
    }

    fn bulk(&mut self) -> Option<&mut dyn BulkWriter> {
        Some(self)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.complete().map(|_| ())
    }
}

impl BulkWriter for PartOutput {
    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, source: &Arc<dyn Source>) -> Result<()> {
        let kind = SegmentPieceKind::Chunk {
            index: chunk.index,
            mask: chunk.mask,
            moved: true,
        };
        let bytes = read_range(&**source, &chunk.range)?;
        let origin = Some(chunk.range.start);
        self.segment.add(SegmentPiece { var, kind }, origin, &bytes)
    }

    fn move_run(
        &mut self,
        var: VarId,
        element: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()> {
        self.put_run(var, element, &read_range(&**source, &range)?)
    }
}
