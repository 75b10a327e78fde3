//! Compares the sectors of a file with its journal.

use std::collections::BTreeMap;
use std::ops::Range;

use super::journal::{Journal, JournalSide};
use super::sectors::{SECTOR, parts};
use crate::arithmetic::{exact, indices};
use crate::error::{OrInternal as _, Result};
use crate::io::Source;
use crate::io::source::read_range;

/// The progress of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeProgress {
    /// All sectors have their old bytes.
    Unstarted,
    /// Some sectors have old bytes, some have new bytes or the fence.
    Unfinished,
    /// All sectors have their new bytes: the journal is spent.
    Finished,
    /// Another program changed a sector. `begun`: some sector has new bytes or the fence.
    Foreign { begun: bool },
}

/// The comparison of a sector's ranges with the journal.
#[derive(Debug, Clone, Copy)]
struct SectorMatch {
    has_fence: bool,
    old: bool,
    new: bool,
    /// The sector has its old bytes with the fence.
    fenced: bool,
}

/// Compares a file with its journal.
///
/// # Errors
/// Returns read errors.
pub(super) fn progress(source: &dyn Source, journal: &Journal) -> Result<ChangeProgress> {
    let sectors = sectors(source, journal)?;
    let unknown = sectors.iter().any(|s| !s.old && !s.new && !s.fenced);
    // The sector with the fence gets its new bytes last.
    let early = sectors.iter().any(|s| s.has_fence && s.new && !s.old);
    let foreign = unknown || (early && !sectors.iter().all(|s| s.new));
    let begun = sectors.iter().any(|s| !s.old && (s.new || s.fenced));
    Ok(match (foreign, begun) {
        (true, begun) => ChangeProgress::Foreign { begun },
        (false, _) if sectors.iter().all(|s| s.new) => ChangeProgress::Finished,
        (false, true) => ChangeProgress::Unfinished,
        (false, false) => ChangeProgress::Unstarted,
    })
}

/// Compares all sectors with changed bytes.
fn sectors(source: &dyn Source, journal: &Journal) -> Result<Vec<SectorMatch>> {
    let mut found = BTreeMap::<u64, SectorMatch>::new();
    for range in &journal.ranges {
        let current = read_range(source, &range.range())?;
        for part in parts(range.range()) {
            let bytes = current.get(indices(
                exact(part.start) - range.offset,
                exact(part.end) - part.start,
            )?);
            let bytes = bytes.or_internal("a part of a journal range")?;
            let old = range.part(&part, JournalSide::Old)?;
            let new = range.part(&part, JournalSide::New)?;
            let has_fence = is_fence_sector(journal, part.start);
            let entry = found.entry(part.start / SECTOR).or_insert(SectorMatch {
                has_fence,
                old: true,
                new: true,
                fenced: has_fence,
            });
            entry.old &= bytes == old;
            entry.new &= bytes == new;
            entry.fenced &= bytes == fenced(journal, (&part, old))?;
        }
    }
    Ok(found.into_values().collect())
}

/// Returns whether the sector of an offset contains the fence.
pub(super) fn is_fence_sector(journal: &Journal, offset: u64) -> bool {
    offset / SECTOR == journal.fence.offset / SECTOR
}

/// Returns the bytes of a part with the fence, if the part contains it.
fn fenced(journal: &Journal, (part, bytes): (&Range<u64>, &[u8])) -> Result<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    if part.contains(&journal.fence.offset) {
        let at = (exact(journal.fence.offset) - part.start).index()?;
        *bytes.get_mut(at).or_internal("the fence")? = journal.fence.byte();
    }
    Ok(bytes)
}
