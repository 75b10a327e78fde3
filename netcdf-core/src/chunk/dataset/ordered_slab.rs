//! The chunks of a slab, reordered for the parts cut from the slab.

use std::ops::Range;
use std::sync::OnceLock;

use super::chunk_elements::FoundElements;
use super::pieces::BlockPieces;
use super::rows::BoxRows;
use super::tiles::{Decoded, SlabTiles};
use super::variable::ReadVariable;
use crate::arithmetic::Amount;
use crate::chunk::layout::ChunkRef;
use crate::chunk::plan::PlanCell;
use crate::chunk::scatter::{Block, spread};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Region;
use crate::runtime::buffers::Buffers;

/// The stored chunks of a slab, by number.
pub(super) type SlabChunks = [(PlanCell, ChunkRef)];

/// The elements of a slab, block by block. Blocks of a group share memory.
pub(super) struct OrderedSlab {
    tiles: SlabTiles,
    /// The blocks with stored chunks, by number.
    blocks: Vec<StoredBlock>,
    /// Whether the list has all blocks.
    complete: bool,
    /// The number of blocks per group.
    group: usize,
    /// The range of each block's elements in the memory of its group, or the error.
    loaded: Vec<OnceLock<Result<Range<usize>>>>,
    memory: Vec<OnceLock<Vec<u8>>>,
}

/// The stored part of a block.
struct StoredBlock {
    /// The block number in the grid, and the block's box in the slab.
    number: u64,
    place: Block,
    /// The index range of the block's chunks in the slab, and whether all chunks of the block are stored.
    chunks: Range<usize>,
    whole: bool,
}

/// A chunk to reorder within its block.
struct ChunkToOrder<'a> {
    /// The slab.
    region: &'a Region,
    block: &'a StoredBlock,
    cell: &'a PlanCell,
    chunk: &'a ChunkRef,
}

/// A part of the slab that is being filled.
struct BandToFill<'a> {
    part: &'a mut [u8],
    /// Working memory for rows.
    rows: BoxRows,
    /// The cells without a stored chunk.
    missing: &'a mut Vec<PlanCell>,
}

impl OrderedSlab {
    /// Creates the blocks of these chunks, without elements. A group has up to `most` chunks.
    pub(super) fn new(mut tiles: SlabTiles, chunks: &SlabChunks, most: usize) -> Result<Self> {
        let times = tiles.merge(most);
        let mut blocks: Vec<StoredBlock> = Vec::new();
        for (n, (cell, _)) in chunks.iter().enumerate() {
            let large = || Error::new(ErrorKind::Limit, "more chunks than can be counted");
            let (number, place, of) = tiles.block(&cell.place).ok_or_else(large)?;
            match blocks.last_mut().filter(|b| b.number == number) {
                Some(block) => block.chunks.end = n + 1,
                None => blocks.push(StoredBlock {
                    number,
                    place,
                    chunks: n..n + 1,
                    whole: false,
                }),
            }
            if let Some(block) = blocks.last_mut() {
                block.whole = block.chunks.len() as u64 == of;
            }
        }
        let group = (most / times.max(1)).max(1);
        let groups = blocks.len().div_ceil(group);
        Ok(Self {
            complete: tiles.len() == Some(blocks.len() as u64),
            tiles,
            group,
            loaded: blocks.iter().map(|_| OnceLock::new()).collect(),
            memory: (0..groups).map(|_| OnceLock::new()).collect(),
            blocks,
        })
    }

    /// Returns the index range of the chunks of each group.
    pub(super) fn groups(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let groups = self.blocks.chunks(self.group);
        groups.filter_map(|g| Some(g.first()?.chunks.start..g.last()?.chunks.end))
    }

    /// Loads a group. The error of a block is returned when the block is used.
    pub(super) fn load(
        &self,
        variable: &ReadVariable<'_>,
        (region, chunks): (&Region, &SlabChunks),
        group: usize,
    ) {
        let size = variable.layout.element.size;
        let blocks = self.blocks.iter().zip(&self.loaded);
        let blocks = blocks.skip(group * self.group).take(self.group);
        let bytes = |block: &StoredBlock| (Amount::product(&block.place.count) * size).count();
        let lengths = blocks.clone().map(|(block, _)| bytes(block));
        let all = lengths.map(Amount::from).sum::<Amount>().count();
        // Only one item sets each slot.
        let buffers = &variable.decoder.buffers;
        let mut all = match buffers.filled(all, 0) {
            Ok(all) => all,
            Err(e) => {
                blocks.for_each(|(_, slot)| {
                    let _ = slot.set(Err(e.again()));
                });
                return;
            }
        };
        let ends = blocks.clone().map(|(block, _)| block.chunks.clone());
        let (first, last) = (ends.clone().next(), ends.last());
        let whole = first
            .zip(last)
            .map_or(0..0, |(first, last)| first.start..last.end);
        let whole = chunks.get(whole).unwrap_or_default();
        let refs: Vec<_> = whole.iter().map(|(_, chunk)| chunk.clone()).collect();
        let mut ready = variable.elements_ahead(&refs).into_iter();
        let mut start = 0usize;
        for (block, slot) in blocks {
            let end = start + bytes(block);
            let place = all.get_mut(start..end).unwrap_or_default();
            if !block.whole {
                spread(&variable.decoder.fill, place);
            }
            let mut chunks = chunks.get(block.chunks.clone()).unwrap_or_default().iter();
            let put = chunks.try_for_each(|(cell, chunk)| {
                let one = ChunkToOrder {
                    region,
                    block,
                    cell,
                    chunk,
                };
                self.order(variable, (&one, ready.next().flatten()), place)
            });
            let _ = slot.set(put.map(|()| start..end));
            start = end;
        }
        let _ = self.memory.get(group).map(|slot| slot.set(all));
    }

