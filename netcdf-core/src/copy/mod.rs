//! Copies datasets: maps the input schema to an output schema, and copies each variable's data by the cheapest method.
//!
//! [`plan()`] is pure: it computes the output schema from the input schema and the options. [`run`] carries out the plan with a reader and
//! a writer.

mod append;
mod append_values;
mod check;
mod chunk_moves;
mod chunked;
mod columns;
mod conversion;
mod fill_output;
mod heap;
mod job;
pub mod methods;
pub mod options;
pub mod parts;
pub mod plan;
mod records;
mod redefine;
pub mod references;
pub mod report;
mod runs;
mod select;
pub mod verify;

pub use append::{NewRecords, append};
pub use job::CopyJob;
pub use options::CopyOptions;
pub use plan::{CopiedVariable, Plan, plan};
pub use redefine::redefine;
pub use report::{Changes, CopyReport, VarReport};
pub use select::CopySelection;
pub use verify::verify;

use std::collections::BTreeMap;
use std::time::Instant;

use crate::arithmetic::Amount;
use crate::chunk::{Dataset, Reader, Writer};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::model::VarId;
use crate::model::recent_values::RecentValues;
use columns::Columns;
use methods::Method;

/// Copies the data that `plan` names from `set` to `writer`, and finishes the output. `writer` must have the plan's schema. The report
/// lists variables in the plan's order.
///
/// # Errors
/// Returns I/O errors with the variable's path, [`crate::ErrorKind::Cancelled`], the error of [`Notes::check`](crate::notes::Notes::check),
/// and [`crate::ErrorKind::Io`] if an input file changed during the copy.
pub fn run(set: Dataset<'_>, plan: &Plan, mut writer: Box<dyn Writer>) -> Result<CopyReport> {
    let mut jobs = jobs(set, plan, &mut *writer)?;
    set.env.notes.check()?;
    before_data(set, plan, &mut jobs, &mut *writer)?;
    let done = execute(set, jobs, &mut *writer)?;
    completed(set, plan, done, writer)
}

/// Sorts the jobs by storage order, and passes the writer all facts it needs before the first data.
fn before_data(
    set: Dataset<'_>,
    plan: &Plan,
    jobs: &mut [CopyJob],
    writer: &mut dyn Writer,
) -> Result<()> {
    if plan.cloud {
        jobs.sort_by_key(|job| job.distance(set));
    }
    if let Some(index) = writer.chunk_index().filter(|_| plan.cloud) {
        let chunked = jobs.iter().filter(|job| job.chunked);
        let chunks = chunked.map(|job| Ok((job.pair.to, job.max_chunks(set)?)));
        index.expect_chunks(&chunks.collect::<Result<Vec<_>>>()?)?;
    }
    Ok(())
}

/// Finishes the output after all variables are stored.
fn completed(
    set: Dataset<'_>,
    plan: &Plan,
    mut done: Vec<(VarId, VarReport)>,
    mut writer: Box<dyn Writer>,
) -> Result<CopyReport> {
    let env = set.env;
    done.sort_by_key(|(var, _)| *var);
    let mut vars: Vec<VarReport> = done.into_iter().map(|(_, report)| report).collect();
    for (&pair, var) in plan.data.iter().zip(&mut vars) {
        var.changes = Changes::of(plan, pair);
    }
    unchanged(set.reader)?;
    for &(dim, len) in &plan.lengths {
        writer.set_len(dim, len)?;
    }
    env.cancel.check()?;
    env.notes.check()?;
    writer.finish()?;
    Ok(CopyReport {
        vars,
        retyped: vec![],
    })
}

/// Checks that the input files have not changed since they were opened. A changed file may make the copy a mixture of two states.
fn unchanged(reader: &dyn Reader) -> Result<()> {
    match reader.bytes().changed() {
        None => Ok(()),
        Some(name) => {
            let what = "the file changed while it was copied";
            let e = Error::new(ErrorKind::Io, what).of(&name);
            Err(e.with_remedy("copy it again when no program writes to it"))
        }
    }
}

