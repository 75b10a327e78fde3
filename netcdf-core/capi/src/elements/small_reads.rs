//! Serves many small reads from one larger read.
//!
//! Programs read a variable element by element or row by row. If several reads in turn lie in the same box of a variable, the box is read
//! once. A box has the fastest varying dimensions, up to [`BOX`] elements. Scattered reads load no boxes.

use std::any::Any;
use std::sync::{Mutex, PoisonError};

use netcdf_core::api::{Dataset, Select};
use netcdf_core::model::VarId;

use super::area::Selection;
use super::cast::CastNumber;

/// Maximum number of elements of a small read.
const SMALL: usize = 512;
/// Maximum number of elements of a box.
const BOX: u64 = 8192;
/// Number of reads in a box before the box is read.
const ENOUGH: u32 = 4;

/// A box of a variable's elements.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ElementBox {
    var: VarId,
    start: Vec<u64>,
    count: Vec<u64>,
}

impl ElementBox {
    /// Returns the box of an element.
    fn of(var: VarId, shape: &[u64], element: &[u64]) -> Self {
        let (mut start, mut count) = (element.to_vec(), vec![1; element.len()]);
        let mut size = 1u64;
        let lines = start.iter_mut().zip(&mut count).zip(shape).rev();
        for ((start, count), &len) in lines {
            let fits = (BOX / size).clamp(1, len.max(1));
            *start -= *start % fits;
            *count = fits.min(len.saturating_sub(*start));
            size = size.saturating_mul(fits);
        }
        Self { var, start, count }
    }

    /// Returns the position in the box of a selection's first element, if the box contains all elements in rows of the box.
    fn position(&self, selection: &Selection) -> Option<usize> {
        let mut position = 0u64;
        let lines = self.start.iter().zip(&self.count);
        for ((&start, &count), (&first, &n)) in
            lines.zip(selection.start.iter().zip(&selection.count))
        {
            let at = first.checked_sub(start)?;
            (at.checked_add(n)? <= count).then_some(())?;
            position = position.checked_mul(count)?.checked_add(at)?;
        }
        usize::try_from(position).ok()
    }

    /// Returns whether a selection is one run of elements in the box: all dimensions but one are single or whole.
    fn is_run(&self, selection: &Selection) -> bool {
        let mut lines = self.count.iter().zip(&selection.count).rev();
        let whole = |(count, n): &(&u64, &u64)| count == n;
        // Whole dimensions, then one partial dimension, then single elements.
        let _ = lines.by_ref().find(|line| !whole(line));
        lines.all(|(_, &n)| n == 1)
    }
}

/// The last box of a dataset.
#[derive(Debug, Default)]
pub(crate) struct SmallReads(Mutex<LastBox>);

#[derive(Debug, Default)]
struct LastBox {
    /// The box of the last small read.
    area: Option<ElementBox>,
    /// Number of reads in the box.
    reads: u32,
    /// The elements, as a list of the type in memory.
    elements: Option<Box<dyn Any + Send + Sync>>,
}

impl SmallReads {
    /// Passes the elements of a small selection to `put` and returns its result, or returns `None` if the caller has to read them. Threads
    /// do not wait for each other.
    pub(crate) fn get<T: CastNumber, R>(
        &self,
        data: &Dataset,
        var: VarId,
        selection: &Selection,
        put: impl FnOnce(&[T]) -> R,
    ) -> Option<R> {
        let len = selection.elements().ok()?;
        let plain = selection.stride.is_none() && selection.map.is_none();
        if !plain || len == 0 || len > SMALL {
            return None;
        }
        let mut last = match self.0.try_lock() {
            Ok(last) => last,
            Err(std::sync::TryLockError::Poisoned(e)) => PoisonError::into_inner(e),
            Err(std::sync::TryLockError::WouldBlock) => return None,
        };
        let from = last.visit::<T>(data, var, selection)?;
        let elements = last.elements.as_ref()?.downcast_ref::<Vec<T>>()?;
        Some(put(elements.get(from..from.checked_add(len)?)?))
    }
}

impl LastBox {
    /// Makes the box of a selection the last box, reads it after enough visits, and returns the position of the selection.
    fn visit<T: CastNumber>(
        &mut self,
        data: &Dataset,
        var: VarId,
        selection: &Selection,
    ) -> Option<usize> {
        let same = self.area.as_ref().filter(|area| area.var == var);
        let known = same.and_then(|area| area.position(selection));
        let position = match known {
            Some(position) => position,
            None => self.enter(data, var, selection)?,
        };
        self.reads = self.reads.saturating_add(1);
        let loaded = self
            .elements
            .as_ref()
            .is_some_and(|list| list.is::<Vec<T>>());
        let area = self.area.as_ref().filter(|area| area.is_run(selection))?;
        if !loaded && self.reads > ENOUGH {
            let select = Select::region(&area.start, &area.count);
            let list: Vec<T> = data.read(var, &select).ok()?;
            self.elements = Some(Box::new(list));
        }
        Some(position)
    }

    /// Starts a new box. Selections beyond the variable have no box.
    fn enter(&mut self, data: &Dataset, var: VarId, selection: &Selection) -> Option<usize> {
        let shape = data.shape(var).ok()?;
        if !selection.is_within(&shape) {
            return None;
        }
        let area = ElementBox::of(var, &shape, &selection.start);
        let position = area.position(selection);
        *self = Self {
            area: Some(area),
            ..Self::default()
        };
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(start: &[u64], count: &[u64]) -> Selection {
        Selection {
            start: start.to_vec(),
            count: count.to_vec(),
            stride: None,
            map: None,
        }
    }

    #[test]
    fn boxes_have_whole_rows() {
        let area = ElementBox::of(VarId(0), &[5, 100, 1000], &[3, 17, 999]);
        assert_eq!(
            (&*area.start, &*area.count),
            (&[3, 16, 0][..], &[1, 8, 1000][..])
        );
        let area = ElementBox::of(VarId(0), &[100_000], &[99_999]);
        assert_eq!((&*area.start, &*area.count), (&[98_304][..], &[1696][..]));
        assert!(ElementBox::of(VarId(0), &[], &[]).count.is_empty());
    }

    #[test]
    fn positions_are_within_the_box() {
        let area = ElementBox::of(VarId(0), &[5, 100, 1000], &[3, 17, 0]);
        assert_eq!(
            area.position(&selection(&[3, 17, 5], &[1, 1, 2])),
            Some(1005)
        );
        assert_eq!(area.position(&selection(&[2, 17, 5], &[1, 1, 2])), None);
        assert_eq!(area.position(&selection(&[3, 23, 5], &[1, 2, 2])), None);
        assert!(area.is_run(&selection(&[3, 17, 5], &[1, 1, 2])));
        assert!(area.is_run(&selection(&[3, 17, 0], &[1, 2, 1000])));
        assert!(!area.is_run(&selection(&[3, 17, 5], &[1, 2, 2])));
    }
}
