//! Compares the attributes of the output with those of the input.

use std::collections::BTreeMap;

use super::{differs, find, same};
use crate::error::{Context as _, Result};
use crate::format;
use crate::model::{Attribute, GroupId, Schema, VarId};

/// Compares the attributes of groups and variables; returns those with another type, which the kind does not
/// record. Attributes that writers make themselves begin with `_`, and may be missing.
///
/// # Errors
/// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if anything differs.
pub(super) fn compare(
    had: &Schema,
    (got, vars): (&Schema, &BTreeMap<String, VarId>),
) -> Result<Vec<String>> {
    let mut others = vec![];
    let groups = |schema: &Schema| {
        let paths = schema.group_ids().map(|id| (schema.group_path(id), id));
        paths.collect::<BTreeMap<String, GroupId>>()
    };
    let found = groups(got);
    for (path, id) in groups(had) {
        let group = found.get(&path).and_then(|id| got.group(*id));
        let group = group.ok_or_else(|| differs("the group is missing").in_object(&path))?;
        let own = had.group(id).map(|g| g.attributes.as_slice());
        let retyped = agree(got, own.unwrap_or_default(), &group.attributes);
        let owner = path.trim_end_matches('/').to_owned();
        let retyped = retyped.in_object(|| path)?;
        others.extend(retyped.into_iter().map(|what| format!("{owner}:{what}")));
    }
    for (var, id) in had.vars.iter().zip(had.var_ids()) {
        let path = had.var_path(id);
        let found = got.var(find(vars, &path)?);
        let found = found.map(|v| v.attributes.as_slice()).unwrap_or_default();
        let retyped = agree(got, &var.attributes, found).in_object(|| path.clone())?;
        others.extend(retyped.into_iter().map(|what| format!("{path}:{what}")));
    }
    Ok(others)
}

/// Checks that attributes are what they were, or what the kind makes of them; returns those with another type.
fn agree(written: &Schema, had: &[Attribute], got: &[Attribute]) -> Result<Vec<String>> {
    let mut retyped = vec![];
    for (n, attribute) in had.iter().enumerate() {
        let name = &attribute.name;
        // Mostly they are at the same place.
        let same_place = got.get(n).filter(|a| a.name == *name);
        let found = same_place.or_else(|| got.iter().find(|a| a.name == *name));
        match found {
            Some(found) if same(&attribute.values, &found.values) => {}
            // Zarr keeps what its JSON says.
            Some(found)
                if (format::writing(written.kind)?.reads_back)(attribute, found, written.kind) =>
            {
                if let (Some(old), Some(new)) = (attribute.ty.atomic(), found.ty.atomic())
                    && old != new
                {
                    retyped.push(format!("{name} ({} is {})", old.name(), new.name()));
                }
            }
            None if name.as_bytes().starts_with(b"_") => {}
            Some(_) => return Err(differs(format!("attribute {name} differs"))),
            None => return Err(differs(format!("attribute {name} is missing"))),
        }
    }
    Ok(retyped)
}
