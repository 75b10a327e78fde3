//! An HTTP/1.1 proxy before a local server: it delays requests, injects faults, and counts.
//!
//! Bytes pass unchanged, so clients can sign requests for the proxy's address: the server finds this address in `Host`. Each client
//! connection has a separate connection to the server. Requests and answers are buffered completely before they are forwarded. `Expect:
//! 100-continue` does not work with this proxy, because it would wait for the body.

mod connection;
mod message;
mod traffic;

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use message::Message;
use traffic::Counts;
pub use traffic::Traffic;

/// A fault of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The answer is 503, as from S3 after too many requests. The server does not receive the request.
    Unavailable,
    /// No answer is sent, and the server does not receive the request.
    Stall,
    /// The connection is closed in the middle of the answer.
    Drop,
}

/// A deviation from the server behind the proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// Ignores ranges and returns whole files. For requests without a signature.
    NoRanges,
    /// Answers 501 to writes with the condition that the object is missing. The server does not receive the request.
    NoConditions,
    /// Answers 501 to requests whose first line begins with a text. The server does not receive these requests.
    Refuse(&'static str),
    /// Like `Refuse`, apart from requests for one byte, which find the length of an object.
    RefuseContent(&'static str),
    /// Answers 403 to requests whose first line begins with a text. The server does not receive these requests.
    Deny(&'static str),
    /// Drops the answers to a number of requests whose first line begins with a text. The server answers, but the client does not receive
    /// the answers.
    Lose(&'static str, usize),
    /// Pauses after each byte of a body.
    Slow(Duration),
}

/// The proxy. Dropping it closes all connections.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Starts a proxy before the server at a local port, without faults or delays.
    #[must_use]
    pub fn start(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port of this machine");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared::new((Ipv4Addr::LOCALHOST, server).into()));
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if own.stopped.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&own);
                // A connection closed by the client or the server is not an error of the proxy.
                thread::spawn(move || shared.serve(client));
            }
        });
        Self { port, shared }
    }

    /// Returns the address, without a `/` at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Delays each request from now on. Concurrent requests wait concurrently.
    pub fn delay(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).expect("a short time");
        self.shared.delay.store(micros, Ordering::Relaxed);
    }

    /// Injects the fault into the next `requests` requests.
    pub fn next(&self, fault: Fault, requests: usize) {
        let slot = &self.shared.slot(fault).next;
        slot.store(requests, Ordering::Relaxed);
    }

    /// Injects the fault into every `nth` request from now on; 0 means never.
    pub fn every(&self, fault: Fault, nth: usize) {
        let slot = self.shared.slot(fault);
        slot.passed.store(0, Ordering::Relaxed);
        slot.nth.store(nth, Ordering::Relaxed);
    }

    /// Makes the server deviate from now on.
    pub fn instead(&self, manner: Manner) {
        self.shared.lock_manners().push(manner);
    }

    /// Holds requests from this number on, until [`Proxy::release`]. Numbers count from 1 since the start, or since [`Proxy::reset`].
    pub fn hold_from(&self, request: usize) {
        self.shared.counts.hold_from(Some(request));
    }

    /// Waits until a request is held.
    ///
    /// # Panics
    /// Panics if no request is to be held, or after a minute.
    pub fn wait_for_held(&self) {
        self.shared.counts.wait_for_held();
    }

    /// Forwards the held requests.
    pub fn release(&self) {
        self.shared.counts.hold_from(None);
    }

    /// Returns the traffic since the start, or since [`Proxy::reset`].
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.shared.counts.traffic()
    }

    /// Resets the counts; requests in flight no longer count.
    pub fn reset(&self) {
        self.shared.counts.reset();
    }

    /// Waits for this number of requests since the start, or since [`Proxy::reset`].
    ///
    /// # Panics
    /// Panics after a minute.
    pub fn wait_for(&self, requests: usize) {
        self.shared.counts.wait_for(requests);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for clients.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        self.shared.close_all();
        self.release();
    }
}

/// The requests to which a fault happens.
#[derive(Debug, Default)]
struct Slot {
    /// The number of next requests with the fault.
    next: AtomicUsize,
    /// The interval between requests with the fault; 0 for none.
    nth: AtomicUsize,
    /// Requests since `nth` was set.
    passed: AtomicUsize,
}

impl Slot {
    /// Returns whether the fault happens to the newest request.
    fn takes(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        let order = Ordering::Relaxed;
        let next = self.next.fetch_update(order, order, less).is_ok();
        let nth = self.nth.load(order);
        let number = self.passed.fetch_add(1, order) + 1;
        next || (nth > 0 && number.is_multiple_of(nth))
    }
}

