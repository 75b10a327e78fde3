//! Groups of requests that fail together if the service is unreachable.

use std::sync::{Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;

use super::wait::wait;
use crate::error::{Error, ErrorKind, Result};

/// The minimum and maximum number of consecutive failures that mean an unreachable service.
const LEAST: usize = 8;
const MOST: usize = 32;

/// Counts consecutive failures. Each failure includes all retries.
#[derive(Debug)]
struct Outage {
    most: usize,
    failed: Mutex<(usize, Option<Error>)>,
}

impl Outage {
    /// Waits for an answer. After too many failures, returns the last error at once.
    async fn guard<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        let lock = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let (failures, Some(e)) = &*lock()
            && *failures >= self.most
        {
            return Err(e.again());
        }
        let answer = answer.await;
        let mut failed = lock();
        match &answer {
            Err(e) if e.kind() == ErrorKind::Io => *failed = (failed.0 + 1, Some(e.again())),
            _ => *failed = (0, None),
        }
        answer
    }
}

/// Sends a request per item, at most `at_once` at the same time, and passes the answers through `take` in order. After too many consecutive
/// failures the service is unreachable: the remaining requests fail with the last error, and are not sent.
pub(super) fn each<'a, T, A>(
    items: &'a [A],
    at_once: usize,
    ask: impl Fn(&'a A) -> BoxFuture<'a, Result<T>> + Send + Sync,
    take: impl FnMut(T) -> T,
) -> Vec<Result<T>>
where
    T: Send + 'a,
    A: Sync,
{
    let outage = Outage {
        most: at_once.clamp(LEAST, MOST),
        failed: Mutex::default(),
    };
    let mut take = take;
    // The stream creates requests lazily, so that memory does not grow with the number of items.
    let asked = futures_util::stream::iter(items).map(|item| outage.guard(ask(item)));
    let all = asked.buffered(at_once);
    let all = all.map(|answer| answer.map(&mut take));
    let all = wait(async { Ok(all.collect::<Vec<_>>().await) });
    all.unwrap_or_else(|e| items.iter().map(|_| Err(e.again())).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn asked(kind: ErrorKind, works: impl Fn(usize) -> bool + Sync) -> (usize, usize) {
        let asked = AtomicUsize::new(0);
        let items: Vec<usize> = (0..1000).collect();
        let answers = each(
            &items,
            8,
            |item| {
                asked.fetch_add(1, Ordering::Relaxed);
                let answer = match works(*item) {
                    true => Ok(()),
                    false => Err(Error::new(kind, "failed")),
                };
                let tried = &asked;
                Box::pin(async move {
                    tried.fetch_add(1000, Ordering::Relaxed);
                    answer
                })
            },
            |answer| answer,
        );
        let good = answers.iter().filter(|answer| answer.is_ok()).count();
        assert_eq!(answers.len(), 1000);
        (asked.into_inner() / 1000 - 1, good)
    }

    #[test]
    fn a_service_that_is_gone_is_not_asked_again() {
        let (tried, good) = asked(ErrorKind::Io, |n| n < 100);
        assert_eq!(good, 100);
        assert!((107..=130).contains(&tried), "{tried}");
    }

    #[test]
    fn single_failures_are_told_one_by_one() {
        assert_eq!(asked(ErrorKind::Io, |n| n % 5 == 0), (1000, 200));
        assert_eq!(asked(ErrorKind::Truncated, |n| n == 7), (1000, 1));
    }
}
