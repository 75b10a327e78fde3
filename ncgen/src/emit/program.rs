//! The content of a program.

use std::collections::HashMap;

use netcdf_core::env::Env;
use netcdf_core::format::kind_row;
use netcdf_core::io::Source;
use netcdf_core::model::{Kind, Schema, VarId};
use netcdf_grammar::cdl::DataList;

/// The content of a program.
pub(super) struct Program<'a> {
    /// The schema. The data determines the lengths of unlimited dimensions.
    pub(super) schema: Schema,
    /// The dataset's name. The C tool derives the name of the root group from it.
    pub(super) dataset: Vec<u8>,
    /// The file that the program makes.
    pub(super) file: String,
    /// Name of the main function, program or class.
    pub(super) main: String,
    /// Whether NaN or infinite values occur.
    pub(super) unusual: bool,
    /// The data lists; none with `-H`.
    pub(super) lists: HashMap<VarId, &'a DataList>,
    pub(super) source: &'a dyn Source,
    pub(super) no_fill: bool,
    pub(super) header_only: bool,
    /// The maximum number of elements per call, if no dimension is unlimited.
    pub(super) at_once: u64,
    /// The maximum number of elements per call, if there is a limit. Text is then also written by rows.
    pub(super) most: Option<u64>,
    pub(super) env: &'a Env,
}

/// Returns the mode flags of `nc_create` for a kind, without `NC_`.
pub(super) fn mode(kind: Kind) -> &'static [&'static str] {
    kind_row(kind).map_or(&[], |row| row.mode)
}

impl Program<'_> {
    /// Returns the data list of a variable.
    pub(super) fn list(&self, var: VarId) -> Option<&DataList> {
        self.lists.get(&var).copied()
    }
}
