//! Equality and distance of two numbers.

use crate::model::Values;
use crate::model::convert::whole_number;

/// The permitted difference between numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// The maximum absolute difference.
    pub absolute: f64,
    /// The maximum difference relative to the larger magnitude.
    pub relative: f64,
}

/// An exact number of any type.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExactNumber {
    Whole(i128),
    Real(f64),
}

/// The distance between two numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Distance {
    pub(super) absolute: f64,
    /// The difference relative to the larger magnitude.
    pub(super) relative: f64,
}

/// The rule for equality of two numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EqualityRule {
    pub(super) tolerance: Tolerance,
    /// The fill values of the two variables, if they differ.
    pub(super) fills: Option<[ExactNumber; 2]>,
    /// Whether floating-point numbers need equal bits, and enum members equal numbers.
    pub(super) exact: bool,
}

impl EqualityRule {
    /// The rule for a copy: all values have equal bits.
    pub(super) const EXACT: Self = Self {
        tolerance: Tolerance {
            absolute: 0.0,
            relative: 0.0,
        },
        fills: None,
        exact: true,
    };
}

/// The verdict of a rule on two numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NumberVerdict {
    Same,
    /// The distance, if it is a number.
    Different(Option<Distance>),
}

impl ExactNumber {
    /// Returns number `at` of a list; `None` if the values are no numbers.
    pub(super) fn of(values: &Values, at: usize) -> Option<Self> {
        fn whole<T: Copy + Into<i128>>(list: &[T], at: usize) -> Option<ExactNumber> {
            list.get(at).map(|&n| ExactNumber::Whole(n.into()))
        }
        match values {
            Values::Byte(v) => whole(v, at),
            Values::Short(v) => whole(v, at),
            Values::Int(v) => whole(v, at),
            Values::Int64(v) => whole(v, at),
            Values::UByte(v) => whole(v, at),
            Values::UShort(v) => whole(v, at),
            Values::UInt(v) => whole(v, at),
            Values::UInt64(v) => whole(v, at),
            Values::Float(v) => v.get(at).map(|&x| Self::Real(x.into())),
            Values::Double(v) => v.get(at).map(|&x| Self::Real(x)),
            Values::Enum(_, base) => Self::of(base, at),
            Values::Char(_) | Values::String(_) | Values::Opaque { .. } => None,
            Values::Vlen(..) | Values::Compound { .. } => None,
        }
    }

    /// Returns whether the numbers are equal without rounding. A NaN equals a NaN.
    pub(super) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => a == b || a.is_nan() && b.is_nan(),
            (Self::Whole(n), Self::Real(x)) | (Self::Real(x), Self::Whole(n)) => {
                exact(x) == Some(n)
            }
        }
    }

    /// Returns the distance between two finite numbers.
    fn distance(self, other: Self) -> Option<Distance> {
        let whole = |a: i128, b: i128| {
            let largest = a.unsigned_abs().max(b.unsigned_abs());
            (a.abs_diff(b) as f64, largest as f64)
        };
        let real = |a: f64, b: f64| ((a - b).abs(), a.abs().max(b.abs()));
        let (absolute, largest) = match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => whole(a, b),
            (Self::Real(a), Self::Real(b)) => real(a, b),
            (Self::Whole(n), Self::Real(x)) | (Self::Real(x), Self::Whole(n)) => match exact(x) {
                Some(m) => whole(n, m),
                None => real(n as f64, x),
            },
        };
        let relative = match absolute.is_finite() {
            true => absolute / largest,
            false => 2.0,
        };
        largest
            .is_finite()
            .then_some(Distance { absolute, relative })
    }
}

/// Returns a number without a fraction as an integer.
fn exact(x: f64) -> Option<i128> {
    whole_number(x).filter(|_| x.fract() == 0.0)
}

