//! The selected elements of a read.

use netcdf_core::api::Select;

use super::bounds::{self, CheckOrder};
use crate::border::InArray;
use crate::error_number::ErrorNumber;

/// The arguments that select elements.
#[derive(Clone, Copy)]
pub(crate) enum Area {
    /// All elements (`var`).
    Whole,
    /// One element (`var1`).
    One(InArray<usize>),
    /// Start and count (`vara`).
    Region(InArray<usize>, InArray<usize>),
    /// Start, count and stride (`vars`).
    Strided(InArray<usize>, InArray<usize>, InArray<isize>),
    /// Start, count, stride and distances in memory (`varm`).
    Mapped(
        InArray<usize>,
        InArray<usize>,
        InArray<isize>,
        InArray<isize>,
    ),
}

/// The selected elements of a variable.
pub(crate) struct Selection {
    /// First index along each dimension.
    pub(crate) start: Vec<u64>,
    /// Number of elements along each dimension.
    pub(crate) count: Vec<u64>,
    /// Distance between elements along each dimension, as the caller passed it; `None` for neighbours.
    pub(crate) stride: Option<Vec<isize>>,
    /// Distance in memory between neighbours along each dimension, in elements; `None` for row-major order.
    pub(crate) map: Option<Vec<isize>>,
}

impl Area {
    /// Returns whether the caller has a map, which may be null (`varm`).
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self, Self::Mapped(..))
    }

    /// Returns the order of checks for a selection of this area. netCDF-C has one order per function and format.
    pub(crate) fn check_order(&self, selection: &Selection, classic: bool) -> CheckOrder {
        let neighbours = selection.stride.iter().flatten().all(|&stride| stride == 1);
        match self {
            Self::Mapped(..) if selection.map.is_some() || !neighbours => CheckOrder::Mapped,
            Self::Strided(..) if classic => CheckOrder::Dimensions,
            Self::Whole
            | Self::One(_)
            | Self::Region(..)
            | Self::Strided(..)
            | Self::Mapped(..) => match classic {
                true => CheckOrder::Starts,
                false => CheckOrder::Strides,
            },
        }
    }

    /// Returns the selected elements of a variable. `shape` returns the shape, which most selections do not need.
    pub(crate) fn selection(
        &self,
        rank: usize,
        shape: impl Fn() -> Vec<u64>,
    ) -> Result<Selection, ErrorNumber> {
        let (start, count, stride) = match self {
            Self::Whole => (vec![0; rank], shape(), None),
            Self::One(index) => (starts(index, rank)?, vec![1; rank], None),
            Self::Region(start, count) => (starts(start, rank)?, counts(count, rank, shape), None),
            Self::Strided(start, count, stride) | Self::Mapped(start, count, stride, _) => {
                let start = starts(start, rank)?;
                (start, counts(count, rank, shape), stride.list(rank))
            }
        };
        let map = match self {
            Self::Mapped(.., map) => map.list(rank),
            Self::Whole | Self::One(_) | Self::Region(..) | Self::Strided(..) => None,
        };
        Ok(Selection {
            start,
            count,
            stride,
            map,
        })
    }
}

/// Returns the first indices. As in netCDF-C, a missing array is an error, except for scalars.
fn starts(start: &InArray<usize>, rank: usize) -> Result<Vec<u64>, ErrorNumber> {
    let list = start.list(rank).or((rank == 0).then(Vec::new));
    let list = list.ok_or(ErrorNumber::EINVALCOORDS)?;
    Ok(list.into_iter().map(|n| n as u64).collect())
}

/// Returns the numbers of elements. As in netCDF-C, a missing array has the shape of the variable, even if the start is not 0.
fn counts(count: &InArray<usize>, rank: usize, shape: impl Fn() -> Vec<u64>) -> Vec<u64> {
    match count.list(rank) {
        Some(list) => list.into_iter().map(|n| n as u64).collect(),
        None => shape(),
    }
}

impl Selection {
    /// Checks that a variable of a shape has the selected elements.
    pub(crate) fn check(&self, shape: &[u64], order: CheckOrder) -> Result<(), ErrorNumber> {
        bounds::check(self, shape, order)
    }

    /// Returns the selection for the core. A dimension with one element needs no stride.
    pub(crate) fn select(&self) -> Select {
        let select = Select::region(&self.start, &self.count);
        let Some(strides) = &self.stride else {
            return select;
        };
        let step = |(&stride, &count): (&isize, &u64)| match count {
            0 | 1 => 1,
            _ => u64::try_from(stride).unwrap_or(0),
        };
        let strides: Vec<u64> = strides.iter().zip(&self.count).map(step).collect();
        select.stride(&strides)
    }

    /// Returns whether a variable of this shape has all elements of a selection without strides.
    pub(crate) fn is_within(&self, shape: &[u64]) -> bool {
        let ends = self.start.iter().zip(&self.count);
        let mut lines = ends.zip(shape);
        lines.all(|((start, count), len)| start.checked_add(*count).is_some_and(|end| end <= *len))
    }

    /// Returns the number of selected elements.
    pub(crate) fn elements(&self) -> Result<usize, ErrorNumber> {
        let product = netcdf_core::model::region::product(&self.count);
        let len = product.and_then(|n| usize::try_from(n).ok());
        len.ok_or(ErrorNumber::EINVAL)
    }

    /// Returns the position of an element in memory.
    pub(crate) fn position(&self, element: usize) -> isize {
        let Some(map) = &self.map else {
            return isize::try_from(element).unwrap_or(isize::MAX);
        };
        let mut rest = element as u64;
        let mut position = 0isize;
        for (&count, &step) in self.count.iter().zip(map).rev() {
            let index = rest.checked_rem(count).unwrap_or(0);
            rest = rest.checked_div(count).unwrap_or(0);
            let index = isize::try_from(index).unwrap_or(0);
            position = position.wrapping_add(step.wrapping_mul(index));
        }
        position
    }
}
