//! Caches the locations found by a scan of a whole index, section by section within the memory limit.

use super::columns::ChunkLocations;
use super::sections::Sections;
use super::{LocatedChunks, LocatedSections};
use crate::chunk::layout::ChunkRef;
use crate::model::VarId;

/// The locations that a scan has found.
pub(super) struct LocationScan<'a> {
    located: &'a LocatedChunks,
    var: VarId,
    sections: &'a Sections,
    /// The start time of the scan. Entries used since then are not evicted.
    since: u64,
    /// The finished sections.
    done: Vec<LocatedSections>,
    /// The size of the finished sections in bytes.
    bytes: u64,
    /// The first open section, and the locations from this section; `None` once the memory limit is reached.
    from: u64,
    open: Option<ChunkLocations>,
    /// The number of the previous chunk.
    last: Option<u64>,
    /// True if chunks were out of order, or a chunk does not fit the columns.
    irregular: bool,
}

impl<'a> LocationScan<'a> {
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
            open: Some(ChunkLocations::new(var, sections.grid(), 0)),
            last: None,
            irregular: false,
        }
    }

    /// Adds the next chunk.
    pub(super) fn push(&mut self, chunk: &ChunkRef) {
        let section = self.sections.of(chunk.index);
        let last = self.last.replace(chunk.index);
        self.irregular |= last.is_some_and(|last| last >= chunk.index);
        let many = |open: &ChunkLocations| open.len() as u64 >= self.located.section / 2;
        let next = last.is_some_and(|last| self.sections.of(last) < section);
        if next && self.open.as_ref().is_some_and(many) {
            self.close(section);
        }
        if let Some(open) = &mut self.open {
            self.irregular |= !open.push(chunk);
        }
        if self.irregular {
            self.open = None;
            self.done.clear();
        }
    }

    /// Finishes the sections before this one.
    fn close(&mut self, end: u64) {
        let Some(mut locations) = self.open.take() else {
            return;
        };
        locations.shrink();
        let bytes = locations.bytes();
        let room = (self.located).reserve(bytes, self.bytes, self.since);
        let Some(reserved) = room else {
            return;
        };
        self.bytes += bytes;
        self.done.push(LocatedSections {
            sections: self.from..end,
            locations: Some(locations.into()),
            reserved,
        });
        self.from = end;
        let first = self.sections.first(end);
        self.open = Some(ChunkLocations::new(self.var, self.sections.grid(), first));
    }

    /// Caches the locations after the last chunk.
    pub(super) fn end(mut self) {
        self.close(self.sections.count());
        for found in self.done {
            self.located.put(self.var, found, self.since);
        }
    }
}
