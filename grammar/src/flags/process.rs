//! Options of all tools.

use std::num::NonZeroU16;

use clap::{ArgAction, Args};

use super::heading::{EVERYDAY, RESOURCES};
use super::network::NetworkArgs;

/// Settings of the process.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = RESOURCES)]
pub struct ProcessArgs {
    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "N", global = true)]
    pub threads: Option<NonZeroU16>,

    /// Requests to storage.
    #[command(flatten)]
    pub network: NetworkArgs,

    /// Trace operations on Zarr stores to standard error, as NCTRACING=1 does
    #[arg(long, global = true, help_heading = RESOURCES)]
    pub trace: bool,
}

/// Help and version.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
pub struct HelpArgs {
    /// Print all options and examples
    #[arg(long, action = ArgAction::HelpLong)]
    help: Option<bool>,

    /// Print the version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,
}
