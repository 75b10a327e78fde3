//! Copies datasets: one schema is mapped to another, and each variable's data goes the cheapest
//! way that leads there.
//!
//! [`plan()`] is pure: what to make of a schema. [`run`] does it with a reader and a writer.

mod check;
mod chunked;
mod columns;
mod heap;
mod job;
pub mod methods;
pub mod options;
pub mod plan;
mod records;
pub mod report;
mod select;
mod unstored;
pub mod verify;

pub use job::Job;
pub use options::Options;
pub use plan::{Pair, Plan, plan};
pub use report::{Changes, Report, VarReport};
pub use select::Selection;
pub use verify::verify;

use std::collections::BTreeMap;
use std::time::Instant;

use crate::chunk::Dataset;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{Reader, Writer};
use crate::model::VarId;
use columns::Columns;
use methods::Method;

/// Copies the data that `plan` names from `reader` to `writer`, which was made for the plan's
/// schema, and finishes the output. What is told of the variables is in the plan's order.
///
/// # Errors
/// Those of reading and writing, with the variable's path; [`crate::ErrorKind::Cancelled`]; that of
/// [`Notes::check`](crate::env::Notes::check); [`crate::ErrorKind::Io`] if a file of the input changed meanwhile.
pub fn run(
    reader: &dyn Reader,
    plan: &Plan,
    mut writer: Box<dyn Writer>,
    env: &Env,
) -> Result<Report> {
    let jobs = jobs(reader, plan, &mut *writer, env)?;
    let set = Dataset::new(reader, env);
    env.notes.check()?;
    let mut done = execute(set, jobs, &mut *writer)?;
    for (&pair, var) in plan.data.iter().zip(&mut done.vars) {
        var.changes = Changes::of(plan, pair);
    }
    unchanged(reader)?;
    for &(dim, len) in &plan.lengths {
        writer.set_len(dim, len)?;
    }
    env.cancel.check()?;
    env.notes.check()?;
    writer.finish()?;
    Ok(done)
}

/// That the files of the input are as they were when they were opened: else what was copied of them may be of two times.
fn unchanged(reader: &dyn Reader) -> Result<()> {
    match reader.changed() {
        None => Ok(()),
        Some(name) => {
            let what = "the file changed while it was copied";
            let e = Error::new(ErrorKind::Io, what).of(&name);
            Err(e.with_remedy("copy it again when nobody writes to it"))
        }
    }
}

/// Copies the data of variables.
fn execute(set: Dataset<'_>, jobs: Vec<Job>, writer: &mut dyn Writer) -> Result<Report> {
    let env = set.env;
    env.progress
        .expect(jobs.iter().map(Job::bytes).fold(0, u64::saturating_add));
    let mut done: Vec<(VarId, VarReport)> = Vec::with_capacity(jobs.len());
    let mut rows: BTreeMap<u64, Vec<Job>> = BTreeMap::new();
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
        done.push((job.pair.from, job.report(set, stored, start.elapsed())?));
    }
    for rows in rows.into_values() {
        let start = Instant::now();
        let swept = records::sweep(set, rows, writer)?;
        for job in swept {
            done.push((
                job.pair.from,
                job.report(set, job.bytes(), start.elapsed())?,
            ));
        }
    }
    done.sort_by_key(|(var, _)| *var);
    Ok(Report {
        vars: done.into_iter().map(|(_, report)| report).collect(),
        retyped: vec![],
    })
}

/// What there is to do: a job for each variable that `plan` names, in its order. `writer` was made
/// for the plan's schema; its unlimited dimensions get their lengths where data is put as chunks.
///
/// # Errors
/// [`crate::ErrorKind::NotFound`] for variables that do not exist; for filters that are needed,
/// [`crate::ErrorKind::FilterUnavailable`], and [`crate::ErrorKind::Unsupported`] if they cannot be applied;
/// those of the writer; [`crate::ErrorKind::Limit`] for a large output of fill values, if [`MadeUp`](crate::env::MadeUp) refuses it.
pub fn jobs(
    reader: &dyn Reader,
    plan: &Plan,
    writer: &mut dyn Writer,
    env: &Env,
) -> Result<Vec<Job>> {
    for &pair in &plan.data {
        if writer.takes_chunks(pair.to) {
            lengthen(reader, pair, writer)?;
        }
    }
    let set = Dataset::new(reader, env);
    let one = |&pair: &Pair| Job::new(set, pair, writer);
    let mut jobs = plan.data.iter().map(one).collect::<Result<Vec<_>>>()?;
    columns::mark(&mut jobs, reader.schema().kind);
    jobs.iter()
        .try_for_each(|job| job.check_filters(set, writer.schema()))?;
    unstored::check(set, &jobs)?;
    jobs.iter().for_each(|job| job.warn(set));
    Ok(jobs)
}

/// Makes the unlimited dimensions of a variable of the output as long as they are in the input.
fn lengthen(reader: &dyn Reader, pair: Pair, writer: &mut dyn Writer) -> Result<()> {
    let dims = writer.schema().var(pair.to).map(|v| v.dims.clone());
    let shape = reader.schema().shape(pair.from);
    for (dim, len) in dims.unwrap_or_default().into_iter().zip(shape) {
        let unlimited = writer.schema().dim(dim).is_some_and(|d| d.unlimited);
        if unlimited {
            writer.set_len(dim, len)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
