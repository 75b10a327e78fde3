//! Numbered boxes that divide a variable.

use crate::arithmetic::Amount;
use crate::chunk::scatter::place;
use crate::model::Region;

/// Boxes of consecutive grid units in row-major order. Each box has a limited number of units, and `nth` computes any box from its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Boxes {
    /// Units per dimension.
    counts: Vec<u64>,
    /// Units of a box per dimension: one along slower dimensions, several along the cut dimension, all along faster dimensions.
    most: Vec<u64>,
}

impl Boxes {
    /// Creates boxes of at most `most` units, with at least one unit per box.
    pub(super) fn new(counts: Vec<u64>, most: u64) -> Self {
        Self::cut(counts, most, |left, length| left / length)
    }

    /// Creates boxes of at least `least` units. The excess is less than one row of the cut dimension.
    pub(super) fn around(counts: Vec<u64>, least: u64) -> Self {
        Self::cut(counts, least, u64::div_ceil)
    }

    fn cut(counts: Vec<u64>, units: u64, divided: impl Fn(u64, u64) -> u64) -> Self {
        let mut left = units.max(1);
        let mut lengths = vec![];
        for &count in counts.iter().rev() {
            let length = count.clamp(1, left);
            lengths.push(length);
            left = match length < count {
                true => 1,
                false => divided(left, length).max(1),
            };
        }
        lengths.reverse();
        Self {
            counts,
            most: lengths,
        }
    }

    /// Returns the boxes per dimension.
    fn grid(&self) -> Vec<u64> {
        let dims = self.counts.iter().zip(&self.most);
        dims.map(|(count, most)| count.div_ceil(*most)).collect()
    }

    /// Returns the number of boxes.
    pub(super) fn len(&self) -> u64 {
        Amount::product(&self.grid()).get()
    }

    /// Returns the units of a box.
    pub(super) fn nth(&self, number: u64) -> Region {
        let first = place(number, &self.grid()).into_iter();
        let start: Vec<u64> = first.zip(&self.most).map(|(n, most)| n * most).collect();
        let ends = start.iter().zip(self.counts.iter().zip(&self.most));
        let count = ends.map(|(start, (all, most))| (*most).min(all - start.min(all)));
        let count = count.collect();
        Region::boxed(start, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::plan::Bands;

    #[test]
    fn boxes_are_as_many_as_parts() {
        for (counts, parts, wanted) in [
            (vec![5, 4, 4], 2, vec![3, 4, 4]),
            (vec![1, 21, 20], 8, vec![1, 3, 20]),
            (vec![7], 5, vec![2]),
        ] {
            let units: u64 = counts.iter().product();
            let boxes = Boxes::around(counts, units.div_ceil(parts));
            assert_eq!(boxes.most, wanted);
            assert!(boxes.len() <= parts);
        }
    }

    #[test]
    fn boxes_follow_each_other() {
        for counts in [
            vec![],
            vec![1],
            vec![7],
            vec![3, 5],
            vec![2, 1, 4, 3],
            vec![4, 0, 2],
        ] {
            for most in [0, 1, 2, 3, 5, 6, 12, 15, 100] {
                let boxes = Boxes::new(counts.clone(), most);
                let bands = Bands::new(Region::whole(&counts), &[], most.max(1));
                let mine = (0..boxes.len()).map(|n| boxes.nth(n));
                assert!(mine.eq(bands), "{counts:?} {most}");
            }
        }
    }
}
