//! Moves the elements of a variable to chunks of another shape.
//!
//! Chunks are written in row-major order, in *slabs*: boxes of consecutive chunks that fit in memory. If input chunks lie in several slabs,
//! they are decoded several times (once per *pass*). Alternatively, they are decoded once if their elements go through a spill file in the
//! required order.
//!
//! There are three ways to fill a slab. A cost model in nanoseconds per byte chooses the way; the output is the same.
//!
//! 1. Each output chunk reads the input chunks that it overlaps.
//! 2. The input chunks behind a slab are decoded in memory first, and all threads cut the output chunks from them. Short rows are copied into the
//!    output chunks directly after decoding (`chunk::dataset::{tiles, ordered_slab}`).
//! 3. All elements are decoded once into a temporary file, if the first two ways would decode each input chunk more than four times within
//!    the memory limit. Each slab has an area in this file. If fragments would be smaller than 64 KiB, they first go to areas of larger slabs.

mod affected_chunks;
mod cost;
mod spill;
mod stages;

pub use affected_chunks::AffectedChunks;
pub(super) use cost::gcd;
pub use cost::{decoding, segments};
pub use stages::{InParts, StageChunks, filters as filters_between, pieces};

use std::sync::Arc;

use super::dataset::{BoxElements, COPIES, Cuts, Dataset, PartsOf};
use super::grid::ChunkGrid;
use super::layout::Layout;
use super::plan;
use crate::arithmetic::Amount;
use crate::error::Result;
use crate::model::{Region, VarId};
use cost::{Nanoseconds, piece};

/// The limits of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RechunkBudget {
    /// The memory in bytes.
    pub memory: u64,
    /// The number of threads.
    pub threads: usize,
}

/// The source of a chunk's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RechunkWay {
    /// Each chunk reads and decodes its own elements.
    Direct,
    /// The elements of a slab are decoded in memory first.
    Memory {
        /// The number of slabs in memory: with two, one is decoded while the other is encoded.
        slabs: usize,
    },
    /// All elements are decoded into a file, ordered by slabs.
    Spill,
}

/// A plan for rechunking a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RechunkPlan {
    /// The way to get elements.
    pub way: RechunkWay,
    /// The maximum number of chunks per slab.
    pub chunks: u64,
    /// The average number of decodes per input chunk, rounded up.
    pub passes: u64,
    /// The memory for slabs in bytes.
    pub slabs: u64,
    /// The memory for decoding and encoding chunks, in bytes.
    pub work: u64,
    /// The size of the spill file in bytes.
    pub disk: u64,
    /// True if the allowed memory is too small for the chunks that are read and written concurrently.
    pub raised: bool,
}

impl RechunkPlan {
    /// Returns the total memory in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        (Amount::of(self.slabs) + self.work).get()
    }
}

/// The slab size in bytes that keeps the threads busy.
const SLAB: u64 = 8 << 20;

/// The maximum number of decodes per chunk. Beyond it, a spill file is cheaper even on slow disks.
const PASSES: f64 = 4.0;

/// Copies of an input chunk, and of an output chunk, in memory during processing.
const DECODING: u64 = 2;
const ENCODING: u64 = 3;

/// A variable to rechunk.
#[derive(Debug, Clone, Copy)]
pub struct RechunkVariable<'a> {
    /// The storage in the input.
    pub from: &'a Layout,
    /// The storage in the output.
    pub to: &'a Layout,
    /// The shape.
    pub shape: &'a [u64],
    /// True if the reader assembles the elements.
    pub assembled: bool,
}

impl RechunkVariable<'_> {
    /// Returns the grid of output chunks.
    #[must_use]
    pub fn grid(&self) -> ChunkGrid {
        ChunkGrid::new(self.to, self.shape)
    }

    /// Returns the size of a box in bytes, in the input or the output, whichever is larger.
    fn bytes(&self, count: &[u64]) -> u64 {
        let size = self.from.element.size.max(self.to.element.size);
        (Amount::product(count) * size.max(1)).get()
    }

    /// Returns the size of all elements in bytes.
    fn total(&self) -> u64 {
        self.bytes(self.shape)
    }

    /// Returns the memory for reading a chunk, in bytes.
    fn input(&self) -> u64 {
        match self.from.filters.len() {
            0 => 0,
            _ => self.bytes(&self.from.chunk),
        }
    }
}

