//! Costs of reading chunks, per byte of a variable. The figures were measured with one thread and data in the page
//! cache. Only their ratios matter, because they serve to choose between ways.

use crate::arithmetic::Amount;
use crate::chunk::layout::Layout;

/// Nanoseconds per byte.
pub(super) type Nanoseconds = f64;

/// The cost of decoding.
pub(super) const DECODE: Nanoseconds = 1.0;
/// The cost of another copy in memory.
pub(super) const COPY: Nanoseconds = 0.2;
/// The cost of waiting for the last thread at the end of a slab.
pub(super) const WAIT: Nanoseconds = 0.05;
/// The ratio below which costs are considered equal.
pub(super) const ALIKE: f64 = 1.02;
/// The cost of writing to a file and reading back.
pub(super) const SPILL: Nanoseconds = 3.0;
/// The cost of reading from a file.
const READ: Nanoseconds = 0.15;
/// The cost of reading one piece of any size (in nanoseconds, not per byte).
const PIECE: f64 = 1500.0;

/// Returns the cost of reading pieces of this size in bytes.
pub(super) fn reading(piece: u64) -> Nanoseconds {
    READ + PIECE / piece.max(1) as f64
}

/// Returns the number of parts of a line of `len` elements that is cut every `a` and every `b` elements.
#[must_use]
pub fn segments(len: u64, a: u64, b: u64) -> u64 {
    if len == 0 {
        return 0;
    }
    let (a, b) = (a.clamp(1, len), b.clamp(1, len));
    let cuts = |every: u64| (len - 1) / every;
    let both = (a / gcd(a, b)).checked_mul(b).map_or(0, cuts);
    1 + cuts(a) + (cuts(b) - both)
}

/// Returns the greatest common divisor of two numbers that are not 0.
pub(in crate::chunk) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the average number of decodes per chunk if the variable is read in boxes of this shape.
#[must_use]
pub fn decoding(layout: &Layout, shape: &[u64], slab: &[u64]) -> f64 {
    let dims = shape
        .iter()
        .zip(&layout.extent)
        .zip(layout.chunk.iter().zip(slab));
    dims.map(|((&len, &extent), (&chunk, &part))| {
        let len = len.min(extent);
        let chunks = len.div_ceil(chunk.max(1)).max(1);
        segments(len, chunk, part).max(1) as f64 / chunks as f64
    })
    .product()
}

/// Returns the number of contiguous bytes in the intersection of a chunk with a box of this shape.
pub(super) fn piece(layout: &Layout, slab: &[u64]) -> u64 {
    let dims = layout.chunk.iter().zip(&layout.extent).zip(slab);
    let mut piece = Amount::of(1u64);
    for ((&chunk, &extent), &part) in dims.rev() {
        let len = chunk.min(extent.max(1));
        piece = piece * len.min(part.max(1));
        // Elements outside the extent also lie between the rows.
        if part < len || chunk > len {
            break;
        }
    }
    let all = Amount::product(&layout.chunk);
    (piece.min(all) * layout.element.size).get()
}
