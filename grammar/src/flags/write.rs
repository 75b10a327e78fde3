//! Checks of inputs and outputs.

use clap::Args;

use super::heading::{CHECKS, EVERYDAY};

/// Notes as errors.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = CHECKS)]
pub struct StrictArgs {
    /// Fail instead of printing a note or warning about skipped or changed data
    #[arg(long)]
    pub strict: bool,
}

/// Suppressed messages.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = EVERYDAY)]
pub struct QuietArgs {
    /// Print no progress bar, notes or warnings
    #[arg(long)]
    pub quiet: bool,
}

/// Files outside the input's directory.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = CHECKS)]
pub struct ExternalArgs {
    /// Also read files outside the input's directory that the input refers to: links, virtual datasets, external data
    #[arg(long = "allow-external", global = true)]
    pub allow_external: bool,
}

/// Outputs of all kinds.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = CHECKS)]
pub struct WriteArgs {
    /// Allow outputs of more than 1 GB that are almost entirely fill values
    #[arg(long = "allow-large")]
    pub allow_large: bool,

    /// Overwrite an output that has several hard links in place, so that all links have the new content. This step is not atomic
    #[arg(long)]
    pub keep_links: bool,

    /// Do not wait until the output is written to disk (skip fsync)
    #[arg(long)]
    pub no_sync: bool,
}
