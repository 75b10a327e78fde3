//! Chunks with the same storage in both datasets. Equal stored bytes imply equal elements, so these chunks are not decoded.

use std::collections::BTreeMap;

use super::tally::DiffParts;
use super::values::Both;
use crate::arithmetic::{Amount, length};
use crate::chunk::decode::ChunkDecoder;
use crate::chunk::layout::ChunkRef;
use crate::chunk::{ChunkGrid, Dataset, Layout};
use crate::error::Result;
use crate::filter::substitutes::decode_alike;
use crate::model::{Region, VarId};
use crate::runtime::WorkItem;

/// Maximum number of chunk locations in memory, per dataset.
const CHUNKS: u64 = 1 << 12;
/// Maximum number of chunks in a worker's group.
const TOGETHER: usize = 64;
/// Approximate stored bytes per dataset in a worker's group, for sources with latency.
const BYTES: u64 = 1 << 20;
/// Stored bytes per dataset for local sources. This amount fits in the processor's cache.
const NEAR_BYTES: u64 = 128 << 10;
/// Maximum bytes of chunks without filters that are compared whole.
const WHOLE: u64 = 4 << 20;
/// Minimum bytes of a variable for checking whether any chunks are stored.
const MANY: u64 = 64 << 20;
/// Copies of a decoded chunk during the comparison.
const COPIES: u64 = 4;

/// A chunk of the grid, as each dataset stores it.
struct StoredCell {
    /// The elements of the chunk.
    part: Region,
    /// `None` for a missing chunk.
    chunks: [Option<ChunkRef>; 2],
}

impl StoredCell {
    /// Returns the stored bytes to compare; `None` if the chunk has to be decoded.
    fn stored(&self) -> Option<[&ChunkRef; 2]> {
        match &self.chunks {
            [Some(a), Some(b)] if a.mask == b.mask && length(&a.range) == length(&b.range) => {
                Some([a, b])
            }
            [Some(_) | None, Some(_) | None] => None,
        }
    }

    fn bytes(&self) -> u64 {
        self.stored().map_or(0, |[a, _]| length(&a.range))
    }
}

