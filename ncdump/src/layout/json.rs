//! The listing as JSON.

use std::path::Path;

use netcdf_core::chunk::MetadataExtent;
use netcdf_core::copy::report::ratio;
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::json::{Between, Json};
use netcdf_core::model::Schema;
use netcdf_core::shown::{self, ShownAddress};
use netcdf_core::survey::{LayoutClass, RuleSet, Shortcoming, VariableSurvey};

use super::correction::correction;
use super::dataset_layout::{DatasetLayout, mean};
use crate::filters::of_filter;

/// Returns the whole listing on one line.
///
/// # Errors
/// Returns the errors of [`Json::line`].
pub(super) fn document(
    path: &Path,
    layout: &DatasetLayout,
    schema: &Schema,
    env: &Env,
) -> Result<String> {
    let vars = layout.shown().map(|var| variable(schema, var, env));
    let rules = layout.rules().iter().map(|(of, missed)| {
        let verdict = verdict(path, (schema, *of), missed);
        (of.name(), verdict)
    });
    let all = [
        ("file", Json::text(ShownAddress::of(path).text())),
        ("kind", Json::text(schema.kind.name())),
        ("size", number(layout.survey.size.bytes)),
        ("keys", number(layout.survey.size.keys)),
        ("metadata", metadata(layout)),
        ("opening", opening(layout)),
        ("page", number(page(layout))),
        ("unused", number(layout.unused)),
        ("variables", Json::Array(vars.collect())),
        ("rules", Json::object(rules)),
    ];
    let line = Json::object(all).line(Between::CommaBlank)?;
    Ok(format!("{}\n", shown::json(&line)))
}

fn number(n: Option<u64>) -> Json {
    n.map_or(Json::Null, Json::int)
}

fn page(layout: &DatasetLayout) -> Option<u64> {
    Some(layout.survey.file()?.pages?.size)
}

fn metadata(layout: &DatasetLayout) -> Json {
    let survey = &layout.survey;
    let consolidated = match &survey.metadata {
        Some(MetadataExtent::Keys { consolidated }) => *consolidated,
        Some(MetadataExtent::File(_)) | None => None,
    };
    let is = |known: Option<bool>| known.map_or(Json::Null, Json::Bool);
    Json::object([
        ("bytes", number(survey.metadata_bytes())),
        ("end", number(survey.file().map(|file| file.end))),
        ("first_data", number(survey.first_data())),
        ("in_front", is(survey.in_front())),
        ("consolidated", is(consolidated)),
    ])
}

fn opening(layout: &DatasetLayout) -> Json {
    Json::object([
        ("requests", number(layout.opening.map(|all| all.requests))),
        ("bytes", number(layout.opening.map(|all| all.bytes))),
    ])
}

fn variable(schema: &Schema, var: &VariableSurvey, env: &Env) -> Json {
    let chunk = match &var.form {
        LayoutClass::Chunked(chunk) => Json::ints(chunk),
        LayoutClass::Records | LayoutClass::Contiguous | LayoutClass::Compact => Json::Null,
        LayoutClass::External | LayoutClass::Virtual | LayoutClass::Unknown => Json::Null,
    };
    let stored = var.chunks.filter(|chunks| chunks.count > 0);
    let ratio = var.raw().and_then(|raw| ratio(raw, var.stored));
    Json::object([
        ("path", Json::text(&schema.var_path(var.var))),
        ("shape", Json::ints(&var.shape)),
        ("storage", Json::text(var.form.name())),
        ("chunk", chunk),
        ("filters", filters(schema, var, env)),
        ("chunk_bytes", number(var.chunk_bytes())),
        ("chunks", number(var.chunks.map(|chunks| chunks.count))),
        ("smallest", number(stored.map(|chunks| chunks.smallest))),
        ("mean", number(mean(var))),
        ("largest", number(stored.map(|chunks| chunks.largest))),
        ("stored", Json::int(var.stored)),
        ("raw", number(var.raw())),
        (
            "ratio",
            ratio.map_or(Json::Null, |ratio| Json::Number(format!("{ratio:.4}"))),
        ),
    ])
}

fn filters(schema: &Schema, var: &VariableSurvey, env: &Env) -> Json {
    let filters = schema.var(var.var).map(|v| v.storage.filters.as_slice());
    let one = |filter| {
        let [id, name, _, parameters] = of_filter(&env.filters, filter);
        // Zarr codecs that are not HDF5 filters have no number.
        let id = id.parse::<u32>().map_or(Json::Null, Json::int);
        Json::object([
            ("id", id),
            ("name", Json::text(&name)),
            ("parameters", Json::text(&parameters)),
        ])
    };
    Json::Array(filters.unwrap_or_default().iter().map(one).collect())
}

/// Returns the verdict of a rule set.
fn verdict(path: &Path, (schema, rules): (&Schema, RuleSet), missed: &[Shortcoming]) -> Json {
    let reasons = missed.iter().map(|one| {
        let path = one.var.map(|var| Json::text(&schema.var_path(var)));
        Json::object([
            ("variable", path.unwrap_or(Json::Null)),
            ("reason", Json::text(&one.what)),
        ])
    });
    let command = match missed.is_empty() {
        true => Json::Null,
        false => Json::text(&correction(path, rules, schema.kind)),
    };
    Json::object([
        ("passes", Json::Bool(missed.is_empty())),
        ("reasons", Json::Array(reasons.collect())),
        ("mended_by", command),
    ])
}
