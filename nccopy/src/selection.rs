//! The variables, groups and dimensions that `-v`, `-V`, `-g`, `-G` and `--unlimited` name.

use std::collections::BTreeSet;
use std::ffi::OsString;

use netcdf_core::copy::Selection;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::kind::Model;
use netcdf_core::model::{DimId, GroupId, Schema, VarId, cf};
use netcdf_grammar::selection::{dimensions, groups, names, variables};

use crate::cli::SelectArgs;

/// The selected variables and groups of an input with this schema. No note names omitted objects: their omission was requested.
///
/// # Errors
/// [`ErrorKind::Argument`] for groups of an input without groups, [`ErrorKind::NotFound`] for unknown names.
pub fn resolve(
    cli: &SelectArgs,
    schema: &Schema,
) -> Result<(Selection<VarId>, Selection<GroupId>)> {
    let any = !cli.data_groups.is_empty() || !cli.only_groups.is_empty();
    if any && schema.kind.model != Model::Enhanced {
        let what = "Group list (-g ...) only permitted for netCDF-4 file";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let groups = selection(&cli.data_groups, &cli.only_groups, |l| groups(schema, l))?;
    let with_coordinates = |list: &[Vec<u8>]| {
        let mut found = variables(schema, list)?;
        if cli.coordinates {
            found.extend(cf::located_by(schema, &found));
        }
        Ok(found)
    };
    let select = selection(&cli.data_vars, &cli.only_vars, with_coordinates)?;
    Ok((select, groups))
}

/// The dimensions that `--unlimited` names.
///
/// # Errors
/// [`ErrorKind::NotFound`] for unknown names.
pub fn unlimited(cli: &SelectArgs, schema: &Schema) -> Result<BTreeSet<DimId>> {
    let list = names(cli.unlimited.iter().map(OsString::as_os_str));
    match list.is_empty() {
        true => Ok(BTreeSet::new()),
        false => dimensions(schema, &list),
    }
}

fn selection<Id>(
    data: &[OsString],
    only: &[OsString],
    resolve: impl Fn(&[Vec<u8>]) -> Result<BTreeSet<Id>>,
) -> Result<Selection<Id>> {
    let list = |lists: &[OsString]| names(lists.iter().map(OsString::as_os_str));
    let (data, only) = (list(data), list(only));
    Ok(if !only.is_empty() {
        Selection::Only(resolve(&only)?)
    } else if !data.is_empty() {
        Selection::Data(resolve(&data)?)
    } else {
        Selection::All
    })
}
