//! Counts rounds of requests, for tests.
//!
//! A round ends when every caller waits for an answer. All waiting requests are then answered together. No clock is needed. A single
//! reading thread takes one round per request. A runtime reports whether its workers will send more requests.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use super::source::Source;
use super::store::{Hints, KeyContent, KeyParts, KeyRanges, Store, VisitKey};
use crate::arithmetic::length;
use crate::error::Result;

/// The number of requests in flight, if no more requests will come before an answer.
type Unanswered = dyn Fn() -> Option<usize> + Send + Sync;

/// A source or store with counted requests.
pub(crate) struct Rounds<T: ?Sized> {
    inner: Arc<T>,
    counter: Arc<RoundCounter>,
    /// Set for requests from workers of a runtime.
    unanswered: Option<Box<Unanswered>>,
}

/// The request statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RequestCount {
    /// Rounds of requests.
    pub rounds: u64,
    /// The number of bytes of all ranges or keys.
    pub bytes: u64,
}

#[derive(Debug, Default)]
struct RoundCounter {
    state: Mutex<RoundState>,
    answered: Condvar,
}

#[derive(Debug, Default)]
struct RoundState {
    asked: RequestCount,
    /// The number of requests. A round has at least one request.
    requests: u64,
    /// The number of registered threads. Zero means the test's only thread.
    callers: usize,
    waiting: usize,
}

impl RoundState {
    /// Ends a round if no other caller can send a request.
    fn release(&mut self, answered: &Condvar) {
        if self.waiting > 0 && self.waiting >= self.callers {
            self.asked.rounds += 1;
            self.waiting = 0;
            answered.notify_all();
        }
    }
}

impl RoundCounter {
    fn ask(&self, requests: usize, bytes: u64) {
        let mut state = self.state.lock().unwrap();
        let round = state.asked.rounds;
        state.requests += requests as u64;
        state.asked.bytes += bytes;
        state.waiting += 1;
        state.release(&self.answered);
        let waits = |state: &mut RoundState| state.asked.rounds == round;
        drop(self.answered.wait_while(state, waits).unwrap());
    }

    /// Like [`RoundCounter::ask`], for workers of a runtime.
    fn ask_of(&self, requests: usize, bytes: u64, unanswered: &Unanswered) {
        let mut state = self.state.lock().unwrap();
        let round = state.asked.rounds;
        state.requests += requests as u64;
        state.asked.bytes += bytes;
        state.waiting += 1;
        while state.asked.rounds == round {
            if unanswered().is_some_and(|n| n <= state.waiting) {
                state.asked.rounds += 1;
                state.waiting = 0;
            } else {
                drop(state);
                std::thread::yield_now();
                state = self.state.lock().unwrap();
            }
        }
    }

    fn join(&self, more: bool) {
        let mut state = self.state.lock().unwrap();
        match more {
            true => state.callers += 1,
            false => state.callers -= 1,
        }
        state.release(&self.answered);
    }
}

/// A registered thread, until the value is dropped.
#[derive(Debug)]
pub(crate) struct RoundMember(Arc<RoundCounter>);

impl Drop for RoundMember {
    fn drop(&mut self) {
        self.0.join(false);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Rounds<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rounds").field(&&self.inner).finish()
    }
}

impl<T: ?Sized> Rounds<T> {
    /// Counts the requests to a source or store.
    pub(crate) fn of(inner: Arc<T>) -> Arc<Self> {
        let counter = Arc::default();
        let unanswered = None;
        Arc::new(Self {
            inner,
            counter,
            unanswered,
        })
    }

    /// Counts the requests to a source or store with latency. `unanswered` returns the number of requests in flight, if no more requests
    /// will come before an answer.
    pub(crate) fn of_jobs(
        inner: Arc<T>,
        unanswered: impl Fn() -> Option<usize> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            inner,
            counter: Arc::default(),
            unanswered: Some(Box::new(unanswered)),
        })
    }

    /// Returns the statistics so far.
    pub(crate) fn asked(&self) -> RequestCount {
        self.counter.state.lock().unwrap().asked
    }

    /// Returns the number of requests so far. A request fetches a key, a list, or ranges of one source.
    pub(crate) fn requests(&self) -> u64 {
        self.counter.state.lock().unwrap().requests
    }

    /// Registers a reading thread. All threads must be registered before the first read.
    pub(crate) fn caller(&self) -> RoundMember {
        self.counter.join(true);
        RoundMember(Arc::clone(&self.counter))
    }

    fn ask(&self, bytes: u64) {
        match &self.unanswered {
            Some(unanswered) => self.counter.ask_of(1, bytes, unanswered),
            None => self.counter.ask(1, bytes),
        }
    }
}

impl Source for Rounds<dyn Source> {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.ask(buf.len() as u64);
        self.inner.read_at(offset, buf)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        self.ask(ranges.iter().map(length).sum());
        self.inner.read_ranges(ranges)
    }

    fn latency(&self) -> bool {
        true
    }

    fn sibling(&self, name: &Path, outside: bool) -> Result<Arc<dyn Source>> {
        self.inner.sibling(name, outside)
    }
}

