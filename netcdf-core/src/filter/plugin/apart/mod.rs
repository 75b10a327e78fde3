//! Runs plugins in separate processes: a plugin that crashes, exits or loops is then an error, and does not end
//! our process.
//!
//! A helper is our own executable, started with [`ARGUMENT`] alone. Its standard input is a socket for requests
//! and answers ([`wire`](super::wire)); what plugins print goes to our standard error. Each thread that needs a helper takes
//! an idle one, or starts another: so plugins that support only one thread still run in parallel.

mod process;
pub(super) mod serve;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::host::PluginCall;
use super::local::{FilterCall, FilterResult, LookResult, MadeBytes, PluginDescription};
use super::trust::CheckedFile;
use super::wire::{In, MessageWriter};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use process::Process;

/// The argument that makes an executable a helper.
const ARGUMENT: &str = "--netcdf-plugin-helper";

/// How plugins are isolated.
#[derive(Debug, Clone)]
pub struct Isolation {
    /// The executable to start: one of the tools.
    pub program: PathBuf,
    /// Time that a plugin has for a chunk, plus a second for each MiB of it.
    pub patience: Duration,
    /// Cancels the wait for a plugin.
    pub cancel: Cancel,
}

impl Isolation {
    /// The default patience.
    pub const PATIENCE: Duration = Duration::from_secs(30);

    /// Uses this executable, which must be one of the tools, for helpers; `seconds` is the time that they have
    /// for a chunk.
    #[must_use]
    pub fn of_this_tool(cancel: &Cancel, seconds: Option<u64>) -> Self {
        let own = || std::env::current_exe().unwrap_or_default();
        Self {
            // The file itself, even if its path names another one by now.
            program: match cfg!(target_os = "linux") {
                true => PathBuf::from("/proc/self/exe"),
                false => own(),
            },
            patience: seconds.map_or(Self::PATIENCE, Duration::from_secs),
            cancel: cancel.clone(),
        }
    }
}

/// The requests to helpers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HelperRequest {
    Describe,
    CanApply,
    SetLocal,
    Apply,
}

impl HelperRequest {
    const ALL: [Self; 4] = [Self::Describe, Self::CanApply, Self::SetLocal, Self::Apply];

    fn of(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|what| *what as u64 == number)
    }
}

/// Why a helper did not answer.
pub(super) enum HelperFailure {
    /// The run was cancelled.
    Cancelled,
    /// What happened to it, as text, and a remedy.
    Broken(String, Option<&'static str>),
    /// The helper's own message.
    Said(String),
}

impl HelperFailure {
    /// An error of this kind about the plugin called `label`.
    pub(super) fn error(self, kind: ErrorKind, label: &str) -> Error {
        match self {
            Self::Cancelled => {
                Error::new(ErrorKind::Cancelled, "stopped while a plugin was working")
            }
            Self::Broken(why, Some(remedy)) => {
                Self::Said(why).error(kind, label).with_remedy(remedy)
            }
            Self::Broken(why, None) | Self::Said(why) => {
                Error::new(kind, format!("{label}: {why}"))
            }
        }
    }

    /// The failure as text.
    pub(super) fn text(self) -> String {
        match self {
            Self::Cancelled => "stopped while it was working".to_owned(),
            Self::Broken(why, _) | Self::Said(why) => why,
        }
    }
}

/// The helpers of a run.
pub(super) struct Helpers {
    isolation: Isolation,
    idle: Mutex<Vec<Process>>,
}

impl Helpers {
    pub(super) fn new(isolation: Isolation) -> Self {
        Self {
            isolation,
            idle: Mutex::default(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle helper, or a new one.
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

    /// Sends a request to a helper; returns its answer, and the bytes of a chunk. A helper that fails is ended.
    fn ask(
        &self,
        what: HelperRequest,
        file: &CheckedFile,
        (head, body): (MessageWriter, &[u8]),
    ) -> Result<HelperMessage, HelperFailure> {
        let mut asked = MessageWriter::default();
        let path = file.path.as_os_str().as_encoded_bytes();
        asked.number(what as u64).bytes(path);
        asked.number(file.identity.0).number(file.identity.1);
        asked.0.extend(head.0);
        let mut process = self.take()?;
        let answer = process.ask(&asked.0, body, &self.isolation)?;
        let mut read = In(&answer.head);
        let refusal = match read.truth().ok_or_else(wrong)? {
            true => None,
            false => Some(read.text().ok_or_else(wrong)?),
        };
        self.idle().push(process);
        match refusal {
            None => Ok(answer),
            Some(why) => Err(HelperFailure::Said(why)),
        }
    }

    /// Describes the filter of a file.
    pub(super) fn describe(&self, file: &CheckedFile) -> Result<PluginDescription, HelperFailure> {
        let answer = self.ask(
            HelperRequest::Describe,
            file,
            (MessageWriter::default(), &[]),
        )?;
        PluginDescription::get(&mut answer.told()).ok_or_else(wrong)
    }

    /// Whether a filter can be applied, or stored parameters for a chunk.
    pub(super) fn look(
        &self,
        what: HelperRequest,
        file: &CheckedFile,
        call: &PluginCall,
    ) -> Result<LookResult, HelperFailure> {
        let mut head = MessageWriter::default();
        call.put(&mut head);
        let answer = self.ask(what, file, (head, &[]))?;
        LookResult::get(&mut answer.told()).ok_or_else(wrong)
    }

    /// Applies or undoes a filter.
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
        let mut told = answer.told();
        let mut given = || {
            let made = told.truth()?;
            let there = told.truth()?;
            Some((made, there, told.number()?, told.text()?))
        };
        let (made, there, len, said) = given().ok_or_else(wrong)?;
        Ok(FilterResult {
            made: match made {
                true => MadeBytes::Copy(answer.body),
                false => MadeBytes::Nothing { there },
            },
            len: usize::try_from(len).map_err(|_| wrong())?,
            said,
        })
    }
}

/// A request or answer: a head, and the bytes of a chunk.
#[derive(Default)]
struct HelperMessage {
    head: Vec<u8>,
    body: Vec<u8>,
}

impl HelperMessage {
    /// The answer in the head, after the flag that says whether there is one.
    fn told(&self) -> In<'_> {
        In(self.head.get(8..).unwrap_or_default())
    }
}

fn wrong() -> HelperFailure {
    HelperFailure::Broken("its process gave an invalid answer".to_owned(), None)
}
