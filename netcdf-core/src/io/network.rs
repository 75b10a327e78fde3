//! What a run says of requests to other machines, and what it counts of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::arithmetic::Amount;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::notes::Notes;
use crate::shown::number_agreement;

/// How other machines are asked, and what was asked of them.
#[derive(Debug, Default)]
pub struct Network {
    /// When a request is given up, with all that is repeated; `None` if nobody says.
    pub timeout: Option<Duration>,
    /// Requests that are under way at a time; `None` if nobody says.
    pub requests: Option<usize>,
    traffic: Mutex<Traffic>,
    /// Whether this machine has a role at a service, once that was asked.
    roles: Mutex<BTreeMap<&'static str, bool>>,
}

/// What an output on another machine needs of a run.
#[derive(Debug, Clone)]
pub struct OutputRun {
    /// Set by a signal.
    pub cancel: Cancel,
    /// Where notes are said.
    pub notes: Arc<Notes>,
    /// How other machines are asked.
    pub network: Arc<Network>,
    /// Bytes that may be under way at a time.
    pub memory: u64,
}

/// Requests so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Requests, each counted once, however often it was repeated.
    pub requests: u64,
    /// The longest chain of requests, each of which began after the one before it had ended.
    pub rounds: u64,
    /// Bytes that were asked for.
    pub asked: u64,
    /// Bytes of those that were used.
    pub used: u64,
    /// Bytes that were sent.
    pub sent: u64,
    /// Tries that failed, and were made again if there was time.
    pub failed: u64,
}

/// A request under way.
#[derive(Debug)]
pub struct PendingRequest<'n> {
    network: &'n Network,
    round: u64,
}

impl Network {
    /// A network that gives up after `timeout`, with so many requests at a time.
    #[must_use]
    pub fn new(timeout: Option<Duration>, requests: Option<usize>) -> Self {
        Self {
            timeout,
            requests,
            traffic: Mutex::default(),
            roles: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Traffic> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Requests that are under way at a time, `usual` unless somebody says otherwise.
    #[must_use]
    pub fn at_once(&self, usual: usize) -> usize {
        self.requests.unwrap_or(usual).max(1)
    }

    /// Whether this machine has a role at a service; asks once.
    ///
    /// # Errors
    /// Those of asking.
    pub fn has_role(
        &self,
        service: &'static str,
        ask: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        match roles.get(service) {
            Some(known) => Ok(*known),
            None => {
                let known = ask()?;
                roles.insert(service, known);
                Ok(known)
            }
        }
    }

    /// What was asked so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        *self.lock()
    }

    /// Counts a request, which ends when what is returned is dropped.
    #[must_use]
    pub fn request(&self) -> PendingRequest<'_> {
        let mut traffic = self.lock();
        traffic.requests += 1;
        PendingRequest {
            network: self,
            round: traffic.rounds + 1,
        }
    }

    /// Counts bytes that were asked for.
    pub fn asked(&self, bytes: u64) {
        add(&mut self.lock().asked, bytes);
    }

    /// Counts bytes that were used.
    pub fn used(&self, bytes: u64) {
        add(&mut self.lock().used, bytes);
    }

    /// Counts bytes that were sent.
    pub fn sent(&self, bytes: u64) {
        add(&mut self.lock().sent, bytes);
    }

    /// Counts a try that failed.
    pub fn failed(&self) {
        self.lock().failed += 1;
    }
}

fn add(to: &mut u64, bytes: u64) {
    *to = (Amount::of(*to) + bytes).get();
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        let mut traffic = self.network.lock();
        traffic.rounds = traffic.rounds.max(self.round);
    }
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            requests,
            rounds,
            asked,
            used,
            sent,
            failed,
        } = self;
        let text = format!(
            "{requests} requests in {rounds} rounds, {asked} bytes asked for, {used} used, {sent} sent, {failed} failed tries"
        );
        f.write_str(&number_agreement(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_the_longest_chain() {
        let network = Network::default();
        let (first, second) = (network.request(), network.request());
        drop(first);
        let after = network.request();
        drop(second);
        drop(after);
        assert_eq!(network.traffic().requests, 3);
        assert_eq!(network.traffic().rounds, 2);
    }

    #[test]
    fn traffic_is_shown_in_a_line() {
        let network = Network::default();
        drop(network.request());
        network.asked(100);
        network.used(90);
        network.sent(7);
        network.failed();
        assert_eq!(
            network.traffic().to_string(),
            "1 request in 1 round, 100 bytes asked for, 90 used, 7 sent, 1 failed try"
        );
    }
}
