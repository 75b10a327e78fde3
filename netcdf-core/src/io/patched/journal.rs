//! The journal of a change: old and new bytes of each range, and the trailer at the end of the file.
//!
//! All numbers are little-endian. The layout is in `docs/update.md`.

use std::ops::Range;

use super::patches::Patches;
use super::sectors::SECTOR;
use crate::arithmetic::{claimed, exact, indices, span};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source;
use crate::io::raw_file::RawFile;
use crate::io::source::read_range;

/// The length of the trailer in bytes.
const TRAILER: u64 = 64;
const MAGIC: &[u8; 8] = b"NCUPDATE";
const VERSION: u8 = 1;
/// The length of the checksum in bytes.
const CHECKSUM: usize = 16;

/// The byte that keeps foreign programs from reading a file with a mixture of two states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    /// The byte offset of the format's signature.
    pub(super) offset: u64,
    /// The first byte of the signature.
    pub(super) signature: u8,
}

impl Fence {
    /// The first byte of the signature while the fence is set.
    pub(super) fn byte(self) -> u8 {
        !self.signature
    }
}

/// A changed range of the old file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JournalRange {
    pub(super) offset: u64,
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
}

impl JournalRange {
    /// The range in the file.
    pub(super) fn range(&self) -> Range<u64> {
        claimed(self.offset, self.old.len() as u64)
    }

    /// Returns the old or new bytes.
    pub(super) fn bytes(&self, side: JournalSide) -> &[u8] {
        match side {
            JournalSide::Old => &self.old,
            JournalSide::New => &self.new,
        }
    }

    /// Returns the old or new bytes of a part of the range.
    pub(super) fn part(&self, part: &Range<u64>, side: JournalSide) -> Result<&[u8]> {
        let inside = indices(
            exact(part.start) - self.offset,
            exact(part.end) - part.start,
        )?;
        let bytes = self.bytes(side).get(inside);
        bytes.or_internal("a part of a journal range")
    }
}

/// The state before or after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JournalSide {
    Old,
    New,
}

/// A journal. The ranges are sorted and disjoint, and one of them contains the fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Journal {
    pub(super) fence: Fence,
    /// The length of the file before the change.
    pub(super) old_len: u64,
    /// The length of the file after the change, which is also the offset of the journal.
    pub(super) new_len: u64,
    pub(super) ranges: Vec<JournalRange>,
}

/// Returns the ranges of patches. All patches of a sector are in one range, because a sector must change in one write.
fn whole_sectors(patches: &Patches) -> Result<Vec<Range<u64>>> {
    let mut found: Vec<Range<u64>> = vec![];
    for (offset, bytes) in patches.iter() {
        let range = span(offset, bytes.len() as u64)?;
        match found.last_mut() {
            Some(last) if (last.end - 1) / SECTOR == offset / SECTOR => last.end = range.end,
            Some(_) | None => found.push(range),
        }
    }
    Ok(found)
}

impl Journal {
    /// Creates the journal of patches. The fence becomes a range if no patch contains it.
    pub(super) fn new(
        raw: &dyn RawFile,
        (patches, fence): (&Patches, Fence),
        lens: Range<u64>,
    ) -> Result<Self> {
        let mut all = patches.clone();
        if !all.touches(&span(fence.offset, 1)?) {
            all.put(fence.offset, &[fence.signature])?;
        }
        let mut ranges = vec![];
        for range in whole_sectors(&all)? {
            let mut old = vec![0; (exact(range.end) - range.start).index()?];
            let read = raw.read_at(range.start, &mut old);
            read.map_err(|e| Error::io("cannot read", raw.name(), e).at(raw.name(), range.start))?;
            let mut new = old.clone();
            all.lay_over(range.start, &mut new)?;
            ranges.push(JournalRange {
                offset: range.start,
                old,
                new,
            });
        }
        Ok(Self {
            fence,
            old_len: lens.start,
            new_len: lens.end,
            ranges,
        })
    }