    /// Copies the elements of a chunk in the order of its block.
    fn order(
        &self,
        variable: &ReadVariable<'_>,
        (one, ready): (&ChunkToOrder<'_>, Option<Result<FoundElements>>),
        place: &mut [u8],
    ) -> Result<()> {
        let (cell, chunk) = (one.cell, one.chunk);
        let (around, bytes) = variable.around((one.region, cell), chunk.clone(), ready)?;
        let decoded = Decoded {
            around: &around,
            bytes: &bytes,
        };
        let tiles = &self.tiles;
        let put = tiles.order(&cell.place, &one.block.place, &decoded, place);
        bytes.give_back(&variable.decoder.buffers);
        put.ok_or_else(|| variable.short(chunk))
    }

    /// Copies the stored elements of a part of the slab to `part`, and adds cells without a chunk to `missing`.
    /// Returns true if any element is stored.
    pub(super) fn put(
        &self,
        chunks: &SlabChunks,
        (band, part): (&Region, &mut [u8]),
        missing: &mut Vec<PlanCell>,
    ) -> Result<bool> {
        let mut any = false;
        let mut into = BandToFill {
            part,
            rows: BoxRows::default(),
            missing,
        };
        self.tiles.visit(band, |pieces| {
            any |= self.put_pieces(chunks, pieces, &mut into)?;
            Ok::<_, Error>(())
        })?;
        Ok(any)
    }

    fn put_pieces(
        &self,
        chunks: &SlabChunks,
        pieces: &BlockPieces<'_>,
        into: &mut BandToFill<'_>,
    ) -> Result<bool> {
        let BandToFill {
            part,
            rows,
            missing,
        } = into;
        let short = || {
            Error::new(
                ErrorKind::Corrupt,
                "a chunk with fewer bytes than its shape needs",
            )
        };
        let range = pieces.lay(rows).ok_or_else(short)?;
        let apart = pieces.apart().ok_or_else(short)?;
        let (mut place, mut any) = (&mut **part, false);
        for n in 0..pieces.times {
            let (index, ordinal) = pieces.block(n);
            match self.find(index, ordinal) {
                Some((at, block)) => {
                    any |= block.whole || block.touched(chunks, pieces);
                    let from = self.elements(at)?.get(range.clone());
                    let put = from.and_then(|from| rows.copy(from, place));
                    put.ok_or_else(short)?;
                }
                None => missing.push(PlanCell {
                    index,
                    place: pieces.place(n),
                }),
            }
            place = place.get_mut(apart..).unwrap_or_default();
        }
        Ok(any)
    }

    /// Finds a block by its number in the grid. `ordinal` is its number in the slab, which is its index if all
    /// blocks are present.
    fn find(&self, number: u64, ordinal: u64) -> Option<(usize, &StoredBlock)> {
        let at = match self.complete {
            true => usize::try_from(ordinal).ok()?,
            false => (self.blocks)
                .binary_search_by_key(&number, |block| block.number)
                .ok()?,
        };
        Some((at, self.blocks.get(at)?))
    }

    /// Returns the elements of a block.
    fn elements(&self, at: usize) -> Result<&[u8]> {
        let lost = || Error::new(ErrorKind::Cancelled, "a chunk was not loaded");
        let range = match self.loaded.get(at).and_then(OnceLock::get) {
            Some(Ok(range)) => range.clone(),
            Some(Err(e)) => return Err(e.again()),
            None => return Err(lost()),
        };
        let all = self.memory.get(at / self.group).and_then(OnceLock::get);
        all.and_then(|bytes| bytes.get(range)).ok_or_else(lost)
    }

    /// Returns the memory to the buffers.
    pub(super) fn give_back(&mut self, buffers: &Buffers) {
        let memory = self.memory.drain(..).filter_map(OnceLock::into_inner);
        memory.for_each(|bytes| buffers.give_large(bytes));
    }
}

impl StoredBlock {
    /// Returns true if a chunk of the slab intersects the pieces.
    fn touched(&self, chunks: &SlabChunks, pieces: &BlockPieces<'_>) -> bool {
        let chunks = chunks.get(self.chunks.clone()).unwrap_or_default();
        let mut chunks = chunks.iter();
        chunks.any(|(cell, _)| pieces.touch(&cell.place, &self.place))
    }
}
