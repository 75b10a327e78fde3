//! `--dry-run`: prints what would be done.

use std::sync::Arc;

use netcdf_core::chunk::Dataset;
use netcdf_core::chunk::layout::Layout;
use netcdf_core::chunk::rechunk::RechunkWay;
use netcdf_core::copy::methods::Method;
use netcdf_core::copy::{Changes, Job, Plan, jobs};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::format::{self, traits};
use netcdf_core::io::Output;
use netcdf_core::io::memory::MemoryTarget;
use netcdf_core::io::memory_store::{MemoryStore, MemoryStoreTarget};
use netcdf_core::model::{CreateOptions, Kind, Schema, StorageLayout, VarId};
use netcdf_core::shown::Shown;
use netcdf_core::tool::Io;
use netcdf_core::tool::table::Table;

use crate::Turn;

/// Prints how the data of each variable would be copied.
///
/// # Errors
/// Errors of planning, and of writing the table.
pub fn print(set: Dataset<'_>, plan: &Plan, turn: Turn<'_>, io: &mut Io) -> Result<()> {
    let text = planned(set, plan)?;
    let (input, output) = (
        turn.copy.input.to_string_lossy(),
        turn.copy.output.path.to_string_lossy(),
    );
    let kind = label(plan.schema.kind);
    let title = format!("{} -> {} ({kind})", Shown::new(&input), Shown::new(&output));
    let end = if turn.number < turn.last { "\n" } else { "" };
    let failed = |e| Error::io("cannot write", "(stdout)", e);
    write!(io.stdout, "{title}\n{text}{end}").map_err(failed)
}

/// The name of a kind. The kinds of Zarr have names of their own here, although the C tools call them netCDF-4.
fn label(kind: Kind) -> &'static str {
    format::kind_row(kind).map_or(kind.name(), |row| row.label)
}

fn planned(set: Dataset<'_>, plan: &Plan) -> Result<String> {
    let (reader, env) = (set.reader, set.env);
    let create = CreateOptions {
        no_fill: !traits(plan.schema.kind).settings,
        ..CreateOptions::default()
    };
    let name = "(dry run)";
    let output = match traits(plan.schema.kind).keys {
        false => Output::from(Box::new(MemoryTarget::new(name).0)),
        true => {
            let store = Arc::new(MemoryStore::new(name));
            Output::Store(Box::new(MemoryStoreTarget::new(store).0))
        }
    };
    let mut writer = format::create(output, plan.schema.clone(), create, env)?;
    let jobs = jobs(set, plan, &mut *writer)?;
    let titles = [
        "variable",
        "chunks in",
        "chunks out",
        "filters in",
        "filters out",
        "method",
    ];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    for job in &jobs {
        rows.push(row(reader.schema(), &plan.schema, job, env));
    }
    let changes = jobs.iter().map(|job| Changes::of(plan, job.pair));
    add_changes(&mut rows, changes);
    Ok(Table::default().with(rows).text())
}

/// Adds a column that tells what changes values, unless nothing does.
pub fn add_changes(rows: &mut [Vec<String>], changes: impl Iterator<Item = Changes>) {
    let texts: Vec<_> = changes.map(|c| c.text()).collect();
    if texts.iter().all(String::is_empty) {
        return;
    }
    let cells = std::iter::once("values".to_owned());
    let cells = cells.chain(texts.into_iter().map(|text| match text.is_empty() {
        true => "-".to_owned(),
        false => text,
    }));
    rows.iter_mut()
        .zip(cells)
        .for_each(|(row, cell)| row.push(cell));
}

fn row(input: &Schema, output: &Schema, job: &Job, env: &Env) -> Vec<String> {
    vec![
        input.var_path(job.pair.from),
        chunks(input, job.pair.from, &job.from),
        chunks(output, job.pair.to, &job.to),
        filters(&job.from, env),
        filters(&job.to, env),
        method(job.method),
    ]
}

/// The shape of chunks, or the name of another layout.
fn chunks(schema: &Schema, var: VarId, layout: &Layout) -> String {
    let lengths = || {
        let lengths: Vec<_> = layout.chunk.iter().map(u64::to_string).collect();
        lengths.join("x")
    };
    match schema.var(var).and_then(|v| v.storage.layout.as_ref()) {
        // Sets of keys have nothing but chunks; the chunk of a scalar has no shape.
        _ if traits(schema.kind).keys && layout.chunk.is_empty() => "scalar".to_owned(),
        _ if traits(schema.kind).keys => lengths(),
        Some(StorageLayout::Chunked(_)) => lengths(),
        Some(StorageLayout::Compact) => "compact".to_owned(),
        Some(StorageLayout::Virtual) => "virtual".to_owned(),
        Some(StorageLayout::Contiguous | StorageLayout::Unknown) | None => {
            let record = schema.var(var).is_some_and(|v| schema.is_record(v));
            if record { "records" } else { "contiguous" }.to_owned()
        }
    }
}

/// `shuffle|deflate,4`, in the form of `-F`, with the parameters that filters add by themselves.
fn filters(layout: &Layout, env: &Env) -> String {
    let one = |f: &netcdf_core::model::FilterSpec| {
        let label = env.filters.label(f);
        let name = label.name.unwrap_or_else(|| f.id.to_string());
        match label.params {
            none if none.is_empty() => name,
            json if json.starts_with('{') => format!("{name}{json}"),
            params => format!("{name},{params}"),
        }
    };
    match layout.filters.as_slice() {
        [] => "-".to_owned(),
        filters => filters.iter().map(one).collect::<Vec<_>>().join("|"),
    }
}

/// A method in a few words.
#[must_use]
pub fn method(method: Method) -> String {
    match method {
        Method::Move => "move".to_owned(),
        Method::Rows => "move records".to_owned(),
        Method::Convert => "convert".to_owned(),
        Method::Chunks => "move chunks".to_owned(),
        Method::Recode => "re-encode".to_owned(),
        Method::Rechunk(plan) => match plan.way {
            RechunkWay::Direct => "rechunk".to_owned(),
            RechunkWay::Memory { .. } if plan.passes > 1 => {
                format!("rechunk in {} passes", plan.passes)
            }
            RechunkWay::Memory { .. } => "rechunk in memory".to_owned(),
            RechunkWay::Spill => format!("rechunk through a file of {} bytes", plan.disk),
        },
    }
}
