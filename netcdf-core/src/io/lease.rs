//! Leases: a process can take a right over when its lease has expired. The owner renews the lease while it works.
//!
//! The owner renews an expired lease before it changes anything. If clocks of machines differ, a takeover comes too early or too late. The
//! former owner notices the takeover at the next renewal.

use std::fmt::Debug;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, Result};

/// The number of renewals per lease time.
const RENEWALS: u32 = 3;

/// The minimum time between two renewals.
const PAUSE: Duration = Duration::from_secs(1);

/// A right with a lease.
pub trait LeasedRight: Debug + Send + Sync {
    /// Extends the lease until a time, in seconds since 1970.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] if another process took the right over, and I/O errors.
    fn extend(&self, until: u64) -> Result<()>;

    /// Ends the lease, unless another process took the right over. After an error, the lease expires later.
    fn end(&self);
}

/// The owner of a right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseOwner {
    /// A name without blanks. Processes that never run at the same time may share a name: the next process then takes over at once.
    pub name: String,
    /// The time of a lease.
    pub length: Duration,
}

/// A lease, renewed by a thread and ended on drop.
#[derive(Debug)]
pub struct Lease {
    shared: Arc<LeaseShared>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct LeaseShared {
    right: Box<dyn LeasedRight>,
    length: Duration,
    state: Mutex<LeaseState>,
}

#[derive(Debug)]
struct LeaseState {
    /// The end of the lease, in seconds since 1970.
    until: u64,
    /// The error of a renewal after a takeover.
    lost: Option<Error>,
}

impl Lease {
    /// Starts to renew a right that ends at the time `until`, in seconds since 1970.
    #[must_use]
    pub fn keep(right: Box<dyn LeasedRight>, length: Duration, until: u64) -> Self {
        let shared = Arc::new(LeaseShared {
            right,
            length,
            state: Mutex::new(LeaseState { until, lost: None }),
        });
        let (stop, stopped) = channel();
        let renewed = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("lease".to_owned());
        let thread = thread.spawn(move || renewed.renew_until(&stopped));
        Self {
            shared,
            stop: Some(stop),
            // Without the thread, `check` renews an expired lease.
            thread: thread.ok(),
        }
    }

    /// Checks that the process still has the right. Renews an expired lease.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] if another process took the right over, and the I/O errors of a renewal.
    pub fn check(&self) -> Result<()> {
        let state = self.shared.lock();
        match &state.lost {
            Some(e) => Err(e.again()),
            None if now() < state.until => Ok(()),
            None => self.shared.extend(state),
        }
    }

    /// Renews the lease now.
    ///
    /// # Errors
    /// Returns the errors of [`Lease::check`].
    pub fn renew(&self) -> Result<()> {
        self.shared.renew()
    }

    /// Stops the renewal before the right is removed. Waits for a renewal in progress.
    pub fn forget(&self) {
        let removed = Error::internal("the lease of a right that was removed");
        self.shared.lock().lost.get_or_insert(removed);
    }

    fn stop_thread(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // Ignore a panic of the thread: `check` renews an expired lease.
            let _ = thread.join();
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.stop_thread();
        if self.shared.lock().lost.is_none() {
            self.shared.right.end();
        }
    }
}

impl LeaseShared {
    fn lock(&self) -> MutexGuard<'_, LeaseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn renew(&self) -> Result<()> {
        let state = self.lock();
        match &state.lost {
            Some(e) => Err(e.again()),
            None => self.extend(state),
        }
    }

    fn extend(&self, mut state: MutexGuard<'_, LeaseState>) -> Result<()> {
        let until = end_of(self.length);
        let extended = self.right.extend(until);
        match &extended {
            Ok(()) => state.until = until,
            Err(e) if e.kind() == ErrorKind::Busy => state.lost = Some(e.again()),
            Err(_) => {}
        }
        extended
    }

    fn renew_until(&self, stopped: &Receiver<()>) {
        let every = (self.length / RENEWALS).max(PAUSE);
        while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            // The owner finds the error in `check`.
            if self.renew().is_err() && self.lock().lost.is_some() {
                return;
            }
        }
    }
}

/// The end of a lease that begins now, in seconds since 1970.
#[must_use]
pub fn end_of(length: Duration) -> u64 {
    (Amount::of(now()) + length.as_secs()).get()
}

/// The time in seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

/// Returns the error for a plan that another process finishes or removes. `seconds` is the remaining time of the lease.
#[must_use]
pub fn busy(object: &str, seconds: Option<u64>) -> Error {
    let what = "another process is finishing or removing this plan";
    let e = Error::new(ErrorKind::Busy, what).of(object);
    match seconds {
        None => e.with_remedy("try again when it has ended"),
        Some(seconds) => e.with_remedy(format!(
            "try again when it has ended; if it was killed, its lease expires in {seconds} s"
        )),
    }
}

/// The error of a process that lost the right to finish a plan.
#[must_use]
pub fn lost(object: &str) -> Error {
    let what = "another process took over the right to finish this plan";
    Error::new(ErrorKind::Busy, what).of(object)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Counts extensions, and fails beyond a number of extensions.
    #[derive(Debug, Clone)]
    struct Counted {
        extended: Arc<AtomicU64>,
        ended: Arc<AtomicU64>,
        most: u64,
    }

    impl LeasedRight for Counted {
        fn extend(&self, _: u64) -> Result<()> {
            match self.extended.fetch_add(1, Ordering::Relaxed) < self.most {
                true => Ok(()),
                false => Err(lost("plan")),
            }
        }

        fn end(&self) {
            self.ended.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counted(most: u64) -> Counted {
        Counted {
            extended: Arc::default(),
            ended: Arc::default(),
            most,
        }
    }

    #[test]
    fn an_expired_lease_is_renewed_before_the_owner_acts() {
        let right = counted(2);
        let hour = Duration::from_secs(3600);
        let lease = Lease::keep(Box::new(right.clone()), hour, end_of(hour));
        lease.check().unwrap();
        assert_eq!(right.extended.load(Ordering::Relaxed), 0);
        lease.renew().unwrap();
        lease.shared.lock().until = 0;
        lease.check().unwrap();
        lease.check().unwrap();
        assert_eq!(right.extended.load(Ordering::Relaxed), 2);
        lease.shared.lock().until = 0;
        for _ in 0..2 {
            assert_eq!(lease.check().unwrap_err().kind(), ErrorKind::Busy);
        }
        assert_eq!(lease.renew().unwrap_err().kind(), ErrorKind::Busy);
        assert_eq!(right.extended.load(Ordering::Relaxed), 3);
        drop(lease);
        assert_eq!(right.ended.load(Ordering::Relaxed), 0, "it was lost");
    }

    #[test]
    fn a_thread_renews_the_lease_until_its_end() {
        let right = counted(u64::MAX);
        let lease = Lease::keep(Box::new(right.clone()), Duration::ZERO, now());
        while right.extended.load(Ordering::Relaxed) == 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(lease);
        assert_eq!(right.ended.load(Ordering::Relaxed), 1);
        let lease = Lease::keep(Box::new(right.clone()), Duration::ZERO, now());
        lease.forget();
        assert_eq!(right.ended.load(Ordering::Relaxed), 1);
    }
}
