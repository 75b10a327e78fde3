//! Options for the contents of the output.

use std::ffi::OsString;

use clap::{Args, ValueEnum};
use netcdf_grammar::edit::{AttributeEdit, Rename};
use netcdf_grammar::flags::heading::{EVERYDAY, SELECTION};

use super::value::{parse_attribute, parse_rename};

/// Heading of options that change names, attributes and dimensions.
const EDITS: &str = "Names, attributes and dimensions";

/// The copied variables and groups.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
pub(super) struct SelectArgs {
    /// Copy only these variables: names, paths such as /g/v, or patterns such as 't*'. A leading ! excludes: '!t*'
    #[arg(short = 'V', value_name = "VAR,…", group = "vars")]
    pub only_vars: Vec<OsString>,
    /// Copy the data of these variables only, and define all variables; names, paths and patterns as for -V
    #[arg(
        short = 'v',
        value_name = "VAR,…",
        conflicts_with = "only_vars",
        group = "vars",
        help_heading = SELECTION
    )]
    pub data_vars: Vec<OsString>,
    /// With -v or -V: also copy the variables that locate the data, such as coordinates, bounds and grid mappings
    #[arg(long, requires = "vars", help_heading = SELECTION)]
    pub coordinates: bool,
    /// Copy only these groups; names, paths and patterns as for -V
    #[arg(short = 'G', value_name = "GROUP,…", help_heading = SELECTION)]
    pub only_groups: Vec<OsString>,
    /// Copy the data of these groups only, and define all variables; names, paths and patterns as for -V
    #[arg(short = 'g', value_name = "GROUP,…", conflicts_with = "only_groups", help_heading = SELECTION)]
    pub data_groups: Vec<OsString>,
}

/// The stored form of enums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EnumForm {
    /// Numbers with the attributes `flag_values` and `flag_meanings`.
    Flags,
}

/// Changed names, attributes and dimensions.
#[derive(Debug, Args)]
#[command(next_help_heading = EDITS)]
pub(super) struct EditArgs {
    /// Rename a dimension, variable or group, or an attribute (VAR@ATTRIBUTE,NEW). var:OLD,NEW and dim:OLD,NEW rename only variables or
    /// dimensions
    #[arg(long, value_name = "OLD,NEW", value_parser = parse_rename)]
    pub rename: Vec<Rename>,
    /// Set an attribute to values as in CDL: 'v@units="K"', or '@title="…"' for the dataset. '!v@units' removes an attribute
    #[arg(long, value_name = "VAR@NAME=VALUE", value_parser = parse_attribute)]
    pub attribute: Vec<AttributeEdit>,
    /// Prepend the date and this command, without passwords, to the global attribute history
    #[arg(long)]
    pub history: bool,
    /// Time for --history in seconds since 1970. Plans set this option for their parts
    #[arg(long, value_name = "SECONDS", requires = "history", hide = true)]
    pub history_time: Option<u64>,
    /// Make unlimited dimensions fixed
    #[arg(short = 'u')]
    pub fix_unlimited: bool,
    /// Make these dimensions unlimited: names, paths and patterns as for -V. With -u, all other dimensions become fixed
    #[arg(long, value_name = "DIM,…")]
    pub unlimited: Vec<OsString>,
    /// Store enums as integers with the CF attributes flag_values and flag_meanings, for kinds without enums
    #[arg(long, value_name = "flags", hide_possible_values = true)]
    pub enums: Option<EnumForm>,
}