/// Copies the variables' data, and reports on each variable.
fn execute(
    set: Dataset<'_>,
    jobs: Vec<CopyJob>,
    writer: &mut dyn Writer,
) -> Result<Vec<(VarId, VarReport)>> {
    let env = set.env;
    env.progress
        .expect(jobs.iter().map(CopyJob::bytes).sum::<Amount>().get());
    let mut done: Vec<(VarId, VarReport)> = Vec::with_capacity(jobs.len());
    let mut rows: BTreeMap<u64, Vec<CopyJob>> = BTreeMap::new();
    let mut columns = Columns::default();
    for job in &jobs {
        env.cancel.check()?;
        if job.method == Method::Rows {
            rows.entry(job.records()).or_default().push(job.clone());
            continue;
        }
        let start = Instant::now();
        if job.swept && !columns.has(job) {
            columns = Columns::sweep(set, &jobs, job)?;
        }
        let stored = match columns.of(set, job) {
            Some(column) => job
                .column(set, &column)
                .copy(Dataset::new(&column, env), writer)?,
            None => job.copy(set, writer)?,
        };
        done.push((job.pair.from, job.report(set, stored, start.elapsed())));
    }
    for rows in rows.into_values() {
        let start = Instant::now();
        let swept = records::sweep(set, rows, writer)?;
        for job in swept {
            let report = job.report(set, job.bytes(), start.elapsed());
            done.push((job.pair.from, report));
        }
    }
    Ok(done)
}

/// Returns one job per variable in `plan`, in the plan's order. `writer` must have the plan's schema. For chunked data, this function sets
/// the lengths of the writer's unlimited dimensions.
///
/// # Errors
/// Returns [`crate::ErrorKind::NotFound`] for missing variables, [`crate::ErrorKind::FilterUnavailable`] for missing filters,
/// [`crate::ErrorKind::Unsupported`] for decode-only filters, [`crate::ErrorKind::Limit`] if [`MissingDataPolicy`](crate::env::MissingDataPolicy) refuses a large
/// output of fill values, and errors of the writer.
pub fn jobs(set: Dataset<'_>, plan: &Plan, writer: &mut dyn Writer) -> Result<Vec<CopyJob>> {
    let reader = set.reader;
    lengthen_all(reader, plan, writer)?;
    let (mut layouts, mut regions) = (RecentValues::default(), RecentValues::default());
    let mut jobs = Vec::with_capacity(plan.data.len());
    for &pair in &plan.data {
        let job = CopyJob {
            at_join: plan.unsized_strings.contains(&pair.to),
            ..CopyJob::new(set, pair, writer)?
        };
        jobs.push(CopyJob {
            from: layouts.share(job.from),
            to: layouts.share(job.to),
            region: regions.share(job.region),
            ..job
        });
    }
    columns::mark(&mut jobs, reader);
    jobs.iter()
        .try_for_each(|job| job.check_filters(set, writer.schema()))?;
    fill_output::check(set, &jobs)?;
    jobs.iter().for_each(|job| job.warn(set));
    Ok(jobs)
}

/// For chunked data, extends the output's unlimited dimensions to the input's lengths.
fn lengthen_all(reader: &dyn Reader, plan: &Plan, writer: &mut dyn Writer) -> Result<()> {
    for &pair in &plan.data {
        if writer.rules(pair.to).chunks {
            lengthen(reader, pair, writer)?;
        }
    }
    Ok(())
}

/// Extends the unlimited dimensions of an output variable to the input's lengths.
fn lengthen(reader: &dyn Reader, pair: CopiedVariable, writer: &mut dyn Writer) -> Result<()> {
    let var = writer.schema().var(pair.to).or_internal("a variable")?;
    let shape = reader.schema().shape(pair.from);
    for (dim, len) in var.dims.clone().into_iter().zip(shape) {
        if writer.schema().is_unlimited(dim) {
            writer.set_len(dim, len)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
