//! Which variables and groups a copy is about.

use crate::error::{Error, ErrorKind, Result};
use crate::model::{GroupId, Name, Schema, VarId};

/// The variables or groups that are copied, by name: their own name (in whatever group), or their
/// path from the root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Selection {
    /// All.
    #[default]
    All,
    /// The definitions of all, the data of these only.
    Data(Vec<Vec<u8>>),
    /// Definitions and data of these only.
    Only(Vec<Vec<u8>>),
}

impl Selection {
    /// Per variable of `schema`: whether it is defined in the output, and whether its data is
    /// copied.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a name that no variable has.
    pub(super) fn of(&self, schema: &Schema) -> Result<Vec<(bool, bool)>> {
        let (names, define_all) = match self {
            Self::All => return Ok(vec![(true, true); schema.vars.len()]),
            Self::Data(names) => (names, true),
            Self::Only(names) => (names, false),
        };
        let mut marks = vec![(define_all, false); schema.vars.len()];
        for name in names {
            let mut found = false;
            for (id, mark) in schema.var_ids().zip(&mut marks) {
                if is_named(schema, id, name) {
                    (*mark, found) = ((true, true), true);
                }
            }
            if !found {
                let shown = String::from_utf8_lossy(name);
                let what = format!("{shown}: No such variable");
                return Err(Error::new(ErrorKind::NotFound, what));
            }
        }
        Ok(marks)
    }

    /// Per group of `schema`: whether it is defined in the output, and whether its data is copied.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a name that no group has.
    pub(super) fn groups_of(&self, schema: &Schema) -> Result<Vec<(bool, bool)>> {
        let (names, define_all) = match self {
            Self::All => return Ok(vec![(true, true); schema.groups.len()]),
            Self::Data(names) => (names, true),
            Self::Only(names) => (names, false),
        };
        let mut marks = vec![(define_all, false); schema.groups.len()];
        for name in names {
            let mut found = false;
            for (id, mark) in (0..).map(GroupId).zip(&mut marks) {
                if is_group(schema, id, name) {
                    (*mark, found) = ((true, true), true);
                }
            }
            if !found {
                let shown = String::from_utf8_lossy(name);
                let what = format!("{shown}: No such group");
                return Err(Error::new(ErrorKind::NotFound, what));
            }
        }
        Ok(marks)
    }
}

/// True if `name` is the group's: `/` or nothing for the root, a path from the root, or its own name.
fn is_group(schema: &Schema, id: GroupId, name: &[u8]) -> bool {
    let Some(group) = schema.group(id).filter(|g| g.parent.is_some()) else {
        return matches!(name, b"" | b"/");
    };
    match name.first() {
        Some(b'/') => schema.group_path(id).as_bytes() == name,
        Some(_) | None => {
            group.name.as_bytes() == name
                || Name::checked(name).is_ok_and(|checked| checked == group.name)
        }
    }
}

/// What C sees of a name: some old files count its NUL as a part of it.
fn before_nul(name: &[u8]) -> &[u8] {
    name.split(|&b| b == 0).next().unwrap_or_default()
}

/// True if `name` is the variable's name, as it is or normalised, or the end of its path.
fn is_named(schema: &Schema, id: VarId, name: &[u8]) -> bool {
    let Some(var) = schema.var(id) else {
        return false;
    };
    let own = before_nul(var.name.as_bytes());
    if own == name || Name::checked(name).is_ok_and(|n| n == var.name) {
        return true;
    }
    let mut path = schema.group_path(var.group).into_bytes();
    if path != b"/" {
        path.push(b'/');
    }
    path.extend_from_slice(own);
    match name.first() {
        Some(b'/') => path == name,
        Some(_) if name.contains(&b'/') => {
            let above = path.strip_suffix(name).unwrap_or_default();
            above.last() == Some(&b'/')
        }
        Some(_) | None => false,
    }
}
