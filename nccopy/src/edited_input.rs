//! The input with the changes of `--select`, `--rename`, `--attribute` and `--history`.

use netcdf_core::chunk::view::SubsetReader;
use netcdf_core::chunk::{Dataset, ReadCache, Reader as _};
use netcdf_core::error::Result;
use netcdf_core::model::Schema;
use netcdf_grammar::edit::{self, EditedSchema};
use netcdf_grammar::hyperslab::{self, SelectedIndices};

use crate::request::PartRequest;
use crate::{history, options};

/// An input with requested changes.
pub(crate) struct EditedInput<'a> {
    /// The dataset that is copied.
    pub view: SubsetReader<'a>,
    /// The selected indices of dimensions.
    pub selected: Vec<SelectedIndices>,
    /// The schema of `view` with the input's names and attributes, which options refer to.
    pub named: Schema,
}

/// Returns the changed input, or `None` without changes. `cache` holds data read from the input.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`](netcdf_core::error::ErrorKind::NotFound) and
/// [`ErrorKind::Argument`](netcdf_core::error::ErrorKind::Argument) for names and values that the input does not have, and errors from
/// reading coordinates.
pub(crate) fn edited<'a>(
    PartRequest { request, select }: PartRequest<'_>,
    input: Dataset<'a>,
    cache: &'a ReadCache,
) -> Result<Option<EditedInput<'a>>> {
    let (parts, changes) = (&select.hyperslabs, &request.edit);
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
