//! New names of dimensions, variables, groups and attributes.

use std::collections::HashSet;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::cf::NewNames;
use netcdf_core::model::{DimId, GroupId, Name, Schema, VarId};

use super::attribute::owners;
use crate::cdl::AttributeOwner;
use crate::escape::words::{plain, split_once};
use crate::named::{about, is_meant, nothing};

/// A new name: `old,new`, where `old` names dimensions, variables and groups, or `var@att,new` for an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Rename {
    old: Renamed,
    new: Name,
    /// All of it, for messages.
    text: String,
}

/// What gets a new name.
#[derive(Debug, Clone, PartialEq)]
enum Renamed {
    /// Dimensions, variables and groups.
    Objects(Vec<u8>),
    /// An attribute of these owners.
    Attribute { owners: String, name: Vec<u8> },
}

impl Rename {
    /// Reads an old and a new name.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if one of them is missing, [`ErrorKind::BadName`] for a name that netCDF does not allow.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |what: &str| {
            let e = Error::new(ErrorKind::Argument, what.to_owned());
            e.with_remedy("a change of names is OLD,NEW or VAR@ATTRIBUTE,NEW")
        };
        let (old, new) = split_once(text, ',').ok_or_else(|| wrong("there is no new name"))?;
        if split_once(new, ',').is_some() {
            return Err(wrong("there is more than one comma"));
        }
        let old = match split_once(old, '@') {
            _ if old.is_empty() => return Err(wrong("there is no old name")),
            Some((owners, name)) => Renamed::Attribute {
                owners: owners.to_owned(),
                name: plain(name),
            },
            None => Renamed::Objects(plain(old)),
        };
        let new = Name::checked(&plain(new))?;
        let text = text.to_owned();
        Ok(Self { old, new, text })
    }
}

/// Gives objects new names in `new`; they have the names of `old`.
pub(super) fn objects(old: &Schema, new: &mut Schema, renames: &[Rename]) -> Result<NewNames> {
    let mut names = NewNames::default();
    for rename in renames {
        if let Renamed::Objects(wanted) = &rename.old {
            let done = note(old, wanted, &rename.new, &mut names);
            done.map_err(|e| about("--rename", &rename.text, e))?;
        }
    }
    for (id, name) in &names.dims {
        if let Some(dim) = new.dims.get_mut(id.index()) {
            dim.name = name.clone();
        }
    }
    for (id, name) in &names.vars {
        new.var_mut(*id)?.name = name.clone();
    }
    for (id, name) in &names.groups {
        if let Some(group) = new.groups.get_mut(id.index()) {
            group.name = name.clone();
        }
    }
    check(new, &names)?;
    Ok(names)
}

/// Gives attributes new names in `new`; they and their owners have the names of `old`.
pub(super) fn attributes(old: &Schema, new: &mut Schema, renames: &[Rename]) -> Result<()> {
    for rename in renames {
        if let Renamed::Attribute { owners, name } = &rename.old {
            let done = attribute((old, new), owners, (name, &rename.new));
            done.map_err(|e| about("--rename", &rename.text, e))?;
        }
    }
    Ok(())
}

/// Notes the new name of all objects that `wanted` names.
fn note(old: &Schema, wanted: &[u8], new: &Name, names: &mut NewNames) -> Result<()> {
    let is = |group: GroupId, own: &Name| is_meant(old, wanted, (group, own.as_bytes()));
    let dims = (0..).map(DimId).zip(&old.dims);
    let dims: Vec<DimId> = dims
        .filter(|(_, dim)| is(dim.group, &dim.name))
        .map(|(id, _)| id)
        .collect();
    let vars = old.var_ids().zip(&old.vars);
    let vars: Vec<VarId> = vars
        .filter(|(_, var)| is(var.group, &var.name))
        .map(|(id, _)| id)
        .collect();
    let groups = (0..).map(GroupId).zip(&old.groups);
    let groups: Vec<GroupId> = groups
        .filter(|(_, group)| group.parent.is_some_and(|parent| is(parent, &group.name)))
        .map(|(id, _)| id)
        .collect();
    if dims.is_empty() && vars.is_empty() && groups.is_empty() {
        let dims = old.dims.iter().map(|dim| dim.name.as_bytes());
        let vars = old.vars.iter().map(|var| var.name.as_bytes());
        let groups = old.groups.iter().map(|group| group.name.as_bytes());
        let known = dims.chain(vars).chain(groups);
        return Err(nothing("dimension, variable or group", wanted, known));
    }
    let twice = |before: Option<Name>| match before {
        Some(other) if other != *new => {
            let what = format!("two new names for the same object, {other} and {new}");
            Err(Error::new(ErrorKind::Argument, what))
        }
        Some(_) | None => Ok(()),
    };
    for id in dims {
        twice(names.dims.insert(id, new.clone()))?;
    }
    for id in vars {
        twice(names.vars.insert(id, new.clone()))?;
    }
    for id in groups {
        twice(names.groups.insert(id, new.clone()))?;
    }
    Ok(())
}

/// Gives an attribute of variables or groups another name.
fn attribute(
    (old, new): (&Schema, &mut Schema),
    owners: &str,
    (from, to): (&[u8], &Name),
) -> Result<()> {
    let mut found = false;
    for owner in self::owners(old, owners)? {
        let (before, list) = match owner {
            AttributeOwner::Var(id) => {
                let before = old.var(id).map(|var| var.attributes.as_slice());
                (
                    before,
                    new.vars.get_mut(id.index()).map(|var| &mut var.attributes),
                )
            }
            AttributeOwner::Group(id) => {
                let before = old.group(id).map(|group| group.attributes.as_slice());
                (
                    before,
                    new.groups
                        .get_mut(id.index())
                        .map(|group| &mut group.attributes),
                )
            }
        };
        let had = before
            .unwrap_or_default()
            .iter()
            .any(|a| a.name.as_bytes() == from);
        let (true, Some(list)) = (had, list) else {
            continue;
        };
        found = true;
        if list.iter().any(|a| a.name == *to) {
            return Err(in_use("attribute", to));
        }
        let renamed = list.iter_mut().filter(|a| a.name.as_bytes() == from);
        renamed.for_each(|a| a.name = to.clone());
    }
    match found {
        true => Ok(()),
        false => Err(nothing("attribute", from, std::iter::empty())),
    }
}

fn in_use(what: &str, name: &Name) -> Error {
    let what = format!("{what} {name} is already there");
    Error::new(ErrorKind::Exists, what)
}

/// Refuses names that a group would have twice.
fn check(new: &Schema, names: &NewNames) -> Result<()> {
    let mut dims = HashSet::new();
    for dim in &new.dims {
        if !dims.insert((dim.group, &dim.name)) && names.dims.values().any(|n| *n == dim.name) {
            return Err(in_use("--rename: dimension", &dim.name));
        }
    }
    let mut objects = HashSet::new();
    let vars = new.vars.iter().map(|var| (var.group, &var.name));
    let groups = new
        .groups
        .iter()
        .filter_map(|group| Some((group.parent?, &group.name)));
    let types = new.types.iter().map(|ty| (ty.group, &ty.name));
    let given = |name: &Name| {
        let mut all = names.vars.values().chain(names.groups.values());
        all.any(|n| n == name)
    };
    for object in vars.chain(groups).chain(types) {
        if !objects.insert(object) && given(object.1) {
            return Err(in_use("--rename: variable, group or type", object.1));
        }
    }
    Ok(())
}