/// Plans how to rechunk a variable: the cheapest way within the memory.
#[must_use]
pub fn plan(variable: RechunkVariable<'_>, budget: &RechunkBudget) -> RechunkPlan {
    let grid = variable.grid();
    let output = variable.bytes(&variable.to.chunk);
    let item = Amount::of(variable.input()) * DECODING + Amount::of(output) * ENCODING;
    let least = (item + variable.bytes(&grid.largest())).get();
    let memory = budget.memory.max(least);
    let threads = Amount::of(budget.threads) + 1u64;
    let work = (item * threads).get().min(memory / 2).max(item.get());
    let plan = RechunkPlan {
        way: RechunkWay::Direct,
        chunks: 1,
        passes: 1,
        slabs: 0,
        work: memory,
        disk: 0,
        raised: least > budget.memory,
    };
    let slabs = memory - work;
    if variable.assembled {
        return RechunkPlan {
            way: RechunkWay::Memory { slabs: 1 },
            chunks: fitting(variable, &grid, slabs).unwrap_or(1),
            slabs,
            work,
            ..plan
        };
    }
    let ways = [
        Some(direct(variable, &grid, plan)),
        in_memory(variable, &grid, (slabs / 2, 2), plan).filter(|_| budget.threads > 1),
        in_memory(variable, &grid, (slabs, 1), plan),
        Some(in_file(variable, &grid, slabs, plan)),
    ];
    let ways = ways
        .into_iter()
        .flatten()
        .map(|(plan, cost)| match plan.way {
            RechunkWay::Direct => (plan, cost),
            RechunkWay::Memory { .. } | RechunkWay::Spill => (
                RechunkPlan {
                    slabs,
                    work,
                    ..plan
                },
                cost,
            ),
        });
    let best = ways.min_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or(plan, |(plan, _)| plan)
}

/// Returns the average number of decodes per chunk, and the cost per byte, if slabs of this shape are read from the chunks directly.
fn read(variable: RechunkVariable<'_>, slab: &[u64]) -> (f64, Nanoseconds) {
    let times = decoding(variable.from, variable.shape, slab);
    if variable.from.filters.is_empty() {
        return (1.0, cost::reading(piece(variable.from, slab)));
    }
    (times, times * cost::DECODE)
}

/// Rounds up to a whole number of passes.
fn passes(times: f64) -> u64 {
    // The number is small: a plan never has more than `PASSES` passes.
    (1u32..100)
        .find(|&n| f64::from(n) >= times - 1e-9)
        .unwrap_or(100)
        .into()
}

/// Plans that each chunk reads its own elements.
fn direct(
    variable: RechunkVariable<'_>,
    grid: &ChunkGrid,
    plan: RechunkPlan,
) -> (RechunkPlan, Nanoseconds) {
    let (times, cost) = read(variable, &grid.largest());
    let allowed = if times > PASSES { f64::INFINITY } else { cost };
    let passes = passes(times);
    (RechunkPlan { passes, ..plan }, allowed)
}

/// Plans slabs of at most `memory` bytes, with this number of slabs in memory; `None` if one chunk does not fit. Smaller slabs are used
/// unless larger slabs are better.
fn in_memory(
    variable: RechunkVariable<'_>,
    grid: &ChunkGrid,
    (memory, slabs): (u64, usize),
    plan: RechunkPlan,
) -> Option<(RechunkPlan, Nanoseconds)> {
    let most = fitting(variable, grid, memory)?;
    // With a single slab, threads wait for one another at its end.
    let alone = if slabs == 1 { cost::WAIT } else { 0.0 };
    let of = |chunks: u64| {
        let slab = grid.boxes(chunks).next()?;
        let (times, cost) = read(variable, &slab.count);
        let cost = if times > PASSES { f64::INFINITY } else { cost };
        let passes = passes(times);
        let plan = RechunkPlan {
            way: RechunkWay::Memory { slabs },
            chunks,
            passes,
            ..plan
        };
        Some((plan, cost + cost::COPY + alone))
    };
    let best = of(most)?;
    let enough = |(_, cost): &(RechunkPlan, Nanoseconds)| *cost <= best.1 * cost::ALIKE;
    let sizes = sizes(variable, grid, most);
    let smaller = sizes.into_iter().filter_map(of).find(enough);
    Some(smaller.unwrap_or(best))
}

/// Returns slab sizes up to `most` chunks, ascending: whole rows, planes and so on, as far as they are worth trying.
fn sizes(variable: RechunkVariable<'_>, grid: &ChunkGrid, most: u64) -> Vec<u64> {
    let chunk = variable.bytes(&grid.largest()).max(1);
    let least = SLAB.div_ceil(chunk).clamp(1, most);
    let mut sizes = Vec::new();
    let mut rows = 1u64;
    for &count in grid.counts().iter().rev() {
        sizes.push(
            least
                .checked_next_multiple_of(rows)
                .unwrap_or(most)
                .min(most),
        );
        rows = (Amount::of(rows) * count.max(1)).get().min(u64::MAX / 2);
        if rows > most {
            break;
        }
    }
    sizes.sort_unstable();
    sizes
}

/// Plans that all elements are decoded once into a file.
fn in_file(
    variable: RechunkVariable<'_>,
    grid: &ChunkGrid,
    memory: u64,
    plan: RechunkPlan,
) -> (RechunkPlan, Nanoseconds) {
    let whole: Vec<u64> = variable.shape.to_vec();
    let plan = RechunkPlan {
        way: RechunkWay::Spill,
        chunks: fitting(variable, grid, memory).unwrap_or(1),
        disk: variable.total(),
        ..plan
    };
    (plan, read(variable, &whole).1 + cost::SPILL)
}

/// The approximate memory for the position of a chunk and of its elements, in bytes.
const PLACE: u64 = 512;

