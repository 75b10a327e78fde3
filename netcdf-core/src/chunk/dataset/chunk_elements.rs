//! The elements of filtered chunks: from the cache, from a concurrent decode, or fetched together.

use std::slice::from_ref;
use std::sync::Arc;

use super::requests::Fetched;
use super::variable::ReadVariable;
use crate::arithmetic::length;
use crate::chunk::layout::ChunkRef;
use crate::chunk::read_cache::{ChunkElements, ChunkFlight, ChunkLookup, Claim};
use crate::error::{ErrorKind, OrInternal as _, Result};

/// The maximum size of a small chunk in bytes.
const SMALL: usize = 4 << 10;

/// The elements of a chunk; `None` for a missing chunk.
pub(super) type FoundElements = Option<ChunkElements>;

/// The cache state of a chunk: hit, miss, or a decode in another thread.
enum CacheLookup<'a> {
    Hit(ChunkElements),
    /// Not cached. The claim, if any, makes other threads wait for this decode.
    Miss(Option<Claim<'a>>),
    /// Another thread decodes the chunk.
    InFlight(Arc<ChunkFlight>),
}

impl<'a> ReadVariable<'a> {
    /// Returns the elements of a filtered chunk. The caller must hold no lock.
    pub(super) fn elements(&self, chunk: &ChunkRef) -> Result<FoundElements> {
        loop {
            match self.look_up(chunk) {
                CacheLookup::Hit(elements) => return Ok(Some(elements)),
                CacheLookup::Miss(claim) => return self.fetch_one(chunk, claim),
                CacheLookup::InFlight(flight) => {
                    if let Some(elements) = self.wait_for(&flight) {
                        return elements;
                    }
                }
            }
        }
    }

    /// Passes the elements of filtered chunks to `take`, each with its index in `chunks`, in any order. Chunks that are not cached are
    /// fetched together. The caller must hold no lock; `take` must not run a job or wait for another thread.
    ///
    /// # Errors
    /// Returns errors from `take`.
    pub(super) fn elements_of(
        &self,
        chunks: &[ChunkRef],
        mut take: impl FnMut(usize, Result<FoundElements>) -> Result<()>,
    ) -> Result<()> {
        if let [only] = chunks {
            return take(0, self.elements(only));
        }
        let (mut wanted, mut places, mut flights) = (vec![], vec![], vec![]);
        for (n, chunk) in chunks.iter().enumerate() {
            match self.look_up(chunk) {
                CacheLookup::Hit(elements) => take(n, Ok(Some(elements)))?,
                CacheLookup::InFlight(flight) => flights.push((n, chunk, flight)),
                CacheLookup::Miss(claim) => {
                    wanted.push(chunk.clone());
                    places.push((n, claim));
                }
            }
        }
        self.fetch_together(&wanted, places, &mut take)?;
        // All claims of this thread have ended, so that no other thread waits for it.
        for (n, chunk, flight) in flights {
            let elements = self.wait_for(&flight);
            take(n, elements.unwrap_or_else(|| self.elements(chunk)))?;
        }
        Ok(())
    }

    /// Reads several chunks together if requests take long, or if the chunks are small and have no filters. Returns `None` for the chunks
    /// that the caller reads later.
    pub(super) fn elements_ahead(&self, chunks: &[ChunkRef]) -> Vec<Option<Result<FoundElements>>> {
        let mut ready: Vec<_> = chunks.iter().map(|_| None).collect();
        if chunks.len() > 1 && self.reads_small() {
            self.small_ahead(chunks, &mut ready);
        } else if chunks.len() > 1 && self.is_ahead() {
            // Ignore errors here: the later read of the chunk reports them.
            let _ = self.elements_of(chunks, |n, elements| {
                ready.get_mut(n).map(|slot| slot.replace(elements));
                Ok(())
            });
        }
        ready
    }

    /// Returns true if the variable has small chunks without filters: one request per chunk takes longer than copying the elements.
    pub(super) fn reads_small(&self) -> bool {
        let small = self.layout.chunk_bytes().is_some_and(|n| n <= SMALL);
        small && self.layout.filters.is_empty() && self.assembly.is_none()
    }

