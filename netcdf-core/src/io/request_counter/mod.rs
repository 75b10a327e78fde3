//! Counts the requests that opening a dataset takes over a network.
//!
//! | file | what |
//! |---|---|
//! | `source` | a file |
//! | `store` | a set of keys |

mod source;
mod store;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::Container;
use source::CountedSource;
use store::CountedStore;

/// The number of requests and response bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestTotals {
    /// Number of requests.
    pub requests: u64,
    /// Bytes of all answers.
    pub bytes: u64,
}

/// Counts requests until [`RequestCounter::stop`].
#[derive(Debug, Default)]
pub struct RequestCounter {
    stopped: AtomicBool,
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl RequestCounter {
    /// Wraps a container to count its requests. Until the count stops, readers treat the container as remote.
    #[must_use]
    pub fn of(container: Container) -> (Container, Arc<Self>) {
        let counter = Arc::new(Self::default());
        let count = Arc::clone(&counter);
        let counted = match container {
            Container::Source(inner) => {
                Container::Source(Arc::new(CountedSource { inner, count }) as _)
            }
            Container::Store(inner) => {
                Container::Store(Arc::new(CountedStore { inner, count }) as _)
            }
        };
        (counted, counter)
    }

    /// Ends the count.
    pub fn stop(&self) -> RequestTotals {
        self.stopped.store(true, Relaxed);
        RequestTotals {
            requests: self.requests.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
        }
    }

    fn counts(&self) -> bool {
        !self.stopped.load(Relaxed)
    }

    fn add(&self, requests: usize, bytes: u64) {
        if self.counts() {
            self.requests.fetch_add(requests as u64, Relaxed);
            self.bytes.fetch_add(bytes, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;
    use crate::io::memory_store::MemoryStore;
    use crate::io::merge::CoalesceLimits;
    use crate::io::{Source, Store};

    #[test]
    fn near_ranges_are_one_request() {
        let source: Arc<dyn Source> = Arc::new(MemorySource::new("m", vec![7; 1 << 20]));
        let (counted, counter) = RequestCounter::of(Container::Source(source));
        let Container::Source(source) = counted else {
            panic!("a source");
        };
        assert!(source.latency());
        assert_eq!(source.coalesce_limits(), CoalesceLimits::FAR);
        source.read_at(5, &mut [0; 10]).unwrap();
        let got = source.read_ranges(&[0..4, 8..12, 1_000_000..1_000_001]);
        assert_eq!(got.unwrap(), [vec![7; 4], vec![7; 4], vec![7]]);
        let want = RequestTotals {
            requests: 3,
            bytes: 10 + 12 + 1,
        };
        assert_eq!(counter.stop(), want);
        source.read_at(5, &mut [0; 10]).unwrap();
        assert!(!source.latency());
        assert_eq!(counter.stop(), want);
    }

    #[test]
    fn each_key_is_a_request() {
        let store = MemoryStore::new("m");
        store.put("a", b"abc").unwrap();
        store.put("b/c", b"defg").unwrap();
        let (counted, counter) = RequestCounter::of(Container::Store(Arc::new(store)));
        let Container::Store(store) = counted else {
            panic!("a store");
        };
        assert!(store.latency());
        assert_eq!(store.get("a").unwrap(), Some(b"abc".to_vec()));
        assert_eq!(store.get("x").unwrap(), None);
        let keys = ["a", "b/c", "x"].map(str::to_owned);
        assert_eq!(store.get_many(&keys, 100).len(), 3);
        assert!(store.get_ranges("b/c", &[0..1, 2..4]).unwrap().is_some());
        assert_eq!(store.sizes(&keys).len(), 3);
        assert_eq!(store.size("a").unwrap(), Some(3));
        assert_eq!(store.children("").unwrap(), ["a", "b"]);
        store.walk("", &mut |_, _| Ok(())).unwrap();
        let want = RequestTotals {
            requests: 2 + 3 + 2 + 3 + 1 + 1 + 1,
            bytes: 3 + 7 + 3,
        };
        assert_eq!(counter.stop(), want);
        assert!(!store.latency());
    }
}
