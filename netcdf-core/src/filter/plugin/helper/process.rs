//! A helper process, from the tool's side.

use std::io::{ErrorKind, Read, Write};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

#[cfg(not(unix))]
use std::net::TcpStream as Socket;
#[cfg(unix)]
use std::os::unix::net::UnixStream as Socket;

use super::{HelperFailure, HelperMessage, Isolation, wrong};
use crate::cancel::Cancel;

/// The interval of checks for timeout and cancellation.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(50);
/// The maximum start time of a helper.
#[cfg(unix)]
const START: Duration = Duration::from_secs(30);
/// The first message of a helper.
#[cfg(unix)]
pub(super) const HELLO: &[u8; 8] = b"helper 1";

/// A helper process, killed on drop.
pub(super) struct Process {
    child: Child,
    socket: Socket,
    requests: u64,
}

/// The reason why waiting for a helper ended.
enum HelperStop {
    Cancelled,
    Late,
    Gone,
}

impl Process {
    #[cfg(unix)]
    pub(super) fn start(isolation: &Isolation) -> Result<Self, HelperFailure> {
        use std::os::fd::OwnedFd;
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};
        let failed = |e: std::io::Error| {
            let program = isolation.program.display();
            let why = crate::error::plain(&e);
            let what = format!("cannot start a process for it ({program}: {why})");
            HelperFailure::Broken(
                what,
                Some("use --isolate-plugins=no to run plugins in this process"),
            )
        };
        let (socket, theirs) = Socket::pair().map_err(failed)?;
        socket.set_read_timeout(Some(LOOK)).map_err(failed)?;
        socket.set_write_timeout(Some(LOOK)).map_err(failed)?;
        let mut command = Command::new(&isolation.program);
        // Terminal signals that stop the tool do not reach the helper: the tool stops the helper.
        command.arg(super::ARGUMENT).process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
        let child = command.spawn().map_err(failed)?;
        // Closes our copy of the helper's end of the socket.
        drop(command);
        let mut process = Self {
            child,
            socket,
            requests: 0,
        };
        let mut hello = [0; HELLO.len()];
        let until = Instant::now().checked_add(START);
        match process.fill(&mut hello, until, &isolation.cancel) {
            Ok(()) if hello == *HELLO => Ok(process),
            Err(HelperStop::Cancelled) => Err(HelperFailure::Cancelled),
            Ok(()) | Err(HelperStop::Late | HelperStop::Gone) => {
                let program = isolation.program.display();
                let what = format!("{program} cannot run plugins");
                Err(HelperFailure::Broken(what, None))
            }
        }
    }

    #[cfg(not(unix))]
    pub(super) fn start(_: &Isolation) -> Result<Self, HelperFailure> {
        let what = "plugins cannot run in separate processes on this system";
        Err(HelperFailure::Broken(what.to_owned(), None))
    }

    /// Checks whether the helper is still running.
    pub(super) fn waits(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends a request, and returns the answer.
    pub(super) fn ask(
        &mut self,
        head: &[u8],
        body: &[u8],
        isolation: &Isolation,
    ) -> Result<HelperMessage, HelperFailure> {
        let mib = (body.len() >> 20) as u64;
        let patience = isolation.patience.saturating_add(Duration::from_secs(mib));
        let until = Instant::now().checked_add(patience);
        let answer = self.exchange((head, body), until, &isolation.cancel);
        answer.map_err(|stop| self.failure(&stop, patience))?
    }

    fn exchange(
        &mut self,
        (head, body): (&[u8], &[u8]),
        until: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Result<HelperMessage, HelperFailure>, HelperStop> {
        self.requests = self.requests.wrapping_add(1);
        let lengths = [self.requests, head.len() as u64, body.len() as u64];
        let mut start: Vec<u8> = lengths.iter().flat_map(|n| n.to_le_bytes()).collect();
        start.extend_from_slice(head);
        self.send(&start, until, cancel)?;
        self.send(body, until, cancel)?;
        let mut lengths = [[0; 8]; 3];
        self.fill(lengths.as_flattened_mut(), until, cancel)?;
        let [request, head, body] = lengths.map(u64::from_le_bytes);
        let mut answer = HelperMessage::default();
        // A process damaged by a plugin may send anything.
        if request != self.requests
            || !resize(&mut answer.head, head)
            || !resize(&mut answer.body, body)
        {
            return Ok(Err(wrong()));
        }
        self.fill(&mut answer.head, until, cancel)?;
        self.fill(&mut answer.body, until, cancel)?;
        Ok(Ok(answer))
    }

    fn send(
        &mut self,
        bytes: &[u8],
        until: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<(), HelperStop> {
        let mut left = bytes;
        while !left.is_empty() {
            match self.socket.write(left) {
                Ok(0) => return Err(HelperStop::Gone),
                Ok(n) => left = left.get(n..).unwrap_or_default(),
                Err(e) => check_retry(&e, until, cancel)?,
            }
        }
        Ok(())
    }

    fn fill(
        &mut self,
        bytes: &mut [u8],
        until: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<(), HelperStop> {
        let mut left = bytes;
        while !left.is_empty() {
            match self.socket.read(left) {
                Ok(0) => return Err(HelperStop::Gone),
                Ok(n) => left = left.get_mut(n..).unwrap_or_default(),
                Err(e) => check_retry(&e, until, cancel)?,
            }
        }
        Ok(())
    }

    /// Returns the failure of the process.
    fn failure(&mut self, stop: &HelperStop, patience: Duration) -> HelperFailure {
        match stop {
            HelperStop::Cancelled => HelperFailure::Cancelled,
            HelperStop::Late => {
                let seconds = patience.as_secs_f64();
                let what = format!("the plugin gave no answer in {seconds} s, and was stopped");
                HelperFailure::Broken(what, Some("use --plugin-timeout to give it more time"))
            }
            HelperStop::Gone => {
                let what = match self.end() {
                    Some(status) => end_text(status),
                    None => "the plugin closed the connection to its process".to_owned(),
                };
                HelperFailure::Broken(what, None)
            }
        }
    }

    /// Returns the exit status if the process ended without our signal; waits briefly for the end.
    fn end(&mut self) -> Option<ExitStatus> {
        for _ in 0..20 {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                Err(_) => return None,
            }
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Ignore the error: the process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Resizes the buffer to `len` bytes; returns false if memory is exhausted.
fn resize(bytes: &mut Vec<u8>, len: u64) -> bool {
    let Ok(len) = usize::try_from(len) else {
        return false;
    };
    if bytes.try_reserve_exact(len).is_err() {
        return false;
    }
    bytes.resize(len, 0);
    true
}

/// Checks whether to retry after a socket error.
fn check_retry(
    e: &std::io::Error,
    until: Option<Instant>,
    cancel: &Cancel,
) -> Result<(), HelperStop> {
    match e.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {}
        _ => return Err(HelperStop::Gone),
    }
    if cancel.signal().is_some() {
        return Err(HelperStop::Cancelled);
    }
    match until {
        Some(until) if Instant::now() >= until => Err(HelperStop::Late),
        Some(_) | None => Ok(()),
    }
}

/// Describes the end of a process, as a statement about its plugin.
fn end_text(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("the plugin crashed (signal {signal})");
    }
    match status.code() {
        Some(code) => format!("the plugin ended its process (exit status {code})"),
        None => "the plugin ended its process".to_owned(),
    }
}
