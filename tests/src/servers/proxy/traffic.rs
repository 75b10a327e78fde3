//! Counts of requests.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The traffic of a proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of requests per method.
    pub methods: BTreeMap<String, usize>,
    /// The maximum number of concurrent requests.
    pub at_once: usize,
    /// The length of the longest chain of requests. In a chain, each request begins after the end of its predecessor.
    pub rounds: usize,
    /// The number of requests with faults.
    pub faults: usize,
}

impl Traffic {
    /// Returns the number of all requests.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.methods.values().sum()
    }
}

/// The counts of a proxy.
#[derive(Debug, Default)]
pub(super) struct Counts {
    state: Mutex<State>,
    /// Signals new requests, and the end of holding.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    traffic: Traffic,
    under_way: usize,
    /// The length of the longest chain of ended requests.
    ended: usize,
    /// The number of resets.
    resets: usize,
    /// The number of the first held request, counted from 1.
    held_from: Option<usize>,
    /// The number of held requests.
    held: usize,
}

impl Counts {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the lock is not poisoned")
    }

    pub fn traffic(&self) -> Traffic {
        self.state().traffic.clone()
    }

    pub fn reset(&self) {
        let mut state = self.state();
        *state = State {
            resets: state.resets + 1,
            held_from: state.held_from,
            held: state.held,
            ..State::default()
        };
    }

    /// Counts a new request.
    pub fn begin(&self, method: &str, fault: bool) -> UnderWay<'_> {
        let mut state = self.state();
        state.under_way += 1;
        let (chain, resets) = (state.ended + 1, state.resets);
        let under_way = state.under_way;
        let traffic = &mut state.traffic;
        *traffic.methods.entry(method.to_owned()).or_default() += 1;
        traffic.at_once = traffic.at_once.max(under_way);
        traffic.rounds = traffic.rounds.max(chain);
        traffic.faults += usize::from(fault);
        let number = traffic.requests();
        drop(state);
        self.changed.notify_all();
        UnderWay {
            counts: self,
            number,
            chain,
            resets,
        }
    }

    /// Holds requests from this number on; `None` releases them.
    pub fn hold_from(&self, first: Option<usize>) {
        self.state().held_from = first;
        self.changed.notify_all();
    }

    /// Waits while the request is held.
    pub fn pass(&self, request: &UnderWay<'_>) {
        let held = |state: &mut State| state.held_from.is_some_and(|first| request.number >= first);
        let mut state = self.state();
        if !held(&mut state) {
            return;
        }
        state.held += 1;
        self.changed.notify_all();
        let waited = self.changed.wait_while(state, held);
        waited.expect("the lock is not poisoned").held -= 1;
    }

    pub fn wait_for_held(&self) {
        assert!(self.state().held_from.is_some(), "nothing is held");
        let none = |state: &mut State| state.held == 0;
        let minute = Duration::from_secs(60);
        let waited = self.changed.wait_timeout_while(self.state(), minute, none);
        let (state, waited) = waited.expect("the lock is not poisoned");
        assert!(!waited.timed_out(), "only {:?} so far", state.traffic);
    }

    pub fn wait_for(&self, requests: usize) {
        let fewer = |state: &mut State| state.traffic.requests() < requests;
        let minute = Duration::from_secs(60);
        let waited = self.changed.wait_timeout_while(self.state(), minute, fewer);
        let (state, waited) = waited.expect("the lock is not poisoned");
        assert!(!waited.timed_out(), "only {:?} so far", state.traffic);
    }
}

/// A request in flight; dropping the value ends it.
#[derive(Debug)]
pub(super) struct UnderWay<'a> {
    counts: &'a Counts,
    /// The number of requests up to this request.
    number: usize,
    /// The length of the longest chain of requests up to this request.
    chain: usize,
    resets: usize,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut state = self.counts.state();
        if state.resets == self.resets {
            state.under_way -= 1;
            state.ended = state.ended.max(self.chain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_of_requests_after_others() {
        let counts = Counts::default();
        let a = counts.begin("GET", false);
        let b = counts.begin("GET", true);
        drop(a);
        let c = counts.begin("HEAD", false);
        drop((b, c));
        drop(counts.begin("GET", false));
        let traffic = counts.traffic();
        let methods = [("GET".to_owned(), 3), ("HEAD".to_owned(), 1)].into();
        let want = Traffic {
            methods,
            at_once: 2,
            rounds: 3,
            faults: 1,
        };
        assert_eq!((&traffic, traffic.requests()), (&want, 4));

        let before = counts.begin("GET", false);
        counts.reset();
        drop(before);
        assert_eq!(counts.traffic(), Traffic::default());
        drop(counts.begin("PUT", false));
        assert_eq!(counts.traffic().rounds, 1);
    }
}
