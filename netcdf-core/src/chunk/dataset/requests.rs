//! The requests to the reader and its sources: all that a dataset reads goes through the functions of this file.

use std::sync::Arc;

use super::Dataset;
use crate::chunk::engine::Places;
use crate::chunk::layout::ChunkRef;
use crate::chunk::scatter::Block;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::model::VarId;

impl Dataset<'_> {
    /// The stored bytes of chunks, or of parts of them ([`Reader::fetch`](crate::chunk::Reader::fetch)).
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if the file ends too early; [`ErrorKind::Internal`] if the reader leaves some out.
    pub fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        all_of(chunks, self.ask(|| self.reader.fetch(chunks))?)
    }

    /// As [`Dataset::fetch`]; `None` for a chunk that is not stored
    /// ([`Reader::fetch_stored`](crate::chunk::Reader::fetch_stored)).
    pub(super) fn fetch_stored(&self, chunks: &[ChunkRef]) -> Result<Vec<Option<Vec<u8>>>> {
        all_of(chunks, self.ask(|| self.reader.fetch_stored(chunks))?)
    }

    /// The stored bytes of one chunk, or of a part of it.
    ///
    /// # Errors
    /// As [`Dataset::fetch`].
    pub fn fetch_one(&self, chunk: &ChunkRef) -> Result<Vec<u8>> {
        let fetched = self.fetch(std::slice::from_ref(chunk))?;
        let lacking = || Error::new(ErrorKind::Truncated, "a chunk is no longer there");
        fetched.into_iter().next().ok_or_else(lacking)
    }

    /// Fills `buf` with the bytes of one of the reader's sources, from byte `offset` on.
    ///
    /// # Errors
    /// Those of [`Source::read_at`].
    pub fn read_at(&self, source: &dyn Source, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.ask(|| source.read_at(offset, buf))
    }

    /// The places of all stored chunks of a variable, if they are known.
    fn known_places(&self, var: VarId) -> Option<Arc<Places>> {
        let (engine, var) = self.kept_of(var)?;
        engine.places(var)
    }

    /// Visits the stored chunks of a box of the grid, as the reader finds them
    /// ([`Reader::locate`](crate::chunk::Reader::locate)), or as they are known.
    pub(super) fn ask_for_places(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        match self.known_places(var) {
            Some(places) => places.visit(chunks, visit),
            None => self.reader.locate(var, chunks, visit),
        }
    }

    /// As [`Dataset::ask_for_places`], for those who fetch what they are told
    /// ([`Reader::candidates`](crate::chunk::Reader::candidates)).
    pub(super) fn ask_for_candidates(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        match self.known_places(var) {
            Some(places) => places.visit(chunks, visit),
            None => self.reader.candidates(var, chunks, visit),
        }
    }

    /// As [`Dataset::ask_for_places`], for all chunks of this grid, whose places are then known.
    pub(super) fn ask_for_all_places(
        &self,
        var: VarId,
        grid: &[u64],
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        let all = Block::whole(grid);
        let kept = self.kept_of(var);
        let Some((engine, id)) = kept.filter(|(engine, id)| engine.places(*id).is_none()) else {
            return self.ask_for_places(var, &all, visit);
        };
        let mut walk = engine.walk(id, grid);
        let mut walked = |chunk: ChunkRef| {
            walk.push(&chunk);
            visit(chunk)
        };
        self.reader.locate(var, &all, &mut walked)?;
        walk.end();
        Ok(())
    }
}

/// What was fetched of chunks.
///
/// # Errors
/// [`ErrorKind::Internal`] if the reader left some out.
fn all_of<T>(chunks: &[ChunkRef], fetched: Vec<T>) -> Result<Vec<T>> {
    match fetched.len() == chunks.len() {
        true => Ok(fetched),
        false => Err(Error::internal("chunks that were not fetched")),
    }
}
