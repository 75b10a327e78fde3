//! Chunks in a version 2 B-tree ("VII.E. The Version 2 B-trees Index", record types 10 and 11).

use std::cmp::Ordering;

use super::element::EntryForm;
use super::grid::{Block, IndexGrid};
use super::query::{ChunkQuery, VisitChunk};
use crate::chunk::visit::Visited;
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::btree_v2::BTree2;
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::file::Hdf5File;

/// Record type of chunks without filters.
const PLAIN: u8 = 10;
/// Record type of chunks with filters.
const FILTERED: u8 = 11;
/// Maximum number of unwanted chunks to skip between wanted chunks. Skipping records is cheaper than descending from the root again.
const NEAR: u64 = 512;

/// An open tree.
#[derive(Debug)]
pub(super) struct ChunkTreeV2 {
    tree: BTree2,
    form: EntryForm,
}

impl ChunkTreeV2 {
    pub(super) fn open(file: &Hdf5File, address: u64, grid: &IndexGrid) -> Result<Self> {
        let tree = BTree2::open(file, address)?;
        tree.expect(file, &[PLAIN, FILTERED])?;
        let at = file.fields_of(&[], Some(address));
        let offsets = 8 * grid.chunk.len() as u64;
        let size = u64::from(tree.record).saturating_sub(offsets);
        let form = EntryForm::new(&at, tree.kind == FILTERED, size, grid)?;
        Ok(Self { tree, form })
    }

    pub(super) fn locate(&self, query: ChunkQuery, visit: &mut VisitChunk) -> Visited {
        let near = query.grid.near(query.wanted, NEAR);
        let rows = query.wanted.count.iter().take(near);
        let rows = rows.copied().fold(1, u64::saturating_mul);
        // A single lookup visits more records, but fewer nodes if there are more rows than chunks.
        let near = if rows > self.tree.total { 0 } else { near };
        let mut rows = query.wanted.clone();
        rows.count.iter_mut().skip(near).for_each(|n| *n = 1);
        let mut first = query.wanted.start.clone();
        loop {
            self.locate_run(query, &first, near, visit)?;
            if !rows.advance(&mut first) {
                return Ok(());
            }
        }
    }

    /// Visits the wanted chunks from `first` to the last chunk that differs only in dimensions from `near` on.
    fn locate_run(
        &self,
        query: ChunkQuery,
        first: &[u64],
        near: usize,
        visit: &mut VisitChunk,
    ) -> Visited {
        let mut last = first.to_vec();
        let lasts = query.wanted.ranges().map(|r| r.end.saturating_sub(1));
        let ends = last.iter_mut().zip(lasts).skip(near);
        ends.for_each(|(x, last)| *x = last);
        let counts = query.grid.counts();
        let compare = |mut record: Fields| {
            self.form.read(&mut record)?;
            let at = coordinates(&mut record, first.len())?;
            if at.iter().zip(counts).any(|(x, count)| x >= count) {
                let what = format!("chunk {at:?} of a dataset with {counts:?} chunks");
                return Err(record.error(ErrorKind::Corrupt, what));
            }
            Ok(match (at.as_slice() < first, at > last) {
                (true, _) => Ordering::Less,
                (_, true) => Ordering::Greater,
                _ => Ordering::Equal,
            })
        };
        let mut before: Option<Vec<u64>> = None;
        self.tree.visit_range(query.file, compare, |mut record| {
            let chunk = self.form.read(&mut record)?;
            let at = coordinates(&mut record, first.len())?;
            if let Some(before) = before.as_ref().filter(|before| **before >= at) {
                let what = format!(
                    "chunk {at:?} after {before:?} in a B-tree, expected ascending coordinates"
                );
                return Err(record.error(ErrorKind::Corrupt, what).into());
            }
            before = Some(at.clone());
            match chunk.filter(|_| contains(query.wanted, &at)) {
                Some(chunk) => query.found(&at, chunk, visit),
                None => Ok(()),
            }
        })
    }
}

fn contains(block: &Block, at: &[u64]) -> bool {
    block.not_before(at).is_some_and(|next| next == at)
}

fn coordinates(record: &mut Fields, rank: usize) -> Result<Vec<u64>> {
    (0..rank).map(|_| record.u64_le()).collect()
}