impl Rounds<dyn Store> {
    /// Counts a request for a key. Its answer waits for the end of the round.
    fn key<A>(&self, answer: Result<A>, size: impl FnOnce(&A) -> usize) -> Result<A> {
        self.ask(answer.as_ref().map_or(0, |a| size(a) as u64));
        answer
    }
}

impl Store for Rounds<dyn Store> {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn hints(&self) -> Hints {
        self.inner.hints()
    }

    fn latency(&self) -> bool {
        true
    }

    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        let got = self.inner.get_many(keys, most);
        let size = |got: &Result<KeyContent>| match got {
            Ok(KeyContent::Bytes(bytes)) => bytes.len() as u64,
            Ok(KeyContent::Missing | KeyContent::Longer(_)) | Err(_) => 0,
        };
        self.counter.ask(keys.len(), got.iter().map(size).sum());
        got
    }

    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        let got = self.inner.get_parts(keys);
        let parts = got.iter().flatten().flatten().flatten();
        self.counter
            .ask(keys.len(), parts.map(|part| part.len() as u64).sum());
        got
    }

    fn sizes(&self, keys: &[String]) -> Vec<Result<Option<u64>>> {
        self.counter.ask(keys.len(), 0);
        self.inner.sizes(keys)
    }

    fn children_many(&self, prefixes: &[String]) -> Vec<Result<Vec<String>>> {
        self.counter.ask(prefixes.len(), 0);
        self.inner.children_many(prefixes)
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let size = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
        self.key(self.inner.get(key), size)
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        let size = |all: &Option<Vec<Vec<u8>>>| all.iter().flatten().map(Vec::len).sum();
        self.key(self.inner.get_ranges(key, ranges), size)
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        self.key(self.inner.size(key), |_| 0)
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        self.key(self.inner.children(prefix), |_| 0)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        self.ask(0);
        self.inner.walk(prefix, visit)
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.inner.put(key, bytes)
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.inner.put_if_absent(key, bytes)
    }

    fn delete(&self, key: &str) -> Result<()> {
        self.inner.delete(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;
    use crate::io::memory_store::MemoryStore;

    fn asked(rounds: u64, bytes: u64) -> RequestCount {
        RequestCount { rounds, bytes }
    }

    fn source() -> Arc<Rounds<dyn Source>> {
        Rounds::of(Arc::new(MemorySource::new("m", vec![7; 100])) as Arc<dyn Source>)
    }

    #[test]
    fn each_request_of_one_thread_is_a_round() {
        let source = source();
        source.read_at(3, &mut [0; 10]).unwrap();
        source.read_ranges(&[0..5, 90..95]).unwrap();
        assert!(source.read_at(99, &mut [0; 2]).is_err());
        assert_eq!(source.asked(), asked(3, 22));
    }

    #[test]
    fn requests_of_several_threads_share_rounds() {
        let source = source();
        let callers: Vec<_> = (1..=3u64).map(|n| (n, source.caller())).collect();
        std::thread::scope(|scope| {
            for (n, caller) in callers {
                let source = &source;
                scope.spawn(move || {
                    for _ in 0..n {
                        source.read_at(0, &mut [0; 4]).unwrap();
                    }
                    drop(caller);
                });
            }
        });
        assert_eq!(source.asked(), asked(3, 6 * 4));
    }

    #[test]
    fn requests_to_stores_count_alike() {
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::new("m"));
        inner.put("v/0", b"abc").unwrap();
        let store = Rounds::of(inner);
        store.get("v/0").unwrap();
        store.get("v/1").unwrap();
        store.get_ranges("v/0", &[0..1, 2..3]).unwrap();
        store.size("v/0").unwrap();
        store.children("").unwrap();
        store.walk("", &mut |_, _| Ok(())).unwrap();
        assert_eq!((store.asked(), store.requests()), (asked(6, 5), 6));
    }

    #[test]
    fn requests_for_many_keys_are_a_round() {
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::new("m"));
        inner.put("v/0", b"abc").unwrap();
        inner.put("v/1", b"de").unwrap();
        let store = Rounds::of(inner);
        store.get_many(&["v/0", "v/1", "v/2"].map(str::to_owned), 4);
        assert_eq!((store.asked(), store.requests()), (asked(1, 3), 3));
        store.children_many(&["", "v/"].map(str::to_owned));
        store.sizes(&["v/0", "v/2"].map(str::to_owned));
        assert_eq!((store.asked(), store.requests()), (asked(3, 3), 7));
        let parts = |key: &str| KeyRanges {
            key: key.to_owned(),
            ranges: vec![0..1, 0..1],
        };
        store.get_parts(&["v/0", "v/2", "v/1"].map(parts));
        assert_eq!((store.asked(), store.requests()), (asked(4, 7), 10));
    }
}
