//! The number of requests in flight to remote storage, adapted to latency, object size and refusals.
//!
//! Requests are measured in rounds. A round that keeps the limit busy doubles the limit. If twice as many requests do not transfer more
//! objects or bytes per second, the bandwidth or the service is the bottleneck, and the old limit returns. A failed attempt (429, 5xx, a
//! timeout, a lost connection) halves the limit. From then on the limit no longer doubles: it rises by an eighth after several rounds
//! without failures.
//!
//! The caller measures time and counts requests, so tests simulate a service without a clock.

use std::time::Duration;

/// The default maximum.
pub(super) const MOST: usize = 256;

/// The first limit.
const START: usize = 32;

/// The limit never falls below this number.
const LEAST: usize = 8;

/// Bytes in flight above which more requests cannot help: one second of a fast connection.
const MOST_BYTES: u64 = 64 << 20;

/// Rounds before the next attempt to raise the limit.
const HOLD: usize = 8;

/// The default time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Divides the time limit of a request: slower requests halve the limit.
const SLOW: u32 = 12;

/// The limit of requests in flight.
#[derive(Debug)]
pub(super) struct Concurrency {
    limit: usize,
    /// The maximum that the user or the default allows.
    most: usize,
    /// The maximum after refusals.
    ceiling: usize,
    /// The time above which requests are slow.
    slow: Duration,
    round: Round,
    /// The limit and rate before the last rise, until a round confirms the rise.
    before: Option<(usize, Rate)>,
    /// Rounds until the limit may rise.
    hold: usize,
    /// Failures that may have the same cause as the last failure.
    excused: usize,
}

/// The measured requests of one limit.
#[derive(Debug, Default)]
struct Round {
    number: u64,
    /// Whether the limit was reached.
    full: bool,
    answered: u32,
    time: Duration,
    bytes: u64,
}

/// The load at the start of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Started {
    round: u64,
    /// Whether at least half of the limit was in flight.
    loaded: bool,
}

/// Objects and bytes per second.
#[derive(Debug, Clone, Copy)]
struct Rate {
    objects: f64,
    bytes: f64,
}

impl Rate {
    /// Whether the rate grew by at least half of what `times` as many requests can gain. The first requests of a higher limit find a
    /// shorter queue on a full link, which looks like a gain, but of less than a half.
    fn confirms(self, times: f64, old: Self) -> bool {
        let gain = f64::midpoint(1.0, times);
        self.objects >= gain * old.objects || self.bytes > gain * old.bytes
    }
}

impl Round {
    fn mean_time(&self) -> Duration {
        self.time / self.answered.max(1)
    }

    fn mean_bytes(&self) -> u64 {
        self.bytes / u64::from(self.answered.max(1))
    }

    /// The rate of `limit` concurrent requests.
    fn rate(&self, limit: usize) -> Rate {
        let seconds = self.mean_time().max(Duration::from_nanos(1)).as_secs_f64();
        let objects = limit as f64 / seconds;
        Rate {
            objects,
            bytes: objects * self.mean_bytes() as f64,
        }
    }
}

impl Concurrency {
    /// A limit of at most `most` requests, each with a time limit.
    pub(super) fn new(most: usize, timeout: Option<Duration>) -> Self {
        let most = most.max(1);
        Self {
            limit: START.min(most),
            most,
            ceiling: most,
            slow: timeout.unwrap_or(TIMEOUT) / SLOW,
            round: Round::default(),
            before: None,
            hold: 0,
            excused: 0,
        }
    }

    /// The current limit.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The maximum.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Records the start of a request, which is the last of `in_flight` requests.
    pub(super) fn begin(&mut self, in_flight: usize) -> Started {
        self.round.full |= in_flight >= self.limit;
        Started {
            round: self.round.number,
            loaded: in_flight >= self.limit.div_ceil(2),
        }
    }

    /// Records an answer. Requests of an older limit are not measured.
    pub(super) fn answered(&mut self, started: Started, time: Duration, bytes: u64) {
        if !started.loaded || started.round != self.round.number {
            return;
        }
        let round = &mut self.round;
        round.answered += 1;
        round.time = round.time.checked_add(time).unwrap_or_default();
        round.bytes = round.bytes.checked_add(bytes).unwrap_or_default();
        // Half of the requests, as the other half starts only when requests of the old limit end.
        if round.answered as usize >= self.limit.div_ceil(2) {
            self.end_round();
        }
    }

    /// Records a failed attempt: a refusal, a timeout or a lost connection.
    pub(super) fn failed(&mut self) {
        if let Some(left) = self.excused.checked_sub(1) {
            self.excused = left;
            return;
        }
        // The other requests in flight may fail for the same reason.
        self.excused = self.limit;
        self.next_round();
        self.settle(self.limit / 2);
        self.ceiling = self.limit;
    }

    fn next_round(&mut self) -> Round {
        let number = self.round.number + 1;
        let next = Round {
            number,
            ..Round::default()
        };
        std::mem::replace(&mut self.round, next)
    }

    fn end_round(&mut self) {
        let round = self.next_round();
        self.excused = 0;
        let rate = round.rate(self.limit);
        if round.mean_time() > self.slow {
            return self.settle(self.limit / 2);
        }
        if !round.full {
            return;
        }
        match (self.refuted(rate), self.hold.checked_sub(1)) {
            (Some(limit), _) => self.settle(limit),
            (None, Some(left)) => self.hold = left,
            (None, None) => self.rise(rate, round.mean_bytes()),
        }
    }

    /// The limit before the last rise, if the rise does not help.
    fn refuted(&mut self, rate: Rate) -> Option<usize> {
        let (limit, old) = self.before.take()?;
        let times = self.limit as f64 / limit as f64;
        (!rate.confirms(times, old)).then_some(limit)
    }

    /// Keeps a lower limit for some rounds.
    fn settle(&mut self, limit: usize) {
        self.limit = limit.max(LEAST.min(self.most));
        self.before = None;
        self.hold = HOLD;
    }

    fn rise(&mut self, rate: Rate, bytes: u64) {
        let by_size = usize::try_from(MOST_BYTES / bytes.max(1)).unwrap_or(self.most);
        let most = by_size.max(START).min(self.most);
        if self.ceiling < self.most {
            let step = (self.ceiling / 8).max(1);
            self.ceiling = (self.ceiling + step).min(most);
            self.limit = self.ceiling;
            self.hold = HOLD;
            return;
        }
        let next = (self.limit * 2).min(most);
        if next > self.limit {
            self.before = Some((self.limit, rate));
        }
        self.limit = next;
    }
}

#[cfg(test)]
mod tests;
