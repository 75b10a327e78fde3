use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use super::*;
use crate::error::{Error, ErrorKind};

fn items(n: u64, bytes: u64) -> impl Iterator<Item = Result<WorkItem<u64>>> {
    (0..n).map(move |value| Ok(WorkItem::new(bytes, value)))
}

/// A runtime that gives all work to its workers.
fn runtime(threads: usize, memory: u64) -> Runtime {
    Runtime::sized(threads, memory).sharing_all()
}

#[test]
fn order_is_kept_for_any_number_of_threads() {
    for threads in [1, 2, 4, 9] {
        let mut out = vec![];
        let work = |x: u64| {
            if x.is_multiple_of(7) {
                std::thread::sleep(Duration::from_micros(50));
            }
            Ok(x * 2)
        };
        let sink = |x| {
            out.push(x);
            Ok(())
        };
        let done = runtime(threads, 1000).ordered(items(500, 100), work, sink);
        done.unwrap();
        assert_eq!(out, (0..500).map(|x| x * 2).collect::<Vec<_>>());
    }
}

#[test]
fn a_panic_is_an_error_in_its_place() {
    for threads in [1, 2, 4] {
        let runtime = runtime(threads, 1000);
        let work = |x: u64| match x {
            5 => panic!("no result of 5"),
            _ => Ok(x),
        };
        let mut last = 0;
        let sink = |x| {
            last = x;
            Ok(())
        };
        let e = runtime.ordered(items(20, 100), work, sink).unwrap_err();
        assert_eq!((last, e.kind()), (4, ErrorKind::Internal), "{e}");
        // The workers are still alive.
        runtime.ordered(items(20, 100), Ok, |_| Ok(())).unwrap();
    }
}

#[test]
fn little_work_wakes_nobody() {
    let runtime = Runtime::new(8);
    let here = std::thread::current().id();
    let alone = |_| {
        assert_eq!(std::thread::current().id(), here);
        Ok(())
    };
    runtime.ordered(items(4, 16 << 10), alone, Ok).unwrap();
    runtime.ordered(items(16, 0), alone, Ok).unwrap();
    // Workers are not woken for a single item.
    runtime.ordered(items(1, 1 << 30), alone, Ok).unwrap();
}

#[test]
fn many_items_without_memory_are_shared() {
    let runtime = Runtime::new(2);
    let both = Barrier::new(2);
    // The last two items meet on two workers.
    let meet = |n| {
        if n >= 16 {
            both.wait();
        }
        Ok(())
    };
    runtime.ordered(items(18, 0), meet, Ok).unwrap();
}

#[test]
fn workers_stay_from_job_to_job() {
    let runtime = runtime(3, 1 << 20);
    let seen = Mutex::new(std::collections::BTreeSet::<String>::new());
    let name = |id: ThreadId| format!("{id:?}");
    for _ in 0..50 {
        let work = |_| {
            seen.lock()
                .unwrap()
                .insert(name(std::thread::current().id()));
            Ok(())
        };
        runtime.ordered(items(20, 1), work, Ok).unwrap();
    }
    assert!(seen.lock().unwrap().len() <= 3);
}

/// Runs nested jobs, more levels than workers.
fn nested(runtime: &Runtime, depth: u64) -> Result<u64> {
    let mut sum = 0;
    let work = |n| match depth {
        0 => Ok(n),
        _ => nested(runtime, depth - 1),
    };
    runtime.ordered(items(4, 10), work, |x| {
        sum += x;
        Ok(())
    })?;
    Ok(sum)
}

#[test]
fn jobs_within_jobs_come_to_an_end() {
    for threads in [2, 3] {
        let runtime = runtime(threads, 50);
        assert_eq!(nested(&runtime, 4).unwrap(), 6 * 256);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| assert_eq!(nested(&runtime, 3).unwrap(), 6 * 64));
            }
        });
    }
}

#[test]
fn a_job_within_an_item_is_shared_by_the_workers() {
    // If another worker begins the first item, the caller of a job only waits for this item.
    let runtime = runtime(3, 1000);
    let both = Barrier::new(2);
    let outer = |n| {
        // The items of the first nested job meet: they run concurrently on two workers.
        let inner = |_| {
            if n == 0 {
                both.wait();
            }
            Ok(())
        };
        match n {
            0 => runtime.ordered(items(2, 1), inner, Ok),
            _ => Ok(()),
        }
    };
    runtime.ordered(items(2, 1), outer, Ok).unwrap();
}

#[test]
fn runtimes_within_each_other_come_to_an_end() {
    let (one, other) = (runtime(2, 100), runtime(2, 100));
    let innermost = |_| one.ordered(items(3, 1), Ok, |_| Ok(()));
    let inner = |_| other.ordered(items(3, 1), innermost, Ok);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| one.ordered(items(8, 1), inner, Ok).unwrap());
        }
    });
}

