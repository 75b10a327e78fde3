//! Where the stored chunks of variables are: a part of an index that was walked is not walked again.
//!
//! The grid of the chunks of a variable is divided into *sections* of some thousand chunks. If a few sections have all
//! that is wanted, each is found as a whole, unless only a little of it is wanted for the first time. If there are many,
//! only what is wanted is found; a walk of all chunks is kept as far as there is room. What was not used for the longest
//! time is given up first.
//!
//! | file | what |
//! |---|---|
//! | `sections` | the sections of a grid |
//! | `claim` | one reader finds a section, others that want it wait for it |
//! | `places` | where the chunks of some sections are, in columns |
//! | `search` | looks for the chunks of a box |
//! | `walk` | keeps the places of all chunks |

mod claim;
mod places;
mod search;
mod sections;
mod walk;

use std::collections::{BTreeMap, VecDeque};
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::flight::{Flight, Flights};
use super::shelf::Shelf;
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Visit, Visited};
use crate::model::VarId;
use crate::model::region::product;
use crate::runtime::{CachedBytes, Evictable, Runtime};
use claim::SectionClaim;
use places::{Places, ROW};
use search::ChunkSearch;
pub(in crate::chunk) use search::Ways;
use sections::Sections;

/// Most chunks of a section.
const SECTION: u64 = 16 << 10;
/// At least so many sections fit.
const FIT: u64 = 4;
/// Sections of so many chunks are found as a whole: that takes about as long as to find one chunk.
const SMALL: u64 = 1 << 10;
/// So is a section if more than one in so many of its chunks is wanted.
const SHARE: u64 = 16;
/// Sections that are remembered because a little of them was wanted.
const REMEMBERED: usize = 64;

/// A section of a variable.
type SectionKey = (VarId, u64);
/// The places of a section; `None` if they cannot be kept, and only those that are wanted are to be found.
pub(in crate::chunk) type MaybePlaces = Option<Arc<Places>>;
/// A section that somebody is finding.
pub(in crate::chunk) type SectionFlight = Flight<MaybePlaces>;

/// The places of the stored chunks of a dataset's variables, up to a number of bytes.
#[derive(Debug)]
pub(super) struct LocatedChunks {
    runtime: Runtime,
    /// Most bytes kept.
    most: u64,
    /// Most chunks of a section.
    section: u64,
    state: Mutex<LocationState>,
    flights: Flights<SectionKey, MaybePlaces>,
    /// True once the runtime knows of it.
    known: AtomicBool,
    me: Weak<Self>,
}

#[derive(Debug, Default)]
struct LocationState {
    /// By the first section.
    kept: Shelf<SectionKey, KeptSections>,
    vars: BTreeMap<VarId, Arc<Sections>>,
    /// Sections of which a little was wanted, and when.
    little: VecDeque<(SectionKey, u64)>,
}

/// Some sections of a variable, one after the other.
#[derive(Debug)]
struct KeptSections {
    /// The section after the last one.
    end: u64,
    places: MaybePlaces,
}

/// Sections that were found, for which there is room.
struct FoundSections {
    sections: Range<u64>,
    places: MaybePlaces,
    spare: CachedBytes,
}

/// A part of a section that is wanted.
struct WantedPart<'a> {
    sections: &'a Sections,
    part: &'a Block,
    /// When the search began.
    since: u64,
}

/// What there is of a section.
enum FoundSection<'a> {
    /// Its places.
    Kept(MaybePlaces),
    /// Nothing, and so little is wanted that the caller finds only that.
    Little,
    /// Nothing: the caller finds it.
    Nothing(SectionClaim<'a>),
    /// Somebody who finds it.
    Flight(Arc<SectionFlight>),
}

impl LocationState {
    /// The first of the sections that are kept together with one, and when they were last used.
    fn around(&self, (var, section): SectionKey) -> Option<(SectionKey, u64)> {
        let (key, kept, used) = self.kept.up_to(&(var, section))?;
        (key.0 == var && kept.end > section).then_some((key, used))
    }

    /// Whether a section should be found as a whole.
    fn is_worth(&self, key: SectionKey, wanted: &WantedPart<'_>) -> bool {
        let block = wanted.sections.block(key.1);
        let all: u64 = block.count.iter().product();
        let part: u64 = wanted.part.count.iter().product();
        let earlier = |key| {
            let mut little = self.little.iter();
            little.any(|(other, time)| *other == key && *time < wanted.since)
        };
        // What comes before is known: this may be a pass through all.
        let before = key.1.checked_sub(1).map(|before| (key.0, before));
        let goes_on = before.is_some_and(|before| {
            let begins = block.start == wanted.part.start;
            let kept = self.around(before);
            earlier(before) || kept.is_some_and(|(_, used)| begins || used < wanted.since)
        });
        all <= SMALL || part > all / SHARE || earlier(key) || goes_on
    }

    /// Remembers that a little of a section was wanted.
    fn remember(&mut self, key: SectionKey, time: u64) {
        if self.little.iter().any(|(other, _)| *other == key) {
            return;
        }
        if self.little.len() >= REMEMBERED {
            self.little.pop_front();
        }
        self.little.push_back((key, time));
    }

