//! The inputs and the description of a joined dataset.

use std::sync::Arc;

use super::description::{JoinedDataset, JoinedVariable, Piece};
use super::grid::inner_chunk;
use super::inputs::{JoinedInputs, OpenInput, OpenedInput, lacking};
use crate::chunk::layout::ChunkRef;
use crate::env::Env;
use crate::error::{OrInternal as _, Result};
use crate::model::VarId;

/// Many datasets as one dataset.
pub struct JoinedReader<'a> {
    pub(super) description: JoinedDataset,
    pub(super) inputs: JoinedInputs<'a>,
    names: Arc<dyn Fn(usize) -> String + Send + Sync + 'a>,
}

impl<'a> JoinedReader<'a> {
    /// Creates the reader of a joined dataset. `open` opens an input, and `name` returns its name for messages. At most `most` inputs stay
    /// open.
    #[must_use]
    pub fn new(
        description: JoinedDataset,
        (open, most): (OpenInput<'a>, usize),
        name: impl Fn(usize) -> String + Send + Sync + 'a,
        env: &'a Env,
    ) -> Self {
        Self {
            description,
            inputs: JoinedInputs::new(open, most, env),
            names: Arc::new(name),
        }
    }

    /// Returns a variable.
    pub(super) fn variable(&self, var: VarId) -> Result<&JoinedVariable> {
        let variable = self.description.variables.get(var.index());
        variable.or_internal("a variable of the joined dataset")
    }

    /// Returns the description of the whole.
    #[must_use]
    pub fn description(&self) -> &JoinedDataset {
        &self.description
    }

    /// Returns the name of an input.
    pub(super) fn name(&self, input: usize) -> String {
        (self.names)(input)
    }

    /// Returns an open input, and the input's id of a variable.
    pub(super) fn input(
        &self,
        number: usize,
        var: VarId,
    ) -> Result<(Arc<OpenedInput>, Option<VarId>)> {
        let ids = self.description.ids.get(number).or_internal("an input")?;
        let id = ids.get(var.index()).copied().flatten();
        Ok((self.inputs.get(number)?, id))
    }

    /// Returns the number of inputs.
    pub(super) fn count(&self) -> usize {
        self.description.ids.len()
    }

    /// Returns the input of a chunk, and the chunk in the input.
    pub(super) fn back(&self, chunk: &ChunkRef) -> Result<(usize, ChunkRef)> {
        let (piece, index) = self.variable(chunk.variable)?.inner_number(chunk.index)?;
        let ids = self.description.ids.get(piece.input);
        let id = ids.and_then(|ids| ids.get(chunk.variable.index()).copied().flatten());
        let id = id.ok_or_else(lacking)?;
        Ok((piece.input, inner_chunk((id, index), chunk, self.count())?))
    }

    /// Returns the open input of a chunk, and the chunk in the input.
    pub(super) fn opened(&self, chunk: &ChunkRef) -> Option<(Arc<OpenedInput>, ChunkRef)> {
        let (input, chunk) = self.back(chunk).ok()?;
        Some((self.inputs.get(input).ok()?, chunk))
    }

    /// Returns the first input of a variable, and its id there.
    pub(super) fn first(&self, var: VarId) -> Result<(Arc<OpenedInput>, VarId)> {
        let pieces = self.variable(var)?.pieces();
        let piece: &Piece = pieces.first().or_internal("an input of the variable")?;
        let (input, id) = self.input(piece.input, var)?;
        Ok((input, id.ok_or_else(lacking)?))
    }
}
