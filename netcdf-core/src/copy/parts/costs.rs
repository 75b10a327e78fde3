//! Cost estimates for a copy in parts.

use super::Division;
use super::division::DividedVariable;
use crate::arithmetic::{Amount, length};
use crate::chunk::grid::ChunkGrid;
use crate::chunk::rechunk::{self, StageChunks, decoding, filters_between};
use crate::chunk::scatter::Block;
use crate::chunk::visit::Locate;
use crate::chunk::{ChunkRef, Dataset, Writer};
use crate::copy::methods::Method;
use crate::error::Result;
use crate::filter::cost;
use crate::model::Region;

/// Maximum number of chunk locations sampled per variable; the estimate extrapolates from them.
const LOOKED_AT: u64 = 100_000;
/// Nanoseconds to copy one byte of elements in memory.
const COPY: f64 = 0.2;
/// Nanoseconds to read or store one byte.
const STORED: f64 = 0.26;
/// Nanoseconds to scatter one byte to fragments between two stages, and to gather it again.
const PIECES: f64 = 1.0;
/// Nanoseconds to read or store one chunk as a file range.
const PIECE: f64 = 20_000.0;
/// Nanoseconds to copy one byte from a segment with `--finish`.
const JOIN: f64 = 1.0;
/// Seconds to finish an empty copy: one process start, and one fsync.
const END: f64 = 0.02;
/// Processor seconds for an empty copy, in a process that runs several copies.
const COPY_OF_NOTHING: f64 = 0.001;
/// Nanoseconds to look up one key or done-file with `--finish`.
const KEY: f64 = 20_000.0;

/// Estimated costs of a copy in parts, from metadata and typical speeds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Costs {
    /// Bytes of input chunks that the parts read. Repeated reads of a chunk count each time.
    pub read: f64,
    /// Number of chunk reads from the input.
    pub reads: f64,
    /// Bytes stored in the output.
    pub written: f64,
    /// Number of chunks stored in the output, or of shards if the output has shards.
    pub writes: f64,
    /// Bytes stored between two stages.
    pub between: f64,
    /// Processor seconds of the parts.
    pub seconds: f64,
    /// Seconds to finish the copy.
    pub finish: f64,
}

impl Division {
    /// Estimates the costs of the copy. With `segments`, parts write segments, not the output.
    ///
    /// # Errors
    /// Returns errors of locating chunks.
    pub fn costs(
        &self,
        set: Dataset<'_>,
        between: &[Option<StageChunks>],
        (writer, segments): (&dyn Writer, bool),
    ) -> Result<Costs> {
        let mut all = Costs {
            finish: END,
            ..Costs::default()
        };
        for (n, var) in self.vars.iter().enumerate() {
            let between = between.get(n).and_then(Option::as_ref);
            let shard = writer.schema().var(var.job.pair.to);
            let shard = shard.and_then(|var| var.storage.shard.as_deref());
            let costs = var.costs(set, between, shard)?;
            all = all.with(costs);
            let keys = KEY * costs.writes;
            let joined = JOIN * costs.written;
            all.finish += 1e-9
                * match (var.in_parts(), segments) {
                    (false, _) => costs.seconds * 1e9 + joined,
                    (true, true) => joined,
                    (true, false) => keys,
                };
        }
        Ok(all)
    }
}

impl Costs {
    /// Returns the processor seconds for the undivided copy, in a process that runs several copies.
    #[must_use]
    pub fn at_once(&self) -> f64 {
        self.seconds + COPY_OF_NOTHING
    }

    /// Returns the costs of many undivided copies, distributed over `parts` parts.
    #[must_use]
    pub fn of_copies(copies: impl IntoIterator<Item = Self>, parts: f64) -> Self {
        let whole = copies.into_iter().map(|copy| Self {
            seconds: copy.at_once(),
            ..copy
        });
        let all = whole.fold(Self::default(), Self::with);
        let finish = END + 1e-9 * KEY * parts;
        Self { finish, ..all }
    }

