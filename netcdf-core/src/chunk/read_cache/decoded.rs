//! Decoded chunks that are kept, up to a number of bytes.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::flight::{Flight, Flights, Landing, again};
use super::shelf::Shelf;
use crate::chunk::layout::{ChunkHolder, ChunkRef};
use crate::env::Env;
use crate::error::Result;
use crate::model::VarId;
use crate::runtime::{Buffers, CachedBytes, Evictable, Runtime};

/// A chunk is kept if this many of its size would fit.
const SHARE: u64 = 2;

/// The elements of a decoded chunk.
pub(in crate::chunk) enum ChunkElements {
    /// Those of the caller alone.
    Own(Vec<u8>),
    /// Those that others read, too.
    Shared(Arc<Vec<u8>>),
}

impl ChunkElements {
    /// The elements for the caller alone: if need be, a copy.
    pub(in crate::chunk) fn into_own(self) -> Vec<u8> {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(bytes) => Arc::unwrap_or_clone(bytes),
        }
    }

    /// Gives memory back that nobody else uses.
    pub(in crate::chunk) fn give_back(self, buffers: &Buffers) {
        match self {
            Self::Own(bytes) => buffers.give_large(bytes),
            Self::Shared(bytes) => give(bytes, buffers),
        }
    }
}

impl Deref for ChunkElements {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// Gives memory back if nobody else uses it.
fn give(bytes: Arc<Vec<u8>>, buffers: &Buffers) {
    if let Some(bytes) = Arc::into_inner(bytes) {
        buffers.give_large(bytes);
    }
}

/// Identifies a chunk with everything that its decoding depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChunkKey {
    var: VarId,
    index: u64,
    holder: ChunkHolder,
    range: (u64, u64),
    mask: u32,
}

impl ChunkKey {
    pub(super) fn new(var: VarId, chunk: &ChunkRef) -> Self {
        Self {
            var,
            index: chunk.index,
            holder: chunk.holder,
            range: (chunk.range.start, chunk.range.end),
            mask: chunk.mask,
        }
    }
}

/// A chunk that a thread is decoding.
pub(in crate::chunk) type ChunkFlight = Flight<Arc<Vec<u8>>>;

/// The right and the duty to decode a chunk.
pub(in crate::chunk) struct Claim<'a> {
    chunks: &'a DecodedChunks,
    landing: Landing<'a, ChunkKey, Arc<Vec<u8>>>,
    /// Chunks used after this time stay.
    since: u64,
    /// Whether a chunk that is too large is kept until the next too large chunk.
    pub(super) any_size: bool,
}

impl Claim<'_> {
    /// Hands the decoded chunk, or the error, to all that wait for it. The cache keeps the chunk if it has room. It
    /// keeps no error.
    ///
    /// # Errors
    /// The same error.
    pub(in crate::chunk) fn publish(self, decoded: Result<Vec<u8>>) -> Result<Arc<Vec<u8>>> {
        let bytes = decoded.map(Arc::new);
        if let Ok(bytes) = &bytes {
            self.chunks.keep(&self, bytes);
        }
        self.landing.land(again(&bytes));
        bytes
    }
}

/// The state of a chunk.
pub(in crate::chunk) enum Found<'a> {
    /// Its elements.
    Kept(Arc<Vec<u8>>),
    /// Nothing: the caller decodes it.
    Nothing(Claim<'a>),
    /// A thread that decodes it.
    Flight(Arc<ChunkFlight>),
}

/// The decoded chunks of a dataset.
#[derive(Debug)]
pub(super) struct DecodedChunks {
    runtime: Runtime,
    buffers: Arc<Buffers>,
    /// Most bytes kept.
    most: u64,
    state: Mutex<DecodedEntries>,
    flights: Flights<ChunkKey, Arc<Vec<u8>>>,
    /// How many are kept.
    count: AtomicUsize,
    /// True once the runtime knows of them.
    known: AtomicBool,
    me: Weak<Self>,
}

#[derive(Debug, Default)]
struct DecodedEntries {
    kept: Shelf<ChunkKey, Arc<Vec<u8>>>,
    /// The last chunk that the cache had no room for. Otherwise each worker would decode the same chunk, which takes more memory.
    last: Option<(ChunkKey, Arc<Vec<u8>>)>,
}

impl DecodedEntries {
    /// The elements of a chunk, used at this time.
    fn at(&mut self, key: &ChunkKey, time: u64) -> Option<Arc<Vec<u8>>> {
        let last = self.last.as_ref().filter(|(last, _)| last == key);
        match last {
            Some((_, bytes)) => Some(Arc::clone(bytes)),
            None => self.kept.at(key, time).map(Arc::clone),
        }
    }

