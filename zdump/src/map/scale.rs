//! Scales a grid of chunks to a readable size: each cell stands for a block of chunks.

use netcdf_core::error::Error;
use netcdf_core::model::region::product;

use crate::array::place;

/// Maximum cells in a row.
pub(super) const WIDTH: u64 = 100;
/// Maximum rows of a slice, or lines of a one-dimensional map.
const HEIGHT: u64 = 50;
/// Maximum number of slices.
const SLICES: u64 = 20;

/// Counts of the chunks of a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MapCell {
    /// Chunks in the grid.
    pub chunks: u64,
    /// Stored chunks.
    pub present: u64,
    /// Stored chunks with only fill values.
    pub fill: u64,
    /// Chunks that cannot be decoded.
    pub wrong: u64,
    /// Stored bytes.
    pub bytes: u64,
}

/// The look of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellLook {
    /// A cell without stored chunks.
    Missing,
    /// A cell with stored chunks that contain only fill values.
    Fill,
    /// A cell with undecodable chunks.
    Wrong,
    /// A cell with stored chunks, with a size from 0 to 3.
    Size(usize),
}

/// A look: its characters without and with colours, its class in images, and its description.
pub(super) type LookRow = (CellLook, [char; 2], &'static str, &'static str);

/// All looks.
pub(super) const LOOKS: [LookRow; 7] = [
    (CellLook::Missing, ['.', '·'], "m", "missing"),
    (CellLook::Fill, ['o', '○'], "f", "fill value only"),
    (CellLook::Size(0), [':', '░'], "a", "smallest quarter"),
    (CellLook::Size(1), ['+', '▒'], "b", "second quarter"),
    (CellLook::Size(2), ['*', '▓'], "c", "third quarter"),
    (CellLook::Size(3), ['#', '█'], "d", "largest quarter"),
    (CellLook::Wrong, ['!', '✗'], "w", "cannot be decoded"),
];

/// A map.
#[derive(Debug)]
pub(super) struct ChunkMap {
    /// Chunks per dimension.
    pub grid: Vec<u64>,
    /// Chunks per cell, per dimension.
    pub block: Vec<u64>,
    /// Cells per dimension.
    pub shape: Vec<u64>,
    /// The cells in row-major order.
    pub cells: Vec<MapCell>,
    /// The reason why chunks with only fill values are unknown.
    pub undecoded: Option<Error>,
    /// The first undecodable chunk or shard, and their number.
    pub wrong: Option<(Error, u64)>,
}

impl ChunkMap {
    /// Returns the map of a grid without stored chunks.
    pub(super) fn new(grid: &[u64]) -> Self {
        let block = blocks(grid);
        let shape = grid
            .iter()
            .zip(&block)
            .map(|(n, b)| n.div_ceil((*b).max(1)));
        let shape: Vec<u64> = shape.collect();
        let count = product(&shape).and_then(|n| usize::try_from(n).ok());
        let mut map = Self {
            cells: vec![MapCell::default(); count.unwrap_or(0)],
            grid: grid.to_vec(),
            block,
            shape,
            undecoded: None,
            wrong: None,
        };
        for n in 0..map.cells.len() {
            let chunks = map.chunks(n as u64);
            if let Some(cell) = map.cells.get_mut(n) {
                cell.chunks = chunks;
            }
        }
        map
    }

    /// Returns the number of chunks in a cell. Cells at the ends of the grid have fewer.
    fn chunks(&self, cell: u64) -> u64 {
        let place = self.place(cell);
        let spans = place.iter().zip(&self.block).zip(&self.grid);
        let spans: Vec<u64> = spans
            .map(|((at, block), cells)| cells.saturating_sub(at.saturating_mul(*block)).min(*block))
            .collect();
        product(&spans).unwrap_or(u64::MAX)
    }

    /// Returns the coordinates of a cell.
    pub(super) fn place(&self, cell: u64) -> Vec<u64> {
        place(cell, &self.shape)
    }

    /// Returns the cell of a chunk.
    pub(super) fn cell(&mut self, place: &[u64]) -> Option<&mut MapCell> {
        let parts = place.iter().zip(&self.block).zip(&self.shape);
        let mut cell = 0u64;
        for ((at, block), cells) in parts {
            let at = at / (*block).max(1);
            if at >= *cells {
                return None;
            }
            cell = cell.checked_mul(*cells)?.checked_add(at)?;
        }
        self.cells.get_mut(usize::try_from(cell).ok()?)
    }