/// The shared state of the proxy's threads.
#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    stopped: AtomicBool,
    /// The delay in microseconds.
    delay: AtomicU64,
    faults: [(Fault, Slot); 3],
    manners: Mutex<Vec<Manner>>,
    counts: Counts,
    open: Mutex<Open>,
}

/// The open connections by number.
#[derive(Debug, Default)]
struct Open {
    last: usize,
    streams: BTreeMap<usize, TcpStream>,
}

impl Shared {
    fn new(server: SocketAddr) -> Self {
        let faults = [Fault::Unavailable, Fault::Stall, Fault::Drop];
        Self {
            server,
            stopped: AtomicBool::default(),
            delay: AtomicU64::default(),
            faults: faults.map(|fault| (fault, Slot::default())),
            manners: Mutex::default(),
            counts: Counts::default(),
            open: Mutex::default(),
        }
    }

    fn slot(&self, fault: Fault) -> &Slot {
        let mut slots = self.faults.iter();
        let found = slots.find(|(own, _)| *own == fault);
        &found.expect("a slot for each fault").1
    }

    /// Returns the fault of the newest request. Each slot counts the request.
    fn fault(&self) -> Option<Fault> {
        let all = self.faults.iter();
        let taken: Vec<Fault> = all.filter(|(_, slot)| slot.takes()).map(|f| f.0).collect();
        taken.first().copied()
    }

    fn lock_manners(&self) -> MutexGuard<'_, Vec<Manner>> {
        self.manners.lock().expect("the lock is not poisoned")
    }

    fn has(&self, manner: &Manner) -> bool {
        self.lock_manners().contains(manner)
    }

    /// Returns whether the server refuses a request as unsupported.
    fn refuses(&self, request: &Message) -> bool {
        let manners = self.lock_manners();
        manners.iter().any(|manner| match manner {
            Manner::NoConditions => request.header("if-none-match").is_some(),
            Manner::Refuse(text) => request.begins(text),
            Manner::RefuseContent(text) => {
                request.begins(text) && request.header("range").as_deref() != Some("bytes=0-0")
            }
            Manner::Deny(_) | Manner::Lose(..) | Manner::NoRanges | Manner::Slow(_) => false,
        })
    }

    /// Returns whether a request lacks a permission.
    fn denies(&self, request: &Message) -> bool {
        let manners = self.lock_manners();
        manners
            .iter()
            .any(|manner| matches!(manner, Manner::Deny(text) if request.begins(text)))
    }

    /// Returns whether the answer to a request is lost.
    fn loses(&self, request: &Message) -> bool {
        let mut manners = self.lock_manners();
        let mut lost = manners.iter_mut().filter_map(|manner| match manner {
            Manner::Lose(text, left) if *left > 0 && request.begins(text) => Some(left),
            Manner::Lose(..)
            | Manner::Deny(_)
            | Manner::Refuse(_)
            | Manner::RefuseContent(_)
            | Manner::NoRanges
            | Manner::NoConditions
            | Manner::Slow(_) => None,
        });
        lost.next().is_some_and(|left| {
            *left -= 1;
            true
        })
    }

    /// Returns the pause after each byte of a body.
    fn pause(&self) -> Option<Duration> {
        let manners = self.lock_manners();
        manners.iter().find_map(|manner| match manner {
            Manner::Slow(pause) => Some(*pause),
            Manner::Lose(..)
            | Manner::Deny(_)
            | Manner::Refuse(_)
            | Manner::RefuseContent(_)
            | Manner::NoRanges
            | Manner::NoConditions => None,
        })
    }

    /// Records a connection that ends with the proxy.
    fn opened(&self, stream: &TcpStream) -> io::Result<usize> {
        stream.set_nodelay(true)?;
        let stream = stream.try_clone()?;
        let mut open = self.open.lock().expect("the lock is not poisoned");
        open.last += 1;
        let number = open.last;
        open.streams.insert(number, stream);
        drop(open);
        // A connection that arrived while the proxy closed all connections.
        if self.stopped.load(Ordering::Relaxed) {
            self.close_all();
        }
        Ok(number)
    }

    /// Closes a connection.
    fn close(&self, number: usize) {
        let mut open = self.open.lock().expect("the lock is not poisoned");
        if let Some(stream) = open.streams.remove(&number) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn close_all(&self) {
        let open = self.open.lock().expect("the lock is not poisoned");
        for stream in open.streams.values() {
            // The peer may have closed the connection.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests;
