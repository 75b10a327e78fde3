//! Options of our own that only some kinds of output have.
//!
//! The C tools ignore options without effect on the kind of the output, so options of the C tools are notes there. Our own options are
//! mistakes if the command line names the kind.

use clap::Command;
use clap::error::ErrorKind as Mistake;
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::format::{self, traits};
use netcdf_core::model::Kind;
use netcdf_core::model::kind::StorageFormat;

/// The kinds that have an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// All kinds with settings of storage: netCDF-4 and Zarr.
    Settings,
    /// Files of HDF5.
    Hdf5,
    /// Kinds of Zarr with shards.
    Shards,
}

impl Kinds {
    /// Whether a kind belongs to the group.
    fn contain(self, kind: Kind) -> bool {
        match self {
            Self::Settings => traits(kind).settings,
            Self::Hdf5 => kind.storage == StorageFormat::Hdf5,
            Self::Shards => format::kind_row(kind).is_some_and(|row| row.shards),
        }
    }

    /// Kinds to use instead.
    fn remedy(self) -> &'static str {
        match self {
            Self::Settings | Self::Hdf5 => "use -k nc4 for netCDF-4 output",
            Self::Shards => "use -k zarr3 or -k nczarr3",
        }
    }
}

/// An option, whether the command line has it, and the kinds that have it.
pub type KindOption = (&'static str, bool, Kinds);

/// Checks options of our own against the kind that the command line names.
///
/// # Errors
/// The first option that outputs of this kind cannot have.
pub fn check(command: &Command, kind: Kind, options: &[KindOption]) -> Result<(), clap::Error> {
    let wrong = |(_, given, kinds): &&KindOption| *given && !kinds.contain(kind);
    let Some((option, _, kinds)) = options.iter().find(wrong) else {
        return Ok(());
    };
    let label = format::kind_row(kind).map_or(kind.name(), |row| row.label);
    let what = format!(
        "'{option}' cannot be used with {label} output ({})",
        kinds.remedy()
    );
    Err(command.clone().error(Mistake::ArgumentConflict, what))
}

/// The error about an output. It is a usage error if the output is possible without the options of Zarr: `possible` checks this.
pub fn blamed(command: &Command, e: Error, possible: impl FnOnce() -> bool) -> anyhow::Error {
    match e.kind() == ErrorKind::Argument && possible() {
        true => {
            let what = e.to_string();
            command
                .clone()
                .error(Mistake::ArgumentConflict, what)
                .into()
        }
        false => e.into(),
    }
}
