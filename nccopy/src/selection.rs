//! Variables, groups and dimensions that `-v`, `-V`, `-g`, `-G` and `--unlimited` name.

use std::collections::BTreeSet;

use netcdf_core::copy::CopySelection;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::kind::Model;
use netcdf_core::model::{DimId, GroupId, Schema, VarId, cf};
use netcdf_grammar::selection::{dimensions, groups, variables};

use crate::request::{NameChoice, SelectRequest};

/// Returns the selected variables and groups of an input with this schema. Omitted objects get no notes: their omission was requested.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for groups of an input without groups, and [`ErrorKind::NotFound`] for unknown names.
pub(crate) fn resolve(
    request: &SelectRequest,
    schema: &Schema,
) -> Result<(CopySelection<VarId>, CopySelection<GroupId>)> {
    if request.groups != NameChoice::All && schema.kind.model != Model::Enhanced {
        let what = "Group list (-g ...) only permitted for netCDF-4 file";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let groups = selection(&request.groups, |list| groups(schema, list))?;
    let with_coordinates = |list: &[Vec<u8>]| {
        let mut found = variables(schema, list)?;
        if request.coordinates {
            found.extend(cf::located_by(schema, &found));
        }
        Ok(found)
    };
    let select = selection(&request.variables, with_coordinates)?;
    Ok((select, groups))
}

/// Returns the dimensions that `--unlimited` names.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for unknown names.
pub(crate) fn unlimited(request: &SelectRequest, schema: &Schema) -> Result<BTreeSet<DimId>> {
    match request.unlimited.is_empty() {
        true => Ok(BTreeSet::new()),
        false => dimensions(schema, &request.unlimited),
    }
}

fn selection<Id>(
    choice: &NameChoice,
    resolve: impl Fn(&[Vec<u8>]) -> Result<BTreeSet<Id>>,
) -> Result<CopySelection<Id>> {
    Ok(match choice {
        NameChoice::Only(names) if !names.is_empty() => CopySelection::Only(resolve(names)?),
        NameChoice::Data(names) if !names.is_empty() => CopySelection::Data(resolve(names)?),
        NameChoice::All | NameChoice::Data(_) | NameChoice::Only(_) => CopySelection::All,
    })
}
