//! The facts for the description of the whole.

use std::collections::{BTreeMap, BTreeSet};

use netcdf_core::chunk::Reader;
use netcdf_core::chunk::joined::JoinedDataset;
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::model::VarId;

use super::dimension::JoinedDimension;
use super::headers::Headers;
use super::order::InputRun;
use super::request::JoinRequest;

/// The facts for the description of the whole.
pub(super) struct Whole<'a> {
    pub(super) request: &'a JoinRequest,
    pub(super) headers: &'a Headers,
    pub(super) runs: &'a [InputRun],
    pub(super) joined: &'a JoinedDimension,
    /// The paths of variables that get a new dimension.
    pub(super) extended: &'a BTreeSet<String>,
    pub(super) name: &'a dyn Fn(usize) -> String,
    /// Opens an input.
    pub(super) open: &'a dyn Fn(usize) -> Result<Box<dyn Reader>>,
    pub(super) env: &'a Env,
}

/// The description of the whole, and the changes that notes report.
pub(super) struct Described {
    pub(super) dataset: JoinedDataset,
    /// Messages about variables, by path.
    pub(super) notes: Vec<(String, String)>,
}

/// The ids and facts of each variable of an input, by path.
pub(super) type VariablesByPath<'h> = BTreeMap<&'h str, (VarId, usize)>;

/// The variables of all inputs.
pub(super) struct InputVariables<'b, 'h> {
    /// The variables of each input.
    pub(super) of_inputs: Vec<&'b VariablesByPath<'h>>,
    /// The inputs in the order of the whole. Inputs without elements come last.
    pub(super) order: Vec<usize>,
}

impl InputVariables<'_, '_> {
    /// Returns the first input with a variable, and the first input without it.
    pub(super) fn holders(&self, path: &str) -> [Option<usize>; 2] {
        let has = |input: &&usize| self.has(**input, path);
        let first = self.order.iter().find(has).copied();
        let lacks = self.order.iter().find(|input| !has(input)).copied();
        [first, lacks]
    }

    fn has(&self, input: usize, path: &str) -> bool {
        self.of_inputs
            .get(input)
            .is_some_and(|vars| vars.contains_key(path))
    }
}
