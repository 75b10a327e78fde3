//! The `Reader` implementation of the dataset.

use std::ops::Range;
use std::sync::Arc;

use super::dataset::{MemoryChunks, MemoryDataset, StoredVariable, coordinates, row_major};
use crate::chunk::scatter::Block;
use crate::chunk::{
    Assembly, ChunkBytes, ChunkHolder, ChunkRef, Dataset, Layout, Locate, Provenance, Reader,
    Visit, Visited,
};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::memory::MemorySource;
use crate::io::source::read_range;
use crate::io::store::KeyContent;
use crate::model::{Schema, Values, VarId};

/// Returns the location of each stored chunk of a variable.
#[must_use]
pub fn stored_chunks(set: Dataset<'_>, var: VarId) -> Vec<ChunkRef> {
    let mut found = vec![];
    let grid = set.whole_grid(var).unwrap();
    let mut visit = |chunk| {
        found.push(chunk);
        Ok(())
    };
    set.locate_chunks(var, &grid, Locate::Stored, &mut visit)
        .unwrap();
    found
}

impl MemoryDataset {
    fn stored_variable(&self, var: VarId) -> Result<&StoredVariable> {
        let missing = || Error::new(ErrorKind::NotFound, "no such variable");
        self.vars.get(var.index()).ok_or_else(missing)
    }

    /// Counts a located chunk and visits it.
    fn visit(&self, var: VarId, found: StoredLocation, visit: Visit<'_>) -> Visited {
        let (index, range, mask) = found;
        *self.counts.lock().unwrap().located.entry(var).or_default() += 1;
        visit(ChunkRef {
            variable: var,
            index,
            holder: ChunkHolder::Source(var.0),
            range,
            mask,
        })
    }

    fn fetch_one(&self, chunk: &ChunkRef) -> Result<Vec<u8>> {
        let key = (chunk.variable, chunk.index);
        *self.counts.lock().unwrap().fetched.entry(key).or_default() += 1;
        if let Some(hook) = &self.before_fetch {
            hook(chunk)?;
        }
        match self.source(chunk) {
            Some(source) => read_range(&*source, &chunk.range),
            None => self.stored_variable(key.0)?.read(chunk),
        }
    }
}

/// Chunk index, byte range and filter mask.
type StoredLocation = (u64, Range<u64>, u32);

impl StoredVariable {
    /// Returns the stored chunks within a grid box.
    fn located<'a>(&'a self, part: &'a Block) -> Box<dyn Iterator<Item = StoredLocation> + 'a> {
        let grid = self.layout.grid();
        let empty = part.count.contains(&0);
        assert!(empty || part.ranges().zip(&grid).all(|(r, n)| r.end <= *n));
        match &self.chunks {
            _ if empty => Box::new(std::iter::empty()),
            MemoryChunks::Listed(chunks) => {
                let last: Vec<u64> = part.ranges().map(|range| range.end - 1).collect();
                let edge = |at: &[u64]| row_major(at, &grid).unwrap();
                let near = chunks.range(edge(&part.start)..=edge(&last));
                let inside = |index: u64| {
                    let place = self.layout.place(index);
                    part.ranges().zip(&place).all(|(r, at)| r.contains(at))
                };
                let found = near.filter(move |(index, _)| inside(**index));
                Box::new(found.map(|(index, (range, mask))| (*index, range.clone(), *mask)))
            }
            MemoryChunks::Computed(_) => {
                let size = self.layout.chunk_bytes().unwrap() as u64;
                let indices = coordinates(part).map(move |at| row_major(&at, &grid).unwrap());
                Box::new(indices.map(move |n| (n, n * size..(n + 1) * size, 0)))
            }
        }
    }

    /// Reads chunk bytes of a variable without a source.
    fn read(&self, chunk: &ChunkRef) -> Result<Vec<u8>> {
        let part = |bytes: &[u8], first: u64| {
            let range = chunk.range.start - first..chunk.range.end - first;
            let bytes = bytes.get(range.start as usize..range.end as usize);
            bytes.map(<[u8]>::to_vec)
        };
        let bytes = match &self.chunks {
            MemoryChunks::Listed(_) => part(&self.bytes, 0),
            MemoryChunks::Computed(bytes) => {
                let bytes = bytes(chunk.index);
                part(&bytes, chunk.index * bytes.len() as u64)
            }
        };
        bytes.ok_or_else(|| Error::new(ErrorKind::Truncated, "cut off"))
    }
}

impl Reader for MemoryDataset {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        self.provenance.clone()
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        Ok(self.stored_variable(var)?.layout.clone())
    }

    fn locate(&self, var: VarId, chunks: &Block, which: Locate, visit: Visit<'_>) -> Visited {
        let stored = self.stored_variable(var)?;
        assert!(stored.assemble.is_none(), "the variable has no chunks");
        self.counts.lock().unwrap().calls += 1;
        for (index, mut range, mask) in stored.located(chunks) {
            if which == Locate::Candidates {
                range.end -= self.shortfall;
            }
            self.visit(var, (index, range, mask), visit)?;
        }
        Ok(())
    }

    fn has_index(&self, _: VarId) -> bool {
        self.has_index
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        self
    }

    fn assembly(&self, var: VarId) -> Option<&dyn Assembly> {
        let assembles = self.vars.get(var.index())?.assemble.is_some();
        assembles.then_some(self)
    }

    fn resolve(&self, var: VarId, bytes: &[u8], _: &Env) -> Result<Values> {
        let stored = self.stored_variable(var)?;
        let none = || Error::new(ErrorKind::Unsupported, "no heap");
        let heap = stored.heap.as_ref().ok_or_else(none)?;
        let mut values = heap(0).slice(0..0);
        for number in bytes.chunks(stored.layout.element.size as usize) {
            let number = number.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
            assert!(values.append(heap(number)), "values of one type");
        }
        Ok(values)
    }
}

impl ChunkBytes for MemoryDataset {
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let one = |chunk: &ChunkRef| {
            let content = self.content.as_ref().and_then(|hook| hook(chunk));
            content.map_or_else(|| self.fetch_one(chunk).map(KeyContent::Bytes), Ok)
        };
        chunks.iter().map(one).collect()
    }

    fn source(&self, chunk: &ChunkRef) -> Option<Arc<dyn Source>> {
        let (name, stored) = (self.source?, self.vars.get(chunk.variable.index())?);
        let source = || Arc::new(MemorySource::new(name, stored.bytes.clone())) as Arc<dyn Source>;
        Some(Arc::clone(stored.source.get_or_init(source)))
    }

    fn has_sources(&self) -> bool {
        self.source.is_some()
    }

    fn latency(&self) -> bool {
        false
    }

    fn name(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        match self.names_chunks {
            true => Some(format!("chunk {}", chunk.index).into()),
            false => Some(Arc::clone(self.source(chunk)?.name())),
        }
    }

    fn changed(&self) -> Option<Arc<str>> {
        None
    }
}

impl Assembly for MemoryDataset {
    fn read_box(&self, var: VarId, part: &Block, _: &Env) -> Result<Vec<u8>> {
        let assemble = self.vars[var.index()].assemble.as_ref().unwrap();
        let shape = self.schema.shape(var);
        let mut counts = self.counts.lock().unwrap();
        for at in coordinates(part) {
            let key = (var, row_major(&at, &shape).unwrap());
            *counts.assembled.entry(key).or_default() += 1;
        }
        drop(counts);
        Ok(assemble(part))
    }
}
