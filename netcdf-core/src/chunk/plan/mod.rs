//! Plans for reading a region of a variable: the slabs, and the number of decodes per chunk.
//!
//! A region is processed in *bands* of some ten thousand elements, in row-major order. Chunks have different
//! shapes. So the region is first cut into *slabs*: bands as large as memory allows, which end at the end of chunk
//! rows. The chunks of a slab are decoded once, in parallel, and the bands are cut from the slab. If a row of
//! chunks does not fit in memory, each slab takes an equal part of the row, and the chunks are decoded once per
//! slab.

mod bands;
mod cells;

pub use bands::Bands;
pub use cells::{PlanCell, PlanCells};

use super::layout::Layout;
use crate::arithmetic::Amount;
use crate::model::Region;
use crate::model::region::product;

/// The limits of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanBudget {
    /// The approximate number of elements per band.
    pub most: u64,
    /// The maximum memory for decoded chunks, in bytes.
    pub memory: u64,
    /// The number of threads.
    pub threads: usize,
}

/// The source of a band's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BandWay {
    /// A slab is one band, which reads and decodes its own chunks.
    Direct,
    /// The chunks of a slab are read and decoded first, then its bands are cut from the slab.
    Staged {
        /// The number of slabs in memory: with two, one is decoded while the other is processed.
        slabs: usize,
    },
}

/// A plan for reading a region.
#[derive(Debug, Clone)]
pub struct ReadPlan {
    /// The slabs.
    pub slabs: Bands,
    /// The source of the bands' elements.
    pub way: BandWay,
    /// The maximum number of decodes per chunk. More than one only if a row of chunks exceeds both the memory and
    /// two chunks.
    pub passes: u64,
}

/// The minimum size of a piece that is read alone, in bytes.
const PIECE: u64 = 4 << 10;

/// Additional memory per chunk, in bytes.
const PER_CHUNK: u64 = 256;

/// Plans how to read `region` of a variable with the storage `layout`.
///
/// Takes the first of these ways that decodes each chunk once:
/// 1. bands of about `most` elements that end at chunk boundaries, each decoding its own chunks;
/// 2. slabs of half the memory, so that one is decoded while another is processed;
/// 3. slabs of all the memory, or of two chunks if that is more.
///
/// The third way is also taken if it decodes chunks repeatedly, because the only alternative is a temporary file.
///
/// Chunks without filters are read in parts, so every way reads only the required elements. For these chunks, only
/// the size of the parts matters.
#[must_use]
pub fn plan(region: &Region, layout: &Layout, budget: &PlanBudget) -> ReadPlan {
    let most = budget.most.max(1);
    let bands = |most| Bands::new(region.clone(), &layout.chunk, most);
    let slabs = bands(most);
    if layout.filters.is_empty() && piece(&slabs, region, layout) || slabs.passes() == 1 {
        return ReadPlan {
            passes: 1,
            slabs,
            way: BandWay::Direct,
        };
    }
    let halves = in_halves(region, layout, budget);
    if layout.filters.is_empty() || halves.slabs.passes() == 1 {
        return halves;
    }
    let chunk = cost(layout);
    let memory = budget.memory.max((chunk * 2u64).get());
    let slabs = bands(most.max(fitting(memory, layout)));
    let passes = slabs.passes();
    let bytes = Amount::of(slabs.largest()) * layout.element.size;
    // A few chunks do not keep the threads busy.
    let few = (bytes / chunk).get() < 2 * budget.threads as u64 && bytes <= budget.memory.into();
    let two = passes == 1 && few && budget.threads > 1;
    let way = BandWay::Staged {
        slabs: if two { 2 } else { 1 },
    };
    ReadPlan { slabs, way, passes }
}

/// Plans how to read `region` of a variable that the reader assembles in any boxes. The boxes are large because
/// their sources are unknown.
#[must_use]
pub fn in_boxes(region: &Region, layout: &Layout, budget: &PlanBudget) -> ReadPlan {
    let plan = in_halves(region, layout, budget);
    if plan.slabs.largest() <= budget.most {
        return ReadPlan {
            way: BandWay::Direct,
            ..plan
        };
    }
    plan
}

/// Returns bands that read and decode each chunk once, with as few elements above `most` as possible. Returns
/// `None` if the memory of a thread is too small for a band and a chunk being decoded, or if there are too few
/// bands to keep the threads busy.
#[must_use]
pub fn in_rows(region: &Region, layout: &Layout, budget: &PlanBudget) -> Option<Bands> {
    if layout.filters.is_empty() {
        return None;
    }
    let size = layout.element.size.max(1);
    // The stored chunk, and the chunk before and after a filter.
    let chunk = cost(layout) * 3u64;
    let room = ((Amount::of(budget.memory) - chunk) / size).get();
    let sizes = std::iter::successors(Some(budget.most.max(1)), |n| n.checked_mul(2));
    let bands = sizes
        .map(|most| Bands::new(region.clone(), &layout.chunk, most))
        .take_while(|bands| bands.largest() <= room)
        .find(|bands| bands.passes() == 1)?;
    let few = product(&region.count)? / bands.largest().max(1) < 2 * budget.threads as u64;
    (!few || budget.threads <= 1).then_some(bands)
}

/// Plans slabs of half the memory, two at a time.
fn in_halves(region: &Region, layout: &Layout, budget: &PlanBudget) -> ReadPlan {
    let most = budget.most.max(fitting(budget.memory / 2, layout)).max(1);
    let two = budget.threads > 1;
    ReadPlan {
        slabs: Bands::new(region.clone(), &layout.chunk, most),
        way: BandWay::Staged {
            slabs: if two { 2 } else { 1 },
        },
        passes: 1,
    }
}

/// Returns the memory of a decoded chunk in bytes.
fn cost(layout: &Layout) -> Amount {
    Amount::product(&layout.chunk) * layout.element.size + PER_CHUNK
}

/// Returns the number of elements of decoded chunks that fit in `bytes`.
fn fitting(bytes: u64, layout: &Layout) -> u64 {
    let share = Amount::of(PER_CHUNK) / Amount::product(&layout.chunk);
    (Amount::of(bytes) / (share + layout.element.size)).get()
}

/// Returns true if a band's part of an unfiltered chunk is large enough to be read alone, or is the whole chunk.
fn piece(bands: &Bands, region: &Region, layout: &Layout) -> bool {
    let (mut piece, mut chunk) = (Amount::of(1u64), Amount::of(1u64));
    let mut left = bands.largest();
    let dims = region.count.iter().zip(&region.stride).zip(&layout.chunk);
    for ((&count, &stride), &len) in dims.rev() {
        let of_chunk = len.div_ceil(stride.max(1)).min(count).max(1);
        piece = piece * of_chunk.min(left);
        chunk = chunk * of_chunk;
        left = (left / count.max(1)).max(1);
    }
    piece == chunk || piece * layout.element.size >= PIECE.into()
}

#[cfg(test)]
mod tests;
