//! Shuffle: the first bytes of all elements, then the second bytes, and so on.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 2 |
//! | Names | `shuffle`, also in Zarr |
//! | Parameters | stored: element size; the user gives none (a stored one is recomputed) |
//! | Stored form | byte planes; bytes after the last whole element follow unchanged |
//! | Specification | HDF5 file format, "Shuffle filter"; the length stays the same |
//! | Also read by | every HDF5 library |

use super::codec::{CodecStage, whole};
use super::output::allocate;
use super::user_params::{element_size, wrong};
use super::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy, Suits, corrupt};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 2,
    name: "shuffle",
    codec: Some(CodecNames {
        name: "shuffle",
        v3: "numcodecs.shuffle",
        stage: CodecStage::Bytes,
        read: |config| match config.int("elementsize", 4).map(u32::try_from) {
            Ok(Ok(size @ 1..)) => Ok(vec![size]),
            // netCDF-C writes 0, and ignores the number when reading.
            Ok(Ok(0) | Err(_)) | Err(_) => Ok(vec![element_size("shuffle", config.context)?]),
        },
        write: |params, shown| {
            let size = params.first().copied();
            let size = size.map_or(shown.context.element.size, u64::from);
            Ok(vec![whole("elementsize", size)])
        },
    }),
    policy: Policy {
        visible: |_| vec![],
        suits: Suits::FixedSize,
        rank: 1,
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |context, user| match user {
        [] | [_] => Ok(vec![element_size("shuffle", context)?]),
        _ => Err(wrong("shuffle", "no parameters", user)),
    },
    build: |params, context| {
        let size = params.first().map_or(context.element.size, |&n| n.into());
        match usize::try_from(size) {
            Ok(size @ 1..) => Ok(Box::new(Shuffle {
                size,
                has_parameter: !params.is_empty(),
            })),
            Ok(0) | Err(_) => Err(corrupt(format!("shuffle: elements of {size} bytes"))),
        }
    },
};

/// Bytes per block of elements. A block fits the fastest cache.
const PIECE: usize = 1 << 13;

struct Shuffle {
    size: usize,
    /// Whether the file stores the element size. libhdf5 does not store it for strings and lists, skips the filter when it writes chunks, and
    /// cannot decode chunks with the filter.
    has_parameter: bool,
}

impl Filter for Shuffle {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        context.clone()
    }

    fn decode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        allocate("shuffle", output, input.len())?;
        unshuffle(self.size, input, output);
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        if !self.has_parameter {
            return Ok(Encoded::Declined);
        }
        shuffle(self.size, input, output);
        Ok(Encoded::Applied)
    }
}

/// Appends the `size`-byte elements whose byte planes are in `input`.
pub(super) fn unshuffle(size: usize, input: &[u8], output: &mut Vec<u8>) {
    let elements = input.len() / size.max(1);
    let (planes, rest) = input.split_at(elements.saturating_mul(size));
    output.reserve(input.len());
    match size {
        0 | 1 => output.extend_from_slice(planes),
        2 | 4 | 8 | 16 => join(size, planes, elements, output),
        _ => join_any(size, planes, elements, output),
    }
    output.extend_from_slice(rest);
}

/// Appends the byte planes of the elements in `input`, which have `size` bytes each.
pub(super) fn shuffle(size: usize, input: &[u8], output: &mut Vec<u8>) {
    let elements = input.len() / size.max(1);
    let (whole, rest) = input.split_at(elements.saturating_mul(size));
    output.reserve(input.len());
    match size {
        0 | 1 => output.extend_from_slice(whole),
        2 | 4 | 8 | 16 => split(size, whole, elements, output),
        _ => (0..size).for_each(|n| output.extend(whole.iter().skip(n).step_by(size))),
    }
    output.extend_from_slice(rest);
}

/// [`unshuffle`] for sizes that are powers of two: merges neighbouring planes, unit by unit, until one plane remains. Each step compiles to
/// vector instructions.
fn join(size: usize, planes: &[u8], elements: usize, output: &mut Vec<u8>) {
    let (mut one, mut other) = ([0; PIECE], [0; PIECE]);
    let (mut from, mut to) = (&mut one, &mut other);
    for at in (0..elements).step_by(PIECE / size) {
        let len = (PIECE / size).min(elements - at);
        for (plane, piece) in planes.chunks(elements).zip(from.chunks_mut(len)) {
            piece.copy_from_slice(plane.get(at..at + len).unwrap_or_default());
        }
        let mut unit = 1;
        while unit < size {
            let pairs = from.chunks_exact(2 * unit * len);
            for (pair, merged) in pairs.zip(to.chunks_exact_mut(2 * unit * len)) {
                let (left, right) = pair.split_at(unit * len);
                merge(unit, (left, right), merged);
            }
            std::mem::swap(&mut from, &mut to);
            unit *= 2;
        }
        output.extend_from_slice(from.get(..size * len).unwrap_or_default());
    }
}

/// [`shuffle`] for sizes that are powers of two: the inverse of [`join`].
fn split(size: usize, whole: &[u8], elements: usize, output: &mut Vec<u8>) {
    let (mut one, mut other) = ([0; PIECE], [0; PIECE]);
    let (mut from, mut to) = (&mut one, &mut other);
    let start = output.len();
    output.resize(start + whole.len(), 0);
    let planes = output.get_mut(start..).unwrap_or_default();
    for (n, piece) in whole.chunks(PIECE).enumerate() {
        let (at, len) = (n * (PIECE / size), piece.len() / size);
        let room = from.get_mut(..piece.len()).unwrap_or_default();
        room.copy_from_slice(piece);
        let mut unit = size / 2;
        while unit > 0 {
            let pairs = to.chunks_exact_mut(2 * unit * len);
            for (merged, pair) in from.chunks_exact(2 * unit * len).zip(pairs) {
                let (left, right) = pair.split_at_mut(unit * len);
                part(unit, merged, (left, right));
            }
            std::mem::swap(&mut from, &mut to);
            unit /= 2;
        }
        for (plane, piece) in planes.chunks_mut(elements).zip(from.chunks(len)) {
            let room = plane.get_mut(at..at + len).unwrap_or_default();
            room.copy_from_slice(piece);
        }
    }
}

