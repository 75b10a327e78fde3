//! `--dry-run`: prints the planned copies.

use netcdf_core::chunk::Dataset;
use netcdf_core::chunk::layout::Layout;
use netcdf_core::copy::parts::sketch;
use netcdf_core::copy::{Changes, CopyJob, Plan, jobs};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::format::{self, traits};
use netcdf_core::json::{Between, Json};
use netcdf_core::model::{CreateOptions, FilterSpec, Kind, Schema, StorageLayout, VarId};
use netcdf_core::shown::{self, ShownText};
use netcdf_core::tool::Io;
use netcdf_core::tool::table::TextTable;

use crate::outcome::CopyOutcome;
use crate::prepare::PreparedCopy;
use crate::report;
use crate::report::method::method;
use crate::report::table::add_changes;
use crate::request::ReportForm;
use crate::turn::CopyTurn;

/// Prints the copy method of each variable. A table has no notes if `quiet` is set.
///
/// # Errors
/// Returns errors of planning and of standard output.
pub(crate) fn print(
    (form, quiet): (ReportForm, bool),
    prepared: &PreparedCopy<'_>,
    turn: CopyTurn<'_>,
    io: &mut Io,
) -> Result<()> {
    let (set, plan) = (prepared.set, &prepared.plan);
    let planned = PlannedVariable {
        set,
        plan,
        jobs: planned(set, plan)?,
    };
    let (input, output) = report::names(turn.copy);
    let kind = label(plan.schema.kind);
    let text = match form {
        ReportForm::Table => {
            let end = if turn.number < turn.last { "\n" } else { "" };
            let (input, output) = (ShownText::new(&input), ShownText::new(&output));
            let notes = match quiet {
                true => String::new(),
                false => report::table::note_lines(&set.env.notes.so_far()),
            };
            let table = match prepared.changed_bytes {
                Some(bytes) => format!("changed in place: {bytes} bytes\n"),
                None => planned.table(),
            };
            format!("{input} -> {output} ({kind})\n{table}{notes}{end}")
        }
        ReportForm::Json => {
            let mut members = vec![
                ("input", Json::text(&input)),
                ("output", Json::text(&output)),
                ("kind", Json::text(kind)),
            ];
            members.push(match prepared.changed_bytes {
                Some(bytes) => ("changed_bytes", Json::int(bytes)),
                None => ("variables", planned.json()),
            });
            members.extend(report::json::with_notes(&set.env.notes.so_far()));
            let line = Json::object(members).line(Between::CommaBlank)?;
            format!("{}\n", shown::json(&line))
        }
    };
    let failed = |e| Error::io("cannot write", "(stdout)", e);
    io.stdout.write_all(text.as_bytes()).map_err(failed)
}

/// Prints the reason for a skipped or failed input.
///
/// # Errors
/// Returns I/O errors of standard output.
pub(crate) fn print_other(
    form: ReportForm,
    outcome: &CopyOutcome,
    turn: CopyTurn<'_>,
    io: &mut Io,
) -> Result<()> {
    let (input, output) = report::names(turn.copy);
    let text = match form {
        ReportForm::Table => {
            let end = if turn.number < turn.last { "\n" } else { "" };
            let (input, output) = (ShownText::new(&input), ShownText::new(&output));
            format!("{input} -> {output}\n{}{end}", outcome.not_copied())
        }
        ReportForm::Json => {
            let mut members = vec![
                ("input", Json::text(&input)),
                ("output", Json::text(&output)),
            ];
            members.extend(report::json::not_copied(outcome));
            let line = Json::object(members).line(Between::CommaBlank)?;
            format!("{}\n", shown::json(&line))
        }
    };
    let failed = |e| Error::io("cannot write", "(stdout)", e);
    io.stdout.write_all(text.as_bytes()).map_err(failed)
}

/// The planned copy of one variable.
struct PlannedVariable<'a> {
    set: Dataset<'a>,
    plan: &'a Plan,
    jobs: Vec<CopyJob>,
}