    /// Returns the bytes of the journal. The fence byte is stored changed, so that no program takes a copy of the first bytes for the start
    /// of a file.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let mut out = vec![];
        for range in &self.ranges {
            out.extend(range.offset.to_le_bytes());
            out.extend((range.old.len() as u64).to_le_bytes());
            for side in [JournalSide::Old, JournalSide::New] {
                let at = out.len();
                out.extend_from_slice(range.bytes(side));
                self.fence
                    .toggle(range, out.get_mut(at..).unwrap_or_default())?;
            }
        }
        let len = (exact(out.len()) + TRAILER).get()?;
        let trailer = Trailer {
            fence: self.fence,
            count: u32::try_from(self.ranges.len())
                .ok()
                .or_internal("ranges")?,
            journal_len: len,
            old_len: self.old_len,
            new_len: self.new_len,
        };
        out.extend(trailer.encode());
        let sum = checksum(&out);
        out.extend(sum);
        Ok(out)
    }

    /// Reads the journal at the end of a source. Returns `None` if the source does not end with a valid journal.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unknown`] for a journal of a later version, and read errors.
    pub(super) fn read(source: &dyn Source) -> Result<Option<Self>> {
        let len = source.len();
        let Some(trailer) = last_bytes(source)? else {
            return Ok(None);
        };
        let Some(trailer) = Trailer::decode(&trailer, source)? else {
            return Ok(None);
        };
        if !trailer.fits(len) {
            return Ok(None);
        }
        let bytes = read_range(source, &(trailer.new_len..len))?;
        Ok(Self::decode(&trailer, &bytes))
    }

    /// Decodes the journal with this trailer. Returns `None` if it is not valid.
    fn decode(trailer: &Trailer, bytes: &[u8]) -> Option<Self> {
        let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
        if checksum(content) != sum && !cfg!(fuzzing) {
            return None;
        }
        let trailer_start = bytes.len().checked_sub(usize::try_from(TRAILER).ok()?)?;
        let mut rest = content.get(..trailer_start)?;
        let mut ranges = vec![];
        let mut end = 0;
        for _ in 0..trailer.count {
            let range = take_range(&mut rest, trailer.fence)?;
            let next = range.offset.checked_add(range.old.len() as u64)?;
            if range.old.is_empty() || range.offset < end || next > trailer.old_len {
                return None;
            }
            end = next;
            ranges.push(range);
        }
        let journal = Self {
            fence: trailer.fence,
            old_len: trailer.old_len,
            new_len: trailer.new_len,
            ranges,
        };
        (rest.is_empty() && journal.has_signature()).then_some(journal)
    }

    /// Returns whether the old and new bytes contain the signature at the fence.
    fn has_signature(&self) -> bool {
        let at = self.fence.offset;
        let range = self.ranges.iter().find(|range| range.range().contains(&at));
        range.is_some_and(|range| {
            let bytes = |side| range.part(&claimed(at, 1), side);
            let sides = [JournalSide::Old, JournalSide::New].map(bytes);
            sides
                .iter()
                .all(|bytes| matches!(bytes, Ok([byte]) if *byte == self.fence.signature))
        })
    }
}

impl Fence {
    /// Inverts the fence byte in `bytes`, the bytes of a range.
    fn toggle(self, range: &JournalRange, bytes: &mut [u8]) -> Result<()> {
        if !range.range().contains(&self.offset) {
            return Ok(());
        }
        let inside = (exact(self.offset) - range.offset).index()?;
        let byte = bytes.get_mut(inside).or_internal("the fence")?;
        *byte = !*byte;
        Ok(())
    }
}

/// Returns the bytes in which a trailer would be; `None` for a shorter source.
///
/// # Errors
/// Returns read errors.
pub(super) fn last_bytes(source: &dyn Source) -> Result<Option<Vec<u8>>> {
    let len = source.len();
    let start = len.checked_sub(TRAILER);
    let bytes = start.map(|start| read_range(source, &(start..len)));
    bytes.transpose()
}

/// Takes a range from the start of `rest`.
fn take_range(rest: &mut &[u8], fence: Fence) -> Option<JournalRange> {
    let offset = take_number(rest)?;
    let len = usize::try_from(take_number(rest)?).ok()?;
    let mut range = JournalRange {
        offset,
        old: take(rest, len)?.to_vec(),
        new: take(rest, len)?.to_vec(),
    };
    let (mut old, mut new) = (range.old.clone(), range.new.clone());
    fence.toggle(&range, &mut old).ok()?;
    fence.toggle(&range, &mut new).ok()?;
    (range.old, range.new) = (old, new);
    Some(range)
}

fn take<'b>(rest: &mut &'b [u8], len: usize) -> Option<&'b [u8]> {
    let (part, more) = rest.split_at_checked(len)?;
    *rest = more;
    Some(part)
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(rest, 8)?.try_into().ok()?))
}

/// Returns the first 16 bytes of the BLAKE3 digest.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let digest = blake3::hash(bytes);
    let first = digest.as_bytes().first_chunk::<CHECKSUM>();
    first.copied().unwrap_or_default()
}

