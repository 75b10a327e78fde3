//! Chunk numbers of the whole and of its inputs.

use super::description::{JoinedVariable, Piece};
use crate::arithmetic::exact;
use crate::chunk::layout::{ChunkHolder, ChunkRef};
use crate::chunk::scatter::{Block, advance, number, place};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::model::VarId;

/// A box of the chunk grid of an input.
pub(super) struct InputBox {
    pub(super) piece: Piece,
    pub(super) chunks: Block,
}

impl JoinedVariable {
    /// Returns the chunk length along the axis.
    fn step(&self) -> u64 {
        let axis = self.axis.map_or(usize::MAX, |axis| axis.index);
        self.layout.chunk.get(axis).map_or(1, |len| (*len).max(1))
    }

    /// Returns the runs that intersect `start..end` along the axis.
    pub(super) fn pieces_in(&self, start: u64, end: u64) -> impl Iterator<Item = (usize, Piece)> {
        let pieces = self.pieces();
        let first = pieces.partition_point(|piece| piece.start + piece.len <= start);
        let all = pieces.iter().copied().enumerate().skip(first);
        all.take_while(move |(_, piece)| piece.start < end)
    }

    /// Returns the run with a grid position.
    fn piece_at(&self, position: &[u64]) -> Result<Piece> {
        let first = match self.axis {
            Some(axis) => position.get(axis.index).or_internal("a grid position")? * self.step(),
            None => 0,
        };
        let found = self.pieces_in(first, first + 1).next();
        Ok(found.or_internal("an input with the chunk")?.1)
    }

    /// Converts a grid position of the whole to a position in the grid of an input.
    fn to_input(&self, piece: &Piece, mut position: Vec<u64>) -> Result<Vec<u64>> {
        let Some(axis) = self.axis else {
            return Ok(position);
        };
        if axis.added {
            position.remove(axis.index);
            return Ok(position);
        }
        let step = self.step();
        let at = position.get_mut(axis.index).or_internal("the axis")?;
        *at = (exact(*at) - piece.start / step + piece.from / step).get()?;
        Ok(position)
    }

    /// Returns the chunk grid of an input.
    fn input_grid(&self, piece: &Piece) -> Vec<u64> {
        let mut grid = self.layout.grid();
        match self.axis {
            Some(axis) if axis.added => {
                grid.remove(axis.index);
            }
            Some(axis) => {
                let len = piece.of.div_ceil(self.step());
                set(&mut grid, axis.index, len);
            }
            None => {}
        }
        grid
    }

    /// Converts the chunk number of an input to the chunk number of the whole.
    pub(super) fn outer_number(&self, piece: &Piece, index: u64) -> Result<u64> {
        let mut position = place(index, &self.input_grid(piece));
        if let Some(axis) = self.axis {
            let step = self.step();
            match axis.added {
                true => position.insert(axis.index, piece.start),
                false => {
                    let at = position.get_mut(axis.index).or_internal("the axis")?;
                    *at = (exact(*at) - piece.from / step + piece.start / step).get()?;
                }
            }
        }
        number(&position, &self.layout.grid())
    }

    /// Returns the input of a chunk of the whole, and the chunk number in the input.
    pub(super) fn inner_number(&self, index: u64) -> Result<(Piece, u64)> {
        let position = self.layout.place(index);
        let piece = self.piece_at(&position)?;
        let inner = self.to_input(&piece, position)?;
        let number = number(&inner, &self.input_grid(&piece))?;
        Ok((piece, number))
    }

    /// Calls `visit` with the boxes of inputs in a box of the grid, so that their chunks come in row-major order of the whole.
    pub(super) fn boxes<E: From<Error>>(
        &self,
        chunks: &Block,
        mut visit: impl FnMut(InputBox) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let Some(axis) = self.axis else {
            let piece = *self.pieces().first().or_internal("an input")?;
            return visit(InputBox {
                piece,
                chunks: chunks.clone(),
            });
        };
        if chunks.count.contains(&0) {
            return Ok(());
        }
        let outer: Vec<u64> = chunks.count.iter().take(axis.index).copied().collect();
        let mut at = vec![0; outer.len()];
        loop {
            let mut row = chunks.clone();
            let places = row.start.iter_mut().zip(&mut row.count).zip(&at);
            places.for_each(|((start, count), n)| (*start, *count) = (*start + n, 1));
            self.row(&row, &mut visit)?;
            if !advance(&mut at, &outer) {
                return Ok(());
            }
        }
    }

    /// Calls `visit` with the boxes of inputs in a box whose leading dimensions have one position.
    fn row<E: From<Error>>(
        &self,
        row: &Block,
        visit: &mut impl FnMut(InputBox) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let axis = self.axis.or_internal("an axis")?;
        let step = self.step();
        let at = |list: &[u64]| list.get(axis.index).copied().or_internal("the axis");
        let (start, count) = (at(&row.start)?, at(&row.count)?);
        for (_, piece) in self.pieces_in(start * step, (start + count) * step) {
            let (first, end) = (piece.start / step, (piece.start + piece.len).div_ceil(step));
            let (from, to) = (start.max(first), (start + count).min(end));
            let (mut starts, mut counts) = (row.start.clone(), row.count.clone());
            set(&mut starts, axis.index, from);
            set(&mut counts, axis.index, to - from);
            let start = self.to_input(&piece, starts)?;
            if axis.added {
                counts.remove(axis.index);
            }
            visit(InputBox {
                piece,
                chunks: Block {
                    start,
                    count: counts,
                },
            })?;
        }
        Ok(())
    }
}

/// Converts a chunk of an input to a chunk of the whole. The source numbers of `inputs` inputs stay distinct.
pub(super) fn outer_chunk(
    (variable, index): (VarId, u64),
    chunk: ChunkRef,
    (input, inputs): (usize, usize),
) -> Result<ChunkRef> {
    let holder = match chunk.holder {
        ChunkHolder::Source(n) => ChunkHolder::Source(outer_source(n, input, inputs)?),
        other @ (ChunkHolder::Key | ChunkHolder::Temporary) => other,
    };
    Ok(ChunkRef {
        variable,
        index,
        holder,
        ..chunk
    })
}

/// Returns the number of a source in the whole.
fn outer_source(n: u32, input: usize, inputs: usize) -> Result<u32> {
    let number = (exact(u64::from(n)) * inputs as u64 + input as u64).get()?;
    let number = u32::try_from(number).ok().filter(|n| *n < u32::MAX - 1);
    number.ok_or_else(|| Error::new(ErrorKind::Limit, "too many files in the inputs of a join"))
}

/// Converts a chunk of the whole to a chunk of an input.
pub(super) fn inner_chunk(
    (variable, index): (VarId, u64),
    chunk: &ChunkRef,
    inputs: usize,
) -> Result<ChunkRef> {
    let count = u32::try_from(inputs).ok().filter(|count| *count > 0);
    let count = count.or_internal("a number of inputs")?;
    let holder = match chunk.holder {
        ChunkHolder::Source(n) => ChunkHolder::Source(n / count),
        other @ (ChunkHolder::Key | ChunkHolder::Temporary) => other,
    };
    Ok(ChunkRef {
        variable,
        index,
        holder,
        ..chunk.clone()
    })
}

/// Sets an element of a list, if the list has the index.
pub(super) fn set(list: &mut [u64], index: usize, value: u64) {
    if let Some(at) = list.get_mut(index) {
        *at = value;
    }
}
