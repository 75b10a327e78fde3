//! Several readers that want one chunk decode it once.
//!
//! The first one gets a [`Claim`](super::Claim): it decodes the chunk and publishes the result. The other readers get the [`Flight`],
//! and wait until it lands. A claim can be dropped without a result, because of a panic or another error. This ends the flight, and one of
//! the waiting readers makes a new claim.
//!
//! Each flight lands by the work of its own thread, so no thread waits for ever: a thread with a claim only fetches and decodes. It runs
//! no job of the runtime. It takes no lock that a waiting thread holds. Before it waits for another flight, it publishes or drops all its
//! claims.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// A value that a thread is making.
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

/// A copy of `result` for another thread.
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

/// The values that threads are making, by key.
#[derive(Debug)]
pub(super) struct Flights<K, T>(Mutex<BTreeMap<K, Arc<Flight<T>>>>);

impl<K, T> Default for Flights<K, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// The right and the duty to make the value of a key.
pub(super) struct Landing<'a, K: Ord, T> {
    flights: &'a Flights<K, T>,
    pub(super) key: K,
    flight: Arc<Flight<T>>,
}

impl<K: Ord + Copy, T: Clone> Flights<K, T> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, Arc<Flight<T>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a flight, which the caller has to land. Fails with the flight that is under way, if there is one.
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

    /// The flight of a key, if it is under way.
    pub(super) fn of(&self, key: &K) -> Option<Arc<Flight<T>>> {
        self.lock().get(key).map(Arc::clone)
    }

    /// A flight that is under way.
    #[cfg(test)]
    pub(super) fn any(&self) -> Option<Arc<Flight<T>>> {
        self.lock().values().next().map(Arc::clone)
    }
}

impl<K: Ord, T> Landing<'_, K, T> {
    /// Ends the flight with this result. A value that is to be kept is kept by now: a reader that comes now finds it, or makes it.
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