/// Returns the number of output chunks that fit in `memory` bytes, with the positions of the intersecting input chunks; `None` if one does
/// not fit.
fn fitting(variable: RechunkVariable<'_>, grid: &ChunkGrid, memory: u64) -> Option<u64> {
    let (read, written) = (&variable.from.chunk, grid.largest());
    let places = (Amount::product(&written) / Amount::product(read) + 1u64) * PLACE;
    let chunk = variable.bytes(&written).max(1);
    match memory / chunk {
        0 => None,
        _ => Some((Amount::of(memory) / (places + chunk)).get().max(1)),
    }
}

/// A variable that is being rechunked.
#[derive(Clone, Copy)]
pub struct Rechunking<'a> {
    /// The dataset.
    pub set: Dataset<'a>,
    /// The variable.
    pub var: VarId,
    /// The output chunks.
    pub grid: &'a ChunkGrid,
    /// The region of the output chunks to build: a box of whole chunks.
    pub within: &'a Region,
    /// The plan.
    pub plan: &'a RechunkPlan,
    /// The output chunks that intersect stored chunks, if known.
    pub met: Option<&'a Arc<AffectedChunks>>,
}

/// Reads a variable as planned. `work` and `sink` get the elements of each output chunk in row-major order. If `met` is known, they usually
/// get only the chunks in it. Elements from a spill file count as stored.
///
/// # Errors
/// Returns the first error from reading, `work` or `sink`.
pub fn run<R: Send>(
    what: &Rechunking<'_>,
    work: impl Fn(&Region, BoxElements) -> Result<R> + Sync,
    sink: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let &Rechunking {
        set,
        var,
        grid,
        within,
        plan,
        met,
    } = what;
    let small = small_slabs(what)?;
    let plan = small.as_ref().unwrap_or(plan);
    let way = match plan.way {
        RechunkWay::Direct => plan::BandWay::Direct,
        RechunkWay::Memory { slabs } => plan::BandWay::Staged { slabs },
        // A file would need disk space for all elements.
        RechunkWay::Spill if met.is_some_and(|met| met.is_nearly_empty(grid)) => {
            plan::BandWay::Staged { slabs: 1 }
        }
        RechunkWay::Spill => return spill::spilled(what, work, sink),
    };
    let cuts = Cuts {
        slabs: slabs((grid, within), plan, met),
        way,
        parts: Box::new(|slab| parts(grid, slab, met)),
        tile: Some(grid.chunk().to_vec()),
        memory: plan.work,
        copies: COPIES,
    };
    let _kept = set.env.buffers.keep(plan.slabs);
    set.parts(var, cuts, work, sink)
}

/// The maximum size in bytes of an output chunk that is cut from a slab: reading its elements alone takes longer than copying them.
const SMALL_CHUNK: u64 = 4 << 10;
/// The size of these slabs in bytes.
const SMALL_SLAB: u64 = 1 << 20;

/// Returns a plan with small slabs if the output chunks are small and the plan is [`RechunkWay::Direct`]. Stores and sources with latency
/// retain the direct plan.
fn small_slabs(what: &Rechunking<'_>) -> Result<Option<RechunkPlan>> {
    let (plan, set) = (what.plan, what.set);
    let is_file = set.reader.bytes().has_sources() && !set.runtime().asks_ahead();
    if plan.way != RechunkWay::Direct || !is_file {
        return Ok(None);
    }
    let size = set.layout(what.var)?.element.size;
    let chunk = (Amount::product(&what.grid.largest()) * size).get();
    let threads = set.env.runtime.threads();
    let slab = SMALL_SLAB.min(plan.work / 4);
    Ok((1..=SMALL_CHUNK).contains(&chunk).then(|| RechunkPlan {
        way: RechunkWay::Memory {
            slabs: if threads > 1 { 2 } else { 1 },
        },
        chunks: (slab / chunk).max(1),
        ..*plan
    }))
}

/// The maximum number of slabs that are searched for stored elements. Beyond it, each chunk with stored elements is a slab.
const SCANNED: u64 = 1 << 16;

/// Returns the slabs to process.
fn slabs<'a>(
    (grid, within): (&'a ChunkGrid, &'a Region),
    plan: &RechunkPlan,
    met: Option<&'a Arc<AffectedChunks>>,
) -> Box<dyn Iterator<Item = Region> + 'a> {
    let slabs = grid.boxes_in(within, plan.chunks);
    match met {
        Some(met) if plan.chunks <= 1 || grid.len() / plan.chunks > SCANNED => {
            Box::new(met.chunks(grid))
        }
        Some(met) => Box::new(slabs.filter(|slab| met.any(grid, slab))),
        None => Box::new(slabs),
    }
}

/// Returns the chunks of a slab to process, relative to its start.
fn parts(grid: &ChunkGrid, slab: &Region, met: Option<&Arc<AffectedChunks>>) -> PartsOf {
    let chunks = grid.chunks(slab);
    let Some(met) = met.cloned() else {
        return Box::new(chunks);
    };
    let (grid, slab) = (grid.clone(), slab.clone());
    Box::new(chunks.filter(move |chunk| met.has(&grid, &slab.part(chunk))))
}

#[cfg(test)]
mod tests;
