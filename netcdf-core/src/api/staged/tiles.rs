//! The staged elements of one variable: tiles in the temporary file.

use std::collections::BTreeMap;

use super::heap::{REFERENCE, is_written};
use super::recent::TileElements;
use super::spool::StagedSpool;
use crate::chunk::ChunkHolder;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::{Block, ElementRun, advance, put, runs, spread};
use crate::chunk::visit::{Visit, Visited};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::zeros;
use crate::model::VarId;
use crate::model::region::product;
use crate::model::{Region, StoredElement};

/// Approximate tile size in bytes.
const TILE: u64 = 256 << 10;
/// Maximum number of runs written separately. More runs rewrite the whole tile.
const RUNS: usize = 16;

/// Fills the unwritten elements of a new tile.
pub(super) type Background<'a> = &'a mut dyn FnMut(&Block, &mut [u8]) -> Result<()>;

/// Tiles of a variable, each stored as one byte range.
#[derive(Debug, Clone)]
pub(super) struct StagedTiles {
    /// The stored form of an element.
    pub(super) element: StoredElement,
    /// The tile shape in elements.
    tile: Vec<u64>,
    /// Tile positions by grid index, in row-major order.
    slots: BTreeMap<Vec<u64>, u64>,
    /// The stored form of an unwritten element.
    pub(super) fill: Vec<u8>,
    /// Whether unwritten elements come from the original dataset.
    pub(super) over: bool,
    /// Tiles with elements of the original dataset.
    pub(super) recent: TileElements,
}

/// Element runs, with the bytes of the region.
struct RunsOf<'a> {
    runs: &'a [ElementRun],
    bytes: &'a [u8],
}

impl StagedTiles {
    /// Returns an empty tile set for a variable of this shape. `asked`: the chunk shape, if set.
    pub(super) fn new(
        element: StoredElement,
        fill: Vec<u8>,
        shape: &[u64],
        asked: Option<&[u64]>,
    ) -> Self {
        let size = element.size.max(1);
        let most = TILE / size;
        let fits = |chunk: &&[u64]| {
            let n = product(chunk).unwrap_or(u64::MAX);
            chunk.len() == shape.len() && (1..=16 * most).contains(&n)
        };
        Self {
            tile: match asked.filter(fits) {
                Some(chunk) => chunk.to_vec(),
                None => tile(shape, most.max(1)),
            },
            element,
            slots: BTreeMap::new(),
            fill,
            over: false,
            recent: TileElements::new(),
        }
    }

    /// Returns the tile shape in elements.
    pub(super) fn shape(&self) -> &[u64] {
        &self.tile
    }

