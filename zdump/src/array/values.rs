//! Comparison of values. NaN equals NaN, and -0.0 equals 0.0.

use std::ops::Range;

use netcdf_core::model::Values;
use netcdf_core::model::convert::whole_number;
use netcdf_grammar::cdl::write::{self, NumberToWrite};

/// A number of any type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AnyNumber {
    /// An integer.
    Whole(i128),
    /// A floating-point number.
    Real(f64),
}

impl AnyNumber {
    /// Returns the number as a floating-point number.
    #[expect(
        clippy::cast_precision_loss,
        reason = "an integer beside a floating-point number is compared as one"
    )]
    pub(crate) fn real(self) -> f64 {
        match self {
            Self::Whole(n) => n as f64,
            Self::Real(x) => x,
        }
    }

    /// Returns the number if it is whole.
    fn exact(self) -> Option<i128> {
        match self {
            Self::Whole(n) => Some(n),
            Self::Real(x) => whole_number(x).filter(|_| x.fract() == 0.0),
        }
    }

    fn same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Whole(n), Self::Whole(m)) => n == m,
            (Self::Real(x), Self::Real(y)) => x == y || (x.is_nan() && y.is_nan()),
            (Self::Whole(n), real) | (real, Self::Whole(n)) => real.exact() == Some(n),
        }
    }

    /// Returns the distance of two numbers, or `None` if one is NaN.
    pub(crate) fn distance(self, other: Self) -> Option<Self> {
        let whole = matches!(self, Self::Whole(_)) || matches!(other, Self::Whole(_));
        let exact = self.exact().zip(other.exact()).filter(|_| whole);
        if let Some(distance) = exact.and_then(|(n, m)| n.checked_sub(m)) {
            return Some(Self::Whole(distance.saturating_abs()));
        }
        let distance = (self.real() - other.real()).abs();
        (!distance.is_nan()).then_some(Self::Real(distance))
    }

    /// Checks whether `self` is larger.
    pub(crate) fn exceeds(self, other: Self) -> bool {
        match (self, other) {
            (Self::Whole(n), Self::Whole(m)) => n > m,
            (Self::Real(_) | Self::Whole(_), Self::Real(_) | Self::Whole(_)) => {
                self.real() > other.real()
            }
        }
    }
}

impl std::fmt::Display for AnyNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(n) => write!(f, "{n}"),
            Self::Real(x) if *x != 0.0 && !(1e-5..1e16).contains(x) => write!(f, "{x:e}"),
            Self::Real(x) => write!(f, "{x}"),
        }
    }
}

/// Checks whether two texts are the same number. NaN is not a number.
pub(crate) fn same_numbers(x: &str, y: &str) -> bool {
    if let (Ok(n), Ok(m)) = (x.parse::<i128>(), y.parse::<i128>()) {
        return n == m;
    }
    let (x, y) = (x.parse::<f64>(), y.parse::<f64>());
    x.is_ok_and(|x| y.is_ok_and(|y| x == y))
}

/// Returns value `i` as a number, if it is one. Values of enums (true or false) are numbers.
pub(crate) fn number(values: &Values, i: usize) -> Option<AnyNumber> {
    if let Values::Enum(_, base) = values {
        return number(base, i);
    }
    Some(match write::number(values, i)? {
        NumberToWrite::Signed(n) => AnyNumber::Whole(n.into()),
        NumberToWrite::Unsigned(n) => AnyNumber::Whole(n.into()),
        NumberToWrite::Float(x) => AnyNumber::Real(x.into()),
        NumberToWrite::Double(x) => AnyNumber::Real(x),
    })
}

/// Returns value `i` as bytes, if it is text or uninterpreted. The character with code 0 is the empty text.
fn text(values: &Values, i: usize) -> Option<&[u8]> {
    match values {
        Values::String(v) => Some(v.get(i)?.as_deref().unwrap_or_default()),
        Values::Char(v) => Some(match v.get(i..)? {
            [0, ..] => &[],
            rest => rest.get(..1)?,
        }),
        Values::Opaque { size, bytes, .. } => {
            let start = i.checked_mul(*size)?;
            bytes.get(start..start.checked_add(*size)?)
        }
        Values::Byte(_) | Values::Short(_) | Values::Int(_) | Values::Int64(_) => None,
        Values::UByte(_) | Values::UShort(_) | Values::UInt(_) | Values::UInt64(_) => None,
        Values::Float(_) | Values::Double(_) | Values::Enum(..) => None,
        Values::Vlen(..) | Values::Compound { .. } => None,
    }
}

/// Checks whether value `i` of one list equals value `j` of another. Numbers of different types are compared as numbers.
pub(crate) fn same(a: &Values, i: usize, b: &Values, j: usize) -> bool {
    if let (Some(n), Some(m)) = (number(a, i), number(b, j)) {
        return n.same(m);
    }
    if let (Some(s), Some(t)) = (text(a, i), text(b, j)) {
        return s == t;
    }
    match (a, b) {
        (
            Values::Compound { len, columns, .. },
            Values::Compound {
                len: other,
                columns: others,
                ..
            },
        ) => {
            let mut pairs = columns.iter().zip(others);
            columns.len() == others.len()
                && pairs.all(|(v, w)| {
                    let (x, y) = (part(v, *len, i), part(w, *other, j));
                    x.len() == y.len() && x.zip(y).all(|(i, j)| same(v, i, w, j))
                })
        }
        (Values::Vlen(_, v), Values::Vlen(_, w)) => match (v.get(i), w.get(j)) {
            (Some(v), Some(w)) => v.len() == w.len() && (0..v.len()).all(|n| same(v, n, w, n)),
            _ => false,
        },
        _ => false,
    }
}

