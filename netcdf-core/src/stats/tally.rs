//! Statistics of a variable's boxes, which combine to the statistics of the variable.

use super::exact_sum::ExactSum;
use super::masks::Masks;
use super::number::Number;
use crate::chunk::scatter::place;
use crate::model::Region;

/// An element and its index in a variable.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedElement<T> {
    pub(super) value: T,
    pub(super) index: Vec<u64>,
}

/// The statistics of some elements of a variable.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatsTally<T> {
    pub(super) count: u64,
    pub(super) missing: u64,
    pub(super) least: Option<PlacedElement<T>>,
    pub(super) most: Option<PlacedElement<T>>,
    pub(super) sum: ExactSum,
    pub(super) squares: ExactSum,
}

impl<T> Default for StatsTally<T> {
    fn default() -> Self {
        Self {
            count: 0,
            missing: 0,
            least: None,
            most: None,
            sum: ExactSum::default(),
            squares: ExactSum::default(),
        }
    }
}

impl<T: Number> StatsTally<T> {
    /// Counts the elements of a box, in row-major order.
    pub(super) fn of(part: &Region, all: &[T], masks: &Masks<T>) -> Self {
        let mut tally = Self {
            count: all.len() as u64,
            ..Self::default()
        };
        let mut least: Option<(u64, T)> = None;
        let mut most: Option<(u64, T)> = None;
        for (n, &x) in (0..).zip(all) {
            if masks.is_missing(x) {
                tally.missing += 1;
                continue;
            }
            if least.is_none_or(|(_, least)| x < least) {
                least = Some((n, x));
            }
            if most.is_none_or(|(_, most)| x > most) {
                most = Some((n, x));
            }
            let (high, low) = x.parts();
            tally.sum.add(high);
            tally.squares.add_square(high, low);
            if low != 0.0 {
                tally.sum.add(low);
            }
        }
        let element = |(n, value): (u64, T)| PlacedElement {
            value,
            index: index(part, n),
        };
        tally.least = least.map(element);
        tally.most = most.map(element);
        tally
    }

    /// Adds the elements of another box. For equal extremes, the smaller index wins.
    pub(super) fn join(&mut self, other: Self) {
        self.count += other.count;
        self.missing += other.missing;
        self.sum.join(other.sum);
        self.squares.join(other.squares);
        keep(&mut self.least, other.least, |new, old| new < old);
        keep(&mut self.most, other.most, |new, old| new > old);
    }
}

fn keep<T: Number>(
    place: &mut Option<PlacedElement<T>>,
    new: Option<PlacedElement<T>>,
    wins: impl Fn(T, T) -> bool,
) {
    let Some(new) = new else { return };
    let better = place.as_ref().is_none_or(|old| {
        let same = new.value == old.value && new.index < old.index;
        wins(new.value, old.value) || same
    });
    if better {
        *place = Some(new);
    }
}

/// Returns the index in the variable for an element of a box, given the element's number in the box.
fn index(part: &Region, number: u64) -> Vec<u64> {
    let within = place(number, &part.count);
    part.start.iter().zip(within).map(|(a, b)| a + b).collect()
}
