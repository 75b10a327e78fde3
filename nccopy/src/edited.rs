//! The input as `--select`, `--rename` and `--attribute` make it.

use netcdf_core::chunk::view::View;
use netcdf_core::chunk::{Dataset, Engine, Reader as _};
use netcdf_core::error::Result;
use netcdf_core::model::Schema;
use netcdf_grammar::edit::{self, EditedSchema};
use netcdf_grammar::hyperslab;

use crate::cli::Cli;

/// An input that differs from what is stored.
pub struct EditedInput<'a> {
    /// The dataset that is copied.
    pub view: View<'a>,
    /// Its schema with the names and attributes of the input, which options refer to.
    pub named: Schema,
}

/// The input as the options make it, if they change it; `engine` keeps what is read of the input.
///
/// # Errors
/// [`ErrorKind::NotFound`](netcdf_core::error::ErrorKind::NotFound) and
/// [`ErrorKind::Argument`](netcdf_core::error::ErrorKind::Argument) for names and values that the input does not have; those of
/// reading coordinates.
pub fn edited<'a>(
    cli: &Cli,
    input: Dataset<'a>,
    engine: &'a Engine,
) -> Result<Option<EditedInput<'a>>> {
    let (parts, asked) = (cli.part.parts(), &cli.edit);
    if parts.is_empty() && asked.rename.is_empty() && asked.attribute.is_empty() {
        return Ok(None);
    }
    let taken = hyperslab::resolve(input, parts)?;
    let schema = input.reader.schema();
    let named = View::new((input.reader, engine), schema.clone(), taken.clone());
    let named = named.schema().clone();
    let edited = edit::apply(&named, &asked.rename, &asked.attribute)?;
    let EditedSchema {
        schema,
        notes,
        remarks,
    } = edited;
    for note in notes {
        match cli.in_place && !cli.strict {
            true => input.env.notes.remark(note),
            false => input.env.notes.say(note),
        }
    }
    remarks
        .into_iter()
        .for_each(|remark| input.env.notes.remark(remark));
    let view = View::new((input.reader, engine), schema, taken);
    Ok(Some(EditedInput { view, named }))
}
