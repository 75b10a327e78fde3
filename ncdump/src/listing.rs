//! The kind and the filter table, as text or JSON.

use netcdf_core::chunk::Provenance;
use netcdf_core::error::Result;
use netcdf_core::filter;
use netcdf_core::json::{Between, Json};
use netcdf_core::model::{Schema, StorageLayout, Variable};
use netcdf_grammar::cdl::write::DataSelection;

use crate::file_series::Heading;
use crate::filters::{layout, of_filter, path, selected};

/// Returns the kind (`-k`).
///
/// # Errors
/// Returns the errors of [`Json::line`].
pub(crate) fn kind(kind: &str, json: bool, heading: &Heading) -> Result<String> {
    match json {
        true => line(heading, [("kind", Json::text(kind))]),
        false => Ok(format!("{}{kind}\n", heading.line())),
    }
}

/// Returns storage and mode (`-K`).
///
/// # Errors
/// Returns the errors of [`Json::line`].
pub(crate) fn extended_kind(known: &Provenance, json: bool, heading: &Heading) -> Result<String> {
    let mode = format!("{:08x}", known.mode);
    match json {
        true => line(
            heading,
            [
                ("model", Json::text(known.model)),
                ("mode", Json::text(&mode)),
            ],
        ),
        false => Ok(format!("{}{} mode={mode}\n", heading.line(), known.model)),
    }
}

/// Returns the filters of each variable, one line per variable.
///
/// # Errors
/// Returns the errors of [`Json::line`].
pub(crate) fn filters(
    schema: &Schema,
    known: &filter::FilterTable,
    selection: &DataSelection,
    heading: &Heading,
) -> Result<String> {
    let file = heading.member().map(|member| Json::object([member]));
    let file = file
        .map(|file| file.line(Between::CommaBlank))
        .transpose()?;
    let file = file.map_or(String::new(), |file| {
        format!("{}, ", file.trim_matches(['{', '}']))
    });
    let vars = selected(schema, selection).into_iter();
    let lines = vars.map(|var| of_variable(schema, known, var).line(Between::CommaBlank));
    let lines = lines.collect::<Result<Vec<_>>>()?;
    Ok(match lines.is_empty() {
        true => format!("{{{file}\"variables\": []}}\n"),
        false => format!("{{{file}\"variables\": [\n  {}\n]}}\n", lines.join(",\n  ")),
    })
}

fn of_variable(schema: &Schema, known: &filter::FilterTable, var: &Variable) -> Json {
    let (storage, _) = layout(&var.storage);
    let mut members = vec![("path", Json::text(&path(schema, var)))];
    if !storage.is_empty() {
        members.push(("storage", Json::text(storage)));
    }
    if let Some(StorageLayout::Chunked(shape)) = &var.storage.layout {
        members.push(("chunk", Json::ints(shape)));
    }
    let filters = var.storage.filters.iter().map(|filter| {
        let [id, name, state, parameters] = of_filter(known, filter);
        // Zarr codecs that are not HDF5 filters have no number.
        let id = match id.parse::<u32>() {
            Ok(id) => Json::int(id),
            Err(_) => Json::Null,
        };
        Json::object([
            ("id", id),
            ("name", Json::text(&name)),
            ("state", Json::text(&state)),
            ("parameters", Json::text(&parameters)),
        ])
    });
    members.push(("filters", Json::Array(filters.collect())));
    Json::object(members)
}

/// Returns an object on a line, with the file name if there are several files.
fn line<const N: usize>(heading: &Heading, members: [(&'static str, Json); N]) -> Result<String> {
    let all = heading.member().into_iter().chain(members);
    Ok(Json::object(all).line(Between::CommaBlank)? + "\n")
}
