//! Renaming of dimensions, variables, groups and attributes.

use std::collections::HashSet;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::cf::NewNames;
use netcdf_core::model::{DimId, GroupId, Name, Schema, VarId};

use super::attribute::owners;
use crate::cdl::AssignmentOwner;
use crate::escape::words::{plain, split_once};
use crate::object_name::{refers_to, unknown_name, with_option};

/// A new name: `old,new` for dimensions, variables and groups, `dim:old,new` or `var:old,new` for only dimensions or variables, or
/// `var@att,new` for an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Rename {
    old: RenameTarget,
    new: Name,
    /// The complete text, for messages.
    text: String,
}

/// The objects to rename.
#[derive(Debug, Clone, PartialEq)]
enum RenameTarget {
    /// Dimensions, variables and groups.
    Objects {
        /// The name or path, which may begin with a class prefix.
        name: Vec<u8>,
        /// The class and the name after its prefix.
        class: Option<(ObjectClass, Vec<u8>)>,
    },
    /// An attribute of these owners.
    Attribute { owners: String, name: Vec<u8> },
}

/// The class of objects to rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObjectClass {
    Dimensions,
    Variables,
}

impl ObjectClass {
    /// Splits a text into the class before the first colon and the name after it.
    fn split(text: &str) -> Option<(Self, Vec<u8>)> {
        let (word, name) = split_once(text, ':')?;
        let class = match word {
            "dim" => Self::Dimensions,
            "var" => Self::Variables,
            _ => return None,
        };
        Some((class, plain(name)))
    }

    /// Returns the noun for messages.
    fn noun(self) -> &'static str {
        match self {
            Self::Dimensions => "dimension",
            Self::Variables => "variable",
        }
    }
}

impl Rename {
    /// Parses an old and a new name.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a missing name, and [`ErrorKind::BadName`] for a name that netCDF forbids.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |what: &str| {
            let e = Error::new(ErrorKind::Argument, what.to_owned());
            e.with_remedy(
                "a change of names is OLD,NEW, var:OLD,NEW, dim:OLD,NEW or VAR@ATTRIBUTE,NEW",
            )
        };
        let (old, new) = split_once(text, ',').ok_or_else(|| wrong("the new name is missing"))?;
        if split_once(new, ',').is_some() {
            return Err(wrong("there is more than one comma"));
        }
        let old = match split_once(old, '@') {
            _ if old.is_empty() => return Err(wrong("the old name is missing")),
            Some((owners, name)) => RenameTarget::Attribute {
                owners: owners.to_owned(),
                name: plain(name),
            },
            None => RenameTarget::Objects {
                name: plain(old),
                class: ObjectClass::split(old),
            },
        };
        let new = Name::checked(&plain(new))?;
        let text = text.to_owned();
        Ok(Self { old, new, text })
    }
}

