//! Iterates over sparse chunk arrays.

use super::element::{ChunkEntry, IndexElement};
use super::grid::{Block, dot};
use crate::chunk::visit::Visited;
use crate::error::Result;

/// A chunk array.
pub(super) struct ArrayOfChunks<'a> {
    /// The strides.
    pub(super) steps: &'a [u64],
    /// Number of array elements.
    pub(super) len: u64,
    /// The dimension order.
    pub(super) order: &'a [usize],
}

/// Visits the chunks of a box in an array, in array order. Skips ranges that `slot` reports as empty.
pub(super) fn walk(
    wanted: &Block,
    array: &ArrayOfChunks<'_>,
    slot: impl Fn(u64) -> Result<IndexElement>,
    visit: &mut dyn FnMut(Vec<u64>, ChunkEntry) -> Visited,
) -> Visited {
    let &ArrayOfChunks { steps, len, order } = array;
    let wanted = wanted.within_array(steps, len);
    let wanted = Block {
        start: ordered(&wanted.start, order),
        count: ordered(&wanted.count, order),
    };
    let steps = ordered(steps, order);
    let mut next = wanted.last().map(|_| wanted.start.clone());
    while let Some(mut at) = next {
        let found = slot(dot(&at, &steps))?;
        if let IndexElement::Chunk(chunk) = found {
            visit(restored(&at, order), chunk)?;
        }
        next = match found {
            IndexElement::EmptyUntil(end) => {
                let behind = place(end, &steps);
                match behind > at {
                    true => wanted.not_before(&behind),
                    false => following(&wanted, &mut at),
                }
            }
            IndexElement::Chunk(_) | IndexElement::Empty => following(&wanted, &mut at),
        };
    }
    Ok(())
}

fn following(wanted: &Block, at: &mut Vec<u64>) -> Option<Vec<u64>> {
    wanted.advance(at).then(|| std::mem::take(at))
}

/// Coordinates of an array index, slowest dimension first. They may be beyond the array.
fn place(mut number: u64, steps: &[u64]) -> Vec<u64> {
    let mut at = Vec::with_capacity(steps.len());
    for &step in steps {
        at.push(number / step.max(1));
        number %= step.max(1);
    }
    at
}

fn ordered(all: &[u64], order: &[usize]) -> Vec<u64> {
    let of = |&dim: &usize| all.get(dim).copied().unwrap_or(0);
    order.iter().map(of).collect()
}

/// Reverses [`ordered`].
fn restored(all: &[u64], order: &[usize]) -> Vec<u64> {
    let mut out = vec![0; all.len()];
    for (&dim, &value) in order.iter().zip(all) {
        if let Some(to) = out.get_mut(dim) {
            *to = value;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Visits an array with chunks at the indices that `stored` accepts. An empty element skips to the next multiple of 100 if its
    /// hundred has no chunk.
    fn walked(
        wanted: &Block,
        steps: &[u64],
        order: &[usize],
        stored: impl Fn(u64) -> bool,
    ) -> (Vec<Vec<u64>>, u64) {
        let asked = Cell::new(0);
        let mut seen = vec![];
        let slot = |number: u64| {
            asked.set(asked.get() + 1);
            let chunk = ChunkEntry {
                address: 100,
                size: 1,
                mask: 0,
            };
            let hundred = number / 100 * 100;
            Ok(match (hundred..hundred + 100).any(&stored) {
                _ if stored(number) => IndexElement::Chunk(chunk),
                true => IndexElement::Empty,
                false => IndexElement::EmptyUntil(hundred + 100),
            })
        };
        let array = ArrayOfChunks {
            steps,
            len: u64::MAX,
            order,
        };
        walk(wanted, &array, slot, &mut |at, _| {
            seen.push(at);
            Ok(())
        })
        .unwrap();
        (seen, asked.get())
    }

    #[test]
    fn empty_elements_are_skipped_in_any_dimension_order() {
        let wanted = Block {
            start: vec![0, 0],
            count: vec![1000, 10],
        };
        // The unlimited dimension, which is the second one, varies slowest in the array.
        let (seen, asked) = walked(&wanted, &[1, 1000], &[1, 0], |n| n == 3007 || n == 9999);
        assert_eq!(seen, [[7, 3], [999, 9]]);
        assert!(asked < 400, "{asked}");
        let (seen, asked) = walked(&wanted, &[10, 1], &[0, 1], |n| n == 3007 || n == 9999);
        assert_eq!(seen, [[300, 7], [999, 9]]);
        assert!(asked < 400, "{asked}");
    }

    #[test]
    fn only_the_box_is_walked() {
        let wanted = Block {
            start: vec![2, 1],
            count: vec![2, 3],
        };
        let (seen, _) = walked(&wanted, &[10, 1], &[0, 1], |_| true);
        assert_eq!(seen, [[2, 1], [2, 2], [2, 3], [3, 1], [3, 2], [3, 3]]);
        let (seen, _) = walked(&wanted, &[1, 10], &[1, 0], |n| n == 12 || n == 33);
        assert_eq!(seen, [[2, 1], [3, 3]]);
    }
}
