//! The selected elements of a read.

use netcdf_core::api::Select;

use crate::border::InArray;
use crate::dataset::size;
use crate::error_number::ErrorNumber;

/// The arguments that select elements.
#[derive(Clone, Copy)]
pub(super) enum Area {
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
pub(super) struct Selection {
    pub(super) select: Select,
    /// Number of elements along each dimension.
    pub(super) count: Vec<u64>,
    /// Distance in memory between neighbours along each dimension, in elements; `None` for row-major order.
    pub(super) map: Option<Vec<isize>>,
}

impl Area {
    /// Returns the selected elements of a variable with this shape.
    pub(super) fn selection(&self, shape: &[u64]) -> Result<Selection, ErrorNumber> {
        let rank = shape.len();
        let map = match self {
            Self::Mapped(.., map) => map.list(rank),
            Self::Whole | Self::One(_) | Self::Region(..) | Self::Strided(..) => None,
        };
        let (start, count) = match self {
            Self::Whole => return Ok(Selection::whole(shape)),
            Self::One(index) => (starts(index, rank)?, vec![1; rank]),
            Self::Region(start, count) => {
                let start = starts(start, rank)?;
                let count = counts(count, shape);
                (start, count)
            }
            Self::Strided(start, count, stride) | Self::Mapped(start, count, stride, _) => {
                let start = starts(start, rank)?;
                let stride = strides(stride, rank)?;
                let count = counts(count, shape);
                let select = Select::region(&start, &count).stride(&stride);
                return Ok(Selection { select, count, map });
            }
        };
        let select = Select::region(&start, &count);
        Ok(Selection { select, count, map })
    }
}

/// Returns the first indices. As in netCDF-C, a missing array is an error, except for scalars.
fn starts(start: &InArray<usize>, rank: usize) -> Result<Vec<u64>, ErrorNumber> {
    let list = start.list(rank).or((rank == 0).then(Vec::new));
    let list = list.ok_or(ErrorNumber::EINVALCOORDS)?;
    Ok(list.into_iter().map(|n| n as u64).collect())
}

/// Returns the numbers of elements. As in netCDF-C, a missing array has the shape of the variable, even if the start is not 0.
fn counts(count: &InArray<usize>, shape: &[u64]) -> Vec<u64> {
    match count.list(shape.len()) {
        Some(list) => list.into_iter().map(|n| n as u64).collect(),
        None => shape.to_vec(),
    }
}

/// Returns the strides. A missing array selects neighbours.
fn strides(stride: &InArray<isize>, rank: usize) -> Result<Vec<u64>, ErrorNumber> {
    let list = stride.list(rank).unwrap_or_else(|| vec![1; rank]);
    let one = |n: isize| u64::try_from(n).ok().filter(|&n| n > 0);
    let list: Option<Vec<u64>> = list.into_iter().map(one).collect();
    list.ok_or(ErrorNumber::ESTRIDE)
}

impl Selection {
    fn whole(shape: &[u64]) -> Self {
        Self {
            select: Select::all(),
            count: shape.to_vec(),
            map: None,
        }
    }

    /// Returns the number of selected elements.
    pub(super) fn elements(&self) -> Result<usize, ErrorNumber> {
        let product = netcdf_core::model::region::product(&self.count);
        product.map(size).ok_or(ErrorNumber::EINVAL)
    }

    /// Returns the position of an element in memory.
    pub(super) fn position(&self, element: usize) -> isize {
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
