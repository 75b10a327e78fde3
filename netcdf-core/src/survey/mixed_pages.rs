//! Pages that hold both metadata and data.

use std::ops::Range;

use super::Survey;
use crate::chunk::ChunkHolder;
use crate::chunk::visit::Locate;
use crate::chunk::{Dataset, FilePages};
use crate::error::Result;

/// Returns the first byte of the first page with both metadata and variable data. Returns `None` if no page mixes both, or the file has no
/// pages. Reads the chunk indexes an additional time.
pub(super) fn page(set: Dataset<'_>, survey: &Survey) -> Result<Option<u64>> {
    let file = survey.file();
    let pages = file.and_then(|file| file.pages).filter(|p| p.size > 0);
    let ranges = file.and_then(|file| file.ranges.as_deref());
    let Some((pages, ranges)) = pages.zip(ranges) else {
        return Ok(None);
    };
    let metadata: Vec<_> = ranges.iter().map(|range| numbers(pages, range)).collect();
    let mut first = None;
    for var in survey.vars.iter().filter(|var| var.first.is_some()) {
        let all = set.whole_grid(var.var)?;
        set.locate_chunks(var.var, &all, Locate::Again, &mut |chunk| {
            if chunk.holder == ChunkHolder::Source(0) && !chunk.range.is_empty() {
                let found = common(&metadata, &numbers(pages, &chunk.range));
                first = first.into_iter().chain(found).min();
            }
            Ok(())
        })?;
    }
    let place = |page: u64| pages.base.checked_add(page.checked_mul(pages.size)?);
    Ok(first.and_then(place))
}

/// Returns the numbers of the pages that overlap a non-empty range.
fn numbers(pages: FilePages, range: &Range<u64>) -> Range<u64> {
    let number = |place: u64| {
        place
            .checked_sub(pages.base)
            .map_or(0, |at| at / pages.size)
    };
    let last = range.end.checked_sub(1).map_or(0, number);
    number(range.start)..last + 1
}

/// Returns the first page of a data range that is also in one of the metadata ranges, which are in ascending order.
fn common(metadata: &[Range<u64>], data: &Range<u64>) -> Option<u64> {
    let next = metadata.partition_point(|range| range.end <= data.start);
    let range = metadata.get(next)?;
    (range.start < data.end).then(|| range.start.max(data.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_from_the_base() {
        let pages = FilePages {
            base: 512,
            size: 100,
        };
        assert_eq!(numbers(pages, &(512..513)), 0..1);
        assert_eq!(numbers(pages, &(611..612)), 0..1);
        assert_eq!(numbers(pages, &(611..613)), 0..2);
        assert_eq!(numbers(pages, &(712..912)), 2..4);
        assert_eq!(numbers(pages, &(0..1)), 0..1);
    }

    #[test]
    fn common_pages_are_found() {
        let metadata = [0..2, 4..5, 5..6, 9..12];
        for (data, want) in [
            (0..1, Some(0)),
            (1..9, Some(1)),
            (2..4, None),
            (3..5, Some(4)),
            (5..6, Some(5)),
            (6..9, None),
            (6..100, Some(9)),
            (12..20, None),
        ] {
            assert_eq!(common(&metadata, &data), want, "{data:?}");
        }
    }
}
