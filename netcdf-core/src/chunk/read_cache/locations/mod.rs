//! The cache of chunk locations, so that each part of a chunk index is scanned once.
//!
//! The chunk grid of a variable is divided into *sections* of up to 16,384 chunks. If a read needs only a few sections, the cache locates
//! each section as a whole. An exception is a section of which a small part is needed for the first time: only this part is located. If a
//! read needs many sections, only the needed chunks are located; a scan of all chunks is cached within the memory limit. The least recently
//! used sections are evicted first.
//!
//! | file | responsibility |
//! |---|---|
//! | `sections` | division of a grid into sections |
//! | `claim` | locates a section once for several threads |
//! | `columns` | compact storage of chunk locations, in columns |
//! | `search` | locates the chunks of a box |
//! | `scan` | caches the locations found by a scan of all chunks |

mod claim;
mod columns;
mod scan;
mod search;
mod sections;

use std::collections::{BTreeMap, VecDeque};
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::flight::{Flight, Flights};
use super::lru_map::LruMap;
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Visit, Visited};
use crate::model::VarId;
use crate::model::region::product;
use crate::runtime::{CachedBytes, Evictable, Runtime};
use claim::SectionClaim;
use columns::{ChunkLocations, ROW};
use search::ChunkSearch;
pub(in crate::chunk) use search::LocateContext;
use sections::Sections;

/// The maximum number of chunks per section.
const SECTION: u64 = 16 << 10;
/// The minimum number of sections that fit in the cache.
const FIT: u64 = 4;
/// Sections of up to this number of chunks are located as a whole: this takes about as long as locating one chunk.
const SMALL: u64 = 1 << 10;
/// A section is also located as a whole if more than this fraction (one in 16) of its chunks is needed.
const SHARE: u64 = 16;
/// The maximum number of remembered sections with small searches.
const REMEMBERED: usize = 64;

/// A section of a variable.
type SectionKey = (VarId, u64);
/// The locations of a section; `None` if they cannot be cached, so that each search locates only the needed chunks.
pub(in crate::chunk) type MaybeLocations = Option<Arc<ChunkLocations>>;
/// A section that a thread is locating.
pub(in crate::chunk) type SectionFlight = Flight<MaybeLocations>;

/// The locations of the stored chunks of a dataset's variables, up to a byte limit.
#[derive(Debug)]
pub(super) struct LocatedChunks {
    runtime: Runtime,
    /// The maximum number of cached bytes.
    most: u64,
    /// The maximum number of chunks per section.
    section: u64,
    state: Mutex<LocationState>,
    flights: Flights<SectionKey, MaybeLocations>,
    /// True once the cache is registered with the runtime.
    registered: AtomicBool,
    me: Weak<Self>,
}

#[derive(Debug, Default)]
struct LocationState {
    /// The cached sections, by the first section.
    entries: LruMap<SectionKey, CachedSections>,
    vars: BTreeMap<VarId, Arc<Sections>>,
    /// The sections with small searches, and the search times.
    small_searches: VecDeque<(SectionKey, u64)>,
}

/// Consecutive sections of a variable.
#[derive(Debug)]
struct CachedSections {
    /// The section after the last one.
    end: u64,
    locations: MaybeLocations,
}

/// Located sections, with reserved memory.
struct LocatedSections {
    sections: Range<u64>,
    locations: MaybeLocations,
    reserved: CachedBytes,
}

/// The needed part of a section.
struct WantedPart<'a> {
    sections: &'a Sections,
    part: &'a Block,
    /// The start time of the search.
    since: u64,
}

/// The cache state of a section.
enum SectionLookup<'a> {
    /// The cached locations.
    Hit(MaybeLocations),
    /// Not cached. The needed part is so small that the caller locates only this part.
    Partial,
    /// Not cached: the caller must locate the section.
    Miss(SectionClaim<'a>),
    /// Another thread locates the section.
    InFlight(Arc<SectionFlight>),
}

impl LocationState {
    /// Returns the key of the cache entry with this section, and the entry's last use.
    fn around(&self, (var, section): SectionKey) -> Option<(SectionKey, u64)> {
        let (key, kept, used) = self.entries.up_to(&(var, section))?;
        (key.0 == var && kept.end > section).then_some((key, used))
    }

    /// Returns true if a section should be located as a whole.
    fn is_worth(&self, key: SectionKey, wanted: &WantedPart<'_>) -> bool {
        let block = wanted.sections.block(key.1);
        let all: u64 = block.count.iter().product();
        let part: u64 = wanted.part.count.iter().product();
        let earlier = |key| {
            let mut small_searches = self.small_searches.iter();
            small_searches.any(|(other, time)| *other == key && *time < wanted.since)
        };
        // If the previous section is known, this may be a pass through all sections.
        let before = key.1.checked_sub(1).map(|before| (key.0, before));
        let goes_on = before.is_some_and(|before| {
            let begins = block.start == wanted.part.start;
            let kept = self.around(before);
            earlier(before) || kept.is_some_and(|(_, used)| begins || used < wanted.since)
        });
        all <= SMALL || part > all / SHARE || earlier(key) || goes_on
    }

    /// Records that a small part of a section was needed.
    fn remember(&mut self, key: SectionKey, time: u64) {
        if self.small_searches.iter().any(|(other, _)| *other == key) {
            return;
        }
        if self.small_searches.len() >= REMEMBERED {
            self.small_searches.pop_front();
        }
        self.small_searches.push_back((key, time));
    }

