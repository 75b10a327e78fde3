//! Two places for a filtered chunk that fills step by step.
//!
//! A chunk with room for more records is compressed again at each commit. Stored at the end each time, it would leave its old bytes behind.
//! So it alternates between two slots, each as long as the chunk without filters. A commit writes to the slot that the committed file does
//! not use, so the old chunk stays until the commit. The full chunk goes to the end, and its successor uses the slots.
//!
//! | bytes | content |
//! |---|---|
//! | 32 | mark: `NCSLOTS1`, the address of the object header, the slot length, and `lookup3` of these 24 bytes and the offset of the mark, 4 zero bytes |
//! | length | slot A |
//! | length | slot B |
//!
//! A full chunk that left its slots follows a mark of the same form, with `NCSLOTP1` and the offset of the slots' mark in place of the
//! length. Other programs know nothing of slots, and can use the bytes of a chunk that they move. A slot is therefore used again only if the
//! chunk is in the other slot, and all bytes after it in its own slot are zero; or if the chunk does not exist, and its predecessor names
//! the slots.

use crate::arithmetic::{Amount, exact};
use crate::bytes::sums::lookup3;
use crate::error::{OrInternal as _, Result};
use crate::io::Source as _;
use crate::io::patched::PatchedFile;
use crate::io::source::read_range;

/// The length of a mark in bytes.
const MARK: u64 = 32;
const SLOTS: [u8; 8] = *b"NCSLOTS1";
const POINTER: [u8; 8] = *b"NCSLOTP1";

/// Two slots of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlotPair {
    /// The source offset of the mark.
    at: u64,
    /// The length of a slot in bytes.
    len: u64,
}

/// The dataset and the length of its slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlotOwner<'a> {
    pub(crate) file: &'a PatchedFile,
    /// The address of the object header.
    pub(crate) header: u64,
    /// The length of a slot: a chunk without filters, in bytes.
    pub(crate) len: u64,
}

impl SlotPair {
    fn slots(self) -> [u64; 2] {
        let first = self.at.saturating_add(MARK);
        [first, first.saturating_add(self.len)]
    }

    /// Returns the source offset of the mark, which identifies the slots.
    pub(crate) fn mark(self) -> u64 {
        self.at
    }

    /// Returns whether the chunk at an offset is in a slot.
    pub(crate) fn has(self, chunk: u64) -> bool {
        self.slots().contains(&chunk)
    }

    /// Returns the slot that does not contain the chunk at an offset.
    fn other(self, chunk: Option<u64>) -> u64 {
        let [a, b] = self.slots();
        match chunk == Some(a) {
            true => b,
            false => a,
        }
    }
}

impl SlotOwner<'_> {
    /// Creates two slots at the end of the file.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn create(self) -> Result<SlotPair> {
        let at = self.file.len();
        self.file.append(&self.mark(SLOTS, self.len, at))?;
        let end = exact(at) + MARK + self.len + self.len;
        self.file.extend(end.get()?)?;
        Ok(SlotPair { at, len: self.len })
    }

    /// Returns the slots of the chunk that is stored at an offset with a number of bytes, if it is in one of them.
    ///
    /// # Errors
    /// Returns read errors.
    pub(crate) fn of_chunk(self, place: u64, stored: u64) -> Result<Option<SlotPair>> {
        let before = [MARK, MARK.saturating_add(self.len)];
        for mark in before.map(|distance| place.checked_sub(distance)) {
            let Some(at) = mark.filter(|_| stored <= self.len) else {
                continue;
            };
            let end = place.checked_add(self.len);
            let fits = end.is_some_and(|end| end <= self.file.len());
            if fits && self.value(SLOTS, at)? == Some(self.len) {
                let rest = place.saturating_add(stored)..place.saturating_add(self.len);
                let free = read_range(self.file, &rest)?.iter().all(|byte| *byte == 0);
                return Ok(free.then_some(SlotPair { at, len: self.len }));
            }
        }
        Ok(None)
    }

    /// Returns the slots that the full chunk at an offset left to its successor.
    ///
    /// # Errors
    /// Returns read errors.
    pub(crate) fn left_by(self, place: u64) -> Result<Option<SlotPair>> {
        let Some(pointer) = place.checked_sub(MARK) else {
            return Ok(None);
        };
        let Some(at) = self.value(POINTER, pointer)? else {
            return Ok(None);
        };
        let pair = SlotPair { at, len: self.len };
        Ok((self.value(SLOTS, at)? == Some(self.len)).then_some(pair))
    }

    /// Stores a chunk in the slot that is not in use, and returns its offset. The rest of the slot becomes zero. `in_use`: the offset of
    /// the chunk of the committed file that is in a slot.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn put(self, pair: SlotPair, in_use: Option<u64>, bytes: &[u8]) -> Result<u64> {
        let place = pair.other(in_use);
        let end = place.saturating_add(self.len);
        let old = read_range(self.file, &(place..end))?;
        let used = old.iter().rposition(|byte| *byte != 0).map_or(0, |n| n + 1);
        let mut all = bytes.to_vec();
        all.resize(used.max(bytes.len()), 0);
        self.file.write_unused(place, &all)?;
        Ok(place)
    }

    /// Stores a full chunk at the end of the file, with a mark that leaves the slots to its successor.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn leave(self, pair: SlotPair, bytes: &[u8]) -> Result<u64> {
        let at = self.file.len();
        self.file.append(&self.mark(POINTER, pair.at, at))?;
        self.file.append(bytes)
    }

    fn mark(self, kind: [u8; 8], value: u64, at: u64) -> Vec<u8> {
        let mut mark = kind.to_vec();
        mark.extend(self.header.to_le_bytes());
        mark.extend(value.to_le_bytes());
        let mut summed = mark.clone();
        summed.extend(at.to_le_bytes());
        mark.extend(lookup3(&summed).to_le_bytes());
        mark.extend([0; 4]);
        mark
    }

    /// Returns the number in the mark at an offset; `None` without a mark of this dataset.
    fn value(self, kind: [u8; 8], at: u64) -> Result<Option<u64>> {
        let have = Amount::of(self.file.len()) - at;
        if have < Amount::of(MARK) {
            return Ok(None);
        }
        let found = read_range(self.file, &(at..at.saturating_add(MARK)))?;
        let value = found.get(16..24).and_then(|bytes| bytes.try_into().ok());
        let value = u64::from_le_bytes(value.or_internal("a mark")?);
        Ok((found == self.mark(kind, value, at)).then_some(value))
    }
}
