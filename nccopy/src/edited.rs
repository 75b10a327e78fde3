//! The input as `--select`, `--rename`, `--attribute` and `--history` make it.

use netcdf_core::chunk::view::SubsetReader;
use netcdf_core::chunk::{Dataset, ReadCache, Reader as _};
use netcdf_core::error::Result;
use netcdf_core::model::Schema;
use netcdf_grammar::edit::{self, EditedSchema};
use netcdf_grammar::hyperslab::{self, SelectedIndices};

use crate::request::CopyRequest;
use crate::{history, options};

/// An input that differs from what is stored.
pub(crate) struct EditedInput<'a> {
    /// The dataset that is copied.
    pub view: SubsetReader<'a>,
    /// The selected indices of dimensions.
    pub selected: Vec<SelectedIndices>,
    /// Its schema with the names and attributes of the input, which options refer to.
    pub named: Schema,
}

/// The input as the options make it, if they change it; `cache` keeps what is read of the input.
///
/// # Errors
/// [`ErrorKind::NotFound`](netcdf_core::error::ErrorKind::NotFound) and
/// [`ErrorKind::Argument`](netcdf_core::error::ErrorKind::Argument) for names and values that the input does not have; those of
/// reading coordinates.
pub(crate) fn edited<'a>(
    request: &CopyRequest,
    input: Dataset<'a>,
    cache: &'a ReadCache,
) -> Result<Option<EditedInput<'a>>> {
    let (parts, changes) = (&request.select.hyperslabs, &request.edit);
    if parts.is_empty() && changes.is_empty() {
        return Ok(None);
    }
    let schema = input.reader.schema();
    let taken = hyperslab::resolve(input.with(cache), parts)?;
    let selected = hyperslab::selected(schema, &taken)?;
    let view = SubsetReader::new((input.reader, cache), schema.clone(), taken);
    let named = view.schema().clone();
    let edited = edit::apply(&named, &changes.renames, &changes.attributes)?;
    let EditedSchema {
        mut schema,
        mut notes,
        remarks,
    } = edited;
    if let Some(line) = &changes.history {
        notes.extend(history::add(&mut schema, line));
    }
    for note in notes {
        options::say_unmatched(request, note, &input.env.notes);
    }
    remarks
        .into_iter()
        .for_each(|remark| input.env.notes.remark(remark));
    let view = view.with_schema(schema);
    Ok(Some(EditedInput {
        view,
        selected,
        named,
    }))
}