/// Interleaves the units of both sides. The units are numbers because the compiler vectorizes them; byte arrays take three times as long.
fn merge(unit: usize, (left, right): (&[u8], &[u8]), to: &mut [u8]) {
    macro_rules! units {
        ($unit:ty, $both:ty) => {{
            let (left, _) = left.as_chunks::<{ size_of::<$unit>() }>();
            let (right, _) = right.as_chunks::<{ size_of::<$unit>() }>();
            let (to, _) = to.as_chunks_mut::<{ size_of::<$both>() }>();
            for ((to, a), b) in to.iter_mut().zip(left).zip(right) {
                let (a, b) = (<$unit>::from_le_bytes(*a), <$unit>::from_le_bytes(*b));
                *to = (<$both>::from(a) | <$both>::from(b) << <$unit>::BITS).to_le_bytes();
            }
        }};
    }
    match unit {
        1 => units!(u8, u16),
        2 => units!(u16, u32),
        4 => units!(u32, u64),
        _ => units!(u64, u128),
    }
}

/// Inverts [`merge`].
fn part(unit: usize, merged: &[u8], (left, right): (&mut [u8], &mut [u8])) {
    macro_rules! units {
        ($unit:ty, $both:ty) => {{
            let (merged, _) = merged.as_chunks::<{ size_of::<$both>() }>();
            let (left, _) = left.as_chunks_mut::<{ size_of::<$unit>() }>();
            let (right, _) = right.as_chunks_mut::<{ size_of::<$unit>() }>();
            let half = |n: $both| <$unit>::try_from(n).unwrap_or_default().to_le_bytes();
            for ((from, a), b) in merged.iter().zip(left).zip(right) {
                let both = <$both>::from_le_bytes(*from);
                let low = both & <$both>::from(<$unit>::MAX);
                (*a, *b) = (half(low), half(both >> <$unit>::BITS));
            }
        }};
    }
    match unit {
        1 => units!(u8, u16),
        2 => units!(u16, u32),
        4 => units!(u32, u64),
        _ => units!(u64, u128),
    }
}

/// [`unshuffle`] for elements of any size.
fn join_any(size: usize, planes: &[u8], elements: usize, output: &mut Vec<u8>) {
    for at in (0..elements).step_by((PIECE / size).max(1)) {
        let len = (PIECE / size).max(1).min(elements - at);
        let start = output.len();
        output.resize(start + len * size, 0);
        let to = output.get_mut(start..).unwrap_or_default();
        for (n, plane) in planes.chunks(elements).enumerate() {
            let piece = plane.get(at..at + len).unwrap_or_default();
            let places = to.get_mut(n..).unwrap_or_default().iter_mut().step_by(size);
            places.zip(piece).for_each(|(to, from)| *to = *from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::filter::tests::{build, context, decode};

    #[test]
    fn planes_become_elements() {
        let planes = b"abcABC123xyzX";
        assert_eq!(decode(2, &[4], 13, planes).unwrap(), b"aA1xbB2ycC3zX");
        assert_eq!(decode(2, &[3], 13, planes).unwrap(), b"aB3bCxc1yA2zX");
        assert_eq!(decode(2, &[1], 13, planes).unwrap(), planes);
    }

    #[test]
    fn round_trips_for_all_sizes() {
        let data: Vec<u8> = (0..40_000_u32)
            .map(|n| u8::try_from(n * n % 253).unwrap())
            .collect();
        for size in [1, 2, 3, 4, 5, 7, 8, 12, 16, 100, 40_000, 50_000] {
            for len in [0, 1, size as usize - 1, 8191, 8192, 8193, 40_000] {
                let Some(data) = data.get(..len) else {
                    continue;
                };
                let (context, mut stored) = (context(len, 1), vec![]);
                let filter = build(2, &[size], &context).unwrap();
                filter.encode(&context, data, &mut stored).unwrap();
                let plane = data.iter().step_by(size as usize);
                let plane = plane.take(len / size as usize);
                assert!(stored.iter().zip(plane).all(|(a, b)| a == b));
                assert_eq!(
                    decode(2, &[size], len, &stored).unwrap(),
                    data,
                    "{size} {len}"
                );
            }
        }
    }

    #[test]
    fn chunks_of_strings_stay_unshuffled() {
        let (context, mut stored) = (context(32, 16), vec![]);
        let filter = build(2, &[], &context).unwrap();
        let encoded = filter.encode(&context, &[1; 32], &mut stored).unwrap();
        assert_eq!((encoded, stored.len()), (Encoded::Declined, 0));
    }

    #[test]
    fn elements_need_a_size() {
        let e = build(2, &[0], &context(4, 4)).err().unwrap();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
        assert_eq!((ENTRY.prepare)(&context(8, 8), &[]).unwrap(), [8]);
        assert_eq!((ENTRY.prepare)(&context(8, 8), &[4]).unwrap(), [8]);
        let e = (ENTRY.prepare)(&context(8, 8), &[8, 1]).unwrap_err();
        assert_eq!(e.what(), "shuffle takes no parameters, not 8,1");
    }
}
