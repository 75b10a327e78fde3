//! Sends objects and parts concurrently.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::io::network::{Network, OutputRun};
use crate::io::remote::wait::start;

/// The interval at which waiting threads check for cancellation.
const LOOK: Duration = Duration::from_millis(50);

/// Grace period for requests in flight after cancellation.
const GRACE: Duration = Duration::from_secs(5);

/// The requests in flight.
#[derive(Debug)]
pub(super) struct Sending {
    shared: Arc<SendQueue>,
    network: Arc<Network>,
    most: usize,
    most_bytes: u64,
    cancel: Cancel,
}

#[derive(Debug, Default)]
struct SendQueue {
    state: Mutex<SendingState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct SendingState {
    count: usize,
    bytes: u64,
    /// Handles to abort requests.
    stops: BTreeMap<u64, AbortHandle>,
    /// The number of started requests.
    begun: u64,
    failed: Option<Error>,
    /// Whether the output was dropped.
    given_up: bool,
}

impl SendQueue {
    fn lock(&self) -> MutexGuard<'_, SendingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The share of a request in the limits. Drop releases it.
struct SendPermit {
    shared: Arc<SendQueue>,
    number: u64,
    bytes: u64,
    done: bool,
}

impl Drop for SendPermit {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.count -= 1;
        state.bytes -= self.bytes;
        state.stops.remove(&self.number);
        if !self.done && !state.given_up {
            let lost = || Error::internal("a request that ended without an answer");
            state.failed.get_or_insert_with(lost);
        }
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Sending {
    pub(super) fn new(run: &OutputRun) -> Self {
        Self {
            shared: Arc::default(),
            most: run.network.uploads.most(),
            network: Arc::clone(&run.network),
            most_bytes: run.memory,
            cancel: run.cancel.clone(),
        }
    }

    /// Waits until the limits admit a request of `bytes` bytes, and starts it.
    ///
    /// # Errors
    /// Returns the error of an earlier request, and [`crate::ErrorKind::Cancelled`].
    pub(super) fn send(
        &self,
        bytes: u64,
        request: impl Future<Output = Result<()>> + Send + 'static,
    ) -> Result<()> {
        let full = |state: &SendingState| {
            let fits = state.bytes <= self.most_bytes && bytes <= self.most_bytes - state.bytes;
            state.count >= self.most || (state.count > 0 && !fits)
        };
        let mut state = self.waiting(full)?;
        state.count += 1;
        state.bytes += bytes;
        state.begun += 1;
        let slot = SendPermit {
            shared: Arc::clone(&self.shared),
            number: state.begun,
            bytes,
            done: false,
        };
        drop(state);
        let number = slot.number;
        let network = Arc::clone(&self.network);
        let stop = start(async move {
            let mut slot = slot;
            let result = network.uploads.run(request, |()| bytes).await;
            let mut state = slot.shared.lock();
            if let Err(e) = result {
                state.failed.get_or_insert(e);
            }
            drop(state);
            slot.done = true;
        })?;
        let mut state = self.shared.lock();
        if !stop.is_finished() {
            state.stops.insert(number, stop);
        }
        Ok(())
    }

    /// Waits while `busy` returns true.
    fn waiting(
        &self,
        busy: impl Fn(&SendingState) -> bool,
    ) -> Result<MutexGuard<'_, SendingState>> {
        let mut state = self.shared.lock();
        loop {
            if let Some(e) = &state.failed {
                return Err(e.again());
            }
            self.cancel.check()?;
            if !busy(&state) {
                return Ok(state);
            }
            let waited = self.shared.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until all requests have ended.
    ///
    /// # Errors
    /// Returns the error of a request, and [`crate::ErrorKind::Cancelled`].
    pub(super) fn finish(&self) -> Result<()> {
        self.waiting(|state| state.count > 0).map(drop)
    }

    /// Waits until all requests have ended, and aborts them after [`GRACE`]. No request may start afterwards.
    pub(super) fn give_up(&self) {
        let until = Instant::now() + GRACE;
        let mut state = self.shared.lock();
        state.given_up = true;
        while state.count > 0 {
            if Instant::now() >= until {
                state.stops.values().for_each(AbortHandle::abort);
            }
            let waited = self.shared.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
