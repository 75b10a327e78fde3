//! The variables and groups that `-v` and `-g` name.

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{GroupId, Schema, VarId};
use netcdf_grammar::selection;

/// The variables that a list of names and patterns stands for, in the order of the schema.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a name or pattern that stands for no variable.
pub(crate) fn variables(schema: &Schema, names: &[Vec<u8>]) -> Result<Vec<VarId>> {
    if names.is_empty() {
        return Ok(vec![]);
    }
    let found = selection::variables(schema, names)?;
    Ok(found.into_iter().collect())
}

/// The groups that a list of names and patterns stands for; `/` is the root, and so is an empty list.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a name or pattern that stands for no group, [`ErrorKind::Argument`] for a dataset
/// that cannot have groups.
pub(crate) fn groups(schema: &Schema, names: &[Vec<u8>]) -> Result<Vec<GroupId>> {
    if !schema.kind.is_enhanced() {
        let what = format!("-g: a dataset of kind {} has no groups", schema.kind.name());
        return Err(Error::new(ErrorKind::Argument, what));
    }
    if names.is_empty() {
        return Ok(vec![GroupId::ROOT]);
    }
    let found = selection::groups(schema, names)?;
    Ok(found.into_iter().collect())
}
