//! Network settings and request statistics of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::arithmetic::Amount;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::io::request_limit::RequestLimit;
use crate::notes::Notes;
use crate::shown::number_agreement;

/// Network settings and request statistics of a run.
#[derive(Debug, Default)]
pub struct Network {
    /// The time limit of a request, including retries. `None` means the default.
    pub timeout: Option<Duration>,
    /// The limit for reading. Reads and writes have separate limits, because they may use different services.
    pub downloads: RequestLimit,
    /// The limit for writing.
    pub uploads: RequestLimit,
    counts: Mutex<Counts>,
    /// Whether this machine has a role, per queried service.
    roles: Mutex<BTreeMap<&'static str, bool>>,
}

/// The context of a run for remote outputs.
#[derive(Debug, Clone)]
pub struct OutputRun {
    /// The cancellation token, which a signal sets.
    pub cancel: Cancel,
    /// Receives notes.
    pub notes: Arc<Notes>,
    /// The network settings.
    pub network: Arc<Network>,
    /// The maximum number of bytes in flight.
    pub memory: u64,
}

/// The direction of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// Reading.
    Download,
    /// Writing.
    Upload,
}

/// The statistics, and the requests in flight.
#[derive(Debug, Default)]
struct Counts {
    traffic: Traffic,
    in_flight: u64,
}

/// Request statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// The number of requests. A retry does not count.
    pub requests: u64,
    /// The length of the longest chain of requests in which each request began after the previous request had ended.
    pub rounds: u64,
    /// The highest number of requests in flight.
    pub at_once: u64,
    /// The number of requested bytes.
    pub asked: u64,
    /// The number of requested bytes that were used.
    pub used: u64,
    /// The number of sent bytes.
    pub sent: u64,
    /// The number of failed attempts.
    pub failed: u64,
}

/// A request in flight. Drop ends the request.
#[derive(Debug)]
pub struct PendingRequest<'n> {
    network: &'n Network,
    round: u64,
}

impl Network {
    /// Creates settings with a time limit per request and a maximum number of requests in flight. After a signal, waiting requests fail.
    #[must_use]
    pub fn new(timeout: Option<Duration>, requests: Option<usize>, cancel: &Cancel) -> Self {
        let limit = || RequestLimit::new(requests, timeout, cancel);
        Self {
            timeout,
            downloads: limit(),
            uploads: limit(),
            ..Self::default()
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this machine has a role at a service. Queries each service once.
    ///
    /// # Errors
    /// Returns errors of `ask`.
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

    /// Returns the statistics so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.lock().traffic
    }

    /// Counts a request, which ends when the returned value is dropped.
    #[must_use]
    pub fn request(&self) -> PendingRequest<'_> {
        let mut counts = self.lock();
        counts.in_flight += 1;
        let in_flight = counts.in_flight;
        let traffic = &mut counts.traffic;
        traffic.requests += 1;
        traffic.at_once = traffic.at_once.max(in_flight);
        PendingRequest {
            network: self,
            round: traffic.rounds + 1,
        }
    }

    /// Counts requested bytes.
    pub fn asked(&self, bytes: u64) {
        add(&mut self.lock().traffic.asked, bytes);
    }

    /// Counts used bytes.
    pub fn used(&self, bytes: u64) {
        add(&mut self.lock().traffic.used, bytes);
    }

    /// Counts sent bytes.
    pub fn sent(&self, bytes: u64) {
        add(&mut self.lock().traffic.sent, bytes);
    }

    /// Counts a failed attempt, which lowers the request limit.
    pub fn failed(&self, transfer: Transfer) {
        self.lock().traffic.failed += 1;
        match transfer {
            Transfer::Download => self.downloads.failed(),
            Transfer::Upload => self.uploads.failed(),
        }
    }
}

fn add(to: &mut u64, bytes: u64) {
    *to = (Amount::of(*to) + bytes).get();
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        let mut counts = self.network.lock();
        counts.in_flight -= 1;
        counts.traffic.rounds = counts.traffic.rounds.max(self.round);
    }
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            requests,
            rounds,
            at_once,
            asked,
            used,
            sent,
            failed,
        } = self;
        let text = format!(
            "{requests} requests in {rounds} rounds, up to {at_once} in flight, {asked} bytes requested, {used} used, {sent} sent, {failed} failed attempts"
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
        assert_eq!(network.traffic().at_once, 2);
    }

    #[test]
    fn traffic_is_shown_in_a_line() {
        let network = Network::default();
        drop(network.request());
        network.asked(100);
        network.used(90);
        network.sent(7);
        network.failed(Transfer::Download);
        assert_eq!(
            network.traffic().to_string(),
            "1 request in 1 round, up to 1 in flight, 100 bytes requested, 90 used, 7 sent, 1 failed attempt"
        );
    }
}
