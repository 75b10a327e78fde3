//! Writes datasets as JSON: the schema with indentation, then the data of each variable band by band, one row per line.
//!
//! | module | what |
//! |---|---|
//! | `document` | objects and their members, as indented text |
//! | `references` | references to dimensions and types |
//! | `schema` | groups, dimensions, types and variables |
//! | `attributes` | stored and special attributes |
//! | `value`, `number` | values of any type |
//! | `data`, `rows` | the data of variables |

mod attributes;
mod data;
mod document;
mod number;
mod references;
mod rows;
mod schema;
mod value;

use std::io::Write;

use netcdf_core::chunk::Dataset;
use netcdf_core::error::{Error, Result};
use netcdf_core::model::Schema;

use crate::cdl::write::SpecialAttributes;
use crate::write::{DataSelection, Scope};
use document::Document;
use references::References;

/// What is written.
#[derive(Debug, Clone)]
pub struct JsonOptions {
    /// The dataset's name.
    pub name: Vec<u8>,
    /// The variables whose data is written; `None` for no data.
    pub data: Option<DataSelection>,
    /// Attributes that describe how the dataset is stored.
    pub special: SpecialAttributes,
}

/// Writes a dataset as JSON. After an error, the text has no end.
///
/// Variables whose data needs a filter that is not available have no data; `omitted` receives an error for each.
///
/// # Errors
/// Errors of reading the data, with the variable, and of writing to `out`.
pub fn write(
    set: &Dataset<'_>,
    options: &JsonOptions,
    omitted: &mut Vec<Error>,
    out: &mut dyn Write,
) -> Result<()> {
    let schema = set.reader.schema();
    let mut writer = JsonWriter {
        set,
        schema,
        references: References(Scope::new(schema)),
        options,
        out: Document::new(out),
        omitted,
    };
    let written = writer.dataset();
    written.and(writer.out.block.flush())
}

/// A dataset being written.
struct JsonWriter<'a, 'w> {
    set: &'a Dataset<'a>,
    schema: &'a Schema,
    references: References<'a>,
    options: &'a JsonOptions,
    out: Document<'w>,
    /// The errors for variables whose data was left out.
    omitted: &'w mut Vec<Error>,
}
