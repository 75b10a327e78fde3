//! The variables and groups that `-v` and `-g` name.

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{GroupId, Schema, VarId};
use netcdf_grammar::escape::trim_nuls;

/// The variables with these names. `/g/v` is the variable `v` of group `/g`; `v` is that of any
/// group; `g/v` that of any group whose path ends with `g`.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a name that no variable has.
pub(crate) fn variables(schema: &Schema, names: &[Vec<u8>]) -> Result<Vec<VarId>> {
    let mut found = Vec::new();
    for name in names {
        let before = found.len();
        let named = |id: &VarId| is_named(schema, *id, name);
        found.extend(schema.var_ids().filter(named));
        if found.len() == before {
            return Err(missing("variable", name));
        }
    }
    Ok(found)
}

fn is_named(schema: &Schema, id: VarId, name: &[u8]) -> bool {
    let Some(var) = schema.var(id) else {
        return false;
    };
    let Some(slash) = name.iter().rposition(|&b| b == b'/') else {
        return trim_nuls(var.name.as_bytes()) == name;
    };
    let (group, last) = name.split_at_checked(slash).unwrap_or_default();
    if last.get(1..) != Some(trim_nuls(var.name.as_bytes())) {
        return false;
    }
    let path = path(schema, var.group);
    match name.first() {
        Some(b'/') => path == group,
        Some(_) | None => path.ends_with(group),
    }
}

/// The groups with these names: `/g/h` from the root on, `g` anywhere, `/` the root.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a name that no group has, [`ErrorKind::Argument`] for a dataset
/// that cannot have groups.
pub(crate) fn groups(schema: &Schema, names: &[Vec<u8>]) -> Result<Vec<GroupId>> {
    if !schema.kind.is_enhanced() {
        let what = format!("-g: a dataset of kind {} has no groups", schema.kind.name());
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let mut found = Vec::new();
    for name in names {
        let before = found.len();
        let ids = (0..u32::try_from(schema.groups.len()).unwrap_or(u32::MAX)).map(GroupId);
        found.extend(ids.filter(|&id| is_group(schema, id, name)));
        if found.len() == before {
            return Err(missing("group", name));
        }
    }
    if names.is_empty() {
        found.push(GroupId::ROOT);
    }
    Ok(found)
}

fn is_group(schema: &Schema, id: GroupId, name: &[u8]) -> bool {
    let path = path(schema, id);
    match name {
        b"/" => id == GroupId::ROOT,
        [b'/', .., b'/'] => name.strip_suffix(b"/") == Some(&path),
        [b'/', ..] => path == name,
        _ => {
            let group = schema.group(id).filter(|g| g.parent.is_some());
            group.is_some_and(|g| g.name.as_bytes() == name)
        }
    }
}

/// The path of a group in bytes; empty for the root.
fn path(schema: &Schema, id: GroupId) -> Vec<u8> {
    let parent = |id: &GroupId| schema.group(*id).and_then(|g| g.parent);
    let way: Vec<_> = std::iter::successors(Some(id), parent)
        .take(schema.groups.len())
        .filter_map(|id| schema.group(id).filter(|g| g.parent.is_some()))
        .collect();
    let mut path = Vec::new();
    for group in way.iter().rev() {
        path.push(b'/');
        path.extend_from_slice(group.name.as_bytes());
    }
    path
}

fn missing(what: &str, name: &[u8]) -> Error {
    let name = String::from_utf8_lossy(name);
    Error::new(ErrorKind::NotFound, format!("{name}: No such {what}"))
}
