//! Our own options that only some output kinds support.
//!
//! The C tools ignore options without effect on the output kind, so unsupported options of the C tools cause notes. Our own options cause
//! usage errors if the command line names the kind.

use clap::Command;
use clap::error::ErrorKind as Mistake;
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::format::{self, traits};
use netcdf_core::model::Kind;
use netcdf_core::model::kind::StorageFormat;

/// The kinds that support an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// All kinds with storage settings: netCDF-4 and Zarr.
    Settings,
    /// HDF5 files.
    Hdf5,
    /// Zarr kinds with shards.
    Shards,
}

impl Kinds {
    /// Returns whether a kind belongs to the group.
    fn contain(self, kind: Kind) -> bool {
        match self {
            Self::Settings => traits(kind).settings,
            Self::Hdf5 => kind.storage == StorageFormat::Hdf5,
            Self::Shards => format::kind_row(kind).is_some_and(|row| row.shards),
        }
    }

    /// Returns the kinds to use instead.
    fn remedy(self) -> &'static str {
        match self {
            Self::Settings | Self::Hdf5 => "use -k nc4 for netCDF-4 output",
            Self::Shards => "use -k zarr3 or -k nczarr3",
        }
    }
}

/// An option, whether it is given, and the kinds that support it.
pub type KindOption = (&'static str, bool, Kinds);

/// Checks our own options against the kind on the command line.
///
/// # Errors
/// Returns an error for the first option that the kind does not support.
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

/// Returns an output error. It is a usage error if the output is possible without Zarr options, which `possible` checks.
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
