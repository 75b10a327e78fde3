//! One stage or two, for a variable that several processes rechunk.
//!
//! A process decodes each input chunk that intersects its part. If input and output chunks cross, like maps and time series, each part
//! needs the whole input. With two stages, processes first cut the input into intermediate chunks that divide both shapes, and later
//! processes assemble the output from them. So each element is decoded and encoded twice, for any number of parts.

use super::{RechunkVariable, cost, read};
use crate::arithmetic::Amount;
use crate::chunk::grid::ChunkGrid;
use crate::filter;
use crate::filter::ids::{SHUFFLE, ZSTD};
use crate::model::FilterSpec;

/// The cost of one more part: a process, and a wait for the disk (in nanoseconds, not per byte).
const PART: f64 = 5e7;
/// The cost of scattering, storing and reading a byte between the stages.
const STORED: cost::Nanoseconds = 2.0;
/// The cost of reading a byte of a shard index.
const INDEX: cost::Nanoseconds = 0.5;
/// The size of a shard index entry in bytes.
const INDEXED: f64 = 16.0;
/// The memory divisor for slabs: chunks in progress take the remaining memory.
const MEMORY: u64 = 4;

/// The chunks of a variable between the stages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageChunks {
    /// The chunk length per dimension.
    pub chunk: Vec<u64>,
    /// The shard length per dimension, a multiple of the chunk length.
    pub shard: Vec<u64>,
}

/// A variable that is rechunked in parts.
#[derive(Debug, Clone, Copy)]
pub struct InParts<'a> {
    /// The variable.
    pub variable: RechunkVariable<'a>,
    /// The indivisible shape of a part: a chunk or shard of the output.
    pub unit: &'a [u64],
    /// The box shape of a part.
    pub part: &'a [u64],
}

impl InParts<'_> {
    /// Returns the chunks between two stages, if two stages cost less than one. Each process may use `memory` bytes.
    #[must_use]
    pub fn cheaper(&self, memory: u64) -> Option<StageChunks> {
        let between = self.between(memory);
        (self.two_stages(&between) < self.one_stage()).then_some(between)
    }

    /// Returns the chunks between two stages, regardless of cost.
    #[must_use]
    pub fn between(&self, memory: u64) -> StageChunks {
        let RechunkVariable { from, shape, .. } = self.variable;
        let first = gathered(shape, &from.chunk, self.most(memory));
        between(&first, &self.slab(memory))
    }

    /// Returns the slab shape of the second stage.
    fn slab(&self, memory: u64) -> Vec<u64> {
        gathered(self.variable.shape, self.unit, self.most(memory))
    }

    /// Returns the maximum number of elements in a slab.
    fn most(&self, memory: u64) -> u64 {
        memory / MEMORY / self.variable.from.element.size.max(1)
    }

    /// Returns the cost of decoding in one stage, or of reading unfiltered data.
    fn one_stage(&self) -> cost::Nanoseconds {
        let (times, reading) = read(self.variable, self.part);
        match self.variable.from.filters.is_empty() {
            true => reading,
            false => times * filter::cost::of_all(&self.variable.from.filters).decode,
        }
    }

    /// Returns the cost of two stages.
    fn two_stages(&self, between: &StageChunks) -> cost::Nanoseconds {
        let variable = self.variable;
        let first = InParts {
            variable,
            unit: self.unit,
            part: &between.shard,
        };
        let filters = filter::cost::of_all(&filters(variable.from.element.size));
        let boxes = ChunkGrid::of(variable.shape.to_vec(), self.part.to_vec()).len() as f64;
        let pieces = pieces(variable.bytes(&between.chunk), boxes);
        let parts = boxes * PART / variable.total().max(1) as f64;
        first.one_stage() + filters.encode + filters.decode + STORED + pieces + parts
    }
}

/// Returns the read cost in nanoseconds per byte, for pieces of `bytes` bytes in shards. Each box reads the shard indexes.
#[must_use]
pub fn pieces(bytes: u64, boxes: f64) -> f64 {
    cost::reading(bytes) + INDEX * boxes * INDEXED / bytes.max(1) as f64
}