impl EqualityRule {
    pub(super) fn judge(&self, a: ExactNumber, b: ExactNumber) -> NumberVerdict {
        if a.is(b) || self.fills.is_some_and(|[x, y]| a.is(x) && b.is(y)) {
            return NumberVerdict::Same;
        }
        match a.distance(b) {
            Some(by) if by.is_within(self.tolerance) => NumberVerdict::Same,
            by => NumberVerdict::Different(by.filter(|by| !by.absolute.is_nan())),
        }
    }
}

impl Distance {
    fn is_within(self, tolerance: Tolerance) -> bool {
        let Tolerance { absolute, relative } = tolerance;
        (absolute > 0.0 && self.absolute <= absolute)
            || (relative > 0.0 && self.relative <= relative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(tolerance: (f64, f64), a: ExactNumber, b: ExactNumber) -> NumberVerdict {
        let (absolute, relative) = tolerance;
        let tolerance = Tolerance { absolute, relative };
        let rule = EqualityRule {
            tolerance,
            ..EqualityRule::default()
        };
        assert_eq!(rule.judge(a, b), rule.judge(b, a));
        rule.judge(a, b)
    }

    fn apart(absolute: f64, relative: f64) -> NumberVerdict {
        NumberVerdict::Different(Some(Distance { absolute, relative }))
    }

    #[test]
    fn numbers_of_all_types_are_compared_exactly() {
        use ExactNumber::{Real, Whole};
        let big = 1i128 << 53;
        let same = |a, b| judge((0.0, 0.0), a, b) == NumberVerdict::Same;
        assert!(same(Whole(big), Real(9_007_199_254_740_992.0)));
        assert!(!same(Whole(big + 1), Real(9_007_199_254_740_992.0)));
        assert!(same(Real(0.0), Real(-0.0)) && same(Whole(0), Real(-0.0)));
        assert!(same(Real(f64::NAN), Real(-f64::NAN)));
        assert!(!same(Real(0.1), Real(f64::from(0.1_f32))));
        assert!(!same(Whole(1), Real(1.5)));
        assert_eq!(
            judge((0.0, 0.0), Whole(big + 1), Real(9_007_199_254_740_992.0)),
            apart(1.0, 1.0 / (big + 1) as f64)
        );
    }

    #[test]
    fn the_edges_of_tolerance() {
        use ExactNumber::{Real, Whole};
        let (a, b) = (Real(2.0), Real(2.5));
        assert_eq!(judge((0.5, 0.0), a, b), NumberVerdict::Same);
        assert_eq!(judge((0.49, 0.0), a, b), apart(0.5, 0.2));
        assert_eq!(judge((0.0, 0.2), a, b), NumberVerdict::Same);
        assert_eq!(judge((0.0, 0.19), a, b), apart(0.5, 0.2));
        assert_eq!(judge((3.0, 0.0), Whole(-1), Whole(2)), NumberVerdict::Same);
        assert_eq!(judge((2.0, 0.0), Whole(-1), Whole(2)), apart(3.0, 1.5));
    }

    #[test]
    fn what_is_not_finite_has_no_size() {
        use ExactNumber::{Real, Whole};
        let none = NumberVerdict::Different(None);
        let all = (1e300, 1.0);
        assert_eq!(judge(all, Real(f64::NAN), Real(1.0)), none);
        assert_eq!(judge(all, Real(f64::INFINITY), Whole(1)), none);
        assert_eq!(
            judge(all, Real(f64::INFINITY), Real(f64::NEG_INFINITY)),
            none
        );
        let infinite = apart(f64::INFINITY, 2.0);
        assert_eq!(judge((0.0, 0.0), Real(1.5e308), Real(-1.5e308)), infinite);
    }

    #[test]
    fn fill_values_are_equal_each_in_its_place() {
        let rule = EqualityRule {
            fills: Some([ExactNumber::Whole(-1), ExactNumber::Real(f64::NAN)]),
            ..EqualityRule::default()
        };
        let (a, b) = (ExactNumber::Whole(-1), ExactNumber::Real(f64::NAN));
        assert_eq!(rule.judge(a, b), NumberVerdict::Same);
        assert_eq!(rule.judge(b, a), NumberVerdict::Different(None));
    }
}
