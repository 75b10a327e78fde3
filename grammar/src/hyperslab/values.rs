//! Coordinate values in their own type.

use std::cmp::Ordering;

use netcdf_core::model::convert::convert;
use netcdf_core::model::{Atomic, Values};

use crate::time::Count;

/// Coordinate values.
pub(super) enum CoordinateValues {
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl CoordinateValues {
    /// Converts values. Returns `None` for text and user-defined types.
    pub(super) fn new(values: Values) -> Option<Self> {
        match values {
            Values::UInt64(values) => Some(Self::Unsigned(values)),
            Values::Float(values) => Some(Self::Single(values)),
            Values::Double(values) => Some(Self::Double(values)),
            values => {
                let Values::Int64(values) = convert(&values, Atomic::Int64).ok()? else {
                    return None;
                };
                Some(Self::Signed(values))
            }
        }
    }

    /// Returns whether the values increase (`Less`) or decrease (`Greater`), `None` if neither. A single value increases, except NaN.
    pub(super) fn direction(&self) -> Option<Ordering> {
        match self {
            Self::Signed(values) => direction(values),
            Self::Unsigned(values) => direction(values),
            Self::Single(values) => direction(values),
            Self::Double(values) => direction(values),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Signed(values) => values.len(),
            Self::Unsigned(values) => values.len(),
            Self::Single(values) => values.len(),
            Self::Double(values) => values.len(),
        }
    }

    pub(super) fn get(&self, n: usize) -> Option<Count> {
        Some(match self {
            Self::Signed(values) => Count::Whole((*values.get(n)?).into()),
            Self::Unsigned(values) => Count::Whole((*values.get(n)?).into()),
            Self::Single(values) => Count::Single(*values.get(n)?),
            Self::Double(values) => Count::Real(*values.get(n)?),
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Count> + '_ {
        (0..self.len()).filter_map(|n| self.get(n))
    }

    /// Counts the leading values that satisfy `before`; later values do not satisfy it.
    pub(super) fn partition_point(&self, before: impl Fn(Count) -> bool) -> usize {
        match self {
            Self::Signed(values) => values.partition_point(|&x| before(Count::Whole(x.into()))),
            Self::Unsigned(values) => values.partition_point(|&x| before(Count::Whole(x.into()))),
            Self::Single(values) => values.partition_point(|&x| before(Count::Single(x))),
            Self::Double(values) => values.partition_point(|&x| before(Count::Real(x))),
        }
    }
}

fn direction<T: PartialOrd>(values: &[T]) -> Option<Ordering> {
    let step = |pair: &[T]| pair.first()?.partial_cmp(pair.last()?);
    let mut steps = values.windows(2).map(step);
    let Some(first) = steps.next() else {
        let ordered = values
            .iter()
            .all(|value| value.partial_cmp(value).is_some());
        return ordered.then_some(Ordering::Less);
    };
    let first = first.filter(|first| first.is_ne())?;
    steps.all(|step| step == Some(first)).then_some(first)
}
