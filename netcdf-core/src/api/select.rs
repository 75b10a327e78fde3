//! Selection of variable elements for reading and writing.

use crate::error::{Error, ErrorKind, Result};
use crate::model::Region;

/// Selects elements of a variable, and their order in memory: whole variables, single elements, regions, regions with strides, and regions
/// with a memory map (`nc_get_var`, `var1`, `vara`, `vars` and `varm`).
///
/// ```
/// use netcdf_core::api::Select;
/// # use netcdf_core::api::Dataset;
/// # use netcdf_core::model::{Atomic, GroupId, Kind};
/// # let dir = tempfile::tempdir().unwrap();
/// # let mut data = Dataset::create(dir.path().join("a.nc"), Kind::NETCDF4)?;
/// # let y = data.define_dim(GroupId::ROOT, "y", 2.into())?;
/// # let x = data.define_dim(GroupId::ROOT, "x", 3.into())?;
/// # let v = data.define_var(GroupId::ROOT, "v", Atomic::Int, &[y, x])?;
/// data.write(v, &Select::all(), &[11, 12, 13, 21, 22, 23])?;
/// assert_eq!(data.read::<i32>(v, &Select::at(&[1, 0]))?, [21]);
/// assert_eq!(data.read::<i32>(v, &Select::region(&[0, 1], &[2, 2]))?, [12, 13, 22, 23]);
/// let corners = Select::region(&[0, 0], &[2, 2]).stride(&[1, 2]);
/// assert_eq!(data.read::<i32>(v, &corners)?, [11, 13, 21, 23]);
/// // Neighbours along y are next to each other in memory: a transposition.
/// let columns = Select::region(&[0, 0], &[2, 3]).map(&[1, 2]);
/// assert_eq!(data.read::<i32>(v, &columns)?, [11, 21, 12, 22, 13, 23]);
/// # Ok::<(), netcdf_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Select {
    /// Start and count; `None` selects all elements.
    part: Option<(Vec<u64>, Vec<u64>)>,
    stride: Option<Vec<u64>>,
    map: Option<Vec<usize>>,
}

impl Select {
    /// Selects all elements (`nc_get_var`, `nc_put_var`).
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Selects one element (`nc_get_var1`, `nc_put_var1`); the index of a scalar is empty.
    #[must_use]
    pub fn at(index: &[u64]) -> Self {
        Self::region(index, &vec![1; index.len()])
    }

    /// Selects `count` elements per dimension from `start` (`nc_get_vara`, `nc_put_vara`).
    #[must_use]
    pub fn region(start: &[u64], count: &[u64]) -> Self {
        Self {
            part: Some((start.to_vec(), count.to_vec())),
            ..Self::default()
        }
    }

    /// Sets the stride per dimension, 1 for adjacent elements (`nc_get_vars`, `nc_put_vars`).
    #[must_use]
    pub fn stride(self, stride: &[u64]) -> Self {
        Self {
            stride: Some(stride.to_vec()),
            ..self
        }
    }

    /// Sets the distance in memory between neighbours along each dimension, in elements (`nc_get_varm`, `nc_put_varm`). Without a map,
    /// elements are row-major.
    #[must_use]
    pub fn map(self, map: &[usize]) -> Self {
        Self {
            map: Some(map.to_vec()),
            ..self
        }
    }

    /// Returns the selected region of a variable with this shape. `growing` dimensions are not limited.
    pub(super) fn region_of(&self, shape: &[u64], growing: &[bool]) -> Result<Region> {
        let mut region = match &self.part {
            Some((start, count)) => Region::boxed(start.clone(), count.clone()),
            None => Region::whole(shape),
        };
        if let Some(stride) = &self.stride {
            region.stride.clone_from(stride);
        }
        for (what, have) in [
            ("start", region.start.len()),
            ("count", region.count.len()),
            ("stride", region.stride.len()),
            ("map", self.map.as_ref().map_or(shape.len(), Vec::len)),
        ] {
            if have != shape.len() {
                let rank = shape.len();
                let what = format!("{what} has {have} numbers, the variable {rank} dimensions");
                return Err(Error::new(ErrorKind::Argument, what));
            }
        }
        let growing = growing.iter().chain(std::iter::repeat(&false));
        for (n, (&len, &growing)) in shape.iter().zip(growing).enumerate() {
            check_axis(&region, n, if growing { u64::MAX } else { len })?;
        }
        Ok(region)
    }

