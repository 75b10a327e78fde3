//! The stored chunks of a netCDF-4 file that is changed, and the slots of filtered chunks.

use std::sync::Arc;

use super::update::Netcdf4Update;
use crate::arithmetic::length;
use crate::chunk::Reader;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Locate, VisitStop};
use crate::error::{OrInternal as _, Result};
use crate::format::hdf5::message::layout::DataLayout;
use crate::format::hdf5::update::{NewChunk, SlotOwner, SlotPair};
use crate::model::{DimId, VarId};

/// The chunk size in bytes from which a new chunk gets slots only when it changes.
const LARGE: u64 = 1 << 20;
/// The maximum number of remembered full chunks.
const REMEMBERED: usize = 4096;

impl Netcdf4Update {
    /// Returns the stored chunk at a position.
    pub(super) fn stored(&self, var: VarId, position: &[u64]) -> Result<Option<NewChunk>> {
        let new = self.reader.new.get(&var).and_then(|new| new.get(position));
        match new {
            Some(chunk) => Ok(Some(*chunk)),
            None => self.committed_chunk(var, position),
        }
    }

    /// Returns whether a chunk has room for more records.
    fn has_room(&self, var: VarId, layout: &Layout, position: &[u64]) -> bool {
        self.has_room_in(var, &|len, _| len, (layout, position))
    }

    /// Returns whether a chunk had room for more records at the last commit. Readers expect only such chunks in slots.
    fn had_room(&self, var: VarId, layout: &Layout, position: &[u64]) -> bool {
        let committed = |len, dim| self.committed.get(&dim).copied().unwrap_or(len);
        self.has_room_in(var, &committed, (layout, position))
    }

    /// Returns whether a chunk has room for more records. `len` returns the length of a dimension.
    fn has_room_in(
        &self,
        var: VarId,
        len: &dyn Fn(u64, DimId) -> u64,
        (layout, position): (&Layout, &[u64]),
    ) -> bool {
        let schema = self.reader.schema();
        let Some(variable) = schema.var(var) else {
            return false;
        };
        let lens = layout.extent.iter().zip(&layout.chunk).zip(position);
        lens.zip(&variable.dims)
            .any(|(((extent, chunk), at), dim)| {
                let end = at.saturating_add(1).saturating_mul(*chunk);
                end > len(*extent, *dim) && schema.is_unlimited(*dim)
            })
    }

    /// Stores a filtered chunk: in a slot while it has room for more records, else at the end.
    pub(super) fn put_filtered(
        &mut self,
        (var, layout, position): (VarId, &Layout, &[u64]),
        bytes: &[u8],
    ) -> Result<u64> {
        let file = Arc::clone(&self.file);
        let len = layout.chunk_bytes().or_internal("the bytes of a chunk")? as u64;
        let owner = SlotOwner {
            file: &file,
            header: self.reader.base.dataset(var)?.address,
            len,
        };
        let committed = self.committed_chunk(var, position)?;
        let known = self.known_slots((var, position), owner)?;
        if let (Some(pair), Some(chunk)) = (known, &committed)
            && pair.has(chunk.place)
        {
            self.in_use.insert(pair.mark(), chunk.place);
        }
        if !self.has_room(var, layout, position) || bytes.len() as u64 > len {
            self.slots.remove(&(var, position.to_vec()));
            if let Some(before) = self.predecessor(var, position) {
                self.left.remove(&(var, before));
            }
            let is_left = committed.is_none() || self.had_room(var, layout, position);
            let pair = known.filter(|_| is_left);
            self.left.insert((var, position.to_vec()), pair);
            return match pair {
                Some(pair) => owner.leave(pair, bytes),
                None => file.append(bytes),
            };
        }
        let pair = match (known, &committed) {
            (Some(pair), _) => pair,
            // Large slots would take more space than the data, if the chunk never changes again.
            (None, None) if len > LARGE => return file.append(bytes),
            (None, _) => owner.create()?,
        };
        self.slots.insert((var, position.to_vec()), pair);
        owner.put(pair, self.in_use.get(&pair.mark()).copied(), bytes)
    }

    /// Returns the slots of a chunk, which this process or an earlier one created.
    fn known_slots(
        &self,
        (var, position): (VarId, &[u64]),
        owner: SlotOwner<'_>,
    ) -> Result<Option<SlotPair>> {
        if let Some(pair) = self.slots.get(&(var, position.to_vec())) {
            return Ok(Some(*pair));
        }
        if let Some(chunk) = self.committed_chunk(var, position)? {
            return owner.of_chunk(chunk.place, chunk.size);
        }
        let Some(before) = self.predecessor(var, position) else {
            return Ok(None);
        };
        let key = (var, before);
        if let Some(pair) = self.left.get(&key) {
            return Ok(*pair);
        }
        match self.stored(var, &key.1)? {
            Some(chunk) => owner.left_by(chunk.place),
            None => Ok(None),
        }
    }

    /// Returns the position of the chunk with the records before a chunk.
    fn predecessor(&self, var: VarId, position: &[u64]) -> Option<Vec<u64>> {
        let schema = self.reader.schema();
        let dims = &schema.var(var)?.dims;
        let axis = dims.iter().position(|dim| schema.is_unlimited(*dim))?;
        let mut before = position.to_vec();
        let at = before.get_mut(axis)?;
        *at = at.checked_sub(1)?;
        Some(before)
    }

    /// Returns the chunk of the last commit at a position.
    fn committed_chunk(&self, var: VarId, position: &[u64]) -> Result<Option<NewChunk>> {
        let known = self.partial.get(&var).and_then(|known| known.get(position));
        if let Some(chunk) = known {
            return Ok(Some(*chunk));
        }
        match self.is_beyond_committed(var, position)? {
            true => Ok(None),
            false => located(&self.reader.base, var, position),
        }
    }

    /// Returns whether a position is beyond the committed lengths, so that the file cannot have the chunk.
    fn is_beyond_committed(&self, var: VarId, position: &[u64]) -> Result<bool> {
        let dataset = self.reader.base.dataset(var)?;
        let (DataLayout::Chunked(chunked), Some(variable)) =
            (&dataset.layout, self.reader.schema().var(var))
        else {
            return Ok(false);
        };
        let mut axes = position.iter().zip(&chunked.dims).zip(&variable.dims);
        Ok(axes.any(|((at, chunk), dim)| {
            let committed = self.committed.get(dim);
            committed.is_some_and(|len| at.checked_mul(*chunk).is_none_or(|start| start >= *len))
        }))
    }

    /// Remembers the partial chunks of a commit.
    pub(super) fn remember_partial(&mut self) -> Result<()> {
        for (var, new) in std::mem::take(&mut self.reader.new) {
            let layout = self.reader.layout(var)?;
            let mut partial = new;
            partial.retain(|position, _| self.has_room(var, &layout, position));
            self.partial.insert(var, partial);
        }
        if self.left.len() > REMEMBERED {
            self.left.clear();
        }
        Ok(())
    }
}

/// Returns the stored chunk of a reader at a position.
fn located(reader: &dyn Reader, var: VarId, position: &[u64]) -> Result<Option<NewChunk>> {
    let block = Block {
        start: position.to_vec(),
        count: vec![1; position.len()],
    };
    let mut found = None;
    let visited = reader.locate(var, &block, Locate::Stored, &mut |chunk| {
        found = Some(NewChunk {
            place: chunk.range.start,
            size: length(&chunk.range),
            mask: chunk.mask,
        });
        Ok(())
    });
    match visited {
        Ok(()) | Err(VisitStop::Enough) => Ok(found),
        Err(VisitStop::Error(e)) => Err(e),
    }
}
