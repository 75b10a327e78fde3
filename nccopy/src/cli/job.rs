//! Options for the inputs, outputs and reports of a job.

use std::ffi::OsString;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use netcdf_grammar::flags::heading::EVERYDAY;
use netcdf_grammar::join::JoinKind;
use netcdf_grammar::split::SplitSpec;

use crate::request::{RecoveryState, ReportForm};

/// Heading of options for many inputs.
const MANY: &str = "Many inputs, and copies in place";

fn parse_split(text: &str) -> Result<SplitSpec, String> {
    SplitSpec::parse(text).map_err(|e| e.to_string())
}

/// Inputs, outputs and reports of a job.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(super) struct JobArgs {
    /// Replace each input with its copy once the copy is complete. Datasets that are already stored as requested are skipped
    #[arg(long)]
    pub in_place: bool,

    /// Include the subdirectories of input directories
    #[arg(long, conflicts_with = "joins")]
    pub recursive: bool,

    /// Print the planned work without copying
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true,
          default_missing_value = "table", value_enum)]
    pub dry_run: Option<ReportForm>,

    /// Print the stored bytes of each variable before and after, and the time. With --finish: report the parts
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true,
          default_missing_value = "table", value_enum, conflicts_with = "dry_run")]
    pub report: Option<ReportForm>,

    /// Divide the input into parts: DIM/year, DIM/month, DIM/day, DIM/hour, DIM/LENGTH or vars. The output name has %Y, %m, %d, %H, %M,
    /// %S (first time of the part), %n (number) or %v (variable)
    #[arg(long, value_name = "PARTS", value_parser = parse_split, conflicts_with = "select")]
    pub split: Option<SplitSpec>,

    /// Add the records of the inputs to the output, along its unlimited dimension or DIM. Records that it already has are skipped. A
    /// missing output is created; options for its kind and storage only count then
    #[arg(long, value_name = "DIM", num_args = 0..=1, require_equals = true,
          default_missing_value = "", group = "joins")]
    pub append: Option<OsString>,

    /// Add variables to the output that it lacks. Common variables must be equal
    #[arg(long, group = "joins")]
    pub add_variables: bool,

    /// End an unfinished change of each FILE, in the old state, in the new state, or with the current bytes (drop). A program that opens a
    /// file for writing restores the old state itself; this option is for files that another program changed meanwhile
    #[arg(long, value_name = "STATE", require_equals = true, value_enum)]
    pub recover: Option<RecoveryState>,

    /// Compare all values of the output with the input before the output appears under its name
    #[arg(long)]
    pub verify: bool,

    /// Fail if an output exists
    #[arg(long)]
    pub no_clobber: bool,

    /// Skip inputs whose output exists, to resume an interrupted job
    #[arg(long, help_heading = MANY)]
    pub skip_existing: bool,

    /// End of the names of copies in a directory, in place of the extension: .zarr, _small.nc [default: extension of the output's
    /// format]
    #[arg(long, value_name = "SUFFIX", help_heading = MANY, conflicts_with = "joins")]
    pub suffix: Option<OsString>,

    /// With --in-place: also rewrite datasets that are already stored as requested
    #[arg(long, help_heading = MANY)]
    pub force: bool,

    /// With --in-place: replace an input only if the copy is smaller
    #[arg(long, help_heading = MANY)]
    pub if_smaller: bool,

    /// With --in-place: keep the modification time of each input
    #[arg(long, help_heading = MANY)]
    pub keep_mtime: bool,
}

impl JobArgs {
    /// Returns the kind of the join of the output and the inputs.
    pub(super) fn extension(&self) -> Option<JoinKind> {
        if self.add_variables {
            return Some(JoinKind::Merge);
        }
        let dim = self.append.as_ref()?.to_string_lossy().into_owned();
        Some(JoinKind::Along(Some(dim).filter(|dim| !dim.is_empty())))
    }
}

impl ValueEnum for RecoveryState {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Old, Self::New, Self::Drop]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Old => "old",
            Self::New => "new",
            Self::Drop => "drop",
        }))
    }
}

impl ValueEnum for ReportForm {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Table, Self::Json]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Table => "table",
            Self::Json => "json",
        }))
    }
}