    /// Returns whether the variable has no tiles.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the elements of each tile.
    pub(super) fn regions(&self) -> impl Iterator<Item = Region> + '_ {
        self.slots.keys().map(|place| self.block(place).region())
    }

    /// Returns the tile layout of a variable of this shape.
    pub(super) fn layout(&self, shape: &[u64]) -> Layout {
        Layout {
            extent: shape.to_vec(),
            chunk: self.tile.clone(),
            element: self.element,
            filters: vec![],
            fill: Some(self.fill.clone()),
            quantize: None,
        }
    }

    /// Visits the tiles of a grid block in row-major order.
    pub(super) fn locate(
        &self,
        (variable, shape): (VarId, &[u64]),
        cells: &Block,
        visit: Visit<'_>,
    ) -> Visited {
        let grid = self.layout(shape).grid();
        let len = self.bytes()? as u64;
        let mut one = |place: &[u64], at: u64| {
            visit(ChunkRef {
                variable,
                index: place.iter().zip(&grid).fold(0, |n: u64, (p, cells)| {
                    n.saturating_mul(*cells).saturating_add(*p)
                }),
                holder: ChunkHolder::Temporary,
                range: at..at.saturating_add(len),
                mask: 0,
            })
        };
        if product(&cells.count).is_some_and(|n| n <= self.slots.len() as u64) {
            return each_cell(cells, |place| match self.slots.get(place) {
                Some(&at) => one(place, at),
                None => Ok(()),
            });
        }
        let ends: Vec<u64> = ends(&cells.start, &cells.count);
        let inside = |place: &[u64]| {
            let mut all = place.iter().zip(&cells.start).zip(&ends);
            all.all(|((p, start), end)| start <= p && p < end)
        };
        for (place, &at) in self.slots.range(cells.start.clone()..) {
            if place.first() >= ends.first() && !place.is_empty() {
                break;
            }
            if inside(place) {
                one(place, at)?;
            }
        }
        Ok(())
    }

    /// Writes the elements of a region, in stored form and row-major order.
    pub(super) fn put(
        &mut self,
        region: &Region,
        bytes: &[u8],
        (spool, background): (&StagedSpool, Background<'_>),
    ) -> Result<()> {
        let Some(cells) = self.cells(region) else {
            return Ok(());
        };
        each_place(&self.axes(region, &cells), |place| {
            let block = self.block(place);
            let mut found = vec![];
            runs(&block, region, |run| {
                found.push(run);
                Ok(())
            })?;
            match found.is_empty() {
                true => Ok(()),
                false => {
                    let runs = RunsOf {
                        runs: &found,
                        bytes,
                    };
                    self.put_tile(place, runs, spool, background)
                }
            }
        })
    }

    fn put_tile(
        &mut self,
        place: &[u64],
        RunsOf { runs: found, bytes }: RunsOf<'_>,
        spool: &StagedSpool,
        background: Background<'_>,
    ) -> Result<()> {
        let old = self.slots.get(place).copied();
        let len = self.bytes()?;
        if let Some(at) = old
            && found.len() <= RUNS
            && found.iter().all(|run| run.step == 1)
        {
            return self.put_runs(at, found, bytes, spool);
        }
        let count = found.iter().map(|run| run.len).fold(0, u64::saturating_add);
        let whole = count.saturating_mul(self.element.size) == len as u64;
        let mut tile = match (old, self.recent.remove(place)) {
            (Some(at), _) if !whole => spool.read(at, len as u64)?,
            (None, Some(recent)) if recent.len() == len => recent,
            (None, _) if !whole => {
                let mut tile = zeros(len, "a tile")?;
                spread(&self.fill, &mut tile);
                background(&self.block(place), &mut tile)?;
                tile
            }
            (Some(_) | None, _) => zeros(len, "a tile")?,
        };
        for run in found {
            scatter(*run, self.element.size, bytes, &mut tile).ok_or_else(short)?;
        }
        match old {
            Some(at) => spool.write_at(at, &tile),
            None => {
                let at = spool.append(&tile)?;
                self.slots.insert(place.to_vec(), at);
                Ok(())
            }
        }
    }

    /// Writes a few runs into an existing tile.
    fn put_runs(
        &self,
        at: u64,
        found: &[ElementRun],
        bytes: &[u8],
        spool: &StagedSpool,
    ) -> Result<()> {
        let size = self.element.size;
        for run in found {
            let part = span(run.to, run.len, size).and_then(|span| bytes.get(span));
            let to = run.from.saturating_mul(size).saturating_add(at);
            spool.write_at(to, part.ok_or_else(short)?)?;
        }
        Ok(())
    }

    /// Returns whether tiles have all elements of a block.
    pub(super) fn covers(&self, part: &Block) -> bool {
        let has = |place: &[u64]| match self.slots.contains_key(place) {
            true => Ok(()),
            false => Err(()),
        };
        let cells = self.cells(&part.region());
        cells.is_some_and(|cells| each_cell(&cells, has).is_ok())
    }

    /// Returns positions and offsets of tiles that exceed an unlimited dimension. `lens`: its length, or `None` for fixed dimensions.
    pub(super) fn partial(&self, lens: &[Option<u64>]) -> impl Iterator<Item = (&Vec<u64>, u64)> {
        let is_partial = move |place: &[u64]| {
            let ends = place.iter().zip(&self.tile);
            let ends = ends.map(|(at, len)| at.saturating_add(1).saturating_mul(*len));
            ends.zip(lens)
                .any(|(end, len)| len.is_some_and(|len| end > len))
        };
        let slots = self.slots.iter().map(|(place, at)| (place, *at));
        slots.filter(move |(place, _)| is_partial(place))
    }

    /// Reads a tile.
    pub(super) fn read(&self, at: u64, spool: &StagedSpool) -> Result<Vec<u8>> {
        spool.read(at, self.bytes()? as u64)
    }

    /// Copies the tiles over the elements of a block, in stored form and row-major order.
    pub(super) fn copy_tiles(
        &self,
        part: &Block,
        spool: &StagedSpool,
        out: &mut [u8],
    ) -> Result<()> {
        let region = part.region();
        let Some(cells) = self.cells(&region) else {
            return Ok(());
        };
        let len = self.bytes()? as u64;
        each_cell(&cells, |place| {
            let Some(&at) = self.slots.get(place) else {
                return Ok(());
            };
            let tile = spool.read(at, len)?;
            runs(&self.block(place), &region, |run| {
                match self.element.plain_type() {
                    Some(_) => put(run, self.element.size, &tile, out),
                    None => put_written(run, &tile, out),
                }
                .ok_or_else(short)
            })
        })
    }

    /// Returns the tile size in bytes.
    pub(super) fn bytes(&self) -> Result<usize> {
        let bytes = product(&self.tile).and_then(|n| n.checked_mul(self.element.size));
        let bytes = bytes.and_then(|n| usize::try_from(n).ok());
        bytes.ok_or_else(|| {
            Error::new(
                ErrorKind::Limit,
                "a tile too large for this machine's memory",
            )
        })
    }

    /// Returns the element block of a tile.
    fn block(&self, place: &[u64]) -> Block {
        let start = place.iter().zip(&self.tile);
        Block {
            start: start.map(|(p, len)| p.saturating_mul(*len)).collect(),
            count: self.tile.clone(),
        }
    }

    /// Returns the tile indices of a region along each dimension, without tiles that the stride skips.
    fn axes(&self, region: &Region, cells: &Block) -> Vec<TileAxis> {
        let lines = region.start.iter().zip(&region.count).zip(&region.stride);
        let boxes = cells.start.iter().zip(&cells.count);
        let axis = |((((&start, &count), &stride), &len), (&first, &n))| match stride >= len {
            true => TileAxis {
                start,
                count,
                step: stride,
                len: len.max(1),
            },
            false => TileAxis {
                start: first,
                count: n,
                step: 1,
                len: 1,
            },
        };
        lines.zip(&self.tile).zip(boxes).map(axis).collect()
    }

    /// Returns the grid block that contains a region, or `None` if the region is empty.
    fn cells(&self, region: &Region) -> Option<Block> {
        let mut cells = Block {
            start: vec![],
            count: vec![],
        };
        let lines = region.start.iter().zip(&region.count).zip(&region.stride);
        for (((&start, &count), &stride), &len) in lines.zip(&self.tile) {
            let last = start.checked_add(count.checked_sub(1)?.checked_mul(stride)?)?;
            let (first, len) = (start / len.max(1), len.max(1));
            cells.start.push(first);
            cells.count.push((last / len - first).saturating_add(1));
        }
        Some(cells)
    }
}

