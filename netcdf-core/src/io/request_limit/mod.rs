//! Admits requests to remote storage up to a limit that adapts to the service.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::concurrency::{Concurrency, MOST, Started};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};

/// The number of consecutive failed requests that mean an unreachable service.
const OUTAGE: usize = 8;

/// A limit for the requests of a run in one direction.
#[derive(Debug)]
pub struct RequestLimit {
    state: Mutex<State>,
    cancel: Cancel,
}

#[derive(Debug)]
struct State {
    concurrency: Concurrency,
    in_flight: usize,
    /// Requests that wait for admission, by ticket.
    waiting: BTreeMap<u64, Waker>,
    /// The number of tickets.
    tickets: u64,
    /// Consecutive requests that failed with all retries.
    failures: usize,
    /// The error for all older tickets: the service is unreachable.
    outage: Option<(u64, Error)>,
}

impl Default for RequestLimit {
    fn default() -> Self {
        Self::new(None, None, &Cancel::default())
    }
}

impl RequestLimit {
    /// A limit of at most `most` requests, by default 256, each with a time limit. After a signal, waiting requests fail.
    #[must_use]
    pub fn new(most: Option<usize>, timeout: Option<Duration>, cancel: &Cancel) -> Self {
        let state = State {
            concurrency: Concurrency::new(most.unwrap_or(MOST), timeout),
            in_flight: 0,
            waiting: BTreeMap::new(),
            tickets: 0,
            failures: 0,
            outage: None,
        };
        Self {
            state: Mutex::new(state),
            cancel: cancel.clone(),
        }
    }

    /// The maximum number of requests in flight.
    #[must_use]
    pub fn most(&self) -> usize {
        self.lock().concurrency.most()
    }

    /// Sends a request as soon as the limit admits it. `bytes` returns the size of the answer.
    ///
    /// # Errors
    /// Returns the errors of the request, the error of an unreachable service, and [`ErrorKind::Cancelled`].
    pub async fn run<T>(
        &self,
        request: impl Future<Output = Result<T>>,
        bytes: impl FnOnce(&T) -> u64,
    ) -> Result<T> {
        let permit = self.admit().await?;
        let answer = request.await;
        permit.end(&answer, bytes);
        answer
    }

    /// Records a failed attempt: a refusal, a timeout or a lost connection.
    pub fn failed(&self) {
        self.lock().concurrency.failed();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(&self) -> Admission<'_> {
        let mut state = self.lock();
        state.tickets += 1;
        Admission {
            limit: self,
            ticket: state.tickets,
            waits: false,
        }
    }

    /// Wakes as many waiting requests as may start.
    fn wake(&self, mut state: MutexGuard<'_, State>) {
        let woken = state.next();
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.in_flight >= self.concurrency.limit()
    }

    /// The error for a waiting request, if the service became unreachable.
    fn lost(&self, ticket: u64) -> Option<Error> {
        let (last, e) = self.outage.as_ref()?;
        (ticket <= *last).then(|| e.again())
    }

    /// Takes the wakers of the requests that may start, oldest first. A request that is not admitted waits again.
    fn next(&mut self) -> Vec<Waker> {
        let mut free = self.concurrency.limit().saturating_sub(self.in_flight);
        if let Some((last, _)) = &self.outage
            && self
                .waiting
                .first_key_value()
                .is_some_and(|(n, _)| n <= last)
        {
            free = usize::MAX;
        }
        let waiting = std::iter::from_fn(|| self.waiting.pop_first());
        waiting.take(free).map(|(_, waker)| waker).collect()
    }

    /// Records whether a request failed with all retries.
    fn record(&mut self, failure: Option<&Error>) {
        match failure.filter(|e| e.kind() == ErrorKind::Io) {
            Some(e) => {
                self.failures += 1;
                if self.failures >= OUTAGE {
                    self.outage = Some((self.tickets, e.again()));
                }
            }
            None => self.failures = 0,
        }
    }
}

/// A request that waits for admission.
struct Admission<'a> {
    limit: &'a RequestLimit,
    ticket: u64,
    /// Whether the request had to wait.
    waits: bool,
}

impl<'a> Future for Admission<'a> {
    type Output = Result<Permit<'a>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let limit = self.limit;
        let mut state = limit.lock();
        if self.waits {
            if let Some(e) = state.lost(self.ticket) {
                return Poll::Ready(Err(e));
            }
            limit.cancel.check()?;
        }
        if state.is_full() {
            let waker = context.waker().clone();
            state.waiting.insert(self.ticket, waker);
            drop(state);
            self.waits = true;
            return Poll::Pending;
        }
        state.waiting.remove(&self.ticket);
        state.in_flight += 1;
        let count = state.in_flight;
        Poll::Ready(Ok(Permit {
            limit,
            started: state.concurrency.begin(count),
            begun: Instant::now(),
        }))
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        // If the request was woken, another request may start instead.
        let mut state = self.limit.lock();
        state.waiting.remove(&self.ticket);
        self.limit.wake(state);
    }
}

/// A request in flight.
struct Permit<'a> {
    limit: &'a RequestLimit,
    started: Started,
    begun: Instant,
}

impl Permit<'_> {
    fn end<T>(&self, answer: &Result<T>, bytes: impl FnOnce(&T) -> u64) {
        let time = self.begun.elapsed();
        let mut state = self.limit.lock();
        state.record(answer.as_ref().err());
        if let Ok(answer) = answer {
            let bytes = bytes(answer);
            state.concurrency.answered(self.started, time, bytes);
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.limit.lock();
        state.in_flight -= 1;
        self.limit.wake(state);
    }
}

#[cfg(test)]
mod tests;
