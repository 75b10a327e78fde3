//! The listing as a table.

use std::path::Path;

use netcdf_core::chunk::MetadataExtent;
use netcdf_core::copy::report::ratio;
use netcdf_core::env::Env;
use netcdf_core::io::request_counter::RequestTotals;
use netcdf_core::model::{Schema, VarId};
use netcdf_core::shown::number_agreement;
use netcdf_core::survey::{ChunkSizes, RuleSet, Shortcoming, VariableSurvey};
use netcdf_core::tool::table::TextTable;

use super::correction::correction;
use super::dataset_layout::{DatasetLayout, mean, reason};
use crate::filters::of_filter;

/// Columns of the table of variables.
const HEAD: [&str; 13] = [
    "variable", "shape", "storage", "chunk", "bytes", "chunks", "smallest", "mean", "largest",
    "stored", "raw", "ratio", "filters",
];
/// The right-aligned columns.
const RIGHT: [usize; 8] = [4, 5, 6, 7, 8, 9, 10, 11];

/// Returns the tables of variables, of the file and of the rules. A joined dataset only has variables.
pub(super) fn listing(path: &Path, layout: &DatasetLayout, schema: &Schema, env: &Env) -> String {
    let mut vars = TextTable::flush_right(&RIGHT);
    vars.row(HEAD);
    for var in layout.shown() {
        vars.row(row(schema, var, env));
    }
    let Some(opening) = layout.opening else {
        return vars.text();
    };
    let mut rules = TextTable::default();
    for (of, missed) in layout.rules() {
        rules = rules.with(rows(path, (schema, *of), missed));
    }
    [vars.text(), whole(layout, opening).text(), rules.text()].join("\n")
}

fn row(schema: &Schema, var: &VariableSurvey, env: &Env) -> [String; HEAD.len()] {
    let of_chunks = |part: fn(ChunkSizes) -> u64| {
        let stored = var.chunks.filter(|chunks| chunks.count > 0);
        known(stored.map(part))
    };
    let ratio = var.raw().and_then(|raw| ratio(raw, var.stored));
    [
        schema.var_path(var.var),
        lengths(&var.shape),
        var.form.name().to_owned(),
        var.chunk().map_or("-".to_owned(), lengths),
        known(var.chunk_bytes()),
        known(var.chunks.map(|chunks| chunks.count)),
        of_chunks(|chunks| chunks.smallest),
        known(mean(var)),
        of_chunks(|chunks| chunks.largest),
        var.stored.to_string(),
        known(var.raw()),
        ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
        filters(schema, var.var, env),
    ]
}

/// Formats a number, or `-` if it is unknown.
fn known(number: Option<u64>) -> String {
    number.map_or("-".to_owned(), |number| number.to_string())
}

fn lengths(shape: &[u64]) -> String {
    if shape.is_empty() {
        return "-".to_owned();
    }
    let lengths: Vec<_> = shape.iter().map(u64::to_string).collect();
    lengths.join("x")
}

fn filters(schema: &Schema, var: VarId, env: &Env) -> String {
    let filters = schema.var(var).map(|v| v.storage.filters.as_slice());
    let names = filters.unwrap_or_default().iter();
    let names: Vec<_> = names
        .map(|filter| match of_filter(&env.filters, filter) {
            [id, name, _, _] if name == "not registered" => id,
            [_, name, _, _] => name,
        })
        .collect();
    match names.is_empty() {
        true => "-".to_owned(),
        false => names.join("|"),
    }
}

/// Returns the table of the whole file.
fn whole(layout: &DatasetLayout, opening: RequestTotals) -> TextTable {
    let survey = &layout.survey;
    let mut table = TextTable::default();
    let agreed = |text: String| number_agreement(text.into()).into_owned();
    let bytes = |n: Option<u64>| n.map_or("-".to_owned(), |n| agreed(format!("{n} bytes")));
    let mut size = bytes(survey.size.bytes);
    if let Some(keys) = survey.size.keys {
        size.push_str(&agreed(format!(" in {keys} keys")));
    }
    table.row(["size", &size]);
    let place = place(layout);
    let metadata = format!("{}{place}", bytes(survey.metadata_bytes()));
    table.row(["metadata", &metadata]);
    let opening = agreed(format!(
        "{} requests, {} bytes",
        opening.requests, opening.bytes
    ));
    table.row(["opening", &opening]);
    let pages = survey.file().and_then(|file| file.pages);
    table.row(["pages", &bytes(pages.map(|pages| pages.size))]);
    table.row(["unused", &bytes(layout.unused)]);
    table
}

/// Describes the metadata location as a part of a sentence.
fn place(layout: &DatasetLayout) -> String {
    let survey = &layout.survey;
    match (&survey.metadata, survey.first_data()) {
        (None, _) => String::new(),
        (Some(MetadataExtent::Keys { consolidated }), _) => match consolidated {
            Some(true) => ", consolidated",
            Some(false) | None => ", not consolidated",
        }
        .to_owned(),
        (Some(MetadataExtent::File(file)), None) => format!(", up to byte {}", file.end),
        (Some(MetadataExtent::File(file)), Some(first)) => {
            let place = match survey.in_front() {
                Some(true) => "before the data",
                Some(false) | None => "not all before the data",
            };
            format!(", {place}: up to byte {}, data from byte {first}", file.end)
        }
    }
}

/// Returns the rows of a rule set.
fn rows(
    path: &Path,
    (schema, rules): (&Schema, RuleSet),
    missed: &[Shortcoming],
) -> Vec<Vec<String>> {
    if missed.is_empty() {
        return vec![vec![rules.name().to_owned(), "passes".to_owned()]];
    }
    let reasons = missed.iter().map(|one| reason(schema, one));
    let command = correction(path, rules, schema.kind);
    let all = reasons.chain([format!("fix: {command}")]);
    let names = std::iter::once(rules.name()).chain(std::iter::repeat(""));
    all.zip(names)
        .map(|(text, name)| vec![name.to_owned(), text])
        .collect()
}
