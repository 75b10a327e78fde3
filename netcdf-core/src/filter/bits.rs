//! Bit transposition and its inverse: the shuffle of bitshuffle and Blosc.
//!
//! For `n` elements (a multiple of 8) of `size` bytes, row `8 b + k` of the transposed form contains bit `k` of byte `b` of every element.
//! A row byte has the bits of 8 elements, with the first element in the lowest bit.

use super::shuffle::{shuffle, unshuffle};

/// Appends the `size`-byte elements whose transposed form is `rows`. The length of `rows` must be a multiple of `8 * size`, otherwise
/// the result is garbage. `planes` is working memory.
pub(super) fn untranspose(rows: &[u8], size: usize, planes: &mut Vec<u8>, output: &mut Vec<u8>) {
    let elements = (rows.len() / size.max(1)).max(1);
    planes.resize(rows.len(), 0);
    let pairs = rows
        .chunks_exact(elements)
        .zip(planes.chunks_exact_mut(elements));
    for (rows, bytes) in pairs {
        turn(rows, bytes);
    }
    unshuffle(size, planes, output);
}

/// Appends the transposed form of `elements` of `size` bytes. The number of elements must be a multiple of 8, otherwise the result is
/// garbage. `planes` is working memory.
pub(super) fn transposed(elements: &[u8], size: usize, planes: &mut Vec<u8>, rows: &mut Vec<u8>) {
    planes.clear();
    shuffle(size, elements, planes);
    let start = rows.len();
    rows.resize(start.saturating_add(elements.len()), 0);
    let rows = rows.get_mut(start..).unwrap_or_default();
    let count = (elements.len() / size.max(1)).max(1);
    for (bytes, rows) in planes.chunks_exact(count).zip(rows.chunks_exact_mut(count)) {
        turn_back(bytes, rows);
    }
}

/// Row bytes per step, which are processed as words.
const PIECE: usize = 64;
type BitPiece = [u64; PIECE / 8];

/// Transposes 8 rows to element bytes. Bit `j` of byte `i` in row `k` belongs to element `8 i + j`.
fn turn(rows: &[u8], bytes: &mut [u8]) {
    let len = (rows.len() / 8).max(1);
    let mut pieces = [BitPiece::default(); 8];
    for (n, bytes) in bytes.chunks_mut(PIECE * 8).enumerate() {
        let start = n.saturating_mul(PIECE);
        let range = start..len.min(start.saturating_add(PIECE));
        for (piece, row) in pieces.iter_mut().zip(rows.chunks_exact(len)) {
            *piece = load(row.get(range.clone()).unwrap_or_default());
        }
        transpose_bits(&mut pieces);
        transpose_bytes(&mut pieces);
        store(&pieces, bytes);
    }
}

/// Inverts [`turn`].
fn turn_back(bytes: &[u8], rows: &mut [u8]) {
    let len = (rows.len() / 8).max(1);
    for (n, bytes) in bytes.chunks(PIECE * 8).enumerate() {
        let mut pieces = [BitPiece::default(); 8];
        for (n, words) in bytes.chunks(64).enumerate() {
            for (piece, word) in pieces.iter_mut().zip(words.as_chunks().0) {
                if let Some(slot) = piece.get_mut(n) {
                    *slot = u64::from_le_bytes(*word);
                }
            }
        }
        transpose_bytes(&mut pieces);
        transpose_bits(&mut pieces);
        let start = n.saturating_mul(PIECE);
        let range = start..len.min(start.saturating_add(PIECE));
        for (piece, row) in pieces.iter().zip(rows.chunks_exact_mut(len)) {
            let row = row.get_mut(range.clone()).unwrap_or_default();
            let bytes = piece.map(u64::to_le_bytes);
            let bytes = bytes.as_flattened().iter();
            row.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        }
    }
}

fn load(bytes: &[u8]) -> BitPiece {
    let mut whole = [0; PIECE];
    match bytes.try_into() {
        Ok(bytes) => whole = bytes,
        Err(_) => whole
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from),
    }
    let (words, _) = whole.as_chunks();
    let mut piece = BitPiece::default();
    for (to, from) in piece.iter_mut().zip(words) {
        *to = u64::from_le_bytes(*from);
    }
    piece
}

/// Stores word `n` of each row, for all 8 rows, and then the next words.
fn store(pieces: &[BitPiece; 8], bytes: &mut [u8]) {
    for (n, bytes) in bytes.chunks_mut(64).enumerate() {
        let (words, _) = bytes.as_chunks_mut();
        for (to, piece) in words.iter_mut().zip(pieces) {
            *to = piece.get(n).copied().unwrap_or_default().to_le_bytes();
        }
    }
}

/// Transposes squares of 8 × 8 bits, each built from the bytes at one position of the 8 rows. Bits off the diagonal are swapped in halves,
/// quarters and eighths of a square.
fn transpose_bits(pieces: &mut [BitPiece; 8]) {
    halves(pieces, 4, 0x0F0F_0F0F_0F0F_0F0F);
    quarters(pieces, 2, 0x3333_3333_3333_3333);
    eighths(pieces, 1, 0x5555_5555_5555_5555);
}

/// Transposes squares of 8 × 8 bytes, each built from the words at one position.
fn transpose_bytes(pieces: &mut [BitPiece; 8]) {
    halves(pieces, 32, 0x0000_0000_FFFF_FFFF);
    quarters(pieces, 16, 0x0000_FFFF_0000_FFFF);
    eighths(pieces, 8, 0x00FF_00FF_00FF_00FF);
}

#[inline]
fn halves([a, b, c, d, e, f, g, h]: &mut [BitPiece; 8], shift: u32, part: u64) {
    swap(a, e, shift, part);
    swap(b, f, shift, part);
    swap(c, g, shift, part);
    swap(d, h, shift, part);
}

#[inline]
fn quarters([a, b, c, d, e, f, g, h]: &mut [BitPiece; 8], shift: u32, part: u64) {
    swap(a, c, shift, part);
    swap(b, d, shift, part);
    swap(e, g, shift, part);
    swap(f, h, shift, part);
}

#[inline]
fn eighths([a, b, c, d, e, f, g, h]: &mut [BitPiece; 8], shift: u32, part: u64) {
    swap(a, b, shift, part);
    swap(c, d, shift, part);
    swap(e, f, shift, part);
    swap(g, h, shift, part);
}

#[inline]
fn swap(x: &mut BitPiece, y: &mut BitPiece, shift: u32, part: u64) {
    for (x, y) in x.iter_mut().zip(y) {
        let changed = ((*x >> shift) ^ *y) & part;
        *x ^= changed << shift;
        *y ^= changed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Transposes bit by bit, as the definition does.
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
        for (size, elements) in [
            (1, 8),
            (1, 64),
            (2, 24),
            (3, 600),
            (4, 8),
            (8, 1048),
            (12, 16),
        ] {
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
            let mut back = vec![1, 2, 3];
            transposed(&output, size, &mut vec![4], &mut back);
            assert_eq!(back[3..], rows, "{size} bytes, {elements} elements");
        }
    }
}