impl Both<'_> {
    /// Returns whether chunks with the same index are stored the same way, so that equal bytes are equal elements.
    pub(super) fn stored_alike(&self) -> Result<bool> {
        let [a, b] = &self.layouts;
        let grid = a.chunk == b.chunk && a.extent == b.extent && a.extent == self.shape;
        if !grid || self.partly || self.changes_elements() || !decode_alike(&a.filters, &b.filters)
        {
            return Ok(false);
        }
        // Without filters, elements need not be read chunk by chunk.
        let small = Amount::of(a.chunk_bytes()) <= WHOLE.into();
        let is_chunked = |(set, var): (Dataset<'_>, VarId)| match a.filters.is_empty() {
            _ if set.reader.assembles(var) => false,
            true => small && set.reader.has_index(var),
            false => true,
        };
        Ok(self.is_same_element()? && self.sets().into_iter().all(is_chunked))
    }

    /// Returns whether all elements are missing in both datasets and read the same. A file of a few bytes can declare an enormous number of
    /// missing elements. The function returns false for small variables without checking.
    pub(super) fn is_stored_nowhere(&self) -> Result<bool> {
        if self.bytes(&self.shape) <= MANY.into() || self.is_quantized() {
            return Ok(false);
        }
        for ((set, var), layout) in self.sets().into_iter().zip(&self.layouts) {
            let whole = layout.extent == set.reader.schema().shape(var);
            if !whole || set.reader.assembles(var) || set.has_chunks(var)? {
                return Ok(false);
            }
        }
        self.unwritten_alike()
    }

    /// Returns whether an element has the same bytes in both datasets.
    fn is_same_element(&self) -> Result<bool> {
        let [a, b] = [&self.layouts[0].element, &self.layouts[1].element];
        Ok(match (a.plain_type(), b.plain_type()) {
            (Some(x), Some(y)) => x == y && (a.order == b.order || x.size() == Some(1)),
            (None, None) => self.has_same_form(),
            (Some(_) | None, Some(_) | None) => false,
        })
    }

    /// Returns the two datasets with their variables.
    pub(super) fn sets(&self) -> [(Dataset<'_>, VarId); 2] {
        let [a, b] = self.sides;
        let [x, y] = self.pair.vars;
        [(a.set, x), (b.set, y)]
    }

    /// Compares chunk by chunk.
    pub(super) fn compare_stored(&self) -> Result<DiffParts> {
        let alike = !self.decodes() || self.unwritten_alike()?;
        let decoder = self.moved_decoder()?;
        let grid = ChunkGrid::new(&self.layouts[0], &self.shape);
        let sections = grid.boxes(CHUNKS);
        let items = sections.flat_map(|section| match self.groups(&grid, &section, alike) {
            Ok(groups) => groups
                .into_iter()
                .map(|group| Ok(self.item(group)))
                .collect(),
            Err(e) => vec![Err(e)],
        });
        let mut found = DiffParts::default();
        self.runtime().ordered(
            items,
            |group| self.compare_cells(&group, decoder.as_ref()),
            |one| {
                found.add(one);
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// Returns whether missing elements are the same in both datasets.
    fn unwritten_alike(&self) -> Result<bool> {
        let [(a, x), (b, y)] = self.sets();
        let (p, q) = (a.fill(x, &self.layouts[0])?, b.fill(y, &self.layouts[1])?);
        let p = self.converted(p)?;
        Ok(self.tally(&self.general.rule, [&p, &q])?.differing == 0)
    }

    /// Returns the stored chunks in a section of the grid, in groups for joint comparison. Chunks missing in both datasets are included
    /// unless they are `alike`.
    fn groups(
        &self,
        grid: &ChunkGrid,
        section: &Region,
        alike: bool,
    ) -> Result<Vec<Vec<StoredCell>>> {
        let [(a, x), (b, y)] = self.sets();
        a.env.cancel.check()?;
        let located = |set: Dataset<'_>, var, layout: &Layout| -> Result<BTreeMap<_, _>> {
            set.chunks_by_place(var, layout, section)
        };
        let mut left = located(a, x, &self.layouts[0])?;
        let mut right = located(b, y, &self.layouts[1])?;
        let mut groups: Vec<Vec<StoredCell>> = vec![];
        if alike && left.is_empty() && right.is_empty() {
            self.advance(&section.count);
            return Ok(groups);
        }
        let most = match self.runtime().asks_ahead() {
            true => BYTES,
            false => NEAR_BYTES,
        };
        let mut bytes = most;
        for part in grid.chunks(section).map(|chunk| section.part(&chunk)) {
            let chunks = [left.remove(&part.start), right.remove(&part.start)];
            if alike && chunks == [None, None] {
                self.advance(&part.count);
                continue;
            }
            let cell = StoredCell { part, chunks };
            let full = |group: &Vec<StoredCell>| group.len() >= TOGETHER;
            if bytes >= most || groups.last().is_none_or(full) {
                groups.push(vec![]);
                bytes = 0;
            }
            bytes += cell.bytes();
            if let Some(group) = groups.last_mut() {
                group.push(cell);
            }
        }
        Ok(groups)
    }

    fn item(&self, group: Vec<StoredCell>) -> WorkItem<Vec<StoredCell>> {
        let stored = group.iter().map(|cell| Amount::of(cell.bytes()) * 2u64);
        let decoded = Amount::of(self.layouts[0].chunk_bytes()) * COPIES;
        let bytes = stored.sum::<Amount>() + decoded;
        WorkItem::new(bytes.get(), group)
    }

    /// Compares a group of chunks: first the stored bytes, then the elements if the bytes differ. `decoder` checks chunks of a copy with
    /// equal bytes.
    fn compare_cells(
        &self,
        group: &[StoredCell],
        decoder: Option<&ChunkDecoder<'_>>,
    ) -> Result<DiffParts> {
        let mut found = DiffParts::default();
        for (cell, bytes) in group.iter().zip(self.equal_bytes(group, decoder)?) {
            match (bytes, decoder, &cell.chunks) {
                (None, _, chunks) => {
                    self.check_decodes(&cell.part, chunks)?;
                    found.add(self.compare_box(&cell.part)?);
                    continue;
                }
                (Some(bytes), Some(decoder), [Some(chunk), _]) => {
                    self.check_moved(decoder, chunk, bytes)?;
                }
                (Some(bytes), Some(_) | None, _) => self.sides[0].set.env.buffers.give_large(bytes),
            }
            self.advance(&cell.part.count);
        }
        Ok(found)
    }

    /// Returns the stored bytes of each chunk with equal bytes in both datasets.
    fn equal_bytes(
        &self,
        group: &[StoredCell],
        decoder: Option<&ChunkDecoder<'_>>,
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let [(a, _), (b, _)] = self.sets();
        a.env.cancel.check()?;
        let stored: Vec<_> = group.iter().filter_map(StoredCell::stored).collect();
        let [x, y] = [0, 1].map(|n| -> Vec<ChunkRef> {
            stored
                .iter()
                .filter_map(|pair| pair.get(n))
                .map(|chunk| (*chunk).clone())
                .collect()
        });
        // The next step decodes equal chunks of a copy.
        let room = |stored| decoder.map_or(0, |decoder| decoder.room(stored));
        let left = a.fetch_reused(&x, room);
        let left = left.map_err(|e| self.sides[0].named(e))?;
        let right = b.fetch_reused(&y, |_| 0);
        let right = right.map_err(|e| self.sides[1].named(e))?;
        let both = left.into_iter().zip(right);
        let mut equal = both.map(|(x, y)| {
            let equal = x == y;
            b.env.buffers.give_large(y);
            equal.then_some(x)
        });
        let bytes = group.iter().map(|cell| {
            cell.stored()?;
            equal.next().flatten()
        });
        Ok(bytes.collect())
    }
}
