//! Options for copies in parts.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::value::parse_chunk_size;
use crate::request::{Engine, MOST_PARTS, PartChoice};

/// Heading of options for copies in parts.
const PARTS: &str = "Copies in parts";

/// A copy in parts, which processes on several machines can run.
#[derive(Debug, Args)]
#[command(next_help_heading = PARTS)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(super) struct PlanArgs {
    /// Divide the copy into parts, and write only a plan to the new directory DIR
    #[arg(long, value_name = "DIR")]
    pub plan: Option<PathBuf>,
    /// With --plan: number of parts
    #[arg(long, value_name = "N", conflicts_with = "part_size",
          value_parser = clap::value_parser!(u64).range(1..=MOST_PARTS))]
    pub parts: Option<u64>,
    /// With --plan: size of a part before filters (suffixes as for --memory) [default: 1Gi]
    #[arg(long, value_name = "SIZE", value_parser = parse_chunk_size)]
    pub part_size: Option<u64>,
    /// With --plan: copy in one or two stages [default: the cheaper number for each variable]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub stages: Option<u8>,
    /// With --plan: write the plan even if other users can read passwords in its addresses
    #[arg(long)]
    pub allow_secrets: bool,
    /// Run part K of the plan in DIR (from 0), parts K-L, or auto for the task number of Slurm or Kubernetes. Exit status 75: try again
    #[arg(long = "part", id = "one_part", value_name = "K")]
    pub part: Option<PartChoice>,
    /// Run unclaimed parts of the plan until all are taken: nccopy --next DIR, on any number of machines. Exit status 75: other
    /// processes are still running parts
    #[arg(long)]
    pub next: bool,
    /// With --next: lease time of a part in seconds; after it expires, another process may run the part [default: 3600, with --finish:
    /// 300]
    #[arg(long, value_name = "SECONDS")]
    pub lease: Option<u32>,
    /// Check that all parts of the plan are complete, and create the output from them
    #[arg(long)]
    pub finish: bool,
    /// With --finish: do not compare the stored bytes with the digests of the parts
    #[arg(long, conflicts_with = "report")]
    pub no_check: bool,
    /// Print the number of finished, started and failed parts of the plan
    #[arg(long)]
    pub status: bool,
    /// With --status: print JSON
    #[arg(long)]
    pub json: bool,
    /// Remove the plan and its intermediate data. The output stays
    #[arg(long)]
    pub clean: bool,
    /// Print a script that runs all parts of the plan with ENGINE, and then --finish
    #[arg(long, value_name = "ENGINE", value_enum)]
    pub emit: Option<Engine>,
}

impl PlanArgs {
    /// Checks whether the only path is a plan directory.
    #[must_use]
    pub(super) fn takes_folder(&self) -> bool {
        let one = self.next || self.finish || self.status || self.clean;
        one || self.part.is_some() || self.emit.is_some()
    }
}

impl ValueEnum for Engine {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Slurm => "slurm",
            Self::Dask => "dask",
            Self::Snakemake => "snakemake",
            Self::Parallel => "parallel",
        }))
    }
}