/// Renames objects in `new`; the texts refer to names in `old`.
pub(super) fn objects(old: &Schema, new: &mut Schema, renames: &[Rename]) -> Result<NewNames> {
    let mut names = NewNames::default();
    for rename in renames {
        if let RenameTarget::Objects { name, class } = &rename.old {
            let found = RenameMatches::of(old, name, class.as_ref());
            let done = found.and_then(|found| found.note(&rename.new, &mut names));
            done.map_err(|e| with_option("--rename", &rename.text, e))?;
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

/// Renames attributes in `new`; the texts refer to names in `old`.
pub(super) fn attributes(old: &Schema, new: &mut Schema, renames: &[Rename]) -> Result<()> {
    for rename in renames {
        if let RenameTarget::Attribute { owners, name } = &rename.old {
            let done = attribute((old, new), owners, (name, &rename.new));
            done.map_err(|e| with_option("--rename", &rename.text, e))?;
        }
    }
    Ok(())
}

/// The objects that a name selects.
struct RenameMatches {
    dims: Vec<DimId>,
    vars: Vec<VarId>,
    groups: Vec<GroupId>,
}

impl RenameMatches {
    /// Returns the objects with a name. Objects with the whole text as name take precedence over the objects of a class.
    fn of(schema: &Schema, name: &[u8], class: Option<&(ObjectClass, Vec<u8>)>) -> Result<Self> {
        let found = Self::named(schema, name);
        if !found.is_empty() {
            return Ok(found);
        }
        let Some((class, name)) = class else {
            return Err(unknown_name(
                "dimension, variable or group",
                name,
                known(schema, None),
            ));
        };
        let mut found = Self::named(schema, name);
        found.groups.clear();
        match class {
            ObjectClass::Dimensions => found.vars.clear(),
            ObjectClass::Variables => found.dims.clear(),
        }
        match found.is_empty() {
            false => Ok(found),
            true => Err(unknown_name(
                class.noun(),
                name,
                known(schema, Some(*class)),
            )),
        }
    }

    /// Returns all objects with a name or path.
    fn named(schema: &Schema, wanted: &[u8]) -> Self {
        let is = |group: GroupId, own: &Name| refers_to(schema, wanted, (group, own.as_bytes()));
        let dims = (0..).map(DimId).zip(&schema.dims);
        let dims = dims.filter(|(_, dim)| is(dim.group, &dim.name));
        let vars = schema.var_ids().zip(&schema.vars);
        let vars = vars.filter(|(_, var)| is(var.group, &var.name));
        let groups = (0..).map(GroupId).zip(&schema.groups);
        let groups =
            groups.filter(|(_, group)| group.parent.is_some_and(|parent| is(parent, &group.name)));
        Self {
            dims: dims.map(|(id, _)| id).collect(),
            vars: vars.map(|(id, _)| id).collect(),
            groups: groups.map(|(id, _)| id).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.dims.is_empty() && self.vars.is_empty() && self.groups.is_empty()
    }

    /// Records the new name of all objects.
    fn note(self, new: &Name, names: &mut NewNames) -> Result<()> {
        let twice = |before: Option<Name>| match before {
            Some(other) if other != *new => {
                let what = format!("two new names for the same object, {other} and {new}");
                Err(Error::new(ErrorKind::Argument, what))
            }
            Some(_) | None => Ok(()),
        };
        for id in self.dims {
            twice(names.dims.insert(id, new.clone()))?;
        }
        for id in self.vars {
            twice(names.vars.insert(id, new.clone()))?;
        }
        for id in self.groups {
            twice(names.groups.insert(id, new.clone()))?;
        }
        Ok(())
    }
}

/// Returns the names of the objects of a class, or of all objects.
fn known(schema: &Schema, class: Option<ObjectClass>) -> impl Iterator<Item = &[u8]> {
    let is = move |it: ObjectClass| class.is_none_or(|class| class == it);
    let dims = schema.dims.iter().map(|dim| dim.name.as_bytes());
    let vars = schema.vars.iter().map(|var| var.name.as_bytes());
    let groups = schema.groups.iter().map(|group| group.name.as_bytes());
    let dims = dims.filter(move |_| is(ObjectClass::Dimensions));
    let vars = vars.filter(move |_| is(ObjectClass::Variables));
    dims.chain(vars)
        .chain(groups.filter(move |_| class.is_none()))
}

/// Renames an attribute of variables or groups.
fn attribute(
    (old, new): (&Schema, &mut Schema),
    owners: &str,
    (from, to): (&[u8], &Name),
) -> Result<()> {
    let mut found = false;
    for owner in self::owners(old, owners)? {
        let (before, list) = match owner {
            AssignmentOwner::Var(id) => {
                let before = old.var(id).map(|var| var.attributes.as_slice());
                (
                    before,
                    new.vars.get_mut(id.index()).map(|var| &mut var.attributes),
                )
            }
            AssignmentOwner::Group(id) => {
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
        false => Err(unknown_name("attribute", from, std::iter::empty())),
    }
}

fn in_use(what: &str, name: &Name) -> Error {
    let what = format!("{what} {name} already exists");
    Error::new(ErrorKind::Exists, what)
}

/// Rejects duplicate names in a group.
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
