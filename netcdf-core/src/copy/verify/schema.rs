//! Compares the schema of the output with the schema of the plan.

use std::collections::BTreeMap;

use super::differs;
use crate::diff::{self, DatasetSide, Difference, DifferenceKind, SchemaDifferences, same_values};
use crate::error::Result;
use crate::format;
use crate::model::{Attribute, Schema, VarId};

/// A verified schema.
pub(super) struct Verified {
    /// The attributes with another type, because the kind does not record types.
    pub attributes: Vec<String>,
    /// The output variable for each variable of the plan.
    pub vars: BTreeMap<VarId, VarId>,
}

/// Compares groups, variables and attributes. Objects that only the output has are allowed, as are changes that its kind makes.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) for any other difference.
pub(super) fn compare(planned: &Schema, written: &Schema) -> Result<Verified> {
    let schemas = [planned, written];
    let SchemaDifferences {
        found,
        mut attributes,
        vars,
    } = diff::compare_schemas(schemas);
    found.iter().try_for_each(check_missing)?;
    let ids = planned.var_ids().map(|id| (planned.var_path(id), id));
    let ids: BTreeMap<String, VarId> = ids.collect();
    // Attributes of groups come first, then attributes of variables in definition order.
    attributes.sort_by_cached_key(|(owner, _)| (ids.get(owner).copied(), owner.clone()));
    let mut retyped = vec![];
    for (owner, both) in &attributes {
        let types = types(schemas, *both).map_err(|e| e.in_object(owner))?;
        let name = format!("{}:{}", owner.trim_end_matches('/'), both[0].name);
        retyped.extend(types.map(|types| format!("{name} ({types})")));
    }
    Ok(Verified {
        attributes: retyped,
        vars,
    })
}

/// Checks that the output has an object of the plan. Writers create their own attributes with names that begin with `_`.
fn check_missing(difference: &Difference) -> Result<()> {
    let what = match (&difference.finding, &difference.attribute) {
        (DifferenceKind::Only(DatasetSide::First), None) => {
            format!("the {}", difference.kind.name())
        }
        (DifferenceKind::Only(DatasetSide::First), Some(name)) if !name.starts_with('_') => {
            format!("attribute {name}")
        }
        _ => return Ok(()),
    };
    Err(differs(format!("{what} is missing")).in_object(&difference.path))
}

/// Checks that the output's kind stores the attribute `a` as `b`. Returns the atomic types if they differ: `short is int`.
fn types(schemas: [&Schema; 2], [a, b]: [&Attribute; 2]) -> Result<Option<String>> {
    let kind = schemas[1].kind;
    let types = [a.ty.atomic(), b.ty.atomic()];
    if types[0] == types[1] && same_values(schemas, [&a.values, &b.values]) {
        // Types of the user may have other names.
        return Ok(None);
    }
    if !(format::writing(kind)?.reads_back)(a, b, kind) {
        return Err(differs(format!("attribute {} differs", a.name)));
    }
    Ok(match types {
        [Some(old), Some(new)] if old != new => Some(format!("{} is {}", old.name(), new.name())),
        [Some(_) | None, Some(_) | None] => None,
    })
}
