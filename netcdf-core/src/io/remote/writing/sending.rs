//! Sends objects or parts of them, many at a time.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::io::network::{Network, OutputRun};
use crate::io::remote::wait::start;

/// Time after which those who wait look whether the run was stopped.
const LOOK: Duration = Duration::from_millis(50);

/// Time for what is under way to end by itself when all is given up.
const GRACE: Duration = Duration::from_secs(5);

/// What is being sent.
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
    /// What stops each request.
    stops: BTreeMap<u64, AbortHandle>,
    /// Requests begun so far.
    begun: u64,
    failed: Option<Error>,
    /// Whether nothing more is wanted.
    given_up: bool,
}

impl SendQueue {
    fn lock(&self) -> MutexGuard<'_, SendingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among what is being sent, given back in any case.
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

    /// Begins to send something of so many bytes, as soon as there is room for it.
    ///
    /// # Errors
    /// That of what was sent before; [`crate::ErrorKind::Cancelled`].
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

    /// Waits while `busy`.
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

    /// Waits until all is sent.
    ///
    /// # Errors
    /// Those of what was sent; [`crate::ErrorKind::Cancelled`].
    pub(super) fn finish(&self) -> Result<()> {
        self.waiting(|state| state.count > 0).map(drop)
    }

    /// Waits until nothing is under way any more; what does not end soon is stopped. Nothing is to be sent afterwards.
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
