//! Requests: command lines with every value resolved.
//!
//! `cli` creates one request from each command line, and no other module knows the options as typed. A request contains no impossible
//! combination: the options of a mode are in the variant of the mode. Specifications of `-c`, `--shard`, `-F` and `--quantize` stay text,
//! because their names need the schema of an input. Mistakes in these specifications are reported after the input was opened.

mod copy;
mod edit;
mod part;
mod parts;
mod process;
mod recover;
mod references;
mod select;
mod storage;

pub(crate) use copy::{
    CheckRequest, CopyMode, CopyRequest, Existing, FileRequest, InPlaceRequest, ReportRequest,
    RunOutput,
};
pub(crate) use edit::EditRequest;
pub(crate) use part::PartRequest;
pub(crate) use parts::{
    Engine, FinishRequest, MOST_PARTS, PartChoice, PlanRequest, PlanStep, StepRequest,
};
pub(crate) use process::ProcessRequest;
pub(crate) use recover::{RecoverRequest, RecoveryState};
pub(crate) use references::ReferenceRequest;
pub(crate) use select::{NameChoice, SelectRequest};
pub(crate) use storage::{CloudRules, StorageRequest};

/// The request of a command line.
#[derive(Debug)]
pub enum Request {
    /// Copies datasets.
    Copy(Box<CopyRequest>),
    /// Plans a copy in parts.
    Plan(Box<PlanRequest>),
    /// Runs one step of a planned copy.
    Step(StepRequest),
    /// Ends unfinished changes.
    Recover(RecoverRequest),
}

impl Request {
    /// The settings of the process.
    pub fn process(&self) -> &ProcessRequest {
        match self {
            Self::Copy(copy) => &copy.process,
            Self::Plan(plan) => &plan.copy.process,
            Self::Step(step) => &step.process,
            Self::Recover(recover) => &recover.process,
        }
    }
}

/// The form of printed results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportForm {
    /// A table.
    Table,
    /// JSON.
    Json,
}
