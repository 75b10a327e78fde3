//! Counts of elements that differ.

use super::difference::{DifferentElement, Farthest};
use super::rule::Distance;

/// Differences in a list of elements. Positions are indexes in the list.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct DiffTally {
    pub(super) differing: u64,
    pub(super) without_size: u64,
    pub(super) first: Option<usize>,
    /// The largest differences, with their first elements.
    pub(super) absolute: Option<(f64, usize)>,
    pub(super) relative: Option<(f64, usize)>,
}

impl DiffTally {
    /// Counts a differing element.
    pub(super) fn add(&mut self, at: usize, distance: Option<Distance>) {
        self.differing += 1;
        self.first.get_or_insert(at);
        match distance {
            Some(Distance { absolute, relative }) => {
                farther(&mut self.absolute, (absolute, at));
                farther(&mut self.relative, (relative, at));
            }
            None => self.without_size += 1,
        }
    }

    /// Returns the largest absolute difference; infinite for a difference without a size.
    pub(super) fn largest(&self) -> f64 {
        match self.without_size {
            0 => self.absolute.map_or(0.0, |(by, _)| by),
            _ => f64::INFINITY,
        }
    }

    /// Adds the differences of later elements; `offset` is the number of the first later element.
    pub(super) fn append(&mut self, later: &Self, offset: usize) {
        self.differing += later.differing;
        self.without_size += later.without_size;
        let moved = |(by, at): (f64, usize)| (by, at + offset);
        self.first = self.first.or(later.first.map(|at| at + offset));
        later
            .absolute
            .map(moved)
            .into_iter()
            .for_each(|one| farther(&mut self.absolute, one));
        later
            .relative
            .map(moved)
            .into_iter()
            .for_each(|one| farther(&mut self.relative, one));
    }
}

fn farther(known: &mut Option<(f64, usize)>, (by, at): (f64, usize)) {
    if known.is_none_or(|(most, _)| by > most) {
        *known = Some((by, at));
    }
}

/// Differences in parts of a variable, in any order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DiffParts {
    pub(super) differing: u64,
    pub(super) without_size: u64,
    pub(super) first: Option<DifferentElement>,
    pub(super) absolute: Option<Farthest>,
    pub(super) relative: Option<Farthest>,
    /// The largest measured difference between a copy and its input.
    pub(super) largest: f64,
}

impl DiffParts {
    /// Adds the differences of another part.
    pub(super) fn add(&mut self, other: Self) {
        self.differing += other.differing;
        self.without_size += other.without_size;
        let earlier = |known: &DifferentElement, one: &DifferentElement| one.index < known.index;
        if let Some(one) = other.first
            && self.first.as_ref().is_none_or(|known| earlier(known, &one))
        {
            self.first = Some(one);
        }
        farthest(&mut self.absolute, other.absolute);
        farthest(&mut self.relative, other.relative);
        self.largest = self.largest.max(other.largest);
    }
}

/// Keeps the larger difference, or the earlier element for equal differences. The order of the parts does not matter.
fn farthest(known: &mut Option<Farthest>, other: Option<Farthest>) {
    let Some(other) = other else { return };
    let is_larger = |known: &Farthest| {
        other.by > known.by || other.by >= known.by && other.element.index < known.element.index
    };
    if known.as_ref().is_none_or(is_larger) {
        *known = Some(other);
    }
}
