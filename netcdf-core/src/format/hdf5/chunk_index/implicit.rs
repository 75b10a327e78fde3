//! Consecutive chunks ("VII.B. The Implicit Index").

use super::element::ChunkEntry;
use super::grid::{IndexGrid, dot};
use super::pages::beside;
use super::query::{ChunkQuery, VisitChunk};
use crate::chunk::visit::Visited;
use crate::error::ErrorKind;

/// An array of all chunks in the maximum extent.
#[derive(Debug)]
pub(super) struct Implicit {
    address: u64,
    steps: Vec<u64>,
}

impl Implicit {
    pub(super) fn new(address: u64, grid: &IndexGrid) -> Self {
        let steps = grid.array_steps(0);
        Self { address, steps }
    }

    pub(super) fn locate(&self, query: ChunkQuery, visit: &mut VisitChunk) -> Visited {
        let size = query.grid.bytes;
        let file = query.file;
        let last = query.wanted.last().map(|at| dot(&at, &self.steps));
        let len = last.and_then(|n| n.checked_add(1)?.checked_mul(size));
        let end = file.place(beside(file, self.address, len)?)?;
        if end > file.source().len() {
            let what = format!("chunks up to byte {end}, beyond the end of the file");
            return Err(file.error(ErrorKind::Truncated, self.address, what).into());
        }
        let mut at = query.wanted.start.clone();
        loop {
            let distance = dot(&at, &self.steps).checked_mul(size);
            let chunk = ChunkEntry {
                address: beside(file, self.address, distance)?,
                size,
                mask: 0,
            };
            query.found(&at, chunk, visit)?;
            if !query.wanted.advance(&mut at) {
                return Ok(());
            }
        }
    }
}
