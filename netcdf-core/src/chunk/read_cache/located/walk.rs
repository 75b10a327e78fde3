//! Caches the locations found by a scan of a whole index, section by section within the memory limit.

use super::places::Places;
use super::sections::Sections;
use super::{FoundSections, LocatedChunks};
use crate::chunk::layout::ChunkRef;
use crate::model::VarId;

/// The locations that a scan has found.
pub(super) struct LocationWalk<'a> {
    located: &'a LocatedChunks,
    var: VarId,
    sections: &'a Sections,
    /// The start time of the scan. Entries used since then are not evicted.
    since: u64,
    /// The finished sections.
    done: Vec<FoundSections>,
    /// The size of the finished sections in bytes.
    bytes: u64,
    /// The first open section, and the locations from this section; `None` once the memory limit is reached.
    from: u64,
    open: Option<Places>,
    /// The number of the previous chunk.
    last: Option<u64>,
    /// True if chunks were out of order, or a chunk does not fit the columns.
    odd: bool,
}

impl<'a> LocationWalk<'a> {
    /// Begins a scan of all stored chunks of a variable.
    pub(super) fn new(located: &'a LocatedChunks, var: VarId, sections: &'a Sections) -> Self {
        Self {
            located,
            var,
            sections,
            since: located.runtime.tick(),
            done: vec![],
            bytes: 0,
            from: 0,
            open: Some(Places::new(var, sections.grid(), 0)),
            last: None,
            odd: false,
        }
    }

    /// Adds the next chunk.
    pub(super) fn push(&mut self, chunk: &ChunkRef) {
        let section = self.sections.of(chunk.index);
        let last = self.last.replace(chunk.index);
        self.odd |= last.is_some_and(|last| last >= chunk.index);
        let many = |open: &Places| open.len() as u64 >= self.located.section / 2;
        let next = last.is_some_and(|last| self.sections.of(last) < section);
        if next && self.open.as_ref().is_some_and(many) {
            self.close(section);
        }
        if let Some(open) = &mut self.open {
            self.odd |= !open.push(chunk);
        }
        if self.odd {
            self.open = None;
            self.done.clear();
        }
    }

    /// Finishes the sections before this one.
    fn close(&mut self, end: u64) {
        let Some(mut places) = self.open.take() else {
            return;
        };
        places.shrink();
        let bytes = places.bytes();
        let room = (self.located).room(bytes, self.bytes, self.since);
        let Some(spare) = room else {
            return;
        };
        self.bytes += bytes;
        self.done.push(FoundSections {
            sections: self.from..end,
            places: Some(places.into()),
            spare,
        });
        self.from = end;
        let first = self.sections.first(end);
        self.open = Some(Places::new(self.var, self.sections.grid(), first));
    }

    /// Caches the locations after the last chunk.
    pub(super) fn end(mut self) {
        self.close(self.sections.count());
        for found in self.done {
            self.located.put(self.var, found, self.since);
        }
    }
}
