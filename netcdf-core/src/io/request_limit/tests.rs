//! Requests are polled by hand.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::*;

/// Counts how often a request is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Woken {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

fn poll<F: Future>(future: Pin<&mut F>, woken: &Arc<Woken>) -> Poll<F::Output> {
    let waker = Arc::clone(woken).into();
    future.poll(&mut Context::from_waker(&waker))
}

/// A permit, if the limit admits a request now.
fn admitted(limit: &RequestLimit) -> Option<Permit<'_>> {
    match poll(pin!(limit.admit()), &Arc::default()) {
        Poll::Ready(permit) => Some(permit.unwrap()),
        Poll::Pending => None,
    }
}

fn limit(most: usize) -> RequestLimit {
    RequestLimit::new(Some(most), None, &Cancel::default())
}

#[test]
fn requests_wait_for_their_turn() {
    let limit = limit(2);
    let (first, second) = (admitted(&limit).unwrap(), admitted(&limit));
    assert!(second.is_some() && admitted(&limit).is_none());
    let woken: [Arc<Woken>; 2] = Default::default();
    let (mut third, mut fourth) = (pin!(limit.admit()), pin!(limit.admit()));
    assert!(poll(third.as_mut(), &woken[0]).is_pending());
    assert!(poll(fourth.as_mut(), &woken[1]).is_pending());
    drop(first);
    assert_eq!((woken[0].count(), woken[1].count()), (1, 0));
    let third = poll(third.as_mut(), &woken[0]);
    assert!(matches!(third, Poll::Ready(Ok(_))));
    assert!(poll(fourth.as_mut(), &woken[1]).is_pending());
}

#[test]
fn a_dropped_request_lets_the_next_one_start() {
    let limit = limit(1);
    let first = admitted(&limit);
    let woken: [Arc<Woken>; 2] = Default::default();
    let mut second = Box::pin(limit.admit());
    let mut third = pin!(limit.admit());
    assert!(poll(second.as_mut(), &woken[0]).is_pending());
    assert!(poll(third.as_mut(), &woken[1]).is_pending());
    drop(first);
    drop(second);
    assert_eq!((woken[0].count(), woken[1].count()), (1, 1));
    let third = poll(third.as_mut(), &woken[1]);
    assert!(matches!(third, Poll::Ready(Ok(_))));
    drop(third);
    assert!(admitted(&limit).is_some());
}

#[test]
fn waiting_requests_fail_with_an_unreachable_service() {
    let limit = limit(8);
    let held = admitted(&limit);
    let failed = async || Err::<(), _>(Error::new(ErrorKind::Io, "no answer"));
    let waits = || {
        let full: Vec<_> = std::iter::from_fn(|| admitted(&limit)).collect();
        let (woken, mut last) = (Arc::default(), Box::pin(limit.admit()));
        assert!(poll(last.as_mut(), &woken).is_pending());
        drop(full);
        (woken, last)
    };
    let (woken, mut last) = waits();
    for _ in 0..OUTAGE {
        assert_eq!(woken.count(), 1);
        let answer = poll(pin!(limit.run(failed(), |()| 0)), &Arc::default());
        assert!(matches!(answer, Poll::Ready(Err(_))));
    }
    let answer = poll(last.as_mut(), &woken);
    assert!(matches!(answer, Poll::Ready(Err(e)) if e.what() == "no answer"));
    // Later requests try again.
    assert!(admitted(&limit).is_some());
    drop(held);
}

#[test]
fn waiting_requests_end_after_a_signal() {
    let cancel = Cancel::default();
    let limit = RequestLimit::new(Some(1), None, &cancel);
    let first = admitted(&limit);
    let woken: [Arc<Woken>; 2] = Default::default();
    let mut waiting = [Box::pin(limit.admit()), Box::pin(limit.admit())];
    for (request, woken) in waiting.iter_mut().zip(&woken) {
        assert!(poll(request.as_mut(), woken).is_pending());
    }
    cancel.0.store(15, Ordering::Relaxed);
    drop(first);
    for (mut request, woken) in waiting.into_iter().zip(&woken) {
        assert_eq!(woken.count(), 1);
        let answer = poll(request.as_mut(), woken);
        assert!(matches!(answer, Poll::Ready(Err(e)) if e.kind() == ErrorKind::Cancelled));
    }
}