impl PlannedVariable<'_> {
    fn table(&self) -> String {
        let titles = [
            "variable",
            "chunks in",
            "chunks out",
            "filters in",
            "filters out",
            "method",
        ];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        rows.extend(self.jobs.iter().map(|job| self.row(job)));
        let changes = self.jobs.iter().map(|job| Changes::of(self.plan, job.pair));
        add_changes(&mut rows, changes);
        TextTable::default().with(rows).text()
    }

    fn row(&self, job: &CopyJob) -> Vec<String> {
        let [from, to] = self.stored(job);
        vec![
            self.set.reader.schema().var_path(job.pair.from),
            from.text(),
            to.text(),
            filters(&job.from, self.set.env),
            filters(&job.to, self.set.env),
            method(job.method),
        ]
    }

    /// Returns the JSON object of a variable.
    fn json(&self) -> Json {
        let one = |job: &CopyJob| {
            let [from, to] = self.stored(job);
            let path = self.set.reader.schema().var_path(job.pair.from);
            let mut members = vec![
                ("name", Json::text(&path)),
                ("method", Json::text(&method(job.method))),
                ("from", from.json(&job.from, self.set.env)),
                ("to", to.json(&job.to, self.set.env)),
            ];
            members.extend(report::json::changes(&Changes::of(self.plan, job.pair)));
            Json::object(members)
        };
        Json::Array(self.jobs.iter().map(one).collect())
    }

    /// Returns the layout of a variable in the input and in the output.
    fn stored<'j>(&self, job: &'j CopyJob) -> [LayoutCell<'j>; 2] {
        [
            LayoutCell::of(self.set.reader.schema(), job.pair.from, &job.from),
            LayoutCell::of(&self.plan.schema, job.pair.to, &job.to),
        ]
    }
}

/// Returns the name of a kind. Zarr kinds have separate names here, although the C tools call them netCDF-4.
fn label(kind: Kind) -> &'static str {
    format::kind_row(kind).map_or(kind.name(), |row| row.label)
}

/// Plans the copy by creating an output in memory.
fn planned(set: Dataset<'_>, plan: &Plan) -> Result<Vec<CopyJob>> {
    let create = CreateOptions {
        no_fill: !traits(plan.schema.kind).settings,
        ..CreateOptions::default()
    };
    let mut writer = sketch(plan.schema.clone(), create, set.env)?;
    jobs(set, plan, &mut *writer)
}

/// The layout column of the table.
enum LayoutCell<'a> {
    /// A chunk shape.
    Chunks(&'a [u64]),
    /// The name of another layout.
    Otherwise(&'static str),
}

impl<'a> LayoutCell<'a> {
    fn of(schema: &Schema, var: VarId, layout: &'a Layout) -> Self {
        match schema.var(var).and_then(|v| v.storage.layout.as_ref()) {
            // All Zarr arrays are chunked. The chunk of a scalar has no shape.
            _ if traits(schema.kind).keys && layout.chunk.is_empty() => Self::Otherwise("scalar"),
            _ if traits(schema.kind).keys => Self::Chunks(&layout.chunk),
            Some(StorageLayout::Chunked(_)) => Self::Chunks(&layout.chunk),
            Some(StorageLayout::Compact) => Self::Otherwise("compact"),
            Some(StorageLayout::Virtual) => Self::Otherwise("virtual"),
            Some(StorageLayout::Contiguous | StorageLayout::Unknown) | None => {
                let record = schema.var(var).is_some_and(|v| schema.is_record(v));
                Self::Otherwise(if record { "records" } else { "contiguous" })
            }
        }
    }

    /// Returns the chunk shape or the layout name.
    fn text(&self) -> String {
        match self {
            Self::Chunks(shape) => {
                let lengths: Vec<_> = shape.iter().map(u64::to_string).collect();
                lengths.join("x")
            }
            Self::Otherwise(name) => (*name).to_owned(),
        }
    }

    /// Returns chunk shape or layout name, and filters, as a JSON object.
    fn json(&self, layout: &Layout, env: &Env) -> Json {
        let mut members = match self {
            Self::Chunks(shape) => vec![
                ("storage", Json::text("chunked")),
                ("chunk", Json::ints(shape)),
            ],
            Self::Otherwise(name) => vec![("storage", Json::text(name))],
        };
        if !layout.filters.is_empty() {
            let filters = layout.filters.iter().map(|f| Json::text(&filter(f, env)));
            members.push(("filters", Json::Array(filters.collect())));
        }
        Json::object(members)
    }
}

/// Returns `shuffle|deflate,4`, in the form of `-F`, including parameters that filters add.
fn filters(layout: &Layout, env: &Env) -> String {
    let filters = layout.filters.iter().map(|f| filter(f, env));
    match filters.collect::<Vec<_>>().join("|") {
        none if none.is_empty() => "-".to_owned(),
        filters => filters,
    }
}

/// Returns one filter in the form of `-F`.
fn filter(filter: &FilterSpec, env: &Env) -> String {
    let label = env.filters.label(filter);
    let name = label.name.unwrap_or_else(|| filter.id.to_string());
    match label.params {
        none if none.is_empty() => name,
        json if json.starts_with('{') => format!("{name}{json}"),
        params => format!("{name},{params}"),
    }
}