    /// Reads small chunks without filters together. Skips chunks with an unexpected length.
    fn small_ahead(&self, chunks: &[ChunkRef], ready: &mut [Option<Result<FoundElements>>]) {
        let whole = self.layout.chunk_bytes().map(|n| n as u64);
        let has_length = |chunk: &ChunkRef| Some(length(&chunk.range)) == whole;
        let usual: Vec<_> = chunks.iter().map(has_length).collect();
        let wanted = chunks.iter().zip(&usual).filter(|(_, usual)| **usual);
        let wanted: Vec<_> = wanted.map(|(chunk, _)| chunk.clone()).collect();
        // Ignore errors here: the later read of the chunk reports them.
        let Ok(mut fetched) = self.set.fetch_stored(&wanted) else {
            return;
        };
        let slots = ready.iter_mut().zip(usual).filter(|(_, usual)| *usual);
        for ((slot, _), bytes) in slots.zip(fetched.bytes.drain(..)) {
            *slot = bytes.map(|bytes| Ok(Some(ChunkElements::Own(bytes))));
        }
    }

    /// Fetches and decodes chunks. If the common fetch fails, fetches each chunk alone, so that only the unreadable chunk reports an error.
    fn fetch_together(
        &self,
        chunks: &[ChunkRef],
        places: Vec<(usize, Option<Claim<'a>>)>,
        take: &mut impl FnMut(usize, Result<FoundElements>) -> Result<()>,
    ) -> Result<()> {
        let places = chunks.iter().zip(places);
        match self.fetch(chunks) {
            Ok(mut fetched) => {
                let stored = fetched.bytes.drain(..);
                for ((chunk, (n, claim)), stored) in places.zip(stored) {
                    take(n, self.decode(chunk, Ok(stored), claim))?;
                }
            }
            Err(e) if e.kind() == ErrorKind::Io => {
                for (chunk, (n, claim)) in places {
                    take(n, self.decode(chunk, Err(e.again()), claim))?;
                }
            }
            Err(_) => {
                for (chunk, (n, claim)) in places {
                    take(n, self.fetch_one(chunk, claim))?;
                }
            }
        }
        Ok(())
    }

    /// Looks up a chunk in the cache. Claims a chunk that will be cached.
    fn look_up(&self, chunk: &ChunkRef) -> CacheLookup<'a> {
        let Some(usage) = &self.usage else {
            return CacheLookup::Miss(None);
        };
        let found = match usage.keeps(self.layout, chunk) {
            true => Some(usage.claim(chunk)),
            false => usage.find(chunk).map(ChunkLookup::Hit),
        };
        match found {
            Some(ChunkLookup::Hit(bytes)) => CacheLookup::Hit(ChunkElements::Shared(bytes)),
            Some(ChunkLookup::Miss(claim)) => CacheLookup::Miss(Some(claim)),
            Some(ChunkLookup::InFlight(flight)) => CacheLookup::InFlight(flight),
            None => CacheLookup::Miss(None),
        }
    }

    /// Fetches and decodes a chunk.
    fn fetch_one(&self, chunk: &ChunkRef, claim: Option<Claim<'a>>) -> Result<FoundElements> {
        // Dropping `fetched` after decoding returns the memory that was admitted for the stored bytes.
        let mut fetched = self.fetch(from_ref(chunk));
        let stored = match &mut fetched {
            Ok(Fetched { bytes, .. }) => bytes.pop().or_internal("a fetched chunk"),
            Err(e) => Err(e.again()),
        };
        self.decode(chunk, stored, claim)
    }

    /// Decodes a chunk from its stored bytes, and publishes the result for waiting threads.
    fn decode(
        &self,
        chunk: &ChunkRef,
        stored: Result<Option<Vec<u8>>>,
        claim: Option<Claim<'a>>,
    ) -> Result<FoundElements> {
        let decode = |stored| self.decoder.decode(chunk, stored);
        let bytes = stored.and_then(|stored| stored.map(decode).transpose());
        let Some(bytes) = bytes.transpose() else {
            return Ok(None);
        };
        match claim {
            Some(claim) => Ok(Some(ChunkElements::Shared(claim.publish(bytes)?))),
            None => Ok(Some(ChunkElements::Own(bytes?))),
        }
    }

    /// Waits for the elements that another thread decodes; `None` if that thread abandoned the decode.
    fn wait_for(&self, flight: &ChunkFlight) -> Option<Result<FoundElements>> {
        let elements = self.set.runtime().wait(|| flight.wait())?;
        Some(elements.map(|bytes| Some(ChunkElements::Shared(bytes))))
    }
}
