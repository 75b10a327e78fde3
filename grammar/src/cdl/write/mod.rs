//! CDL writer: prints declarations from the schema, then data band by band.
//!
//! | module | content |
//! |---|---|
//! | `group` | a group: its sections in order, its subgroups |
//! | `types` | declarations of user-defined types |
//! | `variables` | declarations of dimensions and variables, references to either |
//! | `attributes`, `special` | stored attributes, and storage attributes of `ncdump -s` |
//! | `value` | one value of any type |
//! | `data` | the data section |
//! | `wrap` | line breaks in lists |

mod attributes;
mod data;
mod group;
mod options;
mod special;
mod types;
mod value;
mod variables;
mod wrap;

pub use crate::write::{DataSelection, NumberToWrite, number};
pub use options::{Annotation, CdlOptions, Forms, Language, NumberText, SpecialAttributes};

pub(crate) use special::{SpecialValue, of_dataset, of_variable};

use std::io::Write;

use netcdf_core::chunk::Dataset;
use netcdf_core::error::{Error, Result};
use netcdf_core::model::{GroupId, Schema, Values};
use netcdf_core::shown::ShownText;

use crate::number::{FloatForm, FloatFormat, Precision};
use crate::write::{Scope, TextOutput};
use value::{CdlForm, CdlText};
use wrap::{Wrap, blanks};

/// Writes a dataset as CDL. After an error, the text lacks its closing brace, so it cannot be mistaken for a complete dataset.
///
/// The data section omits data that is damaged or needs a missing filter. A comment states the reason, and `omitted` receives an error for
/// each variable.
///
/// # Errors
/// Returns write errors of `out`, and read errors that do not concern a single variable.
pub fn write(
    set: &Dataset<'_>,
    options: &CdlOptions<'_>,
    omitted: &mut Vec<Error>,
    out: &mut dyn Write,
) -> Result<()> {
    let schema = set.reader.schema();
    let mut writer = CdlWriter {
        set,
        schema,
        scope: Scope::new(schema),
        options,
        data: Floats::new(options, FloatForm::Data),
        out: TextOutput::new(out),
        wrap: Wrap::new(options.line_length),
        omitted,
    };
    let written = writer.dataset();
    written.and(writer.out.flush())
}

/// Returns the values of a list as CDL constants as in data, one text per value.
#[must_use]
pub fn constants(
    schema: &Schema,
    values: &Values,
    (float, double): (Precision, Precision),
) -> Vec<Vec<u8>> {
    let floats = Floats {
        float: FloatFormat::new(float, FloatForm::Data),
        double: FloatFormat::new(double, FloatForm::Data),
    };
    let text = cdl_text(schema, floats);
    let one = |i| {
        let mut constant = Vec::new();
        text.one(values, i, &mut constant);
        constant
    };
    (0..values.len()).map(one).collect()
}

fn cdl_text(schema: &Schema, floats: Floats) -> CdlText<'_> {
    let kind = schema.kind;
    let form = CdlForm { kind, floats };
    CdlText { schema, form }
}

/// How the two floating-point types are printed.
#[derive(Debug, Clone, Copy)]
struct Floats {
    float: FloatFormat,
    double: FloatFormat,
}

impl Floats {
    fn new(options: &CdlOptions<'_>, form: FloatForm) -> Self {
        Self {
            float: FloatFormat::new(options.float, form),
            double: FloatFormat::new(options.double, form),
        }
    }
}

/// A dataset in writing.
struct CdlWriter<'a, 'w> {
    set: &'a Dataset<'a>,
    schema: &'a Schema,
    scope: Scope<'a>,
    options: &'a CdlOptions<'a>,
    /// Format of floating-point values in data.
    data: Floats,
    out: TextOutput<'w>,
    /// The line of the last list written, and the group's blanks.
    wrap: Wrap,
    /// The errors for variables with missing data.
    omitted: &'w mut Vec<Error>,
}

impl CdlWriter<'_, '_> {
    fn dataset(&mut self) -> Result<()> {
        self.out.bytes(b"netcdf ");
        variables::push_path(&self.options.name, &mut self.out.text);
        self.out.bytes(b" {\n");
        self.group(GroupId::ROOT)?;
        let end: &[u8] = if self.options.damaged {
            b"// damaged parts are left out\n"
        } else {
            b"}\n"
        };
        self.out.bytes(end);
        Ok(())
    }

    /// Appends the blanks of the group.
    fn indent(&mut self) {
        blanks(self.wrap.indent, &mut self.out.text);
    }

    /// Appends the blanks of the group, then bytes.
    fn line(&mut self, bytes: &[u8]) {
        self.indent();
        self.out.bytes(bytes);
    }

    /// Appends foreign text to a comment. Nothing in the text can end the comment early.
    fn comment_text(&mut self, text: ShownText<'_>) {
        self.out.bytes(text.text().as_bytes());
    }
}

#[cfg(test)]
pub(crate) mod tests;