/// Returns a tile shape of at most `most` elements: as many whole rows as fit. The tile length replaces an unknown dimension length.
fn tile(shape: &[u64], most: u64) -> Vec<u64> {
    let mut left = most;
    let lengths = shape.iter().enumerate().rev().map(|(n, &len)| {
        // Only the first dimension grows; all other dimensions keep their length.
        let want = if n == 0 || len == 0 { left } else { len };
        let take = want.clamp(1, left.max(1));
        left /= take;
        take
    });
    let mut tile: Vec<u64> = lengths.collect();
    tile.reverse();
    tile
}

fn ends(start: &[u64], count: &[u64]) -> Vec<u64> {
    let pairs = start.iter().zip(count);
    pairs.map(|(s, n)| s.saturating_add(*n)).collect()
}

/// Tile indices along a dimension, for elements `step` apart and tiles of length `len`.
#[derive(Debug, Clone, Copy)]
struct TileAxis {
    start: u64,
    count: u64,
    step: u64,
    len: u64,
}

/// Visits the indices of a block in row-major order.
fn each_cell<E>(cells: &Block, visit: impl FnMut(&[u64]) -> Result<(), E>) -> Result<(), E> {
    let axis = |(&start, &count)| TileAxis {
        start,
        count,
        step: 1,
        len: 1,
    };
    let axes: Vec<_> = cells.start.iter().zip(&cells.count).map(axis).collect();
    each_place(&axes, visit)
}

