//! Reads members of a remote zip file in groups. The local header of a member determines the offset of its bytes.

use std::ops::Range;
use std::sync::Arc;

use super::directory::ZipMember;
use super::member::LOCAL_SIZE;
use crate::arithmetic::claimed;
use crate::error::{OrInternal as _, Result};
use crate::io::source::Source;

/// The usual maximum length of the extra fields in a local header.
const EXTRA: u64 = 64;

/// A source with cached ranges.
#[derive(Debug)]
pub(super) struct KnownRanges<'s> {
    source: &'s dyn Source,
    /// Cached ranges, sorted by start.
    known: Vec<(Range<u64>, Vec<u8>)>,
}

impl<'s> KnownRanges<'s> {
    /// Reads headers and bytes of members in one call.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn of<'m>(
        source: &'s dyn Source,
        wanted: impl Iterator<Item = (&'m ZipMember, Vec<Range<u64>>)>,
    ) -> Result<Self> {
        let len = source.len();
        let mut ranges = vec![];
        for (member, parts) in wanted {
            let least = claimed(member.header, LOCAL_SIZE + u64::from(member.name.0)).end;
            ranges.push(member.header..claimed(least, EXTRA).end);
            for part in parts {
                let end = claimed(least, part.end).end;
                ranges.push(claimed(least, part.start).end..claimed(end, EXTRA).end);
            }
        }
        let inside = |range: Range<u64>| range.start.min(len)..range.end.min(len);
        let mut ranges: Vec<_> = ranges.into_iter().map(inside).collect();
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let bytes = source.read_ranges(&ranges)?;
        let known = joined(ranges.into_iter().zip(bytes))?;
        Ok(Self { source, known })
    }

    /// The cached bytes of a range.
    fn find(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let after = self
            .known
            .partition_point(|(range, _)| range.start <= offset);
        let (range, bytes) = self.known.get(after.checked_sub(1)?)?;
        let start = usize::try_from(offset - range.start).ok()?;
        bytes.get(start..start.checked_add(len)?)
    }
}

/// Sorts ranges, and joins ranges that touch or overlap.
fn joined(
    ranges: impl Iterator<Item = (Range<u64>, Vec<u8>)>,
) -> Result<Vec<(Range<u64>, Vec<u8>)>> {
    let mut all: Vec<(Range<u64>, Vec<u8>)> = vec![];
    for (range, bytes) in ranges {
        match all.last_mut() {
            Some((last, kept)) if range.start <= last.end => {
                let known = last.end.min(range.end) - range.start;
                let known = usize::try_from(known).ok().or_internal("a known range")?;
                kept.extend_from_slice(bytes.get(known..).or_internal("the rest of a range")?);
                last.end = last.end.max(range.end);
            }
            Some(_) | None => all.push((range, bytes)),
        }
    }
    Ok(all)
}

impl Source for KnownRanges<'_> {
    fn name(&self) -> &Arc<str> {
        self.source.name()
    }

    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        match self.find(offset, buf.len()) {
            Some(bytes) => {
                buf.copy_from_slice(bytes);
                Ok(())
            }
            None => self.source.read_at(offset, buf),
        }
    }
}