    /// Returns the memory positions of the elements of a region, or `None` for row-major order.
    pub(super) fn places<'a>(&'a self, count: &'a [u64]) -> Option<MemoryPlaces<'a>> {
        let map = self.map.as_ref()?;
        Some(MemoryPlaces {
            map,
            count,
            next: (!count.contains(&0)).then(|| vec![0; count.len()]),
        })
    }
}

/// Checks a region along one dimension.
fn check_axis(region: &Region, n: usize, len: u64) -> Result<()> {
    let of = |list: &[u64]| list.get(n).copied().unwrap_or(0);
    let (start, count, stride) = (of(&region.start), of(&region.count), of(&region.stride));
    let wrong = |kind, what: String| {
        let what = format!("dimension {n}: {what}, its length is {len}");
        Err(Error::new(kind, what))
    };
    if stride == 0 {
        return wrong(ErrorKind::Stride, "a stride of 0".into());
    }
    if start > len || (start == len && count > 0) {
        return wrong(ErrorKind::Coordinates, format!("start {start}"));
    }
    let last = count.saturating_sub(1).checked_mul(stride);
    let last = last.and_then(|n| n.checked_add(start));
    if count > 0 && last.is_none_or(|last| last >= len) {
        let what = format!("{count} elements from {start}, {stride} apart");
        return wrong(ErrorKind::Edge, what);
    }
    Ok(())
}

/// Iterates over the memory positions of a region's elements, in row-major order of the elements.
pub(super) struct MemoryPlaces<'a> {
    map: &'a [usize],
    count: &'a [u64],
    next: Option<Vec<u64>>,
}

impl MemoryPlaces<'_> {
    /// Returns the end of the last position; 0 without elements.
    pub(super) fn end(&self) -> usize {
        if self.next.is_none() {
            return 0;
        }
        let last = self
            .count
            .iter()
            .zip(self.map)
            .fold(0, |sum: usize, (&n, &step)| {
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                sum.saturating_add(n.saturating_sub(1).saturating_mul(step))
            });
        last.saturating_add(1)
    }
}

impl Iterator for MemoryPlaces<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let at = self.next.as_mut()?;
        let place = at.iter().zip(self.map).fold(0usize, |sum, (&n, &step)| {
            let n = usize::try_from(n).unwrap_or(usize::MAX);
            sum.saturating_add(n.saturating_mul(step))
        });
        if !crate::chunk::scatter::advance(at, self.count) {
            self.next = None;
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(select: &Select, shape: &[u64], growing: &[bool]) -> Option<ErrorKind> {
        select.region_of(shape, growing).err().map(|e| e.kind())
    }

    #[test]
    fn ends_are_checked() {
        let at = |start, count| Select::region(&[start], &[count]);
        assert_eq!(kind(&at(0, 4), &[4], &[]), None);
        assert_eq!(kind(&at(4, 0), &[4], &[]), None);
        assert_eq!(kind(&at(4, 1), &[4], &[]), Some(ErrorKind::Coordinates));
        assert_eq!(kind(&at(5, 0), &[4], &[]), Some(ErrorKind::Coordinates));
        assert_eq!(kind(&at(1, 4), &[4], &[]), Some(ErrorKind::Edge));
        assert_eq!(kind(&at(1, 4), &[4], &[true]), None);
        assert_eq!(kind(&at(0, 2).stride(&[3]), &[4], &[]), None);
        assert_eq!(
            kind(&at(0, 2).stride(&[4]), &[4], &[]),
            Some(ErrorKind::Edge)
        );
        assert_eq!(
            kind(&at(0, 2).stride(&[0]), &[4], &[]),
            Some(ErrorKind::Stride)
        );
        assert_eq!(kind(&at(0, 2), &[4, 4], &[]), Some(ErrorKind::Argument));
        let far = at(u64::MAX, 2).stride(&[u64::MAX]);
        assert_eq!(kind(&far, &[4], &[true]), Some(ErrorKind::Coordinates));
        assert_eq!(kind(&Select::at(&[]), &[], &[]), None);
    }

    #[test]
    fn places_follow_the_map() {
        let select = Select::all().map(&[1, 2]);
        let places: Vec<_> = select.places(&[2, 3]).unwrap().collect();
        assert_eq!(places, [0, 2, 4, 1, 3, 5]);
        assert_eq!(select.places(&[2, 3]).unwrap().end(), 6);
        assert_eq!(select.places(&[2, 0]).unwrap().end(), 0);
        assert_eq!(select.places(&[2, 0]).unwrap().count(), 0);
        assert!(Select::all().places(&[2]).is_none());
    }
}
