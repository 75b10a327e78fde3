//! Chunks side by side ("VII.B. The Implicit Index").

use super::element::Stored;
use super::grid::{Grid, dot};
use super::pages::beside;
use super::{Query, Visit};
use crate::error::Result;

/// An array of all chunks, of the largest extent.
#[derive(Debug)]
pub(super) struct Implicit {
    address: u64,
    steps: Vec<u64>,
}

impl Implicit {
    pub fn new(address: u64, grid: &Grid) -> Self {
        let steps = grid.array_steps(0);
        Self { address, steps }
    }

    pub fn locate(&self, query: Query, visit: &mut Visit) -> Result<()> {
        let mut at = query.wanted.start.clone();
        let size = query.grid.bytes;
        loop {
            let distance = dot(&at, &self.steps).checked_mul(size);
            let chunk = Stored {
                address: beside(query.file, self.address, distance)?,
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
