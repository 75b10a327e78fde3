//! Retries: their number, pauses and time limit.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::error::{Error, ErrorKind, Result};

/// The maximum number of attempts for an answer.
const MOST: u32 = 6;

/// The pause after the first attempt. Each further pause is twice as long.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// The maximum pause without a request of the server.
const LONGEST: Duration = Duration::from_secs(5);

/// The maximum pause that a server may request.
const LONGEST_ASKED: Duration = Duration::from_secs(30);

/// The maximum timeout, to avoid an overflow.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The reason why an attempt failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// A retry may succeed.
    Passing {
        /// The failure.
        reason: String,
        /// The pause that the server requests.
        after: Option<Duration>,
    },
    /// A retry would fail in the same way.
    Final(Error),
}

impl Fault {
    /// A failure without a pause from the server.
    pub(super) fn passing(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Passing {
            reason,
            after: None,
        }
    }
}

impl From<Error> for Fault {
    fn from(e: Error) -> Self {
        Self::Final(e)
    }
}

/// The attempts for an answer.
#[derive(Debug)]
pub(super) struct Tries {
    made: u32,
    timeout: Duration,
    deadline: Instant,
    pause: Duration,
}

impl Tries {
    /// Starts attempts with the time limit `timeout`. The first pause is `pause`.
    pub(super) fn new(timeout: Duration, pause: Duration) -> Self {
        let timeout = timeout.min(YEAR);
        Self {
            made: 0,
            timeout,
            deadline: Instant::now() + timeout,
            pause,
        }
    }

    /// Restarts the time limit after a success.
    pub(super) fn renew(&mut self) {
        self.deadline = Instant::now() + self.timeout;
    }

    /// Waits for a part of the answer.
    ///
    /// # Errors
    /// Returns a fault after the time limit.
    pub(super) async fn within<T>(&self, part: impl Future<Output = T>) -> Result<T, Fault> {
        let done = timeout_at(self.deadline, part).await;
        done.map_err(|_| Fault::passing("no answer in time"))
    }

    /// Pauses before a retry.
    ///
    /// # Errors
    /// Returns the error of a final fault, and [`ErrorKind::Io`] after the maximum number of attempts or the time limit.
    pub(super) async fn again(&mut self, fault: Fault) -> Result<()> {
        let (reason, after) = match fault {
            Fault::Passing { reason, after } => (reason, after),
            Fault::Final(e) => return Err(e),
        };
        self.made += 1;
        let pause = after.map_or_else(|| self.own_pause(), |asked| asked.min(LONGEST_ASKED));
        let left = self.deadline.saturating_duration_since(Instant::now());
        if self.made >= MOST || left <= pause {
            return Err(self.failed(&reason));
        }
        sleep(pause).await;
        Ok(())
    }

    /// A pause that doubles each time, minus a random part of up to a half. Random pauses keep clients from retrying at the same moment.
    fn own_pause(&self) -> Duration {
        let twice = self.pause.checked_mul(2u32.pow(self.made.min(16)));
        let half = twice.map_or(LONGEST, |twice| twice / 2).min(LONGEST) / 2;
        let random = RandomState::new().build_hasher().finish() % 1024;
        half + half * u32::try_from(random).unwrap_or(0) / 1024
    }

    fn failed(&self, reason: &str) -> Error {
        let tries = match self.made {
            1 => "1 attempt".to_owned(),
            made => format!("{made} attempts"),
        };
        let what = format!("{reason} (failed after {tries})");
        Error::new(ErrorKind::Io, what).with_remedy("try again later")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit() {
        let mut tries = Tries::new(Duration::MAX, PAUSE);
        for (made, longest) in [(1, 100), (2, 200), (3, 400), (50, 5000)] {
            tries.made = made;
            let pause = tries.own_pause();
            let longest = Duration::from_millis(longest);
            assert!(pause >= longest / 2 && pause <= longest, "{pause:?}");
        }
    }
}
