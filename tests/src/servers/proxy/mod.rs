//! An HTTP/1.1 proxy before a server on this machine: it delays requests, makes faults, and counts.
//!
//! Bytes pass through as they are, so that a client which signs its requests for the proxy's address is believed by the server
//! behind it, which sees that address in `Host`. Each connection of a client has one of its own to the server. Requests and answers are
//! held as a whole before they are passed on. `Expect: 100-continue` is not for this proxy: it would wait for the body.

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

/// What goes wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The answer is 503, as S3 gives it to those who ask too often; the server does not see the request.
    Unavailable,
    /// There is never an answer, and the server does not see the request.
    Stall,
    /// The connection is closed in the middle of the answer.
    Drop,
}

/// What a server does that differs from the one behind the proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// It gives files only as a whole. For requests without a signature.
    NoRanges,
    /// To what should be stored only if there is nothing yet it answers 501; the server behind does not see the request.
    NoConditions,
    /// It answers 501 to requests whose first line begins with a text; the server behind does not see them.
    Refuse(&'static str),
    /// It answers 403 to requests whose first line begins with a text; the server behind does not see them.
    Deny(&'static str),
    /// So many requests whose first line begins with a text are answered by the server, but the client does not get the answer.
    Lose(&'static str, usize),
}

/// The proxy. Dropping it ends it and all its connections.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

impl Proxy {
    /// A proxy before the server at a port of this machine. At first it changes nothing.
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
                // The client or the server may have gone away: that is no matter of the proxy.
                thread::spawn(move || shared.serve(client));
            }
        });
        Self { port, shared }
    }

    /// The address, without a `/` at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// From now on, so much time passes before a request is passed on: for each, however many there are at once.
    pub fn delay(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).expect("a short time");
        self.shared.delay.store(micros, Ordering::Relaxed);
    }

    /// The fault happens to so many requests, from the next one on.
    pub fn next(&self, fault: Fault, requests: usize) {
        let slot = &self.shared.slot(fault).next;
        slot.store(requests, Ordering::Relaxed);
    }

    /// The fault happens to every `nth` request from now on; never, if that is 0.
    pub fn every(&self, fault: Fault, nth: usize) {
        let slot = self.shared.slot(fault);
        slot.passed.store(0, Ordering::Relaxed);
        slot.nth.store(nth, Ordering::Relaxed);
    }

    /// From now on, the server is one that does this.
    pub fn instead(&self, manner: Manner) {
        self.shared.lock_manners().push(manner);
    }

    /// Requests wait at the proxy from this one on, counted from 1 since the start, or since [`Proxy::reset`]; until [`Proxy::release`].
    pub fn hold_from(&self, request: usize) {
        self.shared.counts.hold_from(Some(request));
    }

    /// Waits until a request is held.
    ///
    /// # Panics
    /// If none is to be held, or if that takes a minute.
    pub fn wait_for_held(&self) {
        self.shared.counts.wait_for_held();
    }

    /// Passes on the requests that wait.
    pub fn release(&self) {
        self.shared.counts.hold_from(None);
    }

    /// What there was since the start, or since [`Proxy::reset`].
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.shared.counts.traffic()
    }

    /// Begins to count anew; requests under way count no more.
    pub fn reset(&self) {
        self.shared.counts.reset();
    }

    /// Waits until so many requests have come since the start, or since [`Proxy::reset`].
    ///
    /// # Panics
    /// If that takes a minute.
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

/// To how many requests a fault happens.
#[derive(Debug, Default)]
struct Slot {
    /// So many of the next ones.
    next: AtomicUsize,
    /// Every such one; none, if 0.
    nth: AtomicUsize,
    /// Requests since that was said.
    passed: AtomicUsize,
}

impl Slot {
    /// Whether it happens to the request that has just come.
    fn takes(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        let order = Ordering::Relaxed;
        let next = self.next.fetch_update(order, order, less).is_ok();
        let nth = self.nth.load(order);
        let number = self.passed.fetch_add(1, order) + 1;
        next || (nth > 0 && number.is_multiple_of(nth))
    }
}

/// What the threads of a proxy share.
#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    stopped: AtomicBool,
    /// In microseconds.
    delay: AtomicU64,
    faults: [(Fault, Slot); 3],
    manners: Mutex<Vec<Manner>>,
    counts: Counts,
    open: Mutex<Open>,
}

/// The connections that are open, by numbers.
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

    /// What happens to the request that has just come. Each slot counts it.
    fn fault(&self) -> Option<Fault> {
        let all = self.faults.iter();
        let taken: Vec<Fault> = all.filter(|(_, slot)| slot.takes()).map(|f| f.0).collect();
        taken.first().copied()
    }

    fn lock_manners(&self) -> MutexGuard<'_, Vec<Manner>> {
        self.manners.lock().expect("nobody panicked with it")
    }

    fn has(&self, manner: &Manner) -> bool {
        self.lock_manners().contains(manner)
    }

    /// Whether the server does not know what a request asks for.
    fn refuses(&self, request: &Message) -> bool {
        let manners = self.lock_manners();
        manners.iter().any(|manner| match manner {
            Manner::NoConditions => request.header("if-none-match").is_some(),
            Manner::Refuse(text) => request.begins(text),
            Manner::Deny(_) | Manner::Lose(..) | Manner::NoRanges => false,
        })
    }

    /// Whether a request lacks a permission.
    fn denies(&self, request: &Message) -> bool {
        let manners = self.lock_manners();
        manners
            .iter()
            .any(|manner| matches!(manner, Manner::Deny(text) if request.begins(text)))
    }

    /// Whether the answer to a request is lost.
    fn loses(&self, request: &Message) -> bool {
        let mut manners = self.lock_manners();
        let mut lost = manners.iter_mut().filter_map(|manner| match manner {
            Manner::Lose(text, left) if *left > 0 && request.begins(text) => Some(left),
            Manner::Lose(..)
            | Manner::Deny(_)
            | Manner::Refuse(_)
            | Manner::NoRanges
            | Manner::NoConditions => None,
        });
        lost.next().is_some_and(|left| {
            *left -= 1;
            true
        })
    }

    /// Notes a connection that ends with the proxy.
    fn opened(&self, stream: &TcpStream) -> io::Result<usize> {
        stream.set_nodelay(true)?;
        let stream = stream.try_clone()?;
        let mut open = self.open.lock().expect("nobody panicked with it");
        open.last += 1;
        let number = open.last;
        open.streams.insert(number, stream);
        drop(open);
        // One that came while the others were closed.
        if self.stopped.load(Ordering::Relaxed) {
            self.close_all();
        }
        Ok(number)
    }

    /// Closes a connection.
    fn close(&self, number: usize) {
        let mut open = self.open.lock().expect("nobody panicked with it");
        if let Some(stream) = open.streams.remove(&number) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn close_all(&self) {
        let open = self.open.lock().expect("nobody panicked with it");
        for stream in open.streams.values() {
            // It may have been closed by the other side.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests;
