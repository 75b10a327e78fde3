//! Changes of names and attributes, as `--rename` and `--attribute` take them. Data is not touched.
//!
//! All of them name objects by the names that they have before the changes, so that two names can be swapped.

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

/// A schema that was changed, and what is to be said of the changes.
#[derive(Debug, Clone, PartialEq)]
pub struct EditedSchema {
    /// The schema; ids are those of before.
    pub schema: Schema,
    /// What was asked for and could not be done.
    pub notes: Vec<Note>,
    /// What was done beyond what was asked for.
    pub remarks: Vec<Note>,
}

/// A schema with other names and attributes.
///
/// # Errors
/// [`ErrorKind::NotFound`](netcdf_core::ErrorKind::NotFound) for what is not there,
/// [`ErrorKind::Exists`](netcdf_core::ErrorKind::Exists) for names that would be there twice,
/// [`ErrorKind::Argument`](netcdf_core::ErrorKind::Argument) for values that attributes cannot have.
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

/// Lets the attributes that name objects follow; a note says which did.
fn follow(old: &Schema, new: &mut Schema, names: &NewNames) -> Option<Note> {
    let changed = cf::follow(old, new, names);
    (!changed.is_empty()).then(|| Note {
        object: "--rename".to_owned(),
        what: format!("also changes {}", few(&changed)),
        remedy: None,
    })
}