#[test]
fn an_item_begins_when_those_before_it_are_done() {
    let runtime = runtime(4, 1 << 20);
    let done = AtomicU64::new(0);
    let items = (0..200).map(|n| {
        let mut item = WorkItem::new(1, n);
        item.after = if n % 10 == 0 { n } else { n - n % 10 };
        Ok(item)
    });
    let work = |n: u64| {
        let before = done.load(Ordering::SeqCst);
        assert!(before >= n - n % 10, "{n} after {before}");
        done.fetch_add(1, Ordering::SeqCst);
        Ok(())
    };
    runtime.ordered(items, work, Ok).unwrap();
}

#[test]
fn the_first_error_ends_it() {
    for threads in [1, 3] {
        let mut last = 0;
        let work = |x| match x {
            37.. => Err(Error::new(ErrorKind::Checksum, format!("{x}"))),
            _ => Ok(x),
        };
        let e = runtime(threads, u64::MAX).ordered(items(1000, 1), work, |x| {
            last = x;
            Ok(())
        });
        assert_eq!((&*e.unwrap_err().what().text(), last), ("37", 36));
    }
}

#[test]
fn an_error_of_the_sink_or_the_items_ends_it() {
    let runtime = runtime(3, u64::MAX);
    let stop = || Error::new(ErrorKind::Io, "stop");
    assert!(
        runtime
            .ordered(items(1000, 1), Ok, |_| Err(stop()))
            .is_err()
    );
    let bad = items(10, 1).chain([Err(stop())]);
    let mut n = 0;
    let r = runtime.ordered(bad, Ok, |_| {
        n += 1;
        Ok(())
    });
    assert!(r.is_err());
    assert_eq!(n, 10);
}

#[test]
fn what_waits_is_dropped_when_a_run_is_cancelled() {
    let cancelled = || Err(Error::new(ErrorKind::Cancelled, "stopped"));
    let begun = AtomicU64::new(0);
    let work = |_| {
        begun.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(200));
        Ok(())
    };
    let ended = runtime(2, 100).ordered(items(5, 1).chain([cancelled()]), work, Ok);
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(begun.load(Ordering::SeqCst) < 5);
}

/// Returns the maximum number of concurrent items.
fn most_at_a_time(run: impl Fn(&(dyn Fn(u64) -> Result<()> + Sync))) -> u64 {
    let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
    run(&|_| {
        let n = now.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(n, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(1));
        now.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    });
    most.load(Ordering::SeqCst)
}

#[test]
fn the_budget_bounds_what_is_under_way() {
    let runtime = runtime(8, 250);
    let most = most_at_a_time(|work| runtime.ordered(items(50, 100), work, Ok).unwrap());
    assert!(most <= 2, "{most}");
    // The memory of one job never exceeds the budget of all jobs.
    let job = runtime.with_memory(350);
    let most = most_at_a_time(|work| job.ordered(items(50, 100), work, Ok).unwrap());
    assert!(most <= 3, "{most}");
}

#[test]
fn jobs_side_by_side_share_the_budget() {
    let runtime = runtime(8, 400);
    let most = most_at_a_time(|work| {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| runtime.ordered(items(30, 100), work, Ok).unwrap());
            }
        });
    });
    // Four, and one item of each of the two other jobs.
    assert!(most <= 6, "{most}");
}

#[test]
fn threads_are_not_without_number() {
    assert_eq!(Runtime::new(0).threads(), 1);
    assert_eq!(Runtime::new(65_535).threads(), super::super::MOST_THREADS);
    let all = Runtime::default();
    assert!(Arc::ptr_eq(&all.shared, &Runtime::default().shared));
}

#[test]
fn results_that_nobody_takes_are_dropped() {
    struct Counted<'a>(&'a AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (made, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = |_| {
        made.fetch_add(1, Ordering::SeqCst);
        Ok(Counted(&dropped))
    };
    let stop = |_| Err(Error::new(ErrorKind::Io, "stop"));
    let ended = runtime(3, 1000).ordered(items(100, 1), work, stop);
    assert!(ended.is_err());
    assert_eq!(made.load(Ordering::SeqCst), dropped.load(Ordering::SeqCst));
}

/// A thousand workers without latency would mostly search for work.
#[test]
fn local_files_have_a_limit_of_requests() {
    let runtime = Runtime::sized(2, 0).with_requests(500);
    let local = runtime.for_requests(false);
    assert_eq!((local.requests(), local.width()), (Some(64), 130));
    let remote = runtime.for_requests(true);
    assert_eq!((remote.requests(), remote.width()), (Some(500), 566));
    let few = Runtime::sized(2, 0).with_requests(8);
    assert_eq!(few.for_requests(false).width(), 18);
}