/// Returns the filters between the stages for elements of `size` bytes: fast filters.
#[must_use]
pub fn filters(size: u64) -> Vec<FilterSpec> {
    let spec = |id, params| FilterSpec { id, params };
    let shuffled = u32::try_from(size).ok().filter(|size| *size > 1);
    let shuffle = shuffled.map(|size| spec(SHUFFLE, vec![size]));
    shuffle.into_iter().chain([spec(ZSTD, vec![1])]).collect()
}

/// Returns a box of consecutive units with at most `most` elements, but at least one unit.
fn gathered(shape: &[u64], unit: &[u64], most: u64) -> Vec<u64> {
    let unit: Vec<u64> = unit.iter().map(|n| (*n).max(1)).collect();
    let units = most / Amount::product(&unit).get().max(1);
    let boxes = ChunkGrid::of(shape.to_vec(), unit)
        .boxes(units.max(1))
        .next();
    boxes.map_or_else(|| shape.to_vec(), |first| first.count)
}

/// Returns the intermediate chunks: the intersections of first-stage boxes with second-stage slabs. A first-stage box is a shard.
fn between(first: &[u64], second: &[u64]) -> StageChunks {
    let dims = || first.iter().zip(second);
    let chunk = |(first, second): (&u64, &u64)| (*first).min(*second).max(1);
    StageChunks {
        chunk: dims().map(chunk).collect(),
        shard: dims()
            .map(|(first, second)| {
                let chunk = chunk((first, second));
                (Amount::of(first.div_ceil(chunk).max(1)) * chunk).get()
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::layout::Layout;
    use crate::chunk::layout::tests::layout;

    /// Maps of `shape` that become series of all times.
    fn stages(shape: [u64; 3], part: [u64; 3], memory: u64) -> (f64, Option<StageChunks>) {
        let from = Layout {
            filters: filters(4),
            ..layout(&shape, &[1, shape[1], shape[2]])
        };
        let to = layout(&shape, &[shape[0], 10, 10]);
        let parts = InParts {
            variable: RechunkVariable {
                from: &from,
                to: &to,
                shape: &shape,
                assembled: false,
            },
            unit: &to.chunk,
            part: &part,
        };
        (read(parts.variable, parts.part).0, parts.cheaper(memory))
    }

    #[test]
    fn maps_become_series_in_two_stages() {
        let shape = [8000, 720, 1440];
        let (times, made) = stages(shape, [8000, 10, 1440], 256 << 20);
        assert!((times - 72.0).abs() < 1e-9, "{times}");
        let made = made.unwrap();
        // 64 MiB are 64 maps, and the series of 5 columns of chunks.
        assert_eq!(made.chunk, [64, 10, 830]);
        assert_eq!(made.shard, [64, 720, 1660]);
    }

    #[test]
    fn few_parts_need_one_stage() {
        let shape = [8000, 720, 1440];
        for part in [shape, [8000, 360, 1440], [8000, 180, 1440]] {
            let (times, made) = stages(shape, part, 256 << 20);
            assert!(times < 5.0, "{times}");
            assert_eq!(made, None);
        }
    }

    #[test]
    fn little_data_needs_one_stage() {
        let (times, made) = stages([30, 24, 36], [30, 1, 36], 256 << 20);
        assert!(times > 20.0 && made.is_none(), "{times} {made:?}");
    }

    #[test]
    fn chunks_between_are_whole_in_shards() {
        for (first, second) in [
            (vec![5, 7], vec![2, 9]),
            (vec![1, 1], vec![1, 1]),
            (vec![0, 3], vec![4, 2]),
            (vec![], vec![]),
        ] {
            let made = between(&first, &second);
            for (n, (chunk, shard)) in made.chunk.iter().zip(&made.shard).enumerate() {
                assert!(
                    shard.is_multiple_of(*chunk) && shard >= &first[n],
                    "{made:?}"
                );
            }
        }
    }
}
