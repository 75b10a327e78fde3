//! Edits of names and attributes, as in `--rename` and `--attribute`. Data stays unchanged.
//!
//! All edits refer to objects by the original names, so that two names can be swapped.

mod attribute;
mod rename;

#[cfg(test)]
mod tests;

use netcdf_core::error::Result;
use netcdf_core::model::Schema;
use netcdf_core::model::cf::{self, NewNames};
use netcdf_core::notes::{Note, few};

pub use attribute::AttributeEdit;
pub use rename::Rename;

/// A changed schema, with notes on the changes.
#[derive(Debug, Clone, PartialEq)]
pub struct EditedSchema {
    /// The schema, with unchanged ids.
    pub schema: Schema,
    /// Edits without a matching object.
    pub notes: Vec<Note>,
    /// Changes beyond the requested edits.
    pub remarks: Vec<Note>,
}

/// Returns a schema with other names and attributes.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`](netcdf_core::ErrorKind::NotFound) for missing objects,
/// [`ErrorKind::Exists`](netcdf_core::ErrorKind::Exists) for names that would repeat, and
/// [`ErrorKind::Argument`](netcdf_core::ErrorKind::Argument) for invalid attribute values.
pub fn apply(
    schema: &Schema,
    renames: &[Rename],
    attributes: &[AttributeEdit],
) -> Result<EditedSchema> {
    let mut edited = EditedSchema {
        schema: schema.clone(),
        notes: vec![],
        remarks: vec![],
    };
    for attribute in attributes {
        edited
            .notes
            .extend(attribute.apply(schema, &mut edited.schema)?);
    }
    let names = rename::objects(schema, &mut edited.schema, renames)?;
    edited
        .remarks
        .extend(follow(schema, &mut edited.schema, &names));
    rename::attributes(schema, &mut edited.schema, renames)?;
    Ok(edited)
}

/// Updates the attributes that name renamed objects. Returns a note with the changed attributes.
fn follow(old: &Schema, new: &mut Schema, names: &NewNames) -> Option<Note> {
    let changed = cf::follow(old, new, names);
    (!changed.is_empty()).then(|| Note {
        object: "--rename".to_owned(),
        what: format!("also changes {}", few(&changed)),
        remedy: None,
    })
}
