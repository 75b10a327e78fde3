//! JSON writer: the schema with indentation, then the data of each variable band by band, one row per line.
//!
//! | module | content |
//! |---|---|
//! | `document` | objects and members as indented text |
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

/// Options for writing a dataset.
#[derive(Debug, Clone)]
pub struct JsonOptions {
    /// The dataset name.
    pub name: Vec<u8>,
    /// The variables with written data; `None` for no data.
    pub data: Option<DataSelection>,
    /// Storage attributes (`ncdump -s`).
    pub special: SpecialAttributes,
}

/// Writes a dataset as JSON. After an error, the text lacks its closing braces.
///
/// The output omits the data of variables with missing filters; `omitted` receives an error for each variable.
///
/// # Errors
/// Returns read errors with the variable, and write errors of `out`.
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

/// A dataset in writing.
struct JsonWriter<'a, 'w> {
    set: &'a Dataset<'a>,
    schema: &'a Schema,
    references: References<'a>,
    options: &'a JsonOptions,
    out: Document<'w>,
    /// The errors of variables with omitted data.
    omitted: &'w mut Vec<Error>,
}
