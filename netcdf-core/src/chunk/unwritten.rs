//! Heap data of unwritten elements.
//!
//! libhdf5 frees the heap data of an element that it overwrites. Therefore, no two elements may refer to the same heap data.

use super::scatter::{Block, put_back};
use crate::arithmetic::{Amount, Exact, exact};
use crate::error::{Error, Result};
use crate::model::{Region, Values};

/// The maximum number of copies in memory, and of their bytes.
const BATCH: usize = 1 << 16;
const BATCH_BYTES: usize = 1 << 20;

/// Stores copies of one value, each with its own heap data. `put` stores values, and returns their stored form.
///
/// # Errors
/// Returns errors from `put`.
pub(crate) fn put_copies(
    value: &Values,
    count: u64,
    mut put: impl FnMut(&Values) -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    let mut left = exact(count).index()?;
    let most = (BATCH_BYTES / memory(value).count().max(1)).clamp(1, BATCH);
    let batch = value.repeat(left.min(most));
    let mut stored = vec![];
    while left > 0 {
        let now = left.min(most);
        match now == batch.len() {
            true => stored.append(&mut put(&batch)?),
            false => stored.append(&mut put(&batch.slice(0..now))?),
        }
        left -= now;
    }
    Ok(stored)
}

/// Returns the approximate size of values in memory in bytes. A file sets the length of a fill value.
fn memory(values: &Values) -> Amount {
    let none = Amount::of(0u64);
    match values {
        Values::String(texts) => {
            let lens = texts.iter().flatten().map(|text| text.len() as u64);
            lens.fold(none, |sum, len| sum + len)
        }
        Values::Vlen(_, lists) => lists
            .iter()
            .fold(none, |sum, list| sum + memory(list).get()),
        Values::Compound { columns, .. } => columns
            .iter()
            .fold(none, |sum, column| sum + memory(column).get()),
        Values::Enum(_, base) => memory(base),
        Values::Opaque { bytes, .. } => Amount::of(bytes.len() as u64),
        numbers => Amount::of(numbers.len() as u64) * 8u64,
    }
}

/// The written elements of a chunk.
pub(crate) struct WrittenPart<'a> {
    /// The chunk.
    pub chunk: &'a Block,
    /// The elements within the chunk.
    pub region: &'a Region,
    /// Bytes per element.
    pub size: u64,
}

impl WrittenPart<'_> {
    /// Returns the number of unwritten elements.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Limit`] for 2^64 elements or more.
    pub(crate) fn unwritten(&self) -> Result<u64> {
        (Exact::product(&self.chunk.count) - Exact::product(&self.region.count).get()?).get()
    }

    /// Copies `written` and `unwritten` elements to their positions in the chunk `all`.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Argument`] for too few written elements, or [`crate::ErrorKind::Internal`] for another number of
    /// unwritten elements.
    pub(crate) fn merge(&self, written: &[u8], unwritten: &[u8], all: &mut [u8]) -> Result<()> {
        let count = Exact::product(&self.region.count).index()?;
        let mut is_written = vec![0u8; Exact::product(&self.chunk.count).index()?];
        put_back(self.chunk, self.region, 1, &vec![1; count], &mut is_written)?;
        let size = exact(self.size).index()?.max(1);
        if (exact(self.unwritten()?) * self.size).index()? != unwritten.len() {
            return Err(Error::internal("another number of unwritten elements"));
        }
        let slots = all.chunks_exact_mut(size).zip(&is_written);
        let slots = slots.filter(|(_, is_written)| **is_written == 0);
        for ((slot, _), element) in slots.zip(unwritten.chunks_exact(size)) {
            slot.copy_from_slice(element);
        }
        put_back(self.chunk, self.region, self.size, written, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// The length of a fill value comes from a file.
    #[test]
    fn few_long_copies_are_in_memory() {
        let value = Values::String(vec![Some(vec![b'x'; BATCH_BYTES / 3].into())]);
        let mut most = 0;
        let put = |values: &Values| {
            most = most.max(values.len());
            Ok(vec![0; values.len()])
        };
        assert_eq!(put_copies(&value, 50, put).unwrap().len(), 50);
        assert_eq!(most, 3);
    }

    #[test]
    fn copies_are_stored_in_batches() {
        let value = Values::String(vec![Some(b"none"[..].into())]);
        for count in [0, 1, BATCH, BATCH + 1, 2 * BATCH + 7] {
            let mut next = 0u32;
            let stored = put_copies(&value, count as u64, |values| {
                assert!(values.len() <= BATCH);
                let numbers = next..next + u32::try_from(values.len()).unwrap();
                next = numbers.end;
                Ok(numbers.flat_map(u32::to_le_bytes).collect())
            });
            let expected = (0..u32::try_from(count).unwrap()).flat_map(u32::to_le_bytes);
            assert!(stored.unwrap().into_iter().eq(expected));
        }
    }

    #[test]
    fn unwritten_elements_surround_the_written_part() {
        let chunk = Block {
            start: vec![4, 2],
            count: vec![3, 3],
        };
        let region = Region::boxed(vec![5, 3], vec![2, 1]);
        let part = WrittenPart {
            chunk: &chunk,
            region: &region,
            size: 2,
        };
        assert_eq!(part.unwritten().unwrap(), 7);
        let pairs = |numbers: &[u8]| numbers.iter().flat_map(|n| [*n, *n]).collect::<Vec<u8>>();
        let mut all = vec![0; 18];
        let unwritten = pairs(&[1, 2, 3, 4, 5, 6, 7]);
        part.merge(&pairs(&[8, 9]), &unwritten, &mut all).unwrap();
        assert_eq!(all, pairs(&[1, 2, 3, 4, 8, 5, 6, 9, 7]));
        let e = part.merge(&pairs(&[8, 9]), &unwritten[2..], &mut all);
        assert_eq!(e.unwrap_err().kind(), ErrorKind::Internal);
    }
}
