//! Shuffle: the first bytes of all elements, then the second bytes, and so on.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 2 |
//! | Names | `shuffle`, in Zarr too |
//! | Parameters | stored: bytes of an element; the user has none |
//! | Stored form | byte planes; bytes behind the last whole element follow as they are |
//! | Specification | HDF5 file format, "Shuffle filter"; the length stays the same |
//! | Also read by | every HDF5 library |

use super::{Context, Encoded, Filter, FilterEntry, corrupt};
use crate::error::Result;

/// The row of the table.
pub const ENTRY: FilterEntry = FilterEntry {
    id: 2,
    name: "shuffle",
    prepare: |context, _| Ok(vec![u32::try_from(context.element.size).unwrap_or(1)]),
    build: |params, context| {
        let size = params.first().map_or(context.element.size, |&n| n.into());
        match usize::try_from(size) {
            Ok(size @ 1..) => Ok(Box::new(Shuffle { size })),
            Ok(0) | Err(_) => Err(corrupt(format!("shuffle: elements of {size} bytes"))),
        }
    },
};

/// Output is made in pieces of about this many bytes, which stay in the nearest cache from the
/// zeroing to the last plane.
const PIECE: usize = 1 << 13;

struct Shuffle {
    size: usize,
}

impl Filter for Shuffle {
    fn output(&self, context: &Context) -> Context {
        context.clone()
    }

    fn decode(&self, _: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        unshuffle(self.size, input, output);
        Ok(())
    }

    fn encode(&self, _: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        shuffle(self.size, input, output);
        Ok(Encoded::Applied)
    }
}

/// Appends the elements of `size` bytes whose planes are in `input`.
pub(super) fn unshuffle(size: usize, input: &[u8], output: &mut Vec<u8>) {
    let elements = input.len() / size.max(1);
    let (planes, rest) = input.split_at(elements.saturating_mul(size));
    output.reserve(input.len());
    match size {
        0 | 1 => output.extend_from_slice(planes),
        2 => join::<2>(planes, elements, output),
        4 => join::<4>(planes, elements, output),
        8 => join::<8>(planes, elements, output),
        _ => join_any(size, planes, elements, output),
    }
    output.extend_from_slice(rest);
}

/// [`unshuffle`] for elements of `N` bytes.
fn join<const N: usize>(planes: &[u8], elements: usize, output: &mut Vec<u8>) {
    let mut rest: [&[u8]; N] = [&[]; N];
    for (plane, bytes) in rest.iter_mut().zip(planes.chunks(elements.max(1))) {
        *plane = bytes;
    }
    while rest.iter().all(|plane| !plane.is_empty()) {
        let pieces = rest.each_mut().map(|plane| {
            let (piece, after) = plane.split_at(plane.len().min(PIECE / N));
            *plane = after;
            piece
        });
        let start = output.len();
        let len = pieces.first().map_or(0, |p| p.len());
        output.resize(start + len * N, 0);
        let (to, _) = output.get_mut(start..).unwrap_or_default().as_chunks_mut();
        interleave(&pieces, to);
    }
}

/// Element `i` from byte `i` of every plane.
#[inline]
fn interleave<const N: usize>(planes: &[&[u8]; N], to: &mut [[u8; N]]) {
    let len = to.len();
    let planes = planes.map(|plane| plane.get(..len).unwrap_or_default());
    if planes.iter().any(|plane| plane.len() != len) {
        return;
    }
    for (i, element) in to.iter_mut().enumerate() {
        *element = planes.map(|plane| plane.get(i).copied().unwrap_or_default());
    }
}

/// [`unshuffle`] for elements of any size.
fn join_any(size: usize, planes: &[u8], elements: usize, output: &mut Vec<u8>) {
    let per_piece = (PIECE / size).max(1);
    let mut at = 0;
    while at < elements {
        let len = per_piece.min(elements - at);
        let start = output.len();
        output.resize(start + len * size, 0);
        let to = output.get_mut(start..).unwrap_or_default();
        for (n, plane) in planes.chunks(elements).enumerate() {
            let piece = plane.get(at..at + len).unwrap_or_default();
            let places = to.get_mut(n..).unwrap_or_default().iter_mut().step_by(size);
            places.zip(piece).for_each(|(to, from)| *to = *from);
        }
        at += len;
    }
}

/// Appends the planes of the elements of `size` bytes in `input`.
fn shuffle(size: usize, input: &[u8], output: &mut Vec<u8>) {
    let elements = input.len() / size.max(1);
    let (whole, rest) = input.split_at(elements.saturating_mul(size));
    output.reserve(input.len());
    match size {
        0 | 1 => output.extend_from_slice(whole),
        2 => split::<2>(whole, output),
        4 => split::<4>(whole, output),
        8 => split::<8>(whole, output),
        _ => (0..size).for_each(|n| {
            let plane = whole.iter().skip(n).step_by(size);
            output.extend(plane);
        }),
    }
    output.extend_from_slice(rest);
}

/// [`shuffle`] for elements of `N` bytes.
fn split<const N: usize>(whole: &[u8], output: &mut Vec<u8>) {
    let (elements, _) = whole.as_chunks::<N>();
    for n in 0..N {
        output.extend(
            elements
                .iter()
                .map(|e| e.get(n).copied().unwrap_or_default()),
        );
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
                let plane = data.iter().step_by(size as usize).take(len / size as usize);
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
    fn elements_need_a_size() {
        let e = build(2, &[0], &context(4, 4)).err().unwrap();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
        assert_eq!((ENTRY.prepare)(&context(8, 8), &[]).unwrap(), [8]);
    }
}
