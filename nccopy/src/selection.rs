//! The variables, groups and dimensions that `-v`, `-V`, `-g`, `-G` and `--unlimited` name.

use std::collections::BTreeSet;
use std::ffi::OsString;

use netcdf_core::copy::Selection;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::kind::Model;
use netcdf_core::model::{DimId, GroupId, Schema, VarId, cf};
use netcdf_core::notes::{Note, Notes, few};
use netcdf_grammar::selection::{dimensions, groups, names, variables};

use crate::cli::SelectArgs;

/// The selected variables and groups of an input with this schema; `notes` receives what is left out.
///
/// # Errors
/// [`ErrorKind::Argument`] for groups of an input without groups, [`ErrorKind::NotFound`] for unknown names.
pub fn resolve(
    cli: &SelectArgs,
    schema: &Schema,
    notes: &Notes,
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
    if let Some(note) = left_out(schema, &select, &groups) {
        notes.remark(note);
    }
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

/// A note on the variables that are not defined in the output, and on those of them that locate the values of the others.
fn left_out(schema: &Schema, vars: &Selection<VarId>, groups: &Selection<GroupId>) -> Option<Note> {
    let option = match (vars, groups) {
        (Selection::Only(_), _) => "-V",
        (_, Selection::Only(_)) => "-G",
        (Selection::All | Selection::Data(_), Selection::All | Selection::Data(_)) => return None,
    };
    let stays = |id: &VarId| {
        let group = schema.var(*id).map(|v| v.group);
        let in_group = match groups {
            Selection::Only(these) => group.is_some_and(|g| these.contains(&g)),
            Selection::All | Selection::Data(_) => true,
        };
        let named = match vars {
            Selection::Only(these) => these.contains(id),
            Selection::All | Selection::Data(_) => true,
        };
        in_group && named
    };
    let (kept, gone): (BTreeSet<_>, BTreeSet<_>) = schema.var_ids().partition(stays);
    if gone.is_empty() {
        return None;
    }
    let paths = |ids: &BTreeSet<VarId>| {
        let paths: Vec<_> = ids.iter().map(|id| schema.var_path(*id)).collect();
        few(&paths)
    };
    let needed = cf::located_by(schema, &kept);
    let remedy = || match option {
        "-V" => format!("--coordinates keeps {}", paths(&needed)),
        _ => format!("{} would locate the values", paths(&needed)),
    };
    Some(Note {
        object: option.to_owned(),
        what: format!("leaves out {}", paths(&gone)),
        remedy: (!needed.is_empty()).then(remedy),
    })
}