    fn with(self, other: Self) -> Self {
        Self {
            read: self.read + other.read,
            reads: self.reads + other.reads,
            written: self.written + other.written,
            writes: self.writes + other.writes,
            between: self.between + other.between,
            seconds: self.seconds + other.seconds,
            finish: self.finish,
        }
    }
}

impl DividedVariable {
    /// Estimates the costs of a variable, without the costs of finishing the copy.
    fn costs(
        &self,
        set: Dataset<'_>,
        between: Option<&StageChunks>,
        shard: Option<&[u64]>,
    ) -> Result<Costs> {
        let job = &self.job;
        let (from, to) = (&job.from, &job.to);
        let elements = job.elements() as f64;
        let (input, output) = (
            elements * from.element.size as f64,
            elements * to.element.size as f64,
        );
        let (decode, encode) = (cost::of_all(&from.filters), cost::of_all(&to.filters));
        let (left, stored) = self.stored(set)?;
        let moved = matches!(job.method, Method::Move | Method::Rows | Method::Chunks);
        let times = match between {
            Some(between) => decoding(from, &job.shape, &between.shard),
            None => self.decoded(),
        };
        // Assume that the output compresses like the input.
        let smaller = match (from.filters.is_empty(), to.filters.is_empty()) {
            (_, true) => 1.0,
            (true, false) => encode.ratio,
            (false, false) => left,
        };
        let chunks = (Amount::product(&from.grid()).get() as f64 * stored).max(1.0);
        let keys =
            ChunkGrid::of(job.shape.clone(), shard.unwrap_or(&to.chunk).to_vec()).len() as f64;
        let made = ChunkGrid::of(job.shape.clone(), to.chunk.clone()).len() as f64;
        let mut seconds =
            PIECE * (times * chunks + made) + STORED * (times * input * left + output * smaller);
        if !moved {
            seconds += COPY * output + times * input * decode.decode + output * encode.encode;
        }
        let cost = cost::of_all(&filters_between(from.element.size));
        let piece = between.map_or(1, |b| (Amount::product(&b.chunk) * from.element.size).get());
        let pieces = cost.encode + cost.decode + PIECES + 2.0 * STORED * cost.ratio;
        let pieces = pieces + rechunk::pieces(piece, self.len() as f64);
        let through = if between.is_some() { input } else { 0.0 };
        Ok(Costs {
            read: input * left * stored * times,
            reads: times * chunks,
            written: output * smaller * stored,
            writes: keys * stored,
            between: through * cost.ratio,
            seconds: (seconds + through * pieces) * 1e-9,
            finish: 0.0,
        })
    }

    /// Returns the stored bytes per element of a stored chunk, and the fraction of chunks that are stored.
    fn stored(&self, set: Dataset<'_>) -> Result<(f64, f64)> {
        let (from, var) = (&self.job.from, self.job.pair.from);
        if set.reader.assembles(var) || !set.reader.has_index(var) {
            return Ok((cost::of_all(&from.filters).ratio, 1.0));
        }
        let grid = from.grid();
        let looked = ChunkGrid::of(grid.clone(), vec![1; grid.len()])
            .boxes(LOOKED_AT)
            .next();
        let Region { start, count, .. } = looked.unwrap_or_else(|| Region::whole(&grid));
        let all = Amount::product(&count).get().max(1) as f64;
        let (mut found, mut bytes) = (0u64, Amount::default());
        let within = Block { start, count };
        set.locate_chunks(var, &within, Locate::Again, &mut |chunk: ChunkRef| {
            found += 1;
            bytes = bytes + length(&chunk.range);
            Ok(())
        })?;
        let elements = Amount::of(from.chunk_bytes().map_or(1, |n| n as u64)) * found;
        let left = bytes.get() as f64 / elements.get().max(1) as f64;
        Ok((if found == 0 { 1.0 } else { left }, found as f64 / all))
    }
}
