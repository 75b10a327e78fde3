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

/// How other machines are asked, and what was asked of them.
#[derive(Debug, Default)]
pub struct Network {
    /// When a request is given up, with all that is repeated; `None` if nobody says.
    pub timeout: Option<Duration>,
    /// The limit for reading. Reading and writing may use different services, so each adapts to its own.
    pub downloads: RequestLimit,
    /// The limit for writing.
    pub uploads: RequestLimit,
    counts: Mutex<Counts>,
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

/// Requests so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Requests, each counted once, however often it was repeated.
    pub requests: u64,
    /// The longest chain of requests, each of which began after the one before it had ended.
    pub rounds: u64,
    /// The highest number of requests in flight.
    pub at_once: u64,
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
    /// A network with a time limit for each request, and a maximum number of requests in flight. After a signal, waiting
    /// requests fail.
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
        self.lock().traffic
    }

    /// Counts a request, which ends when what is returned is dropped.
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

    /// Counts bytes that were asked for.
    pub fn asked(&self, bytes: u64) {
        add(&mut self.lock().traffic.asked, bytes);
    }

    /// Counts bytes that were used.
    pub fn used(&self, bytes: u64) {
        add(&mut self.lock().traffic.used, bytes);
    }

    /// Counts bytes that were sent.
    pub fn sent(&self, bytes: u64) {
        add(&mut self.lock().traffic.sent, bytes);
    }

    /// Counts a failed attempt, which lowers the limit of requests.
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
            "{requests} requests in {rounds} rounds, up to {at_once} in flight, {asked} bytes asked for, {used} used, {sent} sent, {failed} failed tries"
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
            "1 request in 1 round, up to 1 in flight, 100 bytes asked for, 90 used, 7 sent, 1 failed try"
        );
    }
}
