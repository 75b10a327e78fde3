//! The reader of a joined dataset, and its chunks.

use std::sync::Arc;

use super::description::{JoinedContent, JoinedVariable};
use super::elements::strings_of;
use super::grid::outer_chunk;
use super::inputs::lacking;
use super::reader::JoinedReader;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Locate, Visit, Visited};
use crate::chunk::{Assembly, ChunkBytes, ElementForm, Provenance, Reader};
use crate::env::Env;
use crate::error::{OrInternal as _, Result};
use crate::io::Source;
use crate::io::merge::CoalesceLimits;
use crate::io::reference::{Reference, SourceState};
use crate::io::store::KeyContent;
use crate::model::{Schema, Values, VarId};

impl Reader for JoinedReader<'_> {
    fn schema(&self) -> &Schema {
        &self.description.schema
    }

    fn provenance(&self) -> Provenance {
        self.description.provenance.clone()
    }

    fn borders(&self, var: VarId) -> Vec<u64> {
        let variable = self.variable(var);
        variable.map_or_else(|_| vec![], JoinedVariable::borders)
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        Ok(self.variable(var)?.layout.clone())
    }

    fn locate(&self, var: VarId, chunks: &Block, which: Locate, visit: Visit<'_>) -> Visited {
        let variable = self.variable(var)?;
        if !variable.stacked {
            return Ok(());
        }
        variable.boxes(chunks, |part| {
            let input = part.piece.input;
            let (opened, id) = self.input(input, var)?;
            let id = id.ok_or_else(lacking)?;
            let count = self.count();
            opened.reader.locate(id, &part.chunks, which, &mut |chunk| {
                let index = variable.outer_number(&part.piece, chunk.index)?;
                visit(outer_chunk((var, index), chunk, (input, count))?)
            })
        })
    }

    fn has_index(&self, var: VarId) -> bool {
        self.variable(var).is_ok_and(|variable| variable.has_index)
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        self
    }

    fn assembly(&self, var: VarId) -> Option<&dyn Assembly> {
        let stacked = self.variable(var).is_ok_and(|variable| variable.stacked);
        match stacked {
            true => None,
            false => Some(self),
        }
    }

    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values> {
        let variable = self.variable(var)?;
        match &variable.content {
            JoinedContent::Memory(values) => strings_of(values, bytes),
            JoinedContent::Pieces(_) if variable.tagged => self.resolve_tagged(var, bytes, env),
            JoinedContent::Pieces(_) => {
                let (input, id) = self.first(var)?;
                input.set(env).resolve(id, bytes)
            }
        }
    }

    fn form(&self, var: VarId) -> Result<Option<ElementForm>> {
        match self.variable(var)? {
            variable if variable.tagged || variable.pieces().is_empty() => Ok(None),
            _ => {
                let (input, id) = self.first(var)?;
                input.reader.form(id)
            }
        }
    }
}

impl ChunkBytes for JoinedReader<'_> {
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let inner = chunks.iter().map(|chunk| self.back(chunk));
        let inner = inner.collect::<Result<Vec<_>>>()?;
        let mut out = Vec::with_capacity(chunks.len());
        for same in inner.chunk_by(|(a, _), (b, _)| a == b) {
            let (number, _) = same.first().or_internal("a chunk to fetch")?;
            let input = self.inputs.get(*number)?;
            let chunks: Vec<ChunkRef> = same.iter().map(|(_, chunk)| chunk.clone()).collect();
            out.extend(input.reader.bytes().fetch(&chunks)?);
        }
        Ok(out)
    }

    fn source(&self, chunk: &ChunkRef) -> Option<Arc<dyn Source>> {
        let (input, chunk) = self.opened(chunk)?;
        input.reader.bytes().source(&chunk)
    }

    fn reference(&self, chunk: &ChunkRef) -> Result<Option<Reference>> {
        let Some((input, chunk)) = self.opened(chunk) else {
            return Ok(None);
        };
        input.reader.bytes().reference(&chunk)
    }

    fn source_state(&self, chunk: &ChunkRef, url: &str) -> Option<SourceState> {
        let (input, chunk) = self.opened(chunk)?;
        input.reader.bytes().source_state(&chunk, url)
    }

    fn has_sources(&self) -> bool {
        self.description.has_sources
    }

    fn latency(&self) -> bool {
        self.description.latency
    }

    fn coalesce_limits(&self, a: &ChunkRef, b: &ChunkRef) -> Option<CoalesceLimits> {
        let ((input, a), (other, b)) = (self.back(a).ok()?, self.back(b).ok()?);
        if input != other {
            return None;
        }
        self.inputs
            .get(input)
            .ok()?
            .reader
            .bytes()
            .coalesce_limits(&a, &b)
    }

    fn name(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        let (input, chunk) = self.opened(chunk)?;
        input.reader.bytes().name(&chunk)
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.inputs.changed()
    }

    fn is_spread(&self) -> bool {
        true
    }
}