    /// The number of cached chunks.
    fn count(&self) -> usize {
        self.kept.len() + usize::from(self.last.is_some())
    }
}

impl DecodedChunks {
    pub(super) fn new(env: &Env, most: u64) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            runtime: env.runtime.clone(),
            buffers: Arc::clone(&env.buffers),
            most,
            state: Mutex::default(),
            flights: Flights::default(),
            count: AtomicUsize::new(0),
            known: AtomicBool::new(false),
            me: Weak::clone(me),
        })
    }

    fn lock(&self) -> MutexGuard<'_, DecodedEntries> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes kept.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().kept.bytes()
    }

    /// The time now, for [`DecodedChunks::claim`].
    pub(super) fn now(&self) -> u64 {
        self.runtime.tick()
    }

    /// True if chunks of this many bytes may be kept.
    pub(super) fn takes(&self, bytes: u64) -> bool {
        bytes.checked_mul(SHARE).is_some_and(|all| all <= self.most)
    }

    /// The elements of a chunk, if they are kept.
    pub(super) fn find(&self, key: &ChunkKey) -> Option<Arc<Vec<u8>>> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        self.lock().at(key, self.runtime.tick())
    }

    /// What there is of a chunk. To keep another one, what was last used before `since` may be given up.
    pub(super) fn claim(&self, key: ChunkKey, since: u64) -> Found<'_> {
        let mut state = self.lock();
        if let Some(bytes) = state.at(&key, self.runtime.tick()) {
            return Found::Kept(bytes);
        }
        match self.flights.begin(key) {
            Err(flight) => Found::Flight(flight),
            Ok(landing) => Found::Nothing(Claim {
                chunks: self,
                landing,
                since,
                any_size: false,
            }),
        }
    }

    /// Keeps a chunk that was claimed, if there is room.
    pub(super) fn keep(&self, claim: &Claim<'_>, bytes: &Arc<Vec<u8>>) {
        let size = bytes.capacity() as u64;
        let takes = self.takes(size);
        if !takes && !claim.any_size {
            return;
        }
        self.become_known();
        let room = Some(size).filter(|_| takes);
        let Some(spare) = room.and_then(|size| self.spare(size, claim.since)) else {
            let mut state = self.lock();
            let before = state.last.replace((claim.landing.key, Arc::clone(bytes)));
            self.count.store(state.count(), Ordering::Relaxed);
            drop(state);
            if let Some((_, bytes)) = before {
                give(bytes, &self.buffers);
            }
            return;
        };
        let used = self.runtime.tick();
        let mut state = self.lock();
        // Others may have kept something meanwhile.
        let fits = state.kept.bytes().checked_add(size);
        if fits.is_none_or(|all| all > self.most) || state.kept.has(&claim.landing.key) {
            return;
        }
        let chunk = (Arc::clone(bytes), spare);
        state.kept.put(claim.landing.key, chunk, used);
        state.last = None;
        self.count.store(state.count(), Ordering::Relaxed);
    }

    /// Room for a chunk, for which older ones may be dropped.
    fn spare(&self, size: u64, since: u64) -> Option<CachedBytes> {
        let most = self.most.checked_sub(size)?;
        while self.bytes() > most {
            self.drop_before(since).then_some(())?;
        }
        self.runtime.reserve_cache(size, since)
    }

    /// Drops what was last used before a time, and before all else. False if there is nothing of the kind.
    fn drop_before(&self, since: u64) -> bool {
        let mut state = self.lock();
        let chunk = state.kept.take_oldest(since);
        self.count.store(state.count(), Ordering::Relaxed);
        drop(state);
        let dropped = chunk.is_some();
        if let Some(chunk) = chunk {
            give(chunk, &self.buffers);
        }
        dropped
    }

    /// Tells the runtime of what is kept here, once there is something.
    fn become_known(&self) {
        if !self.known.swap(true, Ordering::Relaxed) {
            let me: Weak<Self> = Weak::clone(&self.me);
            self.runtime.register_cache(me);
        }
    }
}

impl Evictable for DecodedChunks {
    fn oldest(&self) -> Option<u64> {
        self.lock().kept.oldest()
    }

    fn drop_oldest(&self) {
        let mut state = self.lock();
        let chunk = state.kept.take_oldest(u64::MAX);
        self.count.store(state.count(), Ordering::Relaxed);
        drop(state);
        // Not for others to use: the memory is wanted elsewhere.
        drop(chunk);
    }
}
