//! The cache of decoded chunks, up to a byte limit.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::flight::{Flight, Flights, Landing, again};
use super::lru_map::LruMap;
use crate::chunk::layout::{ChunkHolder, ChunkRef};
use crate::env::Env;
use crate::error::Result;
use crate::model::VarId;
use crate::runtime::{Buffers, CachedBytes, Evictable, Runtime};

/// The cache accepts a chunk if this number of chunks of its size would fit.
const SHARE: u64 = 2;

/// The elements of a decoded chunk.
pub(in crate::chunk) enum ChunkElements {
    /// Elements of the caller.
    Own(Vec<u8>),
    /// Elements shared with the cache or other readers.
    Shared(Arc<Vec<u8>>),
}

impl ChunkElements {
    /// Returns the elements for the caller alone. Shared elements are copied.
    pub(in crate::chunk) fn into_own(self) -> Vec<u8> {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(bytes) => Arc::unwrap_or_clone(bytes),
        }
    }

    /// Returns unshared memory to the buffers.
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

/// Returns unshared memory to the buffers.
fn give(bytes: Arc<Vec<u8>>, buffers: &Buffers) {
    if let Some(bytes) = Arc::into_inner(bytes) {
        buffers.give_large(bytes);
    }
}

/// Identifies a chunk, with all data that its decoding depends on.
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

/// The exclusive right and the duty to decode a chunk.
pub(in crate::chunk) struct Claim<'a> {
    chunks: &'a DecodedChunks,
    landing: Landing<'a, ChunkKey, Arc<Vec<u8>>>,
    /// Chunks used after this time are not evicted.
    since: u64,
    /// Whether an oversized chunk is cached until the next oversized chunk.
    pub(super) any_size: bool,
}

impl Claim<'_> {
    /// Passes the decoded chunk or the error to all waiting threads. Caches the chunk if memory is free. Errors are not cached.
    ///
    /// # Errors
    /// Returns the error in `decoded_chunks`.
    pub(in crate::chunk) fn publish(self, decoded: Result<Vec<u8>>) -> Result<Arc<Vec<u8>>> {
        let bytes = decoded.map(Arc::new);
        if let Ok(bytes) = &bytes {
            self.chunks.keep(&self, bytes);
        }
        self.landing.land(again(&bytes));
        bytes
    }
}

/// The cache state of a chunk.
pub(in crate::chunk) enum ChunkLookup<'a> {
    /// The cached elements.
    Hit(Arc<Vec<u8>>),
    /// Not cached: the caller must decode the chunk.
    Miss(Claim<'a>),
    /// Another thread decodes the chunk.
    InFlight(Arc<ChunkFlight>),
}

/// The decoded chunks of a dataset.
#[derive(Debug)]
pub(super) struct DecodedChunks {
    runtime: Runtime,
    buffers: Arc<Buffers>,
    /// The maximum number of cached bytes.
    most: u64,
    state: Mutex<DecodedEntries>,
    flights: Flights<ChunkKey, Arc<Vec<u8>>>,
    /// The number of cached chunks.
    count: AtomicUsize,
    /// True once the cache is registered with the runtime.
    registered: AtomicBool,
    me: Weak<Self>,
}

#[derive(Debug, Default)]
struct DecodedEntries {
    entries: LruMap<ChunkKey, Arc<Vec<u8>>>,
    /// The last chunk that did not fit in the cache. Without it, each worker would decode the same chunk, which takes more memory.
    last: Option<(ChunkKey, Arc<Vec<u8>>)>,
}

impl DecodedEntries {
    /// Returns the elements of a chunk, and records this time as its last use.
    fn at(&mut self, key: &ChunkKey, time: u64) -> Option<Arc<Vec<u8>>> {
        let last = self.last.as_ref().filter(|(last, _)| last == key);
        match last {
            Some((_, bytes)) => Some(Arc::clone(bytes)),
            None => self.entries.at(key, time).map(Arc::clone),
        }
    }

