//! A reader for one contiguous variable in its own source.

use std::ops::Range;
use std::sync::Arc;

use super::bytes::{ChunkBytes, NumberedSources};
use super::layout::{ChunkHolder, ChunkRef, Layout};
use super::scatter::Block;
use crate::chunk::{Locate, Provenance, Reader, Visit, Visited};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::model::{Schema, Values, VarId};

/// A dataset of one variable, with contiguous elements in row-major order. It accepts any variable id.
pub(crate) struct ColumnReader<'a> {
    schema: &'a Schema,
    layout: Layout,
    source: NumberedSources,
    range: Range<u64>,
}

impl<'a> ColumnReader<'a> {
    /// Creates a reader for elements of this layout and shape in a range of a source; `schema` is the variable's
    /// schema.
    #[must_use]
    pub(crate) fn new(
        schema: &'a Schema,
        (layout, shape): (&Layout, &[u64]),
        (source, range): (Arc<dyn Source>, Range<u64>),
    ) -> Self {
        let layout = Layout {
            extent: shape.to_vec(),
            chunk: shape.to_vec(),
            element: layout.element,
            filters: vec![],
            fill: None,
            quantize: None,
        };
        Self {
            schema,
            layout,
            source: NumberedSources::one(source),
            range,
        }
    }

    /// Returns the storage layout: contiguous.
    #[must_use]
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Reader for ColumnReader<'_> {
    fn schema(&self) -> &Schema {
        self.schema
    }

    fn provenance(&self) -> Provenance {
        Provenance::default()
    }

    fn layout(&self, _: VarId) -> Result<Layout> {
        Ok(self.layout.clone())
    }

    fn locate(&self, variable: VarId, _: &Block, _: Locate, visit: Visit<'_>) -> Visited {
        visit(ChunkRef {
            variable,
            index: 0,
            holder: ChunkHolder::Source(0),
            range: self.range.clone(),
            mask: 0,
        })
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        &self.source
    }

    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        let what = "a variable in its own source has only plain elements";
        Err(Error::new(ErrorKind::Unsupported, what))
    }
}
