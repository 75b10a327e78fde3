//! One box per part, with borders at the inputs of a join, so that a part reads few inputs.

use std::sync::Arc;

use super::boxes::Boxes;
use crate::arithmetic::Amount;
use crate::model::Region;

/// The boxes of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VariableBoxes {
    /// Boxes that parts select by position.
    Line(Boxes),
    /// One box per part.
    Aligned(AlignedBoxes),
}

impl VariableBoxes {
    /// Returns the number of boxes.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Line(boxes) => boxes.len(),
            Self::Aligned(boxes) => boxes.parts,
        }
    }

    /// Returns the units of a box.
    pub(super) fn nth(&self, number: u64) -> Region {
        match self {
            Self::Line(boxes) => boxes.nth(number),
            Self::Aligned(boxes) => boxes.nth(number),
        }
    }

    /// Returns whether the number of a box is the number of its part.
    pub(super) fn is_aligned(&self) -> bool {
        matches!(self, Self::Aligned(_))
    }
}

/// Boxes along the first dimension, one per part. A box begins at an input if an input begins near the equal share of the part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AlignedBoxes {
    /// Units per dimension.
    counts: Vec<u64>,
    /// The length of the first dimension, and of its units.
    len: u64,
    unit: u64,
    parts: u64,
    /// The indices along the first dimension at which inputs begin, in order.
    inputs: Arc<[u64]>,
}

impl AlignedBoxes {
    /// Creates boxes for a variable with this shape and units of this shape. Returns `None` without inputs, and if the first dimension has
    /// fewer units than parts.
    pub(super) fn new(
        inputs: Arc<[u64]>,
        (shape, unit): (&[u64], &[u64]),
        parts: u64,
    ) -> Option<Self> {
        let dims = shape.iter().zip(unit);
        let counts: Vec<u64> = dims.map(|(len, unit)| len.div_ceil(*unit)).collect();
        let enough = parts > 1 && !inputs.is_empty() && *counts.first()? >= parts;
        enough.then_some(Self {
            len: *shape.first()?,
            unit: *unit.first()?,
            counts,
            parts,
            inputs,
        })
    }

    /// Returns the units of a part.
    fn nth(&self, part: u64) -> Region {
        let next = (Amount::of(part) + 1u64).get();
        let (first, end) = (self.first_unit(part), self.first_unit(next));
        let mut all = Region::whole(&self.counts);
        if let (Some(start), Some(count)) = (all.start.first_mut(), all.count.first_mut()) {
            (*start, *count) = (first, end.max(first) - first);
        }
        all
    }

    /// Returns the first unit of a part. A unit with elements of two parts belongs to the first part.
    fn first_unit(&self, part: u64) -> u64 {
        match part {
            0 => 0,
            part if part >= self.parts => self.len.div_ceil(self.unit),
            part => self.begin(part).div_ceil(self.unit),
        }
    }

    /// Returns the index at which a part begins: the nearest begin of an input within half a part, or the equal share.
    fn begin(&self, part: u64) -> u64 {
        let (len, parts) = (u128::from(self.len), u128::from(self.parts));
        let share = u64::try_from(len * u128::from(part) / parts).unwrap_or(self.len);
        let next = self.inputs.partition_point(|input| *input < share);
        let near = next.checked_sub(1).into_iter().chain([next]);
        let near = near.filter_map(|n| self.inputs.get(n));
        let nearest = near.min_by_key(|input| input.abs_diff(share));
        let within = |input: &&u64| 2 * parts * u128::from(input.abs_diff(share)) <= len;
        nearest.filter(within).copied().unwrap_or(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the begins of parts, in units.
    fn begins(inputs: &[u64], len: u64, unit: u64, parts: u64) -> Vec<u64> {
        let boxes = AlignedBoxes::new(inputs.into(), (&[len, 5], &[unit, 5]), parts).unwrap();
        let mut end = 0;
        for part in 0..parts {
            let units = boxes.nth(part);
            assert_eq!(
                (units.start[0], units.start[1], units.count[1]),
                (end, 0, 1)
            );
            end += units.count[0];
        }
        assert_eq!(end, len.div_ceil(unit), "all units");
        (0..parts).map(|part| boxes.first_unit(part)).collect()
    }

    #[test]
    fn parts_begin_at_inputs() {
        let months = [31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335];
        assert_eq!(begins(&months, 366, 1, 12)[1..], months);
        assert_eq!(begins(&months, 366, 1, 4), [0, 91, 182, 274]);
        // More parts than inputs: only some parts begin at an input.
        assert_eq!(begins(&[10], 20, 1, 4), [0, 5, 10, 15]);
        // A unit with elements of two inputs belongs to one part.
        assert_eq!(begins(&[10, 20], 30, 4, 3), [0, 3, 5]);
        for parts in 2..30 {
            let _ = begins(&months, 366, 7, parts);
        }
    }

    #[test]
    fn few_units_or_no_inputs_have_no_aligned_boxes() {
        let boxes = |inputs: &[u64], parts| AlignedBoxes::new(inputs.into(), (&[4], &[2]), parts);
        assert!(boxes(&[2], 2).is_some());
        assert!(boxes(&[], 2).is_none());
        assert!(boxes(&[2], 3).is_none());
        assert!(boxes(&[2], 1).is_none());
        assert!(AlignedBoxes::new([1].into(), (&[], &[]), 2).is_none());
    }
}
