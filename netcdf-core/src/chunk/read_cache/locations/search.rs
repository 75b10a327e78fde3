//! Locates the chunks of a box, from the cache or from the chunk index.

use std::sync::Arc;

use super::claim::SectionClaim;
use super::columns::ChunkLocations;
use super::scan::LocationScan;
use super::sections::Sections;
use super::{LocatedChunks, MaybeLocations, SectionFlight, SectionLookup, WantedPart};
use crate::chunk::layout::ChunkRef;
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Visit, VisitStop, Visited};
use crate::error::{ErrorKind, Result};
use crate::model::VarId;

/// The functions and properties of a variable for locating its chunks.
#[derive(Clone, Copy)]
pub(in crate::chunk) struct LocateContext<'a> {
    /// Returns the variable's chunk grid.
    pub(in crate::chunk) grid: &'a dyn Fn() -> Result<Vec<u64>>,
    /// Visits the stored chunks of a box in the reader.
    pub(in crate::chunk) locate: &'a dyn Fn(&Block, Visit<'_>) -> Visited,
    /// Waits for the locations of another thread.
    pub(in crate::chunk) wait: &'a dyn Fn(&SectionFlight) -> Option<Result<MaybeLocations>>,
    /// True if the reader has an index in which locating neighbouring chunks takes little more time.
    pub(in crate::chunk) index: bool,
    /// True if a visit of all chunks caches the locations.
    pub(in crate::chunk) keep: bool,
    /// True if the reader locates a single chunk without a request. The cache skips these variables: a dataset may have 100,000.
    pub(in crate::chunk) is_free: bool,
}

/// A search for chunks of a variable.
pub(super) struct ChunkSearch<'a> {
    pub(super) located: &'a LocatedChunks,
    pub(super) var: VarId,
    pub(super) sections: &'a Sections,
    pub(super) context: LocateContext<'a>,
}

impl ChunkSearch<'_> {
    /// Visits the stored chunks of a box, in row-major order.
    ///
    /// # Errors
    /// Returns errors from the reader and from `visit`.
    pub(super) fn visit(&self, chunks: &Block, visit: Visit<'_>) -> Visited {
        let Some(inside) = self.sections.within(chunks) else {
            return (self.context.locate)(chunks, visit);
        };
        let around = self.sections.around(&inside);
        let few = around.end() - around.start() < self.located.few();
        if self.context.index && few {
            let since = self.located.runtime.tick();
            let mut parts = around.filter_map(|n| Some((n, self.sections.part(n, &inside)?)));
            return parts.try_for_each(|(section, part)| {
                let (sections, since) = (self.sections, since);
                let part = WantedPart {
                    sections,
                    part: &part,
                    since,
                };
                self.part(section, &part, visit)
            });
        }
        match self.located.known(self.var, &around) {
            Some(known) => (known.iter()).try_for_each(|locations| locations.visit(&inside, visit)),
            None => self.scan(chunks, visit),
        }
    }

    /// Scans the index for a box. The locations are cached if the box is the whole grid.
    fn scan(&self, chunks: &Block, visit: Visit<'_>) -> Visited {
        let all = Block::whole(self.sections.grid());
        if *chunks != all || !(self.context.index || self.context.keep) {
            return (self.context.locate)(chunks, visit);
        }
        let mut scan = LocationScan::new(self.located, self.var, self.sections);
        let mut scanned = |chunk: ChunkRef| {
            scan.push(&chunk);
            visit(chunk)
        };
        (self.context.locate)(chunks, &mut scanned)?;
        scan.end();
        Ok(())
    }

    /// Visits the stored chunks in a part of a section.
    fn part(&self, section: u64, wanted: &WantedPart<'_>, visit: Visit<'_>) -> Visited {
        match self.locations(section, wanted)? {
            Some(locations) => locations.visit(wanted.part, visit),
            None => (self.context.locate)(wanted.part, visit),
        }
    }

    /// Returns the locations of a section; `None` if only the needed chunks should be located.
    fn locations(&self, section: u64, wanted: &WantedPart<'_>) -> Result<MaybeLocations> {
        loop {
            match self.located.look_up((self.var, section), wanted) {
                SectionLookup::Hit(locations) => return Ok(locations),
                SectionLookup::Partial => return Ok(None),
                SectionLookup::Miss(claim) => return self.find_all(section, claim),
                SectionLookup::InFlight(flight) => {
                    if let Some(found) = (self.context.wait)(&flight) {
                        return found;
                    }
                }
            }
        }
    }

    /// Scans the index for a section. A failure may come from chunks outside the needed part, so the needed chunks are then located alone.
    fn find_all(&self, section: u64, claim: SectionClaim<'_>) -> Result<MaybeLocations> {
        let block = self.sections.block(section);
        let Some(reserved) = claim.reserve(&block) else {
            return Ok(None);
        };
        let first = self.sections.first(section);
        let mut locations = Some(ChunkLocations::new(self.var, self.sections.grid(), first));
        let mut push = |chunk: ChunkRef| {
            let own = self.sections.of(chunk.index) == section;
            if !locations
                .as_mut()
                .is_some_and(|locations| own && locations.push(&chunk))
            {
                locations = None;
            }
            Ok(())
        };
        let located = (self.context.locate)(&block, &mut push);
        drop(reserved);
        let found = match located {
            Err(VisitStop::Error(e)) if e.kind() == ErrorKind::Cancelled => Err(e),
            Err(VisitStop::Error(_) | VisitStop::Enough) => Ok(None),
            Ok(()) => Ok(locations.map(|mut locations| {
                locations.shrink();
                Arc::new(locations)
            })),
        };
        claim.publish(found)
    }
}
