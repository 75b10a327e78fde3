//! Moves the elements of a variable from chunks of one shape to chunks of another.
//!
//! Chunks are written in row-major order. They are made in *slabs*: boxes of consecutive chunks, as many as
//! memory holds. If chunks of the input lie in several slabs, they are decoded several times (once per *pass*),
//! or once if their elements go through a spill file in the order needed.

mod cost;
mod sparse;
mod spill;
mod stages;

pub(super) use cost::gcd;
pub use cost::{decoding, segments};
pub use sparse::AffectedChunks;
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

/// What the planner may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RechunkBudget {
    /// Bytes of memory.
    pub memory: u64,
    /// Number of threads.
    pub threads: usize,
}

/// How chunks get their elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RechunkWay {
    /// Each chunk reads and decodes what it needs.
    Direct,
    /// What a slab needs is decoded in memory first.
    Memory {
        /// Slabs kept at a time: with two, one is decoded while the other is encoded.
        slabs: usize,
    },
    /// All elements are decoded into a file, ordered by slabs.
    Spill,
}

/// How a variable is rechunked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RechunkPlan {
    /// The way.
    pub way: RechunkWay,
    /// Most chunks of a slab.
    pub chunks: u64,
    /// How often an input chunk is decoded, on average and rounded up.
    pub passes: u64,
    /// Bytes of memory for slabs.
    pub slabs: u64,
    /// Bytes of memory for chunks being decoded and encoded.
    pub work: u64,
    /// Bytes of the spill file.
    pub disk: u64,
    /// True if the allowed memory does not hold the chunks read and written at a time.
    pub raised: bool,
}

impl RechunkPlan {
    /// Bytes of memory in total.
    #[must_use]
    pub fn memory(&self) -> u64 {
        (Amount::of(self.slabs) + self.work).get()
    }
}

/// Bytes of a slab that keep the threads busy.
const SLAB: u64 = 8 << 20;

/// The most times a chunk is decoded; beyond that a spill file is cheaper even on slow disks.
const PASSES: f64 = 4.0;

/// Copies of an input chunk, and of an output chunk, in memory while they are worked on.
const DECODING: u64 = 2;
const ENCODING: u64 = 3;

/// A variable to rechunk.
#[derive(Debug, Clone, Copy)]
pub struct RechunkVariable<'a> {
    /// Its storage in the input.
    pub from: &'a Layout,
    /// Its storage in the output.
    pub to: &'a Layout,
    /// Its shape.
    pub shape: &'a [u64],
    /// True if the reader makes its elements itself.
    pub assembled: bool,
}

impl RechunkVariable<'_> {
    /// The chunks to write.
    #[must_use]
    pub fn grid(&self) -> ChunkGrid {
        ChunkGrid::new(self.to, self.shape)
    }

    /// Bytes of the elements of a box, in the input or the output, whichever is larger.
    fn bytes(&self, count: &[u64]) -> u64 {
        let size = self.from.element.size.max(self.to.element.size);
        (Amount::product(count) * size.max(1)).get()
    }

    /// Bytes of all elements.
    fn total(&self) -> u64 {
        self.bytes(self.shape)
    }

    /// Bytes of memory for a chunk being read.
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

/// The cost per byte of slabs of this shape if read from the chunks directly, and how often these are decoded.
fn read(variable: RechunkVariable<'_>, slab: &[u64]) -> (f64, Nanoseconds) {
    let times = decoding(variable.from, variable.shape, slab);
    if variable.from.filters.is_empty() {
        return (1.0, cost::reading(piece(variable.from, slab)));
    }
    (times, times * cost::DECODE)
}

/// Rounds up to a whole number of passes.
fn passes(times: f64) -> u64 {
    // A small number: more than `PASSES` is never done.
    (1u32..100)
        .find(|&n| f64::from(n) >= times - 1e-9)
        .unwrap_or(100)
        .into()
}

/// Each chunk reads what it needs.
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

/// Slabs of at most `memory` bytes, this many at a time; `None` if not even one chunk fits. Smaller slabs are
/// used where larger ones are not better.
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

/// Numbers of chunks in slabs up to `most`, ascending: whole rows, planes and so on, as many as are worth
/// trying.
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

/// Everything is decoded once into a file.
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

/// Bytes of memory that a chunk takes besides its elements, roughly: its position, and where its elements go.
const PLACE: u64 = 512;

/// Output chunks that fit in `memory` bytes, with the positions of the input chunks that they need; `None` if not even one does.
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
    /// The chunks of the variable.
    pub grid: &'a ChunkGrid,
    /// The elements of those that are made: a box of whole chunks.
    pub within: &'a Region,
    /// How.
    pub plan: &'a RechunkPlan,
    /// Which chunks meet stored ones, if that is known.
    pub met: Option<&'a Arc<AffectedChunks>>,
}

/// Reads a variable as planned: `work` and `sink` get the elements of each chunk that is made, in row-major order;
/// if it is known which chunks are `met`, usually only of these. Elements from a spill file count as stored.
///
/// # Errors
/// The first error of reading, `work` or `sink`.
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
        // A file would need room for all elements.
        RechunkWay::Spill if met.is_some_and(|met| met.is_nearly_nothing(grid)) => {
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

/// Maximum bytes of an output chunk that is cut from a slab: reading its elements alone takes longer than copying them.
const SMALL_CHUNK: u64 = 4 << 10;
/// Bytes of such a slab.
const SMALL_SLAB: u64 = 1 << 20;

/// Returns a plan with small slabs if the output chunks are small and the plan is [`RechunkWay::Direct`]. Stores and sources with
/// latency keep the direct plan.
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

/// Of more slabs, those with stored elements are not looked for: each chunk with such elements is a slab.
const SCANNED: u64 = 1 << 16;

/// The slabs to process.
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

/// The chunks of a slab to process, relative to its start.
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
