//! Writes global heap collections ("III.E. Disk Format: Level 1E") one after the other.

use super::part::MetadataPart;
use crate::arithmetic::exact;
use crate::bytes::sink::narrow;
use crate::error::{Error, ErrorKind, Result};

/// Bytes of a collection before its objects, and of an object before its data.
const HEAD: usize = 16;
/// Size of the first collection, the library's minimum.
const SMALLEST: usize = 4096;
/// Maximum collection size. Readers keep collections in memory completely. Larger objects get separate collections.
const LARGEST: usize = 1 << 16;

/// A partly filled collection.
#[derive(Debug)]
struct HeapSlot {
    address: u64,
    size: usize,
    /// Number of objects.
    count: u16,
    part: MetadataPart,
}

/// The location of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeapLocation {
    /// The collection address.
    pub collection: u64,
    /// The object index in the collection.
    pub index: u32,
}

/// A complete collection: its address and bytes.
pub(crate) type Full = (u64, MetadataPart);

/// The open collection. Collection sizes and object locations depend only on the objects.
#[derive(Debug)]
pub(crate) struct HeapWriter {
    open: Option<HeapSlot>,
    next: usize,
}

impl Default for HeapWriter {
    fn default() -> Self {
        Self {
            open: None,
            next: SMALLEST,
        }
    }
}

impl HeapWriter {
    /// Adds an object. `allocate` returns the address for a collection of a given size; `done` receives full collections.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] beyond the address space, and errors from `allocate` and `done`.
    pub(crate) fn put(
        &mut self,
        object: &MetadataPart,
        allocate: &mut dyn FnMut(u64) -> Result<u64>,
        done: &mut dyn FnMut(Full) -> Result<()>,
    ) -> Result<HeapLocation> {
        let need = object.len().checked_next_multiple_of(8);
        let need = need.and_then(|n| n.checked_add(2 * HEAD));
        let need = need.ok_or_else(|| {
            let what = "an object of the global heap beyond the address space";
            Error::new(ErrorKind::Limit, what)
        })?;
        if need > LARGEST {
            let mut alone = HeapSlot::new(need, allocate)?;
            let place = alone.put(object)?;
            done(alone.close()?)?;
            return Ok(place);
        }
        if let Some(full) = self.open.take_if(|open| !open.fits(need - HEAD)) {
            done(full.close()?)?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let size = self.next.max(need.next_power_of_two());
                self.next = (size * 2).min(LARGEST);
                none.insert(HeapSlot::new(size, allocate)?)
            }
        };
        open.put(object)
    }

    /// Returns the last collection.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`] if the objects exceed the collection.
    pub(crate) fn finish(&mut self) -> Result<Option<Full>> {
        self.open.take().map(HeapSlot::close).transpose()
    }
}

impl HeapSlot {
    fn new(size: usize, allocate: &mut dyn FnMut(u64) -> Result<u64>) -> Result<Self> {
        let address = allocate(size as u64)?;
        let mut part = MetadataPart::of(b"GCOL\x01\0\0\0");
        part.sink.u64(size as u64);
        Ok(Self {
            address,
            size,
            count: 0,
            part,
        })
    }

    fn fits(&self, need: usize) -> bool {
        self.count < u16::MAX && self.part.len() + need <= self.size
    }

    fn put(&mut self, object: &MetadataPart) -> Result<HeapLocation> {
        self.count = narrow(u64::from(self.count) + 1, "the number of an object")?;
        self.part.sink.u16(self.count);
        self.part.sink.zeros(2 + 4); // reference count, 0 as in the library; reserved
        self.part.sink.u64(object.len() as u64);
        self.part.append(object);
        self.part.sink.align(8);
        Ok(HeapLocation {
            collection: self.address,
            index: self.count.into(),
        })
    }

    /// Stores free space as object 0, unless it is smaller than an object header.
    fn close(mut self) -> Result<Full> {
        let left = self.size.saturating_sub(self.part.len());
        if left >= HEAD {
            self.part.sink.zeros(8);
            self.part.sink.u64(left as u64);
        }
        let rest = exact(self.size) - self.part.len();
        self.part.sink.zeros(rest.index()?);
        Ok((self.address, self.part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Address and bytes of a collection.
    type CollectionBytes = (u64, Vec<u8>);

    /// Stores objects of these lengths. Returns their locations, and the collections with their addresses.
    fn fill(lens: &[usize]) -> (Vec<(u64, u32)>, Vec<CollectionBytes>) {
        let (mut heap, mut next, mut full) = (HeapWriter::default(), 0, vec![]);
        let mut places = vec![];
        for &len in lens {
            let mut allocate = |size: u64| {
                next += size;
                Ok(next - size)
            };
            let object = MetadataPart::of(&vec![7; len]);
            let place = heap.put(&object, &mut allocate, &mut |(at, part)| {
                full.push((at, part.finish()?));
                Ok(())
            });
            let place = place.unwrap();
            places.push((place.collection, place.index));
        }
        if let Some((at, part)) = heap.finish().unwrap() {
            full.push((at, part.finish().unwrap()));
        }
        (places, full)
    }

    #[test]
    fn collections_grow() {
        let (places, full) = fill(&[1000; 600]);
        assert_eq!(places[..5], [(0, 1), (0, 2), (0, 3), (0, 4), (4096, 1)][..]);
        let sizes: Vec<_> = full.iter().map(|(_, bytes)| bytes.len()).collect();
        assert_eq!(sizes[..6], [4096, 8192, 16384, 32768, 65536, 65536]);
        for (_, bytes) in full {
            assert_eq!(bytes[8..16], (bytes.len() as u64).to_le_bytes());
        }
    }

    #[test]
    fn large_objects_are_alone() {
        let (places, full) = fill(&[10, 100_000, 10, 65_504, 65_505, 0]);
        let own = 65_536 + 65_536;
        let expected = [
            (0, 1),
            (4096, 1),
            (0, 2),
            (104_128, 1),
            (104_128 + 65_536, 1),
        ];
        assert_eq!(places[..5], expected);
        assert_eq!(places[5], (104_128 + own + 8, 1));
        let sizes: Vec<_> = full.iter().map(|(_, bytes)| bytes.len()).collect();
        assert_eq!(sizes, [100_032, 4096, 65_544, 65_536, 65_536]);
    }

    #[test]
    fn free_space_is_recorded_if_it_fits_a_header() {
        let free = |len| {
            let (_, full) = fill(&[len]);
            let bytes = &full[0].1;
            let at = 16 + 16 + len.next_multiple_of(8);
            let size = bytes.get(at + 8..at + 16);
            size.map(|s| u64::from_le_bytes(s.try_into().unwrap()))
        };
        assert_eq!(free(4096 - 32), None);
        assert_eq!(free(4096 - 32 - 8), None);
        assert_eq!(free(4096 - 32 - 16), Some(16));
        assert_eq!(free(100), Some(4096 - 32 - 104));
    }

    #[test]
    fn no_more_objects_than_numbers() {
        let (places, _) = fill(&vec![0; 70_000]);
        let mut all = places.clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 70_000);
        assert!(places.iter().all(|&(_, index)| (1..=4095).contains(&index)));
    }
}
