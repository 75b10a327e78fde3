//! Whether what was written has the attributes of the input.

use std::collections::BTreeMap;

use super::{differs, find, same};
use crate::error::{Context as _, Result};
use crate::format::zarr::write::stored_alike;
use crate::model::{Attribute, GroupId, Schema, VarId};

/// Compares the attributes of groups and variables. Those that a writer makes itself begin with `_`,
/// and may be missing.
pub(super) fn compare(
    had: &Schema,
    (got, vars): (&Schema, &BTreeMap<String, VarId>),
) -> Result<()> {
    let groups = |schema: &Schema| {
        let ids = (0..u32::try_from(schema.groups.len()).unwrap_or(u32::MAX)).map(GroupId);
        let paths = ids.map(|id| (schema.group_path(id), id));
        paths.collect::<BTreeMap<String, GroupId>>()
    };
    let found = groups(got);
    for (path, id) in groups(had) {
        let group = found.get(&path).and_then(|id| got.group(*id));
        let group = group.ok_or_else(|| differs("the group is not there").in_object(&path))?;
        let own = had.group(id).map(|g| g.attributes.as_slice());
        agree(got, own.unwrap_or_default(), &group.attributes).in_object(|| path)?;
    }
    for (var, id) in had.vars.iter().zip(had.var_ids()) {
        let path = had.var_path(id);
        let found = got.var(find(vars, &path)?);
        let found = found.map(|v| v.attributes.as_slice()).unwrap_or_default();
        agree(got, &var.attributes, found).in_object(|| path)?;
    }
    Ok(())
}

fn agree(written: &Schema, had: &[Attribute], got: &[Attribute]) -> Result<()> {
    for (n, attribute) in had.iter().enumerate() {
        let name = &attribute.name;
        // They mostly are at the same place.
        let same_place = got.get(n).filter(|a| a.name == *name);
        let found = same_place.or_else(|| got.iter().find(|a| a.name == *name));
        match found {
            Some(found) if same(&attribute.values, &found.values) => {}
            // Zarr keeps what its JSON says; that types are lost was said.
            Some(found) if stored_alike(attribute, found, written.kind) => {}
            None if name.as_bytes().starts_with(b"_") => {}
            Some(_) => return Err(differs(format!("attribute {name} differs"))),
            None => return Err(differs(format!("attribute {name} is not there"))),
        }
    }
    Ok(())
}
