//! Setting and removing attributes.

use std::ffi::OsStr;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::memory::MemorySource;
use netcdf_core::model::{Attribute, GroupId, Schema};
use netcdf_core::notes::Note;

use crate::cdl::ast::StatementWord;
use crate::cdl::{AssignedAttribute, AssignmentOwner, assign};
use crate::diagnostic::Reporter;
use crate::escape::words::{plain, split_once, trim_end};
use crate::object_name::with_option;
use crate::pattern::PathGlob;
use crate::selection;

/// An attribute to set, `[TYPE ]OWNER@NAME=VALUES` with values as in CDL, or to remove, `!OWNER@NAME`. The owner is a list of variables, or
/// of groups with a trailing `/`, as in `-v` and `-g`. Without an owner, the attribute belongs to the dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeEdit {
    owners: String,
    change: AttributeOperation,
    /// The complete text.
    text: String,
}

/// The edit.
#[derive(Debug, Clone, PartialEq)]
enum AttributeOperation {
    /// Removes the attributes with this name or pattern.
    Remove(String),
    /// Sets an attribute. Type, name and values have their positions in the text.
    Set {
        ty: Option<(usize, usize)>,
        name: (usize, usize),
        list: usize,
    },
}

impl AttributeEdit {
    /// Parses an edit. Values are parsed when the edit is applied, because their types may belong to the dataset.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        match text.strip_prefix('!') {
            Some(rest) => Self::removal(text, rest),
            None => Self::setting(text),
        }
    }

    fn removal(text: &str, rest: &str) -> Result<Self> {
        let (owners, name) = split_once(rest, '@').ok_or_else(|| wrong("there is no `@`"))?;
        if name.is_empty() {
            return Err(wrong("the name after `@` is missing"));
        }
        Ok(Self {
            owners: owners.to_owned(),
            change: AttributeOperation::Remove(name.to_owned()),
            text: text.to_owned(),
        })
    }

    fn setting(text: &str) -> Result<Self> {
        let (head, _) = split_once(text, '@').ok_or_else(|| wrong("there is no `@`"))?;
        let behind = text.get(head.len() + 1..).unwrap_or_default();
        let (name, _) = split_once(behind, '=').ok_or_else(|| wrong("there is no `=`"))?;
        let at = head.len() + 1;
        let list = at + name.len() + 1;
        let name = trim_end(name);
        if name.is_empty() {
            return Err(wrong("the name after `@` is missing"));
        }
        let (ty, owners) = match split_once(head, ' ') {
            Some((ty, owners)) if !ty.is_empty() => (Some((0, ty.len())), owners),
            Some((_, owners)) => (None, owners),
            None => (None, head),
        };
        Ok(Self {
            owners: owners.trim_start_matches(' ').to_owned(),
            change: AttributeOperation::Set {
                ty,
                name: (at, at + name.len()),
                list,
            },
            text: text.to_owned(),
        })
    }

    /// Applies the edit to `new`; names refer to `old`. Missing attributes to remove are notes.
    pub(super) fn apply(&self, old: &Schema, new: &mut Schema) -> Result<Option<Note>> {
        let owners = owners(old, &self.owners);
        let owners = owners.map_err(|e| with_option("--attribute", &self.text, e))?;
        match &self.change {
            AttributeOperation::Remove(name) => Ok(self.remove(new, &owners, name)),
            AttributeOperation::Set { ty, name, list } => {
                let given = AssignedAttribute {
                    ty: ty.map(|range| self.word(range)),
                    name: self.word(*name),
                    list: *list,
                };
                self.set(new, &owners, given).map(|()| None)
            }
        }
    }

    fn word(&self, (at, end): (usize, usize)) -> StatementWord<'_> {
        StatementWord {
            text: self.text.get(at..end).unwrap_or_default(),
            at,
        }
    }

    fn set(
        &self,
        new: &mut Schema,
        owners: &[AssignmentOwner],
        given: AssignedAttribute<'_>,
    ) -> Result<()> {
        let source = MemorySource::new("--attribute", self.text.clone().into_bytes());
        let text = (self.text.as_str(), Reporter::new(&source).strict(true));
        match assign(new, owners, given, text) {
            Ok(_) => Ok(()),
            Err(wrong) => Err(Error::new(ErrorKind::Argument, wrong.to_string())),
        }
    }

    fn remove(&self, new: &mut Schema, owners: &[AssignmentOwner], name: &str) -> Option<Note> {
        let exact = plain(name);
        let glob = PathGlob::new(name);
        let is = |attribute: &Attribute| {
            // Patterns have path syntax.
            let path = format!("/{}", String::from_utf8_lossy(attribute.name.as_bytes()));
            attribute.name.as_bytes() == exact || glob.as_ref().is_some_and(|g| g.matches(&path))
        };
        let mut removed = 0;
        for owner in owners {
            let list = match owner {
                AssignmentOwner::Var(id) => new.vars.get_mut(id.index()).map(|v| &mut v.attributes),
                AssignmentOwner::Group(id) => {
                    new.groups.get_mut(id.index()).map(|g| &mut g.attributes)
                }
            };
            if let Some(list) = list {
                let before = list.len();
                list.retain(|attribute| !is(attribute));
                removed += before - list.len();
            }
        }
        (removed == 0).then(|| Note {
            object: "--attribute".to_owned(),
            what: format!("{}: no such attribute", self.text),
            remedy: None,
        })
    }
}

fn wrong(what: &str) -> Error {
    let e = Error::new(ErrorKind::Argument, what.to_owned());
    e.with_remedy(
        "an attribute is VAR@NAME=VALUE, with values as in CDL, or !VAR@NAME to remove it",
    )
}

/// Returns the owners with a name: the dataset, groups with a trailing `/`, or variables.
pub(super) fn owners(schema: &Schema, text: &str) -> Result<Vec<AssignmentOwner>> {
    let names = selection::names([OsStr::new(text)]);
    let is_group = |name: &Vec<u8>| name.ends_with(b"/");
    if names.is_empty() {
        return Ok(vec![AssignmentOwner::Group(GroupId::ROOT)]);
    }
    if names.iter().all(is_group) {
        let found = selection::groups(schema, &names)?;
        return Ok(found.into_iter().map(AssignmentOwner::Group).collect());
    }
    let found = selection::variables(schema, &names)?;
    Ok(found.into_iter().map(AssignmentOwner::Var).collect())
}