    /// Returns the number of cached chunks.
    fn count(&self) -> usize {
        self.entries.len() + usize::from(self.last.is_some())
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
            registered: AtomicBool::new(false),
            me: Weak::clone(me),
        })
    }

    fn lock(&self) -> MutexGuard<'_, DecodedEntries> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().entries.bytes()
    }

    /// Returns the current time, for [`DecodedChunks::claim`].
    pub(super) fn now(&self) -> u64 {
        self.runtime.tick()
    }

    /// Returns true if the cache accepts chunks of this size in bytes.
    pub(super) fn takes(&self, bytes: u64) -> bool {
        bytes.checked_mul(SHARE).is_some_and(|all| all <= self.most)
    }

    /// Returns the elements of a chunk, if cached.
    pub(super) fn find(&self, key: &ChunkKey) -> Option<Arc<Vec<u8>>> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        self.lock().at(key, self.runtime.tick())
    }

    /// Looks up a chunk, and claims it if necessary. To cache the claimed chunk, entries last used before `since` may be evicted.
    pub(super) fn claim(&self, key: ChunkKey, since: u64) -> ChunkLookup<'_> {
        let mut state = self.lock();
        if let Some(bytes) = state.at(&key, self.runtime.tick()) {
            return ChunkLookup::Hit(bytes);
        }
        match self.flights.begin(key) {
            Err(flight) => ChunkLookup::InFlight(flight),
            Ok(landing) => ChunkLookup::Miss(Claim {
                chunks: self,
                landing,
                since,
                any_size: false,
            }),
        }
    }

    /// Caches a claimed chunk if memory is free.
    pub(super) fn keep(&self, claim: &Claim<'_>, bytes: &Arc<Vec<u8>>) {
        let size = bytes.capacity() as u64;
        let takes = self.takes(size);
        if !takes && !claim.any_size {
            return;
        }
        self.register();
        let room = Some(size).filter(|_| takes);
        let Some(reserved) = room.and_then(|size| self.reserve(size, claim.since)) else {
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
        // Another thread may have cached a chunk meanwhile.
        let fits = state.entries.bytes().checked_add(size);
        if fits.is_none_or(|all| all > self.most) || state.entries.has(&claim.landing.key) {
            return;
        }
        let chunk = (Arc::clone(bytes), reserved);
        state.entries.put(claim.landing.key, chunk, used);
        state.last = None;
        self.count.store(state.count(), Ordering::Relaxed);
    }

    /// Reserves memory for a chunk. Older chunks may be evicted.
    fn reserve(&self, size: u64, since: u64) -> Option<CachedBytes> {
        let most = self.most.checked_sub(size)?;
        while self.bytes() > most {
            self.drop_before(since).then_some(())?;
        }
        self.runtime.reserve_cache(size, since)
    }

    /// Evicts the least recently used chunk, if its last use precedes a time. Returns false if there is none.
    fn drop_before(&self, since: u64) -> bool {
        let mut state = self.lock();
        let chunk = state.entries.take_oldest(since);
        self.count.store(state.count(), Ordering::Relaxed);
        drop(state);
        let dropped = chunk.is_some();
        if let Some(chunk) = chunk {
            give(chunk, &self.buffers);
        }
        dropped
    }

    /// Registers the cache with the runtime, before the first entry.
    fn register(&self) {
        if !self.registered.swap(true, Ordering::Relaxed) {
            let me: Weak<Self> = Weak::clone(&self.me);
            self.runtime.register_cache(me);
        }
    }
}

impl Evictable for DecodedChunks {
    fn oldest(&self) -> Option<u64> {
        self.lock().entries.oldest()
    }

    fn drop_oldest(&self) {
        let mut state = self.lock();
        let chunk = state.entries.take_oldest(u64::MAX);
        self.count.store(state.count(), Ordering::Relaxed);
        drop(state);
        // The memory is needed elsewhere, so it does not go to the buffers.
        drop(chunk);
    }
}
