//! Chunk shapes of variables.

use super::filters::name;
use super::{StorageCase, StorageNotes};
use crate::arithmetic::Amount;
use crate::chunk::shapes::{MOST, bytes, default_shape, of_bytes};
use crate::copy::options::{ChunkSize, VarLayout};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::policy;
use crate::format::kind_row;
use crate::model::{DimId, FilterSpec, Storage};
use crate::notes::Note;

/// A chunk shape.
pub(super) struct ChunkShape {
    /// Elements per dimension.
    pub(super) lengths: Vec<u64>,
    /// Bytes per element.
    pub(super) size: u64,
}

impl StorageCase<'_> {
    /// Returns the chunk shape. Each length comes from the first setting present: the variable's shape, the dimension's length, the target
    /// chunk size, the input's chunks, the default. A chunk is never longer than a fixed dimension, and never exceeds the HDF5 limit in
    /// bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a shape with too many bytes.
    pub(super) fn shape(&self, asked: Option<&VarLayout>) -> Result<ChunkShape> {
        let of_var = match asked {
            Some(VarLayout::Chunked(lengths)) => lengths.as_slice(),
            Some(VarLayout::Contiguous | VarLayout::Compact) | None => &[],
        };
        let of_input = self.from.storage.chunk().unwrap_or_default();
        let default = default_shape(self.output, self.pair.to);
        let given = |(n, dim): (usize, &DimId)| {
            let of_dim = || self.ask.chunks.dims.get(dim);
            of_var.get(n).or_else(of_dim).copied()
        };
        let given: Vec<_> = self.from.dims.iter().enumerate().map(given).collect();
        let size = self.output.memory_size(self.to.ty).max(1);
        let sized = self.sized(&given, size);
        let mut lengths = vec![];
        let mut free = vec![];
        for (n, (to, given)) in self.to.dims.iter().zip(given).enumerate() {
            let others = [&sized, of_input, &default].map(|shape| shape.get(n).copied());
            let known = given.or_else(|| others.into_iter().flatten().next());
            lengths.push(known.unwrap_or(1).clamp(1, self.max_length(*to)));
            free.push(given.is_none());
        }
        fit(&mut lengths, &free, size)?;
        Ok(ChunkShape { lengths, size })
    }

    /// Returns the chunk shape for the target chunk size. Returns an empty shape without a target size, or if the input's chunks stay.
    fn sized(&self, given: &[Option<u64>], size: u64) -> Vec<u64> {
        let free = given.iter().all(Option::is_none);
        match &self.ask.chunk_size {
            Some(asked) if !(free && (self.is_fixed(asked) || self.keeps_chunks(asked, size))) => {
                of_bytes(&self.input.shape(self.pair.from), given, size, asked.bytes)
            }
            Some(_) | None => vec![],
        }
    }

    fn is_fixed(&self, asked: &ChunkSize) -> bool {
        self.from.storage.chunk().is_some() && asked.fixed.contains_key(&self.pair.from)
    }

    /// Adds a note on fixed chunks that ignore the target chunk size.
    pub(super) fn note_fixed(&self, storage: &Storage, log: &mut StorageNotes) {
        let size = self.output.memory_size(self.to.ty).max(1);
        let asked = self.ask.chunk_size.as_ref();
        let Some(asked) = asked.filter(|asked| !self.keeps_chunks(asked, size)) else {
            return;
        };
        let stays = storage.chunk().is_some() && storage.chunk() == self.from.storage.chunk();
        if let Some(why) = asked.fixed.get(&self.pair.from).filter(|_| stays) {
            log.notes.push(Note {
                object: self.path(),
                what: format!("keeps its chunks: {why}"),
                remedy: None,
            });
        }
    }

    /// Returns whether the size of the input's chunks is in the accepted range, or the variable is a single small chunk.
    fn keeps_chunks(&self, asked: &ChunkSize, size: u64) -> bool {
        let Some((kept, chunk)) = asked.kept.as_ref().zip(self.from.storage.chunk()) else {
            return false;
        };
        let lens = self.input.shape(self.pair.from);
        let is_one = lens.iter().zip(chunk).all(|(len, chunk)| len <= chunk);
        let bytes = bytes(chunk, size);
        kept.contains(&bytes) || is_one && bytes <= *kept.end()
    }

    /// Returns the maximum chunk length along an output dimension.
    fn max_length(&self, dim: DimId) -> u64 {
        let fixed = self.output.dim(dim).filter(|d| !d.unlimited);
        fixed.map_or(u64::MAX, |d| d.len.max(1))
    }

    /// Lengthens chunks with fewer elements than a filter requires, starting at the last dimension. Requested lengths stay; fixed
    /// dimensions limit the remaining lengths.
    pub(super) fn suit_filters(
        &self,
        shape: &mut ChunkShape,
        storage: &Storage,
        log: &mut StorageNotes,
    ) {
        let Some(filter) = storage.filters.iter().max_by_key(|f| least(f)) else {
            return;
        };
        let least = least(filter);
        let of_var = self.ask.chunks.vars.contains_key(&self.pair.from);
        if elements(&shape.lengths) >= least || of_var {
            return;
        }
        let mut longer = shape.lengths.clone();
        let dims = self.from.dims.iter().zip(&self.to.dims).enumerate();
        for (n, (from, to)) in dims.collect::<Vec<_>>().into_iter().rev() {
            let most = self.max_length(*to);
            let all = elements(&longer);
            if let Some(length) = longer.get_mut(n)
                && !self.ask.chunks.dims.contains_key(from)
            {
                let others = (all / (*length).max(1)).max(1);
                *length = least.div_ceil(others).clamp(*length, most.max(*length));
            }
        }
        if elements(&longer) < least {
            return;
        }
        log.remarks.push(Note {
            object: self.path(),
            what: format!(
                "stored in longer chunks: {} needs at least {least} elements",
                name(filter)
            ),
            remedy: None,
        });
        shape.lengths = longer;
    }

    /// Returns the shard shape. Each length comes from the first setting present: the variable's shard shape, the dimension's shard length,
    /// one chunk.
    pub(super) fn shard(&self, storage: &Storage) -> Option<Vec<u64>> {
        let asked = &self.ask.shards;
        let of_var = match asked.vars.get(&self.pair.from) {
            Some(VarLayout::Chunked(lengths)) => lengths.as_slice(),
            Some(VarLayout::Contiguous | VarLayout::Compact) => return None,
            None => &[],
        };
        let named = self.from.dims.iter().any(|d| asked.dims.contains_key(d));
        if of_var.is_empty() && !named {
            let kept = kind_row(self.output.kind).is_some_and(|row| row.shards);
            let same = kept && storage.layout == self.from.storage.layout;
            return self.from.storage.shard.clone().filter(|_| same);
        }
        let chunk = storage.chunk().map(<[u64]>::to_vec);
        let chunk = chunk.unwrap_or_else(|| self.output.shape(self.pair.to));
        let dims = self.from.dims.iter().enumerate().zip(chunk);
        let length = |((n, dim), chunk)| {
            let of_dim = asked.dims.get(dim);
            of_var.get(n).or(of_dim).copied().unwrap_or(chunk)
        };
        Some(dims.map(length).collect())
    }
}

/// Returns the number of elements per chunk.
pub(super) fn elements(lengths: &[u64]) -> u64 {
    Amount::product(lengths).get()
}

/// Returns the minimum number of elements per chunk for a filter.
pub(super) fn least(filter: &FilterSpec) -> u64 {
    (policy(filter.id).least)(&filter.params)
}

/// Halves lengths that no option specifies until a chunk is small enough.
fn fit(lengths: &mut [u64], free: &[bool], size: u64) -> Result<()> {
    while bytes(lengths, size) > MOST {
        let free = lengths.iter_mut().zip(free).filter(|(_, free)| **free);
        let Some((longest, _)) = free.max_by_key(|(n, _)| **n).filter(|(n, _)| **n > 1) else {
            let what = format!(
                "chunks of {} bytes are larger than HDF5 allows",
                bytes(lengths, size)
            );
            return Err(Error::new(ErrorKind::Argument, what));
        };
        *longest /= 2;
    }
    Ok(())
}
