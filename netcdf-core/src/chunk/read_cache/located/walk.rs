//! The walk of a whole index, which is kept section by section as far as there is room.

use super::places::Places;
use super::sections::Sections;
use super::{FoundSections, LocatedChunks};
use crate::chunk::layout::ChunkRef;
use crate::model::VarId;

/// The places that a walk found so far.
pub(super) struct LocationWalk<'a> {
    located: &'a LocatedChunks,
    var: VarId,
    sections: &'a Sections,
    /// When it began: what was used since then stays.
    since: u64,
    /// Sections that it has passed.
    done: Vec<FoundSections>,
    /// Bytes of these.
    bytes: u64,
    /// The first section after these, and the places from there on; `None` once there is no room.
    from: u64,
    open: Option<Places>,
    /// The chunk before.
    last: Option<u64>,
    /// True if chunks came in an odd order, or one was odd.
    odd: bool,
}

impl<'a> LocationWalk<'a> {
    /// Begins a walk of all stored chunks of a variable.
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

    /// Takes note of the next chunk.
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

    /// Ends the sections before this one, which have all their places.
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

    /// Keeps the places, after the last chunk.
    pub(super) fn end(mut self) {
        self.close(self.sections.count());
        for found in self.done {
            self.located.put(self.var, found, self.since);
        }
    }
}
