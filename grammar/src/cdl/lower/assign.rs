//! Attributes from the command line, outside a CDL text.

use netcdf_core::limits::Limits;
use netcdf_core::model::special::Special;
use netcdf_core::model::{GroupId, Schema, TypeId, VarId};
use netcdf_core::shown::is_control;

use super::Lower;
use super::list::{Item, items};
use super::names::OwnerName;
use crate::cdl::ast::StatementWord;
use crate::cdl::constant::Constant;
use crate::diagnostic::{Diagnostics, Reporter};

/// The owner of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignmentOwner {
    /// A group.
    Group(GroupId),
    /// A variable.
    Var(VarId),
}

/// An attribute in CDL syntax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssignedAttribute<'t> {
    /// The type name; `None` infers the type from the values.
    pub ty: Option<StatementWord<'t>>,
    /// The name.
    pub name: StatementWord<'t>,
    /// The start of the values, which extend to the end of the text.
    pub list: usize,
}

/// Adds an attribute to variables and groups of a dataset, or replaces an existing attribute. `report` has the complete text.
///
/// # Errors
/// Returns an error for an unknown type, for values that do not fit the type, and for the name of a special attribute.
pub fn assign(
    schema: &mut Schema,
    owners: &[AssignmentOwner],
    given: AssignedAttribute<'_>,
    (text, report): (&str, Reporter<'_>),
) -> Result<Diagnostics, Diagnostics> {
    let mut lower = Lower::new(report, None, Limits::default());
    std::mem::swap(&mut lower.schema, schema);
    for (id, ty) in (0..).map(TypeId).zip(&lower.schema.types) {
        lower.names.add_type(ty.group, &ty.name, id);
    }
    let groups = (0..).map(GroupId).zip(&lower.schema.groups);
    let paths = groups.filter_map(|(id, g)| Some(((g.parent?, g.name.clone()), id)));
    lower.names.groups.extend(paths);
    lower.length = text.len();
    for &owner in owners {
        lower.assigned(owner, given, text);
        if lower.report.has_errors() {
            break;
        }
    }
    std::mem::swap(&mut lower.schema, schema);
    lower.report.finish()
}

/// Quotes a bare word that is not a CDL constant, and treats it as text.
fn quoted_word(text: &str, given: AssignedAttribute<'_>) -> Option<String> {
    let word = text.get(given.list..)?.trim();
    let ty = given.ty.map_or("char", |ty| ty.text);
    let special = |c: char| c.is_whitespace() || is_control(c) || "\"'\\{},;".contains(c);
    if word.is_empty() || word.contains(special) || !matches!(ty, "char" | "string") {
        return None;
    }
    let constant = match items(word.as_bytes(), 0).as_deref() {
        Ok([Item::One(Constant::Name(_), _)]) | Err(_) => false,
        Ok(_) => true,
    };
    (!constant).then(|| format!("\"{word}\""))
}

impl Lower<'_> {
    fn assigned(&mut self, owner: AssignmentOwner, given: AssignedAttribute<'_>, text: &str) {
        let quoted = quoted_word(text, given);
        let list = quoted
            .as_deref()
            .map_or((text, given.list), |list| (list, 0));
        let items = match items(list.0.as_bytes(), list.1) {
            Ok(items) => items,
            Err((at, message)) => return self.unreadable(at, message),
        };
        let name = given.name;
        if let Some(special) = Special::from_name(name.text.as_bytes()) {
            let message = format!("{} is not an attribute", special.name());
            let hint = "it shows how data is stored, which -c, -F, -d and -k change".to_owned();
            return self.hint(name.at, message, Some(hint));
        }
        if items.is_empty() {
            let hint = format!(
                "`!` before the attribute removes it, `{}=\"\"` empties it",
                name.text
            );
            return self.hint(text.len(), "expected a value", Some(hint));
        }
        let owner = match owner {
            AssignmentOwner::Group(group) => OwnerName::Group(group),
            AssignmentOwner::Var(var) => OwnerName::Var(var),
        };
        self.group = self.group_of(owner);
        let ty = match given.ty {
            Some(word) => match self.find_type(word) {
                Some(ty) => Some(ty),
                None => return,
            },
            None => None,
        };
        match owner {
            OwnerName::Var(var) if name.text == "_FillValue" => self.fill_value(var, name, &items),
            OwnerName::Var(_) | OwnerName::Group(_) => self.plain(owner, ty, name, &items),
        }
    }

    /// Reports unreadable values; missing quotes are the usual mistake.
    fn unreadable(&mut self, at: usize, message: String) {
        let hint = Some("texts must be in quotes, as in '@title=\"a text\"'".to_owned());
        self.hint(at, message, hint);
    }

    fn group_of(&self, owner: OwnerName) -> GroupId {
        match owner {
            OwnerName::Group(group) => group,
            OwnerName::Var(var) => self.schema.var(var).map_or(GroupId::ROOT, |v| v.group),
        }
    }
}
