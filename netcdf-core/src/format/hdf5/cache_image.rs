//! The metadata cache image ("IV.A.2.y", and its block): metadata that was not written to its address when the file was closed. The image
//! takes precedence over the stored bytes.

use std::collections::BTreeMap;

/// Metadata by address; entries do not overlap.
#[derive(Debug, Default)]
pub(crate) struct CacheImage {
    entries: BTreeMap<u64, Vec<u8>>,
}

impl CacheImage {
    /// Creates an image from entries. The error is the address of an entry that overlaps another entry.
    pub(super) fn new(mut all: Vec<(u64, Vec<u8>)>) -> Result<Self, u64> {
        all.sort_by_key(|entry| entry.0);
        for (before, next) in all.iter().zip(all.iter().skip(1)) {
            let end = before.0.checked_add(before.1.len() as u64);
            if before.0 == next.0 || end.is_none_or(|end| end > next.0) {
                return Err(next.0);
            }
        }
        let entries = all.into_iter().collect();
        Ok(Self { entries })
    }

    /// Returns the entries that overlap an address range, including the last entry that begins before the range.
    fn over(&self, address: u64, end: u64) -> impl Iterator<Item = (&u64, &Vec<u8>)> {
        let before = self.entries.range(..address).next_back();
        before.into_iter().chain(self.entries.range(address..end))
    }

    /// Overwrites `bytes`, which were read at an address, with the overlapping image entries.
    pub(crate) fn cover(&self, address: u64, bytes: &mut [u8]) {
        let end = address.saturating_add(bytes.len() as u64);
        for (&at, image) in self.over(address, end) {
            let (skip, from) = (at.saturating_sub(address), address.saturating_sub(at));
            let to = bytes.iter_mut().skip(position(skip));
            let image = image.iter().skip(position(from));
            to.zip(image).for_each(|(to, from)| *to = *from);
        }
    }
}

fn position(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_what_it_overlaps() {
        let image = CacheImage::new(vec![(20, vec![9]), (4, vec![1, 2, 3, 4])]).unwrap();
        let read = |address, len| {
            let mut bytes = vec![0; len];
            image.cover(address, &mut bytes);
            bytes
        };
        assert_eq!(read(0, 3), [0, 0, 0]);
        assert_eq!(read(2, 4), [0, 0, 1, 2]);
        assert_eq!(read(5, 2), [2, 3]);
        assert_eq!(read(6, 4), [3, 4, 0, 0]);
        assert_eq!(read(0, 22)[4..8], [1, 2, 3, 4]);
        assert_eq!(read(0, 22)[20], 9);
        assert_eq!(read(8, 4), [0, 0, 0, 0]);
    }

    #[test]
    fn entries_do_not_overlap() {
        let new = |entries: &[(u64, usize)]| {
            let entries = entries.iter().map(|&(at, len)| (at, vec![0; len]));
            CacheImage::new(entries.collect()).map(|_| ())
        };
        assert_eq!(new(&[(4, 4), (8, 1), (0, 4)]), Ok(()));
        assert_eq!(new(&[(8, 1), (4, 5)]), Err(8));
        assert_eq!(new(&[(8, 0), (8, 1)]), Err(8));
        assert_eq!(new(&[(u64::MAX - 1, 4), (u64::MAX, 1)]), Err(u64::MAX));
    }

    /// A distant long entry does not make all later short entries candidates.
    #[test]
    fn few_entries_are_looked_at() {
        let short = (0..1000).map(|n| (2000 + n, vec![1]));
        let entries = [(0, vec![0; 2000])].into_iter().chain(short);
        let image = CacheImage::new(entries.collect()).unwrap();
        assert_eq!(image.over(2500, 2502).count(), 3);
        assert_eq!(image.over(9000, 9999).count(), 1);
    }
}