/// Returns the values of structure `i` in a column, which contains a field of `len` structures.
fn part(column: &Values, len: usize, i: usize) -> Range<usize> {
    let per = column.len().checked_div(len).unwrap_or(0);
    let first = i.saturating_mul(per);
    first..first.saturating_add(per)
}

/// A value of a list.
#[derive(Clone, Copy)]
pub(crate) struct ValueAt<'v> {
    pub(crate) values: &'v Values,
    pub(crate) index: usize,
    /// Whether the value also stands for all following positions.
    only: bool,
}

impl<'v> ValueAt<'v> {
    /// Returns a value with further values after it.
    pub(crate) fn new(values: &'v Values, index: usize) -> Self {
        Self {
            values,
            index,
            only: false,
        }
    }

    /// Returns the only value of a list.
    pub(crate) fn only(values: &'v Values) -> Self {
        Self {
            only: true,
            ..Self::new(values, 0)
        }
    }

    /// Returns the value `n` positions further on.
    pub(crate) fn after(self, n: usize) -> Self {
        let n = if self.only { 0 } else { n };
        Self {
            index: self.index.saturating_add(n),
            ..self
        }
    }

    /// Checks whether the values `n` positions after two values are the same.
    pub(crate) fn same_after(self, other: Self, n: usize) -> bool {
        let (one, other) = (self.after(n), other.after(n));
        same(one.values, one.index, other.values, other.index)
    }
}

/// Visits every `n < len` where the values `n` positions after `self` and `other` differ.
pub(crate) fn differing(
    one: ValueAt<'_>,
    other: ValueAt<'_>,
    len: usize,
    visit: &mut dyn FnMut(usize),
) {
    let (a, i) = (one.values, one.index);
    let (b, j) = (other.values, other.index);
    let (r, s) = (i..i.saturating_add(len), j..j.saturating_add(len));
    macro_rules! equal_slices {
        ($($kind:ident),*) => {
            match (a, b) {
                $((Values::$kind(v), Values::$kind(w)) => {
                    v.get(r).is_some_and(|v| w.get(s) == Some(v))
                })*
                _ => false,
            }
        };
    }
    // Fast path for equal values.
    let equal = equal_slices!(
        Byte, Short, Int, Int64, UByte, UShort, UInt, UInt64, Float, Double, Char
    );
    if !equal {
        let different = |n: &usize| !one.same_after(other, *n);
        (0..len).filter(different).for_each(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values() {
        let nan = Values::Float(vec![f32::NAN, 0.0, 1.5]);
        let other = Values::Double(vec![f64::NAN, -0.0, 1.5]);
        assert!((0..3).all(|n| same(&nan, n, &other, n)));
        assert!(!same(&nan, 0, &other, 1));
        assert!(same(
            &Values::Int(vec![3]),
            0,
            &Values::Double(vec![3.0]),
            0
        ));
        let (odd, even) = (
            Values::Int64(vec![(1 << 53) + 1]),
            Values::Double(vec![9e15, (1u64 << 53) as f64]),
        );
        assert!(!same(&odd, 0, &even, 1) && !same(&even, 1, &odd, 0));
        let large = (Values::UInt64(vec![u64::MAX]), Values::Int64(vec![-1]));
        assert!(!same(&large.0, 0, &large.1, 0));
        let text = Values::String(vec![Some(b"a"[..].into()), None]);
        assert!(same(&text, 0, &Values::Char(vec![b'a']), 0));
        assert!(same(&text, 1, &Values::Char(vec![0]), 0));
        assert!(!same(&text, 0, &Values::Byte(vec![97]), 0));
    }

    #[test]
    fn differences_are_found_in_runs() {
        let (a, b) = (Values::Int(vec![9, 1, 2, 3]), Values::Int(vec![1, 2, 4, 3]));
        let mut found = vec![];
        differing(ValueAt::new(&a, 1), ValueAt::new(&b, 0), 3, &mut |n| {
            found.push(n)
        });
        assert_eq!(found, [2]);
        differing(
            ValueAt::new(&a, 1),
            ValueAt::new(&b, 0),
            2,
            &mut |_| panic!(),
        );
        let mut found = vec![];
        let two = Values::Double(vec![2.0]);
        differing(ValueAt::new(&a, 0), ValueAt::only(&two), 4, &mut |n| {
            found.push(n)
        });
        assert_eq!(found, [0, 1, 3]);
        let same = |n| ValueAt::new(&a, 2).same_after(ValueAt::only(&two), n);
        assert!(same(0) && !same(1));
    }

    #[test]
    fn distances() {
        let (a, b) = (AnyNumber::Whole(i128::from(u64::MAX)), AnyNumber::Whole(-1));
        assert_eq!(a.distance(b).unwrap().to_string(), "18446744073709551616");
        let even = AnyNumber::Real(9_007_199_254_740_992.0);
        let odd = AnyNumber::Whole(9_007_199_254_740_993);
        assert_eq!(odd.distance(even).unwrap().to_string(), "1");
        assert!(AnyNumber::Real(f64::NAN).distance(a).is_none());
        assert_eq!(AnyNumber::Real(1e-20).to_string(), "1e-20");
        assert!(AnyNumber::Real(2.5).exceeds(AnyNumber::Whole(2)));
    }
}
