//! Requests about copies in parts.

mod choice;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use netcdf_core::copy::parts::PartSize;

use super::{CopyRequest, ProcessRequest, ReportForm};
pub(crate) use choice::PartChoice;

/// The maximum number of parts of a plan. Each part has a done-file, which `--finish` reads.
pub(crate) const MOST_PARTS: u64 = 10_000_000;

/// A plan of a copy in parts.
#[derive(Debug)]
pub struct PlanRequest {
    /// The plan directory.
    pub folder: PathBuf,
    /// The planned copy.
    pub copy: CopyRequest,
    /// The arguments that define the same copy for all part processes.
    pub arguments: Vec<OsString>,
    /// The size of the parts.
    pub size: PartSize,
    /// The requested number of stages.
    pub stages: Option<u8>,
    /// Whether other users may read secrets in addresses.
    pub allow_secrets: bool,
}

/// A step of a planned copy.
#[derive(Debug)]
pub struct StepRequest {
    /// The step.
    pub step: PlanStep,
    /// The paths of the command line. Only one is allowed: the plan directory.
    pub paths: Vec<PathBuf>,
    /// The settings of the process.
    pub process: ProcessRequest,
}

/// A step of a planned copy.
#[derive(Debug)]
pub enum PlanStep {
    /// Makes parts.
    Part(PartChoice),
    /// Makes free parts until all are taken, each with this lease.
    Next(Option<Duration>),
    /// Makes the output from the parts.
    Finish(FinishRequest),
    /// Prints the progress.
    Status {
        /// Whether the progress is JSON.
        json: bool,
    },
    /// Removes the plan.
    Clean,
    /// Prints a script that makes the parts.
    Emit(Engine),
}

/// Options of the step that makes the output from the parts.
#[derive(Debug, Clone, Copy)]
pub struct FinishRequest {
    /// The lease of the right to finish the plan.
    pub lease: Option<Duration>,
    /// Whether the output is read back and compared with the input.
    pub verify: bool,
    /// Whether stored bytes are compared with the digests of the parts.
    pub check: bool,
    /// The form of the report to print.
    pub report: Option<ReportForm>,
}

/// The program that a script is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A shell script that submits jobs of Slurm.
    Slurm,
    /// A Python script for Dask.
    Dask,
    /// A Snakefile.
    Snakemake,
    /// A shell script for GNU parallel.
    Parallel,
}

impl Engine {
    /// All programs.
    pub const ALL: [Self; 4] = [Self::Slurm, Self::Dask, Self::Snakemake, Self::Parallel];
}
