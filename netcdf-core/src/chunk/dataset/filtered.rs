//! The elements of chunks with filters: kept ones, those that others decode, and the rest, asked for together.

use std::slice::from_ref;
use std::sync::Arc;

use super::requests::Fetched;
use super::variable::ReadVariable;
use crate::arithmetic::length;
use crate::chunk::layout::ChunkRef;
use crate::chunk::read_cache::{ChunkElements, ChunkFlight, Claim, Found};
use crate::error::{ErrorKind, OrInternal as _, Result};

/// Maximum bytes of a small chunk.
const SMALL: usize = 4 << 10;

/// The elements of a chunk; `None` if it is not stored.
pub(super) type FoundElements = Option<ChunkElements>;

/// What there is of a chunk.
enum CacheLookup<'a> {
    Kept(ChunkElements),
    /// Nothing: it is asked for, and others may wait for it.
    Nothing(Option<Claim<'a>>),
    /// Another thread decodes it.
    Flight(Arc<ChunkFlight>),
}

impl<'a> ReadVariable<'a> {
    /// The elements of a chunk with filters. The caller holds no lock.
    pub(super) fn elements(&self, chunk: &ChunkRef) -> Result<FoundElements> {
        loop {
            match self.known(chunk) {
                CacheLookup::Kept(elements) => return Ok(Some(elements)),
                CacheLookup::Nothing(claim) => return self.asked(chunk, claim),
                CacheLookup::Flight(flight) => {
                    if let Some(elements) = self.awaited(&flight) {
                        return elements;
                    }
                }
            }
        }
    }

    /// The elements of chunks with filters, each passed to `take` with its number, not always in this order. Those that are
    /// still to be read are asked for together. The caller holds no lock; `take` runs no job and waits for nobody.
    ///
    /// # Errors
    /// Those of `take`.
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
            match self.known(chunk) {
                CacheLookup::Kept(elements) => take(n, Ok(Some(elements)))?,
                CacheLookup::Flight(flight) => flights.push((n, chunk, flight)),
                CacheLookup::Nothing(claim) => {
                    wanted.push(chunk.clone());
                    places.push((n, claim));
                }
            }
        }
        self.asked_together(&wanted, places, &mut take)?;
        // All claims have ended, so that nobody waits for this thread.
        for (n, chunk, flight) in flights {
            let elements = self.awaited(&flight);
            take(n, elements.unwrap_or_else(|| self.elements(chunk)))?;
        }
        Ok(())
    }

    /// Reads several chunks together if requests take long, or if the chunks are small and have no filters. Returns `None` for the
    /// chunks that the caller reads later.
    pub(super) fn elements_ahead(&self, chunks: &[ChunkRef]) -> Vec<Option<Result<FoundElements>>> {
        let mut ready: Vec<_> = chunks.iter().map(|_| None).collect();
        if chunks.len() > 1 && self.reads_small() {
            self.small_ahead(chunks, &mut ready);
        } else if chunks.len() > 1 && self.is_ahead() {
            // Who needs a chunk that cannot be read meets the error.
            let _ = self.elements_of(chunks, |n, elements| {
                ready.get_mut(n).map(|slot| slot.replace(elements));
                Ok(())
            });
        }
        ready
    }

    /// Checks whether the variable has small chunks without filters: one request per chunk takes longer than copying the elements.
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

    /// Fetches and decodes chunks. If they cannot be had together, each is asked for: who needs one that cannot be read meets
    /// the error.
    fn asked_together(
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
                    take(n, self.decoded(chunk, Ok(stored), claim))?;
                }
            }
            Err(e) if e.kind() == ErrorKind::Io => {
                for (chunk, (n, claim)) in places {
                    take(n, self.decoded(chunk, Err(e.again()), claim))?;
                }
            }
            Err(_) => {
                for (chunk, (n, claim)) in places {
                    take(n, self.asked(chunk, claim))?;
                }
            }
        }
        Ok(())
    }

    /// What there is of a chunk. One that is to be kept is claimed.
    fn known(&self, chunk: &ChunkRef) -> CacheLookup<'a> {
        let Some(usage) = &self.usage else {
            return CacheLookup::Nothing(None);
        };
        let found = match usage.keeps(self.layout, chunk) {
            true => Some(usage.claim(chunk)),
            false => usage.find(chunk).map(Found::Kept),
        };
        match found {
            Some(Found::Kept(bytes)) => CacheLookup::Kept(ChunkElements::Shared(bytes)),
            Some(Found::Nothing(claim)) => CacheLookup::Nothing(Some(claim)),
            Some(Found::Flight(flight)) => CacheLookup::Flight(flight),
            None => CacheLookup::Nothing(None),
        }
    }

    /// Fetches and decodes a chunk.
    fn asked(&self, chunk: &ChunkRef, claim: Option<Claim<'a>>) -> Result<FoundElements> {
        // What was admitted for the stored bytes is given back behind the decoding.
        let mut fetched = self.fetch(from_ref(chunk));
        let stored = match &mut fetched {
            Ok(Fetched { bytes, .. }) => bytes.pop().or_internal("a chunk that was fetched"),
            Err(e) => Err(e.again()),
        };
        self.decoded(chunk, stored, claim)
    }

    /// Decodes a chunk from its stored bytes, for all who wait for it.
    fn decoded(
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

    /// The elements that another thread makes; `None` if it gave up.
    fn awaited(&self, flight: &ChunkFlight) -> Option<Result<FoundElements>> {
        let elements = self.set.runtime().wait(|| flight.wait())?;
        Some(elements.map(|bytes| Some(ChunkElements::Shared(bytes))))
    }
}