/// Visits indices in row-major order.
fn each_place<E>(
    axes: &[TileAxis],
    mut visit: impl FnMut(&[u64]) -> Result<(), E>,
) -> Result<(), E> {
    let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
    if counts.contains(&0) {
        return Ok(());
    }
    let mut at = vec![0u64; counts.len()];
    loop {
        let place = at.iter().zip(axes).map(|(n, axis)| {
            let element = n.saturating_mul(axis.step).saturating_add(axis.start);
            element / axis.len.max(1)
        });
        visit(&place.collect::<Vec<u64>>())?;
        if !advance(&mut at, &counts) {
            return Ok(());
        }
    }
}

fn span(at: u64, len: u64, size: u64) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(at.checked_mul(size)?).ok()?;
    let bytes = usize::try_from(len.checked_mul(size)?).ok()?;
    Some(start..start.checked_add(bytes)?)
}

/// Copies the elements of a run of the region to their positions in a tile.
fn scatter(run: ElementRun, size: u64, from: &[u8], tile: &mut [u8]) -> Option<()> {
    let from = from.get(span(run.to, run.len, size)?)?;
    if run.step == 1 {
        tile.get_mut(span(run.from, run.len, size)?)?
            .copy_from_slice(from);
        return Some(());
    }
    let element = usize::try_from(size).ok()?.max(1);
    for (n, bytes) in (0u64..).zip(from.chunks_exact(element)) {
        let at = run.from.checked_add(n.checked_mul(run.step)?)?;
        tile.get_mut(span(at, 1, size)?)?.copy_from_slice(bytes);
    }
    Some(())
}

/// Copies the references of a run, except for elements that were not written.
fn put_written(run: ElementRun, tile: &[u8], out: &mut [u8]) -> Option<()> {
    let out = out.get_mut(span(run.to, run.len, REFERENCE)?)?;
    for (n, reference) in (0u64..).zip(out.as_chunks_mut::<16>().0) {
        let at = run.from.checked_add(n.checked_mul(run.step)?)?;
        let own = tile.get(span(at, 1, REFERENCE)?)?;
        if is_written(own) {
            reference.copy_from_slice(own);
        }
    }
    Some(())
}

fn short() -> Error {
    Error::new(ErrorKind::Argument, "fewer elements than the region has")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_whole_rows() {
        assert_eq!(tile(&[0, 10, 20], 1000), [5, 10, 20]);
        assert_eq!(tile(&[4], 1000), [1000]);
        assert_eq!(tile(&[7, 5000], 1000), [1, 1000]);
        assert_eq!(tile(&[0, 0, 3], 9), [1, 3, 3]);
        assert_eq!(tile(&[], 9), [0u64; 0]);
    }
}
