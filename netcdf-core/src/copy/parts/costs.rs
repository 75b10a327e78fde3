//! What a copy in parts is going to take.

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

/// Chunks of a variable whose places are looked at, at most: they stand for the others.
const LOOKED_AT: u64 = 100_000;
/// Nanoseconds for a byte of elements that gets to its place in memory.
const COPY: f64 = 0.2;
/// Nanoseconds for a byte that is read or stored.
const STORED: f64 = 0.26;
/// Nanoseconds for a byte that is scattered to pieces and gathered again, between two stages.
const PIECES: f64 = 1.0;
/// Nanoseconds for a chunk that is read or stored as a piece of a file.
const PIECE: f64 = 20_000.0;
/// Nanoseconds for a byte that `--finish` copies from a segment.
const JOIN: f64 = 1.0;
/// Seconds for the end of a copy of nothing: a process, and a wait for the disk.
const END: f64 = 0.02;
/// Seconds of a processor for a copy of nothing in a process that makes several.
const COPY_OF_NOTHING: f64 = 0.001;
/// Nanoseconds for a key or a done-file that `--finish` looks for.
const KEY: f64 = 20_000.0;

/// What a copy in parts is going to take, by the metadata and typical figures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Costs {
    /// Bytes of chunks that parts read from the input, each as often as it is read.
    pub read: f64,
    /// How often chunks of the input are read.
    pub reads: f64,
    /// Bytes that are stored in the output.
    pub written: f64,
    /// How many chunks are stored in the output; shards, where these are stored as a whole.
    pub writes: f64,
    /// Bytes that are stored between two stages.
    pub between: f64,
    /// Seconds of a processor that the parts take.
    pub seconds: f64,
    /// Seconds that the end of the copy takes.
    pub finish: f64,
}

impl Division {
    /// The costs of the copy. With `segments`, parts do not write into the output themselves.
    ///
    /// # Errors
    /// Those of finding out where chunks are.
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
    /// Seconds of a processor for the copy as a whole, in a process that makes several.
    #[must_use]
    pub fn at_once(&self) -> f64 {
        self.seconds + COPY_OF_NOTHING
    }

    /// The costs of many copies, each made as a whole by one of `parts` parts.
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
    /// The costs of a variable, without those of the end.
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
        // What filters made smaller in the input is about as small in the output.
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

    /// Bytes that are stored for one of the elements of a stored chunk, and which part of the chunks is stored.
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
