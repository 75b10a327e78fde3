//! Histograms with equal bins, as in NumPy: the last bin includes its upper edge.

use super::masks::Masks;
use super::number::{Number, real};

/// Number of bins.
pub const BINS: usize = 10;

/// The number of elements in each bin between two numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The edges; their number is the number of bins plus one.
    pub edges: Vec<f64>,
    /// Elements per bin.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// Creates empty bins between two numbers; `None` if either number is infinite.
    pub(super) fn between(least: f64, most: f64) -> Option<Self> {
        let (least, most) = match least == most {
            true => (least - 0.5, most + 0.5),
            false => (least, most),
        };
        let width = most - least;
        if !width.is_finite() || width <= 0.0 {
            return None;
        }
        let mut edges: Vec<f64> = (0u8..)
            .take(BINS)
            .map(|n| f64::from(n) * (width / BINS as f64) + least)
            .collect();
        edges.push(most);
        Some(Self {
            edges,
            counts: vec![0; BINS],
        })
    }

    /// Counts the elements that are not missing.
    pub(super) fn add<T: Number>(&mut self, all: &[T], masks: &Masks<T>) {
        for &x in all {
            if !masks.is_missing(x) {
                let bin = self.bin(real(x));
                if let Some(count) = self.counts.get_mut(bin) {
                    *count += 1;
                }
            }
        }
    }

    /// Returns the bin of a number between the first and the last edge.
    fn bin(&self, x: f64) -> usize {
        let above = self.edges.partition_point(|edge| *edge <= x);
        above.clamp(1, BINS) - 1
    }

    /// Adds the elements of another histogram with the same bins.
    pub(super) fn join(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// Returns the histogram of the elements times `scale` plus `offset`.
    pub(super) fn unpacked(mut self, scale: f64, offset: f64) -> Self {
        self.edges
            .iter_mut()
            .for_each(|edge| *edge = *edge * scale + offset);
        if scale < 0.0 {
            self.edges.reverse();
            self.counts.reverse();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Atomic, GroupId, Name, Storage, Variable};

    fn masks() -> Masks<f64> {
        let var = Variable {
            name: Name::stored(b"v"),
            group: GroupId::ROOT,
            ty: Atomic::Double.into(),
            dims: vec![],
            attributes: vec![],
            storage: Storage::default(),
        };
        Masks::of(&var, Atomic::Double)
    }

    #[test]
    fn bins_are_those_of_numpy() {
        let mut all = Histogram::between(0.0, 10.0).unwrap();
        all.add(
            &[0.0, 0.5, 1.0, 9.0, 10.0, 9.969_209_968_386_869e36],
            &masks(),
        );
        assert_eq!(all.counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(all.edges.len(), 11);
        let one = Histogram::between(3.0, 3.0).unwrap();
        assert_eq!((one.edges[0], one.edges[10]), (2.5, 3.5));
        assert!(Histogram::between(0.0, f64::INFINITY).is_none());
        let turned = all.unpacked(-2.0, 1.0);
        assert_eq!((turned.edges[0], turned.counts[9]), (-19.0, 2));
    }
}
