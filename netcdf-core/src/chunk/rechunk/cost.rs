//! What it costs to read chunks, for each byte of a variable. The figures are those of one thread
//! with data in the page cache; they decide between ways, so that only their ratios count.

use crate::chunk::layout::Layout;
use crate::model::region::product;

/// Nanoseconds for a byte.
pub(super) type Nanoseconds = f64;

/// To undo filters.
pub(super) const DECODE: Nanoseconds = 1.0;
/// To copy in memory once more.
pub(super) const COPY: Nanoseconds = 0.2;
/// To wait for the last of the threads at the end of a slab.
pub(super) const WAIT: Nanoseconds = 0.05;
/// Costs that differ by less are alike.
pub(super) const ALIKE: f64 = 1.02;
/// To write to a file and to read it again.
pub(super) const SPILL: Nanoseconds = 3.0;
/// To read from a file.
const READ: Nanoseconds = 0.15;
/// To read one piece, however small (nanoseconds, not for a byte).
const PIECE: f64 = 1500.0;

/// To read pieces of so many bytes.
pub(super) fn reading(piece: u64) -> Nanoseconds {
    READ + PIECE / piece.max(1) as f64
}

/// How many parts a line of `len` elements is cut into that is cut every `a` and every `b`.
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

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// How often the chunks of a variable are decoded, on average, if it is read in boxes of this shape.
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

/// Bytes in one piece of what a box of this shape needs of a chunk.
pub(super) fn piece(layout: &Layout, slab: &[u64]) -> u64 {
    let dims = layout.chunk.iter().zip(&layout.extent).zip(slab);
    let mut piece = 1u64;
    for ((&chunk, &extent), &part) in dims.rev() {
        let len = chunk.min(extent.max(1));
        piece = piece.saturating_mul(len.min(part.max(1)));
        // What is beyond the extent lies between the rows, too.
        if part < len || chunk > len {
            break;
        }
    }
    let all = product(&layout.chunk).unwrap_or(u64::MAX);
    piece.min(all).saturating_mul(layout.element.size)
}
