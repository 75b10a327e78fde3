//! Transposition of bits, undone: the shuffle of bitshuffle and of Blosc.
//!
//! Of `n` elements (a multiple of 8) of `size` bytes, row `8 b + k` of the transposed form has bit
//! `k` of byte `b` of each element, 8 elements to a byte, the first in the lowest bit.

use super::shuffle::unshuffle;

/// Appends the elements of `size` bytes that `rows` has in transposed form; its length is a
/// multiple of `8 * size` (else nothing sensible is made). `planes` is scratch space.
pub(super) fn untranspose(rows: &[u8], size: usize, planes: &mut Vec<u8>, output: &mut Vec<u8>) {
    let elements = (rows.len() / size.max(1)).max(1);
    planes.clear();
    planes.resize(rows.len(), 0);
    let pairs = rows
        .chunks_exact(elements)
        .zip(planes.chunks_exact_mut(elements));
    for (rows, bytes) in pairs {
        plane(rows, bytes);
    }
    unshuffle(size, planes, output);
}

/// From 8 rows of bits to bytes.
fn plane(rows: &[u8], bytes: &mut [u8]) {
    let row = (rows.len() / 8).max(1);
    let mut each = rows.chunks_exact(row);
    let mut next = || each.next().unwrap_or_default().iter();
    let (a, b, c, d) = (next(), next(), next(), next());
    let (e, f, g, h) = (next(), next(), next(), next());
    let low = a.zip(b).zip(c.zip(d));
    let high = e.zip(f).zip(g.zip(h));
    for (target, (low, high)) in bytes.chunks_exact_mut(8).zip(low.zip(high)) {
        let ((a, b), (c, d)) = low;
        let ((e, f), (g, h)) = high;
        let square = u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]);
        target.copy_from_slice(&transpose(square).to_le_bytes());
    }
}

/// Transposes a square of 8 × 8 bits, of which byte `i` is row `i`.
///
/// The off-diagonal parts are swapped: in squares of 2 × 2 bits, then of 4 × 4, then of all.
fn transpose(square: u64) -> u64 {
    let swap = |x: u64, shift: u32, part: u64| {
        let changed = (x ^ (x >> shift)) & part;
        x ^ changed ^ (changed << shift)
    };
    let x = swap(square, 7, 0x00AA_00AA_00AA_00AA);
    let x = swap(x, 14, 0x0000_CCCC_0000_CCCC);
    swap(x, 28, 0x0000_0000_F0F0_F0F0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, bit by bit.
    fn slowly(rows: &[u8], size: usize) -> Vec<u8> {
        let elements = rows.len() / size;
        let mut output = vec![0; rows.len()];
        for element in 0..elements {
            for bit in 0..8 * size {
                let byte = rows[bit * (elements / 8) + element / 8];
                output[element * size + bit / 8] |= (byte >> (element % 8) & 1) << (bit % 8);
            }
        }
        output
    }

    #[test]
    fn follows_the_definition() {
        for (size, elements) in [(1, 8), (1, 64), (2, 24), (3, 16), (4, 8), (8, 40), (12, 16)] {
            let rows: Vec<u8> = (0..size * elements)
                .map(|i| u8::try_from((i * i * 31 + i * 7 + 5) % 256).unwrap())
                .collect();
            let mut output = Vec::new();
            untranspose(&rows, size, &mut Vec::new(), &mut output);
            assert_eq!(
                output,
                slowly(&rows, size),
                "{size} bytes, {elements} elements"
            );
        }
    }
}