    /// Takes out what overlaps with some sections.
    fn clear(&mut self, var: VarId, sections: &Range<u64>) {
        let Some(last) = sections.end.checked_sub(1) else {
            return;
        };
        while let Some((key, kept, _)) = self.kept.up_to(&(var, last)) {
            if key.0 != var || kept.end <= sections.start {
                return;
            }
            self.kept.take(&key);
        }
    }
}

impl LocatedChunks {
    pub(super) fn new(runtime: &Runtime, most: u64) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            runtime: runtime.clone(),
            most,
            section: (most / (FIT * ROW)).min(SECTION),
            state: Mutex::default(),
            flights: Flights::default(),
            known: AtomicBool::new(false),
            me: Weak::clone(me),
        })
    }

    fn lock(&self) -> MutexGuard<'_, LocationState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes kept.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().kept.bytes()
    }

    /// Visits the stored chunks of a box of the grid of a variable, in row-major order.
    ///
    /// # Errors
    /// Those of `ways` and of `visit`.
    pub(super) fn visit(
        &self,
        var: VarId,
        chunks: &Block,
        ways: Ways<'_>,
        visit: Visit<'_>,
    ) -> Visited {
        let known = self.lock().vars.get(&var).cloned();
        let sections = match known {
            Some(sections) => Some(sections),
            // Nothing is known, and nothing will be.
            None if !ways.index && !ways.keep => None,
            None => match (ways.grid)()? {
                grid if ways.is_free && product(&grid) == Some(1) => None,
                grid => self.sections(var, grid),
            },
        };
        let Some(sections) = sections else {
            return (ways.locate)(chunks, visit);
        };
        let search = ChunkSearch {
            located: self,
            var,
            sections: &sections,
            ways,
        };
        search.visit(chunks, visit)
    }

    /// The sections of the grid of a variable.
    fn sections(&self, var: VarId, grid: Vec<u64>) -> Option<Arc<Sections>> {
        let sections = Arc::new(Sections::new(grid, self.section)?);
        let mut state = self.lock();
        Some(Arc::clone(state.vars.entry(var).or_insert(sections)))
    }

    /// Sections that may be found one by one for a search: they can all be kept.
    fn few(&self) -> u64 {
        (self.most / (2 * ROW * self.section).max(1)).max(1)
    }

    /// What there is of a section.
    fn find(&self, key: SectionKey, wanted: &WantedPart<'_>) -> FoundSection<'_> {
        let time = self.runtime.tick();
        let mut state = self.lock();
        if let Some((first, _)) = state.around(key) {
            let kept = state.kept.at(&first, time);
            return FoundSection::Kept(kept.and_then(|kept| kept.places.clone()));
        }
        if let Some(flight) = self.flights.of(&key) {
            return FoundSection::Flight(flight);
        }
        if !state.is_worth(key, wanted) {
            state.remember(key, time);
            return FoundSection::Little;
        }
        match self.flights.begin(key) {
            Err(flight) => FoundSection::Flight(flight),
            Ok(landing) => FoundSection::Nothing(SectionClaim {
                located: self,
                landing,
            }),
        }
    }

    /// The places of sections that follow each other, if all are kept.
    fn known(&self, var: VarId, sections: &RangeInclusive<u64>) -> Option<Vec<Arc<Places>>> {
        let mut state = self.lock();
        let mut found = vec![];
        let mut next = *sections.start();
        while next <= *sections.end() {
            let (first, _) = state.around((var, next))?;
            let kept = state.kept.at(&first, self.runtime.tick())?;
            found.push(Arc::clone(kept.places.as_ref()?));
            next = kept.end;
        }
        Some(found)
    }

    /// Room for places of so many bytes beside others that are not kept yet. What was last used before a time may be given
    /// up for them.
    fn room(&self, bytes: u64, others: u64, before: u64) -> Option<CachedBytes> {
        let most = self.most.checked_sub(bytes)?.checked_sub(others)?;
        if !self.known.swap(true, Ordering::Relaxed) {
            let me: Weak<Self> = Weak::clone(&self.me);
            self.runtime.register_cache(me);
        }
        self.shrink(&mut self.lock(), most, before)?;
        self.runtime.reserve_cache(bytes, before)
    }

    /// Gives up what was last used before a time, until at most so many bytes are kept. `None` if that is not possible.
    fn shrink(&self, state: &mut LocationState, most: u64, before: u64) -> Option<()> {
        while state.kept.bytes() > most {
            state.kept.take_oldest(before)?;
        }
        Some(())
    }

    /// Keeps the places of some sections, for which there was room.
    fn put(&self, var: VarId, found: FoundSections, before: u64) {
        let Some(most) = self.most.checked_sub(found.spare.get()) else {
            return;
        };
        let time = self.runtime.tick();
        let mut state = self.lock();
        state.clear(var, &found.sections);
        // Others may have kept something meanwhile.
        if self.shrink(&mut state, most, before).is_some() {
            let Range { start, end } = found.sections;
            let places = found.places;
            let kept = (KeptSections { end, places }, found.spare);
            state.kept.put((var, start), kept, time);
        }
    }
}

impl Evictable for LocatedChunks {
    fn oldest(&self) -> Option<u64> {
        self.lock().kept.oldest()
    }

    fn drop_oldest(&self) {
        let places = self.lock().kept.take_oldest(u64::MAX);
        drop(places);
    }
}

#[cfg(test)]
mod tests;