    /// Removes cache entries that overlap with some sections.
    fn clear(&mut self, var: VarId, sections: &Range<u64>) {
        let Some(last) = sections.end.checked_sub(1) else {
            return;
        };
        while let Some((key, kept, _)) = self.entries.up_to(&(var, last)) {
            if key.0 != var || kept.end <= sections.start {
                return;
            }
            self.entries.take(&key);
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
            registered: AtomicBool::new(false),
            me: Weak::clone(me),
        })
    }

    fn lock(&self) -> MutexGuard<'_, LocationState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().entries.bytes()
    }

    /// Visits the stored chunks in a box of the variable's chunk grid, in row-major order.
    ///
    /// # Errors
    /// Returns errors from `context` and from `visit`.
    pub(super) fn visit(
        &self,
        var: VarId,
        chunks: &Block,
        context: LocateContext<'_>,
        visit: Visit<'_>,
    ) -> Visited {
        let known = self.lock().vars.get(&var).cloned();
        let sections = match known {
            Some(sections) => Some(sections),
            // The variable has no cached locations and never will have any.
            None if !context.index && !context.keep => None,
            None => match (context.grid)()? {
                grid if context.is_free && product(&grid) == Some(1) => None,
                grid => self.sections(var, grid),
            },
        };
        let Some(sections) = sections else {
            return (context.locate)(chunks, visit);
        };
        let search = ChunkSearch {
            located: self,
            var,
            sections: &sections,
            context,
        };
        search.visit(chunks, visit)
    }

    /// Returns the sections of a variable's chunk grid.
    fn sections(&self, var: VarId, grid: Vec<u64>) -> Option<Arc<Sections>> {
        let sections = Arc::new(Sections::new(grid, self.section)?);
        let mut state = self.lock();
        Some(Arc::clone(state.vars.entry(var).or_insert(sections)))
    }

    /// Returns the maximum number of sections that a search locates one by one: they all fit in the cache.
    fn few(&self) -> u64 {
        (self.most / (2 * ROW * self.section).max(1)).max(1)
    }

    /// Looks up a section, and claims it if it should be located as a whole.
    fn look_up(&self, key: SectionKey, wanted: &WantedPart<'_>) -> SectionLookup<'_> {
        let time = self.runtime.tick();
        let mut state = self.lock();
        if let Some((first, _)) = state.around(key) {
            let kept = state.entries.at(&first, time);
            return SectionLookup::Hit(kept.and_then(|kept| kept.locations.clone()));
        }
        if let Some(flight) = self.flights.of(&key) {
            return SectionLookup::InFlight(flight);
        }
        if !state.is_worth(key, wanted) {
            state.remember(key, time);
            return SectionLookup::Partial;
        }
        match self.flights.begin(key) {
            Err(flight) => SectionLookup::InFlight(flight),
            Ok(landing) => SectionLookup::Miss(SectionClaim {
                located: self,
                landing,
            }),
        }
    }

    /// Returns the locations of consecutive sections, if all are cached.
    fn known(
        &self,
        var: VarId,
        sections: &RangeInclusive<u64>,
    ) -> Option<Vec<Arc<ChunkLocations>>> {
        let mut state = self.lock();
        let mut found = vec![];
        let mut next = *sections.start();
        while next <= *sections.end() {
            let (first, _) = state.around((var, next))?;
            let kept = state.entries.at(&first, self.runtime.tick())?;
            found.push(Arc::clone(kept.locations.as_ref()?));
            next = kept.end;
        }
        Some(found)
    }

    /// Reserves memory for `bytes` bytes of locations, in addition to `others` bytes that are not cached yet. Entries last used before a
    /// time may be evicted.
    fn reserve(&self, bytes: u64, others: u64, before: u64) -> Option<CachedBytes> {
        let most = self.most.checked_sub(bytes)?.checked_sub(others)?;
        if !self.registered.swap(true, Ordering::Relaxed) {
            let me: Weak<Self> = Weak::clone(&self.me);
            self.runtime.register_cache(me);
        }
        self.shrink(&mut self.lock(), most, before)?;
        self.runtime.reserve_cache(bytes, before)
    }

    /// Evicts entries last used before a time, until at most `most` bytes are cached. Returns `None` if that is not possible.
    fn shrink(&self, state: &mut LocationState, most: u64, before: u64) -> Option<()> {
        while state.entries.bytes() > most {
            state.entries.take_oldest(before)?;
        }
        Some(())
    }

    /// Caches the locations of some sections in reserved memory.
    fn put(&self, var: VarId, found: LocatedSections, before: u64) {
        let Some(most) = self.most.checked_sub(found.reserved.get()) else {
            return;
        };
        let time = self.runtime.tick();
        let mut state = self.lock();
        state.clear(var, &found.sections);
        // Another thread may have cached locations meanwhile.
        if self.shrink(&mut state, most, before).is_some() {
            let Range { start, end } = found.sections;
            let locations = found.locations;
            let kept = (CachedSections { end, locations }, found.reserved);
            state.entries.put((var, start), kept, time);
        }
    }
}

impl Evictable for LocatedChunks {
    fn oldest(&self) -> Option<u64> {
        self.lock().entries.oldest()
    }

    fn drop_oldest(&self) {
        let locations = self.lock().entries.take_oldest(u64::MAX);
        drop(locations);
    }
}

#[cfg(test)]
mod tests;
