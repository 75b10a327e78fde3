//! Attributes with names that the output's kind reserves.

use crate::format::{PROPERTIES, kind_label, traits};
use crate::model::{Attribute, Schema};
use crate::notes::Note;

/// Removes `_NCProperties`, which describes the writer of the input, if the output's writer stores a new one. Other kinds keep the
/// attribute.
pub(super) fn skip_properties(schema: &mut Schema, notes: &mut Vec<Note>) {
    if !traits(schema.kind).properties {
        return;
    }
    let groups: Vec<String> = schema.group_ids().map(|id| schema.group_path(id)).collect();
    let vars: Vec<String> = schema.var_ids().map(|id| schema.var_path(id)).collect();
    let kind = kind_label(schema.kind);
    let mut skip = |attributes: &mut Vec<Attribute>, path: &str| {
        let before = attributes.len();
        attributes.retain(|attribute| !attribute.name.is(PROPERTIES));
        if attributes.len() < before {
            notes.push(Note {
                object: format!("{}:{PROPERTIES}", path.trim_end_matches('/')),
                what: format!(
                    "skipped: {kind} datasets describe their own writer in this attribute"
                ),
                remedy: None,
            });
        }
    };
    for (group, path) in schema.groups.iter_mut().zip(groups) {
        skip(&mut group.attributes, &path);
    }
    for (var, path) in schema.vars.iter_mut().zip(vars) {
        skip(&mut var.attributes, &path);
    }
}
