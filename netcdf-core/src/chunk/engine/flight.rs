//! Several readers that want one chunk decode it once.
//!
//! The first one gets a [`Claim`]: it decodes the chunk and publishes the result. The others get its [`Flight`], and
//! wait until it lands. A claim that is dropped without a result, because of an error elsewhere or a panic, ends the
//! flight, too; one of those who waited then makes a new claim.
//!
//! Why nobody waits for ever: who has a claim only fetches and decodes. It runs no job of the runtime, takes no lock
//! that somebody holds who waits for a flight, and waits for no other flight before it has published or dropped all its
//! claims. So each flight lands by the work of its own thread.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::decoded::{ChunkKey, DecodedChunks};
use crate::error::Result;

/// A chunk that somebody is decoding.
pub(in crate::chunk) type ChunkFlight = Flight<Arc<Vec<u8>>>;

/// Something that somebody is making.
#[derive(Debug)]
pub(in crate::chunk) struct Flight<T> {
    state: Mutex<FlightState<T>>,
    landed: Condvar,
}

#[derive(Debug)]
enum FlightState<T> {
    UnderWay,
    /// With a result.
    Landed(Result<T>),
    /// Without one.
    Dropped,
}

impl<T> Default for Flight<T> {
    fn default() -> Self {
        Self {
            state: Mutex::new(FlightState::UnderWay),
            landed: Condvar::new(),
        }
    }
}

/// As `result`, for somebody else.
pub(super) fn again<T: Clone>(result: &Result<T>) -> Result<T> {
    match result {
        Ok(made) => Ok(made.clone()),
        Err(e) => Err(e.again()),
    }
}

impl<T: Clone> Flight<T> {
    /// Waits for the result; `None` if there will be none. The caller has no claim, and holds no lock.
    pub(in crate::chunk) fn wait(&self) -> Option<Result<T>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*state {
                FlightState::UnderWay => {}
                FlightState::Landed(result) => return Some(again(result)),
                FlightState::Dropped => return None,
            }
            state = (self.landed.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the flight with this result, if it has not ended.
    pub(super) fn land(&self, result: Result<T>) {
        self.end(FlightState::Landed(result));
    }

    /// Ends the flight without a result, if it has not ended.
    pub(super) fn give_up(&self) {
        self.end(FlightState::Dropped);
    }

    fn end(&self, result: FlightState<T>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, FlightState::UnderWay) {
            *state = result;
        }
        drop(state);
        self.landed.notify_all();
    }
}

/// The right and the duty to decode a chunk.
pub(in crate::chunk) struct Claim<'a> {
    pub(super) chunks: &'a DecodedChunks,
    pub(super) key: ChunkKey,
    pub(super) flight: Arc<ChunkFlight>,
    /// The time from which on others must have been used to stay.
    pub(super) since: u64,
    /// Whether the chunk is kept even if it is too large, until the next such chunk comes.
    pub(super) any_size: bool,
}

impl Claim<'_> {
    /// Hands the decoded chunk, or the error, to all that wait for it. The chunk is kept if there is room; an error is
    /// not.
    ///
    /// # Errors
    /// The same error.
    pub(in crate::chunk) fn publish(self, decoded: Result<Vec<u8>>) -> Result<Arc<Vec<u8>>> {
        let bytes = decoded.map(Arc::new);
        if let Ok(bytes) = &bytes {
            self.chunks.keep(&self, bytes);
        }
        let others = again(&bytes);
        // Those who come now find the chunk, or try it themselves.
        self.chunks.end(&self);
        self.flight.land(others);
        bytes
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.chunks.end(self);
        self.flight.give_up();
    }
}
