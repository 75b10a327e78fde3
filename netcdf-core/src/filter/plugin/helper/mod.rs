//! Runs plugins in separate processes, called helpers. If a plugin crashes, exits or loops, the tool reports an error and continues.
//!
//! A helper is our own executable, started with [`ARGUMENT`] alone. The helper's standard input is a socket for requests and answers
//! ([`wire`](super::wire)). Output of plugins goes to our standard error. Each thread that needs a helper takes an idle one, or starts a
//! new one, so that plugins without thread support still run in parallel.

mod process;
pub(super) mod serve;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::host::PluginCall;
use super::local::{FilterCall, FilterResult, LookResult, MadeBytes, PluginDescription};
use super::trust::CheckedFile;
use super::wire::{MessageReader, MessageWriter};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::per_process::PerProcess;
use process::Process;

/// The argument that starts an executable as a helper.
const ARGUMENT: &str = "--netcdf-plugin-helper";

/// Settings of the helper processes.
#[derive(Debug, Clone)]
pub struct Isolation {
    /// The executable to start: one of the tools.
    pub program: PathBuf,
    /// The timeout of a plugin call, plus a second for each MiB of the chunk.
    pub patience: Duration,
    /// Cancels the wait for a plugin.
    pub cancel: Cancel,
}

impl Isolation {
    /// The default timeout.
    pub const PATIENCE: Duration = Duration::from_secs(30);

    /// Uses this executable, which must be one of the tools, for helpers. `seconds` is the timeout for a chunk.
    #[must_use]
    pub fn of_this_tool(cancel: &Cancel, seconds: Option<u64>) -> Self {
        let own = || std::env::current_exe().unwrap_or_default();
        Self {
            // The running file, even if another file has its path by now.
            program: match cfg!(target_os = "linux") {
                true => PathBuf::from("/proc/self/exe"),
                false => own(),
            },
            patience: seconds.map_or(Self::PATIENCE, Duration::from_secs),
            cancel: cancel.clone(),
        }
    }
}

/// The kinds of requests to helpers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HelperRequest {
    Describe,
    CanApply,
    SetLocal,
    Apply,
}

#[cfg(unix)]
impl HelperRequest {
    const ALL: [Self; 4] = [Self::Describe, Self::CanApply, Self::SetLocal, Self::Apply];

    fn of(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|what| *what as u64 == number)
    }
}

/// The reason why a helper did not answer.
pub(super) enum HelperFailure {
    /// The run was cancelled.
    Cancelled,
    /// The failure of the helper process as text, and a remedy.
    Broken(String, Option<&'static str>),
    /// The error message of the helper.
    Reported(String),
}

impl HelperFailure {
    /// Returns an error of this kind about the plugin called `label`.
    pub(super) fn error(self, kind: ErrorKind, label: &str) -> Error {
        match self {
            Self::Cancelled => {
                Error::new(ErrorKind::Cancelled, "stopped while a plugin was working")
            }
            Self::Broken(why, Some(remedy)) => {
                Self::Reported(why).error(kind, label).with_remedy(remedy)
            }
            Self::Broken(why, None) | Self::Reported(why) => {
                Error::new(kind, format!("{label}: {why}"))
            }
        }
    }

    /// Returns the failure as text.
    pub(super) fn text(self) -> String {
        match self {
            Self::Cancelled => "stopped while it was working".to_owned(),
            Self::Broken(why, _) | Self::Reported(why) => why,
        }
    }
}

/// The helpers of a run.
pub(super) struct Helpers {
    isolation: Isolation,
    /// The idle helpers of this process. A forked child starts its own.
    idle: PerProcess<Mutex<Vec<Process>>>,
}

impl Helpers {
    pub(super) fn new(isolation: Isolation) -> Self {
        Self {
            isolation,
            idle: PerProcess::new(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Process>> {
        let idle = self.idle.get_or_init(Mutex::default);
        idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an idle helper, or a new one.
    fn take(&self) -> Result<Process, HelperFailure> {
        loop {
            let process = self.idle().pop();
            let Some(mut process) = process else {
                return Process::start(&self.isolation);
            };
            if process.waits() {
                return Ok(process);
            }
        }
    }

    /// Sends a request to a helper, and returns its answer and the chunk bytes. A helper that fails is killed.
    fn ask(
        &self,
        what: HelperRequest,
        file: &CheckedFile,
        (head, body): (MessageWriter, &[u8]),
    ) -> Result<HelperMessage, HelperFailure> {
        let mut request = MessageWriter::default();
        let path = file.path.as_os_str().as_encoded_bytes();
        request.number(what as u64).bytes(path);
        request.number(file.identity.0).number(file.identity.1);
        request.0.extend(head.0);
        let mut process = self.take()?;
        let answer = process.ask(&request.0, body, &self.isolation)?;
        let mut read = MessageReader(&answer.head);
        let refusal = match read.truth().ok_or_else(wrong)? {
            true => None,
            false => Some(read.text().ok_or_else(wrong)?),
        };
        self.idle().push(process);
        match refusal {
            None => Ok(answer),
            Some(why) => Err(HelperFailure::Reported(why)),
        }
    }

    /// Describes the filter of a file.
    pub(super) fn describe(&self, file: &CheckedFile) -> Result<PluginDescription, HelperFailure> {
        let answer = self.ask(
            HelperRequest::Describe,
            file,
            (MessageWriter::default(), &[]),
        )?;
        PluginDescription::get(&mut answer.payload()).ok_or_else(wrong)
    }

    /// Checks whether a filter can be applied, or computes stored parameters for a chunk.
    pub(super) fn look(
        &self,
        what: HelperRequest,
        file: &CheckedFile,
        call: &PluginCall,
    ) -> Result<LookResult, HelperFailure> {
        let mut head = MessageWriter::default();
        call.put(&mut head);
        let answer = self.ask(what, file, (head, &[]))?;
        LookResult::get(&mut answer.payload()).ok_or_else(wrong)
    }

    /// Encodes or decodes a chunk.
    pub(super) fn apply(
        &self,
        file: &CheckedFile,
        call: &PluginCall,
        job: &FilterCall<'_>,
    ) -> Result<FilterResult, HelperFailure> {
        let mut head = MessageWriter::default();
        call.put(&mut head);
        head.number(job.flags.into()).numbers(job.params);
        let answer = self.ask(HelperRequest::Apply, file, (head, job.input))?;
        let mut payload = answer.payload();
        let mut given = || {
            let made = payload.truth()?;
            let there = payload.truth()?;
            Some((made, there, payload.number()?, payload.text()?))
        };
        let (made, there, len, messages) = given().ok_or_else(wrong)?;
        Ok(FilterResult {
            made: match made {
                true => MadeBytes::Copy(answer.body),
                false => MadeBytes::Nothing { there },
            },
            len: usize::try_from(len).map_err(|_| wrong())?,
            messages,
        })
    }
}

/// A request or answer: a header, and the chunk bytes.
#[derive(Default)]
struct HelperMessage {
    head: Vec<u8>,
    body: Vec<u8>,
}

impl HelperMessage {
    /// Returns the unread header after the flag for success.
    fn payload(&self) -> MessageReader<'_> {
        MessageReader(self.head.get(8..).unwrap_or_default())
    }
}

fn wrong() -> HelperFailure {
    HelperFailure::Broken(
        "the plugin's process sent an invalid answer".to_owned(),
        None,
    )
}
