//! Joins of many datasets.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::heading::JOIN;
use crate::join::{
    Conflicts, InputNames, JoinKind, JoinOrder, JoinRequest, Lacking, NewDimension, Overlap,
    Repack, StaticCheck,
};
use crate::selection::names;

/// The default number of open inputs.
const OPEN: usize = 64;

/// Joins of many datasets.
#[derive(Debug, Args)]
#[command(next_help_heading = JOIN, group = ArgGroup::new("joins").multiple(false))]
pub struct JoinArgs {
    /// Read all inputs as one dataset: the inputs follow each other along DIM (docs/join.md) [default: the unlimited dimension, or the
    /// only one with different coordinates]
    #[arg(
        long,
        value_name = "DIM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        group = "joins"
    )]
    join: Option<OsString>,

    /// Like --join, along a new dimension. Variables that differ get the dimension. A scalar variable of this name becomes the coordinate
    #[arg(long = "join-new", value_name = "NAME", group = "joins")]
    join_new: Option<OsString>,

    /// Read all inputs as one dataset with the variables of all inputs
    #[arg(long, group = "joins")]
    merge: bool,

    /// With --join-new: coordinate values of the inputs: a list, a global attribute, or a pattern of file names: a,b,c or @id or 'r*.nc'
    #[arg(long, value_name = "LABELS", requires = "join_new")]
    labels: Option<OsString>,

    /// With --join-new: add the dimension to these variables, even if all inputs have the same values
    #[arg(long, value_name = "VAR,...", requires = "join_new")]
    each: Vec<OsString>,

    /// With --join, --join-new or --merge: read names of further inputs from FILE, one a line (- for standard input)
    #[arg(long, value_name = "FILE", requires = "joins")]
    inputs: Option<PathBuf>,

    /// With --join: order of the inputs: coordinate or given (as on the command line) [default: coordinate]
    #[arg(
        long,
        value_name = "ORDER",
        value_enum,
        hide_possible_values = true,
        requires = "joins"
    )]
    order: Option<JoinOrder>,

    /// With --join: inputs with common coordinate values: error, first or last (the values of this input) [default: error]
    #[arg(
        long,
        value_name = "RULE",
        value_enum,
        hide_possible_values = true,
        requires = "joins"
    )]
    overlap: Option<Overlap>,

    /// With --join: variables without the joined dimension: check (all values must be equal) or first (the values of the first input)
    /// [default: check]
    #[arg(
        long = "static",
        value_name = "RULE",
        value_enum,
        hide_possible_values = true,
        requires = "joins"
    )]
    statics: Option<StaticCheck>,

    /// With --join: variables that some inputs lack: error, fill (missing values) or skip [default: error]
    #[arg(
        long,
        value_name = "RULE",
        value_enum,
        hide_possible_values = true,
        requires = "joins"
    )]
    lacking: Option<Lacking>,

    /// With --join: attributes with several values: first (the value of the first input), common (no attribute) or error [default: first]
    #[arg(
        long,
        value_name = "RULE",
        value_enum,
        hide_possible_values = true,
        requires = "joins"
    )]
    conflicts: Option<Conflicts>,

    /// With --join: time units of the output, such as 'hours since 2000-01-01' [default: the units of the first input]
    #[arg(long = "time-units", value_name = "UNITS", requires = "joins")]
    time_units: Option<String>,

    /// With --join: unpack data with several packings to float or double, or pack the data again as byte, short or int
    #[arg(
        long,
        value_name = "TYPE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = parse_repack,
        requires = "joins"
    )]
    repack: Option<Repack>,

    /// With --join: maximum number of open inputs [default: 64]
    #[arg(long = "open-files", value_name = "N", requires = "joins")]
    open_files: Option<NonZeroU32>,
}

fn parse_repack(text: &str) -> Result<Repack, String> {
    let types = "expected float, double, byte, short or int";
    Repack::named(text).ok_or_else(|| types.to_owned())
}

impl JoinArgs {
    /// Returns whether the inputs are one dataset.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.kind().is_some()
    }

    /// Returns whether a file has names of inputs.
    #[must_use]
    pub fn has_list(&self) -> bool {
        self.inputs.is_some()
    }

    fn kind(&self) -> Option<JoinKind> {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        if let Some(name) = &self.join_new {
            return Some(JoinKind::New(NewDimension {
                name: text(name),
                labels: self.labels.as_ref().map(text),
                each: names(self.each.iter().map(OsString::as_os_str)),
            }));
        }
        if self.merge {
            return Some(JoinKind::Merge);
        }
        let name = text(self.join.as_ref()?);
        Some(JoinKind::Along(Some(name).filter(|name| !name.is_empty())))
    }

    /// Returns the join of inputs; `None` without a join.
    #[must_use]
    pub fn request(&self, named: Vec<PathBuf>) -> Option<JoinRequest> {
        Some(self.of_kind(self.kind()?, named))
    }

    /// Returns the join of inputs with a kind that another option names.
    #[must_use]
    pub fn of_kind(&self, kind: JoinKind, named: Vec<PathBuf>) -> JoinRequest {
        let open = |n: NonZeroU32| usize::try_from(n.get()).unwrap_or(OPEN);
        JoinRequest {
            inputs: InputNames::new(named, self.inputs.clone()),
            kind,
            extends: false,
            order: self.order.unwrap_or_default(),
            overlap: self.overlap.unwrap_or_default(),
            statics: self.statics.unwrap_or_default(),
            lacking: self.lacking.unwrap_or_default(),
            conflicts: self.conflicts.unwrap_or_default(),
            time_units: self.time_units.clone(),
            repack: self.repack,
            open_files: self.open_files.map_or(OPEN, open),
            references: false,
        }
    }
}
