//! Common parts of the command-line tools: `main`, standard streams, exit status, signals and progress bar.

mod bar;
pub mod release;
mod signals;
pub mod table;

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use crate::error::Error;
use crate::filter::plugin;
use crate::notes::Notes;
use crate::shown::{ShownText, without_secrets};

pub use bar::{Bar, BarLine};
pub use signals::{Idle, cancelled, catch_limits, catch_signals};

/// The exit status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Exit 0.
    Success,
    /// Exit 1.
    Failure,
    /// Exit 2: wrong command line, or a comparison that could not be made.
    Usage,
    /// Exit 75: a failure that may not recur (`EX_TEMPFAIL` of sysexits.h).
    TryAgain,
    /// Exit 128 plus the signal number.
    Signal(u8),
}

impl Status {
    /// Returns the exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::TryAgain => 75,
            Self::Signal(n) => n.saturating_add(128),
        }
    }
}

impl From<Status> for u8 {
    fn from(status: Status) -> Self {
        status.code()
    }
}

/// The standard streams of a process or a test.
pub struct Io {
    /// Standard input.
    pub stdin: Box<dyn Read>,
    /// Standard output: data.
    pub stdout: Box<dyn Write>,
    /// Standard error: messages.
    pub stderr: Box<dyn Write>,
    /// Whether standard error is a terminal, which may show a progress bar.
    pub terminal: bool,
    /// Whether standard output is a terminal, which may show colours.
    pub screen: bool,
}

impl Io {
    /// Returns the standard streams of the process. Standard output is not buffered: writers buffer their output.
    #[must_use]
    pub fn process() -> Self {
        Self {
            stdin: Box::new(std::io::stdin()),
            stdout: stdout(),
            stderr: Box::new(std::io::stderr()),
            terminal: std::io::IsTerminal::is_terminal(&std::io::stderr()),
            screen: std::io::IsTerminal::is_terminal(&std::io::stdout()),
        }
    }
}

/// The `main` of a tool: runs `run` with the process's streams and returns the exit code.
///
/// A panic is a bug. It ends the process like any failure, and unfinished outputs are removed. Exit functions of plugins do not run.
pub fn main(tool: &str, run: impl FnOnce(&mut Io) -> u8) -> ExitCode {
    plugin::serve_if_helper();
    plugin::is_tool(tool);
    let code = guarded(tool, Status::Failure.code(), &mut Io::process(), run);
    plugin::leave(code);
    ExitCode::from(code)
}

/// Returns the result of `run`. After a panic, prints a message on standard error and returns `failure`.
pub fn guarded<S>(tool: &str, failure: S, io: &mut Io, run: impl FnOnce(&mut Io) -> S) -> S {
    let ended = catch_unwind(AssertUnwindSafe(|| run(io)));
    ended.unwrap_or_else(|_| {
        say(tool, "this is a bug, please report the message above", io);
        failure
    })
}

/// Returns standard output for data.
fn stdout() -> Box<dyn Write> {
    match crate::io::stdout::stdout() {
        Ok(file) => Box::new(file),
        Err(_) if cfg!(unix) => Box::new(Closed),
        Err(_) => Box::new(std::io::stdout()),
    }
}

/// A closed standard output.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        crate::io::stdout::stdout()?.write(b"")
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Prints an error on standard error as `tool: error` and returns the exit status. A closed output pipe (EPIPE) is a silent success for
/// text output, and an error for dataset output.
pub fn report(tool: &str, error: &Error, io: &mut Io) -> Status {
    if error.is_broken_pipe() {
        return Status::Success;
    }
    say(tool, &error.to_string(), io);
    Status::Failure
}

/// Prints notes on standard error as `tool: object: message`. Notes with the same message are merged.
pub fn tell(tool: &str, notes: &Notes, io: &mut Io) {
    for note in notes.take_all().together() {
        say(tool, &note.to_string(), io);
    }
}

/// Prints the urgent notes on standard error before the work starts.
pub fn tell_urgent(tool: &str, notes: &Notes, io: &mut Io) {
    for note in notes.take_urgent() {
        say(tool, &note.to_string(), io);
    }
}

/// Prints a line on standard error.
fn say(tool: &str, text: &str, io: &mut Io) {
    // Errors and notes already escape names from files to one line; command-line errors have several lines of our own.
    let text = ShownText::new(text).lines();
    // Ignore errors: standard error may be closed.
    let _ = writeln!(io.stderr, "{tool}: {text}");
}

/// Prints `text`: help or version on standard output, command-line errors (`wrong`) on standard error.
pub fn usage(tool: &str, text: &str, wrong: bool, io: &mut Io) -> Status {
    if wrong {
        // Ignore errors: standard error may be closed.
        let _ = write!(io.stderr, "{}", without_secrets(text));
        return Status::Usage;
    }
    match write!(io.stdout, "{text}") {
        Ok(()) => Status::Success,
        Err(e) => report(tool, &Error::io("cannot write", "(stdout)", e), io),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::notes::Note;
    use std::sync::{Arc, Mutex};

    /// A stream that records all bytes.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn io(stderr: &Shared) -> Io {
        Io {
            stdin: Box::new(std::io::empty()),
            stdout: Box::new(std::io::sink()),
            stderr: Box::new(stderr.clone()),
            terminal: false,
            screen: false,
        }
    }

    #[test]
    fn a_panic_is_a_failure() {
        let stderr = Shared::default();
        assert_eq!(guarded("ncdump", 1, &mut io(&stderr), |_| 2), 2);
        assert!(stderr.0.lock().unwrap().is_empty());
        let code = guarded("ncdump", 1, &mut io(&stderr), |_| {
            std::thread::scope(|s| drop(s.spawn(|| panic!("on a worker"))));
            0
        });
        assert_eq!(code, 1);
        assert!(
            stderr
                .0
                .lock()
                .unwrap()
                .starts_with(b"ncdump: this is a bug")
        );
    }

    #[test]
    fn names_do_not_control_terminals() {
        let stderr = Shared::default();
        let mut io = io(&stderr);
        let error = Error::new(ErrorKind::Corrupt, "odd").in_object("/\u{1b}[2Jv");
        assert_eq!(report("ncdump", &error, &mut io), Status::Failure);
        let notes = Notes::default();
        notes.say(Note {
            object: "/\u{1b}[2Jw".into(),
            what: "left out".into(),
            remedy: None,
        });
        tell("ncdump", &notes, &mut io);
        let said = stderr.0.lock().unwrap().clone();
        let expected = "ncdump: odd in /\\x1b[2Jv\nncdump: /\\x1b[2Jw: left out\n";
        assert_eq!(said, expected.as_bytes());
    }
}