/// The last bytes of a journal.
#[derive(Debug)]
struct Trailer {
    fence: Fence,
    count: u32,
    journal_len: u64,
    old_len: u64,
    new_len: u64,
}

impl Trailer {
    /// Returns the bytes without the checksum.
    fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([VERSION, self.fence.signature, 0, 0]);
        out.extend(self.count.to_le_bytes());
        for number in [
            self.fence.offset,
            self.journal_len,
            self.old_len,
            self.new_len,
        ] {
            out.extend(number.to_le_bytes());
        }
        out
    }

    /// Decodes the last bytes of a source. Returns `None` if they are no trailer.
    fn decode(mut bytes: &[u8], source: &dyn Source) -> Result<Option<Self>> {
        let rest = &mut bytes;
        if take(rest, MAGIC.len()) != Some(MAGIC) {
            return Ok(None);
        }
        let Some(&[version, signature, _, _]) = take(rest, 4) else {
            return Ok(None);
        };
        if version != VERSION {
            let what = format!(
                "the journal of an unfinished change has version {version}, expected {VERSION}"
            );
            let e = Error::new(ErrorKind::Unknown, what).of(source.name());
            return Err(e.with_remedy("use the version of netcdf-tools that changed the file"));
        }
        let count = take(rest, 4).and_then(|b| Some(u32::from_le_bytes(b.try_into().ok()?)));
        let mut number = || take_number(rest);
        let numbers = (number(), number(), number(), number());
        let (Some(count), (Some(offset), Some(journal_len), Some(old_len), Some(new_len))) =
            (count, numbers)
        else {
            return Ok(None);
        };
        Ok(Some(Self {
            fence: Fence { offset, signature },
            count,
            journal_len,
            old_len,
            new_len,
        }))
    }

    /// Returns whether the lengths agree with the length of the file.
    fn fits(&self, len: u64) -> bool {
        self.journal_len >= TRAILER
            && self.new_len.checked_add(self.journal_len) == Some(len)
            && self.old_len <= self.new_len
            && self.fence.offset < self.old_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;

    fn journal() -> Journal {
        let range = |offset, old: &[u8], new: &[u8]| JournalRange {
            offset,
            old: old.to_vec(),
            new: new.to_vec(),
        };
        Journal {
            fence: Fence {
                offset: 2,
                signature: b'C',
            },
            old_len: 40,
            new_len: 50,
            ranges: vec![range(1, b"xCDF", b"yCDG"), range(9, b"3", b"4")],
        }
    }

    fn read(before: usize, journal: &[u8]) -> Result<Option<Journal>> {
        let bytes = [vec![0; before], journal.to_vec()].concat();
        Journal::read(&MemorySource::new("f", bytes))
    }

    #[test]
    fn journals_come_back() {
        let bytes = journal().encode().unwrap();
        assert_eq!(read(50, &bytes).unwrap(), Some(journal()));
        assert!(!bytes.windows(3).any(|part| part == b"CDF"), "no signature");
        assert_eq!(read(49, &bytes).unwrap(), None, "of another file");
        let behind = [bytes.clone(), vec![0]].concat();
        assert_eq!(read(50, &behind).unwrap(), None, "not at the end");
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let newer = damaged[bytes.len() - 56] != VERSION;
            let found = read(50, &damaged);
            assert_eq!(found.is_err(), newer, "byte {at}");
            assert_eq!(found.ok().flatten(), None, "byte {at}");
        }
        for len in 0..64 {
            assert_eq!(read(0, &vec![0; len]).unwrap(), None);
        }
    }

    #[test]
    fn hostile_journals_are_refused() {
        let refused = |change: &dyn Fn(&mut Journal)| {
            let mut journal = journal();
            change(&mut journal);
            let bytes = journal.encode().unwrap();
            let before = usize::try_from(journal.new_len.min(1 << 20)).unwrap();
            assert_eq!(read(before, &bytes).unwrap(), None, "{journal:?}");
        };
        refused(&|j| j.ranges[1].offset = 3);
        refused(&|j| j.ranges[1].offset = 40);
        refused(&|j| j.ranges.swap(0, 1));
        refused(&|j| j.ranges[1].old.clear());
        refused(&|j| j.ranges[0].new[1] = b'D');
        refused(&|j| j.ranges.truncate(0));
        refused(&|j| j.old_len = 51);
        refused(&|j| j.old_len = 9);
        refused(&|j| j.new_len = u64::MAX);
        refused(&|j| j.fence.offset = 7);
        refused(&|j| {
            let last = j.ranges[1].clone();
            j.ranges.push(last);
        });
    }
}
