//! Appends records of strings, lists and user-defined types.
//!
//! Chunks have references to heap data. Old records keep their references, and each other element gets its own heap data, also elements
//! after the last record ([`crate::chunk::unwritten`]).

use super::append::{AppendedVariable, indices};
use crate::arithmetic::exact;
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::scatter::{Block, put_back};
use crate::chunk::unwritten::put_copies;
use crate::chunk::{Dataset, Placement, Update};
use crate::error::Result;
use crate::format;
use crate::model::{Region, Values};

impl AppendedVariable<'_> {
    /// Appends the records chunk by chunk.
    pub(super) fn value_chunks(&self, update: &mut dyn Update) -> Result<Placement> {
        let env = self.set.env;
        let target = (update.reader().schema(), update.rules(self.var));
        let encoder = ChunkEncoder::of(target, env, self.var, &self.layout)?;
        let grid = self.layout.grid();
        for index in indices(&self.touched(&grid)?, &grid)? {
            env.cancel.check()?;
            let index = index?;
            let bytes = self.value_chunk(index, &encoder, update)?;
            let whole = self.whole(index);
            let chunk = encoder.encode(&whole, bytes)?;
            let placed = update.put_chunk(self.var, index, chunk.mask, &chunk.bytes)?;
            if let anew @ Placement::Anew(_) = placed {
                return Ok(anew);
            }
        }
        Ok(Placement::InPlace)
    }

    /// Returns the chunks with new records.
    fn touched(&self, grid: &[u64]) -> Result<Block> {
        let chunk = self.layout.chunk.get(self.axis).copied().unwrap_or(1);
        let first = self.records.from / chunk.max(1);
        let end = grid.get(self.axis).copied().unwrap_or(first);
        let mut block = Block::whole(grid);
        self.limit_block(&mut block, first, (exact(end) - first).get()?);
        Ok(block)
    }

    /// Returns all elements of a chunk, also those beyond the variable.
    fn whole(&self, index: u64) -> Region {
        Region {
            count: self.layout.chunk.clone(),
            ..self.region(index)
        }
    }

    /// Returns the stored form of a chunk without filters.
    fn value_chunk(
        &self,
        index: u64,
        encoder: &ChunkEncoder,
        update: &mut dyn Update,
    ) -> Result<Vec<u8>> {
        let mut new = self.region(index);
        let start = new.start.get(self.axis).copied().unwrap_or(0);
        let count = new.count.get(self.axis).copied().unwrap_or(0);
        let from = start.max(self.records.from);
        self.limit(&mut new, from, (exact(start) + count - from).get()?);
        let values = self.set.read(self.var, &new)?;
        let stored = self.put_values(&values, update)?;
        let block = Block::of(&self.whole(index));
        let own = Dataset::new(update.reader(), self.set.env);
        let Some(mut all) = own.stored_elements(self.var, &self.layout, index)? else {
            return encoder.complete((&block, &new), stored, |count| {
                self.put_fill(count, encoder, update)
            });
        };
        put_back(&block, &new, self.layout.element.size, &stored, &mut all)?;
        Ok(all)
    }

    fn put_values(&self, values: &Values, update: &mut dyn Update) -> Result<Vec<u8>> {
        let kind = update.reader().schema().kind;
        let path = || self.set.reader.schema().var_path(self.var);
        format::tell_of_strings(values, kind, &self.set.env.notes, path)?;
        update.put_heap(self.var, values)
    }

    /// Returns the stored form of unwritten elements, each with its own heap data.
    fn put_fill(
        &self,
        count: u64,
        encoder: &ChunkEncoder,
        update: &mut dyn Update,
    ) -> Result<Vec<u8>> {
        let own = Dataset::new(update.reader(), self.set.env);
        let fill = own.resolve(self.var, encoder.fill())?;
        put_copies(&fill, count, |values| update.put_heap(self.var, values))
    }
}
