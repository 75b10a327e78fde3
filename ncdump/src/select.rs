//! The variables and groups that `-v` and `-g` name.

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{GroupId, Schema, VarId};
use netcdf_grammar::cdl::write::DataSelection;
use netcdf_grammar::selection;

use crate::request::SelectionRequest;

impl SelectionRequest {
    /// Returns the variables that `-v` and `-g` select, or `None` if neither is given.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for unknown names.
    pub(crate) fn chosen(&self, schema: &Schema) -> Result<Option<Vec<VarId>>> {
        if self.variables.is_none() && self.groups.is_none() {
            return Ok(None);
        }
        let selection = self.selection(schema)?;
        Ok(Some(selected(schema, &selection)))
    }

    /// Returns the selected variables and groups.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for unknown names.
    pub(crate) fn selection(&self, schema: &Schema) -> Result<DataSelection> {
        let (named, of_groups) = (self.variables.as_deref(), self.groups.as_deref());
        Ok(DataSelection {
            groups: of_groups.map(|g| groups(schema, g)).transpose()?,
            variables: named.map(|v| variables(schema, v)).transpose()?,
            coordinates: self.coordinates,
        })
    }
}

/// Returns the variables that match a list of names and patterns, in schema order.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for a name or pattern that matches no variable.
pub(crate) fn variables(schema: &Schema, names: &[Vec<u8>]) -> Result<Vec<VarId>> {
    if names.is_empty() {
        return Ok(vec![]);
    }
    let found = selection::variables(schema, names)?;
    Ok(found.into_iter().collect())
}

/// Returns the groups that match a list of names and patterns. `/` and an empty list stand for the root.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for a name or pattern that matches no group, and [`ErrorKind::Argument`] for a dataset that cannot have
/// groups.
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

/// Returns the selected variables in dump order.
pub(crate) fn selected(schema: &Schema, selection: &DataSelection) -> Vec<VarId> {
    let mut ids = Vec::new();
    collect(schema, GroupId::ROOT, selection, &mut ids);
    ids
}

fn collect(schema: &Schema, at: GroupId, selection: &DataSelection, ids: &mut Vec<VarId>) {
    let Some(group) = schema.group(at) else {
        return;
    };
    let listed = selection.variables.as_ref();
    if selection.groups.as_ref().is_none_or(|g| g.contains(&at)) {
        let vars = group.vars.iter().copied();
        ids.extend(vars.filter(|id| listed.is_none_or(|l| l.contains(id))));
    }
    for &sub in &group.groups {
        collect(schema, sub, selection, ids);
    }
}
