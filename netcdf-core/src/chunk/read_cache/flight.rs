//! Decodes a chunk once, even if several threads request it concurrently.
//!
//! The first thread gets a [`Claim`](super::Claim): it decodes the chunk and publishes the result. Later threads get the [`Flight`], and
//! wait until it lands. A claim can be dropped without a result, because of a panic or an error. This ends the flight, and one of the
//! waiting threads makes a new claim.
//!
//! There is no deadlock, because each flight lands by the work of its own thread: a thread with a claim only fetches and decodes. It runs
//! no job of the runtime. It takes no lock that a waiting thread holds. Before it waits for another flight, it publishes or drops all its
//! claims.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// A value that a thread is computing.
#[derive(Debug)]
pub(in crate::chunk) struct Flight<T> {
    state: Mutex<FlightState<T>>,
    landed: Condvar,
}

#[derive(Debug)]
enum FlightState<T> {
    UnderWay,
    /// Ended with a result.
    Landed(Result<T>),
    /// Ended without a result.
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

/// Returns a copy of `result` for another thread.
pub(super) fn again<T: Clone>(result: &Result<T>) -> Result<T> {
    match result {
        Ok(made) => Ok(made.clone()),
        Err(e) => Err(e.again()),
    }
}

impl<T: Clone> Flight<T> {
    /// Waits for the result; `None` if the flight ends without a result. The caller must have no claim, and hold no lock.
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
    fn land(&self, result: Result<T>) {
        self.end(FlightState::Landed(result));
    }
}

impl<T> Flight<T> {
    /// Ends the flight, if it has not ended.
    fn end(&self, result: FlightState<T>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, FlightState::UnderWay) {
            *state = result;
        }
        drop(state);
        self.landed.notify_all();
    }
}

/// The flights in progress, by key.
#[derive(Debug)]
pub(super) struct Flights<K, T>(Mutex<BTreeMap<K, Arc<Flight<T>>>>);

impl<K, T> Default for Flights<K, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// The exclusive right and the duty to compute the value of a key.
pub(super) struct Landing<'a, K: Ord, T> {
    flights: &'a Flights<K, T>,
    pub(super) key: K,
    flight: Arc<Flight<T>>,
}

impl<K: Ord + Copy, T: Clone> Flights<K, T> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, Arc<Flight<T>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a flight, which the caller must end. Fails with the existing flight, if another thread computes the value.
    pub(super) fn begin(&self, key: K) -> std::result::Result<Landing<'_, K, T>, Arc<Flight<T>>> {
        let mut under_way = self.lock();
        if let Some(flight) = under_way.get(&key) {
            return Err(Arc::clone(flight));
        }
        let flight = Arc::new(Flight::default());
        under_way.insert(key, Arc::clone(&flight));
        Ok(Landing {
            flights: self,
            key,
            flight,
        })
    }

    /// Returns the flight of a key, if it is in progress.
    pub(super) fn of(&self, key: &K) -> Option<Arc<Flight<T>>> {
        self.lock().get(key).map(Arc::clone)
    }

    /// Returns any flight in progress.
    #[cfg(test)]
    pub(super) fn any(&self) -> Option<Arc<Flight<T>>> {
        self.lock().values().next().map(Arc::clone)
    }
}

impl<K: Ord, T> Landing<'_, K, T> {
    /// Ends the flight with this result. The value must already be cached: from here on, new callers find the cached value or compute it
    /// themselves.
    pub(super) fn land(self, result: Result<T>)
    where
        T: Clone,
    {
        self.end();
        self.flight.land(result);
    }

    fn end(&self) {
        let flights = &self.flights.0;
        let mut under_way = flights.lock().unwrap_or_else(PoisonError::into_inner);
        let own = |flight: &Arc<Flight<T>>| Arc::ptr_eq(flight, &self.flight);
        if under_way.get(&self.key).is_some_and(own) {
            under_way.remove(&self.key);
        }
    }
}

/// Ends the flight of a landing that is dropped without a result.
impl<K: Ord, T> Drop for Landing<'_, K, T> {
    fn drop(&mut self) {
        self.end();
        self.flight.end(FlightState::Dropped);
    }
}
