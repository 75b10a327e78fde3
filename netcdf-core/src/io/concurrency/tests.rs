//! Simulated services: latency, a shared link, and refusals. No test needs a clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::*;

/// A service behind a link.
#[derive(Clone, Copy)]
struct Service {
    latency: Duration,
    /// Bytes per second that all requests share.
    bandwidth: u64,
    /// Refuses requests if more are in flight.
    most: usize,
    /// The variation of the latency in percent.
    jitter: u32,
}

const FAST: Service = Service {
    latency: Duration::from_millis(50),
    bandwidth: u64::MAX,
    most: usize::MAX,
    jitter: 0,
};

/// A run against a service.
struct Run {
    concurrency: Concurrency,
    now: Duration,
    /// The time at which the link becomes free.
    link: Duration,
    /// Ends of requests in flight, with the start.
    in_flight: BinaryHeap<Reverse<(Duration, usize)>>,
    started: Vec<(Started, Duration, u64)>,
    /// The highest number of requests in flight, also since the first refusal.
    highest: usize,
    after_refusal: Option<usize>,
    longest: Duration,
}

impl Run {
    fn new(most: usize) -> Self {
        Self {
            concurrency: Concurrency::new(most, None),
            now: Duration::ZERO,
            link: Duration::ZERO,
            in_flight: BinaryHeap::new(),
            started: vec![],
            highest: 0,
            after_refusal: None,
            longest: Duration::ZERO,
        }
    }

    /// Reads objects of a size.
    fn read(&mut self, service: Service, (objects, bytes): (usize, u64)) -> &mut Self {
        for _ in 0..objects {
            while self.in_flight.len() >= self.concurrency.limit() {
                self.end();
            }
            self.begin(service, bytes);
        }
        while !self.in_flight.is_empty() {
            self.end();
        }
        self
    }

    fn begin(&mut self, service: Service, bytes: u64) {
        let count = self.in_flight.len() + 1;
        self.highest = self.highest.max(count);
        let number = self.started.len();
        let started = self.concurrency.begin(count);
        self.started.push((started, self.now, bytes));
        if let Some(highest) = &mut self.after_refusal {
            *highest = count.max(*highest);
        }
        let mut latency = service.latency;
        latency += latency * (number as u32 * 7919 % 101 * service.jitter / 100) / 100;
        if count > service.most {
            self.concurrency.failed();
            self.after_refusal.get_or_insert(0);
            latency *= 3;
        }
        let transfer = Duration::from_secs_f64(bytes as f64 / service.bandwidth as f64);
        self.link = self.link.max(self.now + latency) + transfer;
        let end = match service.bandwidth {
            u64::MAX => self.now + latency,
            _ => self.link,
        };
        self.in_flight.push(Reverse((end, number)));
    }

    fn end(&mut self) {
        let Reverse((end, number)) = self.in_flight.pop().unwrap();
        self.now = end;
        let (started, begun, bytes) = self.started[number];
        self.longest = self.longest.max(end - begun);
        self.concurrency.answered(started, end - begun, bytes);
    }
}

#[test]
fn small_objects_with_latency_reach_the_maximum() {
    for jitter in [0, 50, 100] {
        let mut run = Run::new(MOST);
        run.read(Service { jitter, ..FAST }, (2000, 1000));
        assert_eq!(run.highest, MOST, "{jitter}");
    }
    let mut run = Run::new(MOST);
    run.read(FAST, (1000, 1000));
    // A fixed limit of 32 takes 1.6 s.
    assert!(run.now <= Duration::from_millis(350), "{:?}", run.now);
}

#[test]
fn the_given_number_is_the_upper_bound() {
    for most in [1, 5, 20, 40, 100] {
        let mut run = Run::new(most);
        run.read(FAST, (2000, 1000));
        assert_eq!(run.highest, most);
        run.concurrency.failed();
        assert!(run.concurrency.limit() >= LEAST.min(most));
    }
}

#[test]
fn few_objects_start_together() {
    let mut run = Run::new(MOST);
    run.read(FAST, (32, 1000));
    assert_eq!(run.now, FAST.latency);
}

#[test]
fn a_full_link_gets_no_more_requests() {
    let service = Service {
        bandwidth: 20_000_000,
        ..FAST
    };
    let mut run = Run::new(MOST);
    run.read(service, (5000, 300_000));
    // Each attempt shows that 64 requests do not transfer more.
    assert_eq!(run.highest, 64);
}

/// A service that spends 2.3 ms of processor time on each object answers 435 objects per second, with any number of requests in flight.
#[test]
fn a_busy_service_takes_no_longer_than_with_a_fixed_number() {
    for (latency, objects) in [(20, 1000), (50, 1000), (50, 5000), (200, 5000)] {
        for jitter in [0, 50, 100] {
            let service = Service {
                latency: Duration::from_millis(latency),
                bandwidth: 435_000,
                jitter,
                ..FAST
            };
            let time = |most| Run::new(most).read(service, (objects, 1000)).now;
            let (adapted, fixed) = (time(MOST), time(START));
            assert!(
                adapted <= fixed,
                "{latency} {jitter}: {adapted:?} {fixed:?}"
            );
        }
    }
}

#[test]
fn large_objects_on_a_slow_link_end_in_time() {
    let service = Service {
        bandwidth: 5_000_000,
        ..FAST
    };
    let mut run = Run::new(MOST);
    run.read(service, (200, 8 << 20));
    assert_eq!(run.highest, START);
    assert_eq!(run.concurrency.limit(), LEAST);
    // Small objects come first. The memory of a run limits the bytes in flight, here to 36 MiB.
    let mut run = Run::new(MOST);
    run.read(FAST, (2000, 1000));
    assert_eq!(run.concurrency.limit(), MOST);
    for _ in 0..60 {
        run.read(service, (9, 4 << 20));
    }
    assert!(run.longest < TIMEOUT / 3, "{:?}", run.longest);
}

#[test]
fn objects_of_many_bytes_need_no_more_requests() {
    let mut run = Run::new(MOST);
    run.read(FAST, (1000, 1 << 20));
    assert_eq!(run.highest, 64);
    let mut run = Run::new(MOST);
    run.read(FAST, (1000, 16 << 20));
    assert_eq!(run.highest, START);
    run.read(FAST, (2000, 1000));
    assert_eq!(run.highest, MOST);
    run.read(FAST, (1000, 1 << 20));
    assert_eq!(run.concurrency.limit(), 64);
}

#[test]
fn refusals_end_the_rise() {
    let service = Service { most: 40, ..FAST };
    let mut run = Run::new(MOST);
    run.read(service, (20_000, 1000));
    // The first refusal ends the rise to 64.
    assert_eq!(run.highest, 41);
    // Later attempts are steps of an eighth.
    let highest = run.after_refusal.unwrap();
    assert!((36..=41).contains(&highest), "{highest}");
}

#[test]
fn a_service_that_refuses_all_is_spared() {
    let mut run = Run::new(MOST);
    run.read(FAST, (2000, 1000));
    run.read(Service { most: 0, ..FAST }, (2000, 1000));
    assert_eq!(run.concurrency.limit(), LEAST);
}

#[test]
fn failures_at_the_same_time_count_once() {
    let mut concurrency = Concurrency::new(MOST, None);
    for _ in 0..START {
        concurrency.failed();
    }
    assert_eq!(concurrency.limit(), START / 2);
}