    /// Counts undecodable chunks.
    pub(super) fn wrong(&mut self, e: Error) {
        match &mut self.wrong {
            Some((_, count)) => *count = count.saturating_add(1),
            none => *none = Some((e, 1)),
        }
    }

    /// Marks the cells of these chunks: from `first` on, `count` per dimension.
    pub(super) fn wrong_cells(&mut self, first: &[u64], count: &[u64]) {
        let inside = |map: &Self, cell: u64| {
            let place = map.place(cell);
            let mut spans = place.iter().zip(&map.block).zip(first.iter().zip(count));
            spans.all(|((at, block), (first, count))| {
                let start = at.saturating_mul(*block);
                start < first.saturating_add(*count) && *first < start.saturating_add(*block)
            })
        };
        for n in 0..self.cells.len() {
            let hit = inside(self, n as u64);
            if let Some(cell) = self.cells.get_mut(n).filter(|_| hit) {
                cell.wrong = cell.wrong.saturating_add(1);
            }
        }
    }

    /// Returns the largest mean number of bytes per chunk of all cells, at least 1.
    pub(super) fn largest(&self) -> u64 {
        let sizes = self.cells.iter().map(|cell| mean(*cell));
        sizes.max().unwrap_or(0).max(1)
    }

    /// Returns the look of a cell.
    pub(super) fn look(&self, cell: MapCell, largest: u64) -> CellLook {
        if cell.wrong > 0 {
            return CellLook::Wrong;
        }
        if cell.present == 0 {
            return CellLook::Missing;
        }
        if cell.fill == cell.present {
            return CellLook::Fill;
        }
        let quarter =
            u128::from(mean(cell)).saturating_mul(4).saturating_sub(1) / u128::from(largest.max(1));
        CellLook::Size(usize::try_from(quarter).unwrap_or(3).min(3))
    }

    /// Checks whether a cell is a single chunk.
    pub(super) fn is_whole(&self) -> bool {
        self.block.iter().all(|n| *n <= 1)
    }

    /// Returns the sums over all cells.
    pub(super) fn total(&self) -> MapCell {
        self.cells
            .iter()
            .fold(MapCell::default(), |sum, cell| MapCell {
                chunks: sum.chunks.saturating_add(cell.chunks),
                present: sum.present.saturating_add(cell.present),
                fill: sum.fill.saturating_add(cell.fill),
                wrong: sum.wrong.saturating_add(cell.wrong),
                bytes: sum.bytes.saturating_add(cell.bytes),
            })
    }

    /// Returns cells per row, and rows per slice.
    pub(super) fn slice(&self) -> (usize, usize) {
        let len = |n: usize| {
            let at = self.shape.len().checked_sub(n);
            let len = at.and_then(|at| self.shape.get(at)).copied().unwrap_or(1);
            usize::try_from(len).unwrap_or(usize::MAX).max(1)
        };
        match self.shape.len() {
            0 => (1, 1),
            // A single dimension is broken into lines.
            1 => {
                let width = usize::try_from(WIDTH).unwrap_or(1);
                (len(1).min(width), len(1).div_ceil(width))
            }
            _ => (len(1), len(2)),
        }
    }
}

/// Returns the mean bytes per chunk of a cell. Missing chunks count as empty.
fn mean(cell: MapCell) -> u64 {
    cell.bytes.div_ceil(cell.chunks.max(1))
}

/// Returns chunks per cell in each dimension, so that the map has a readable size.
fn blocks(grid: &[u64]) -> Vec<u64> {
    let mut block = vec![1u64; grid.len()];
    let most = |n: usize| match (grid.len(), n) {
        (1, _) => WIDTH * HEIGHT,
        (_, 1) => WIDTH,
        (_, 2) => HEIGHT,
        _ => u64::MAX,
    };
    for (n, (block, cells)) in block.iter_mut().zip(grid).rev().enumerate() {
        *block = cells.div_ceil(most(n + 1)).max(1);
    }
    let outer = grid.len().saturating_sub(2);
    let slices = |block: &[u64]| {
        let cells = grid.iter().zip(block).take(outer);
        let cells: Vec<u64> = cells.map(|(n, b)| n.div_ceil((*b).max(1))).collect();
        product(&cells).unwrap_or(u64::MAX)
    };
    // Outer dimensions are coarsened first, down to the slice limit.
    for n in 0..outer {
        while slices(&block) > SLICES {
            let cells = grid.get(n).copied().unwrap_or(1);
            let Some(size) = block.get_mut(n).filter(|size| **size < cells) else {
                break;
            };
            *size = size.saturating_mul(2).min(cells);
        }
    }
    block
}
