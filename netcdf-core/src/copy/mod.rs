//! Copies datasets: one schema is mapped to another, and each variable's data goes the cheapest
//! way that leads there.
//!
//! [`plan()`] is pure: what to make of a schema. [`run`] does it with a reader and a writer.

mod chunked;
mod columns;
pub mod methods;
pub mod options;
pub mod plan;
mod records;
pub mod report;
mod select;
pub mod verify;

pub use options::Options;
pub use plan::{Pair, Plan, plan};
pub use report::{Report, VarReport};
pub use select::Selection;
pub use verify::verify;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::chunk::Dataset;
use crate::chunk::column::Column;
use crate::chunk::decode::fill;
use crate::chunk::layout::Layout;
use crate::chunk::rechunk;
use crate::env::{Env, Note};
use crate::error::Result;
use crate::format::{Reader, Writer};
use crate::model::{Region, VarId};
use columns::Columns;
use methods::Method;

/// Copies the data that `plan` names from `reader` to `writer`, which was made for the plan's
/// schema, and finishes the output. What is told of the variables is in the plan's order.
///
/// # Errors
/// Those of reading and writing, with the variable's path; [`crate::ErrorKind::Cancelled`].
pub fn run(
    reader: &dyn Reader,
    plan: &Plan,
    mut writer: Box<dyn Writer>,
    env: &Env,
) -> Result<Report> {
    let jobs = jobs(reader, plan, &mut *writer, env)?;
    let set = Dataset::new(reader, env);
    let done = execute(set, jobs, &mut *writer)?;
    for &(dim, len) in &plan.lengths {
        writer.set_len(dim, len)?;
    }
    env.cancel.check()?;
    writer.finish()?;
    Ok(done)
}

/// Copies the data of variables.
fn execute(set: Dataset<'_>, jobs: Vec<Job>, writer: &mut dyn Writer) -> Result<Report> {
    let env = set.env;
    jobs.iter().for_each(|job| job.warn(set));
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
    })
}

/// The data of one variable and how it is copied.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The variable, in the input and in the output.
    pub pair: Pair,
    /// How it is stored in the input.
    pub from: Layout,
    /// How it is stored in the output.
    pub to: Layout,
    /// True if it is put into the output as chunks.
    pub chunked: bool,
    /// True if what is not stored reads the same in both datasets.
    pub same_fill: bool,
    /// How its data is copied.
    pub method: Method,
    /// True if it is read in one sweep with others, between whose records its own lie.
    pub swept: bool,
    /// Its shape in the input.
    pub shape: Vec<u64>,
}

/// What there is to do: a job for each variable that `plan` names, in its order. `writer` was made
/// for the plan's schema; its unlimited dimensions get their lengths where data is put as chunks.
///
/// # Errors
/// [`crate::ErrorKind::NotFound`] for variables that do not exist; those of the writer.
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
    columns::mark(&mut jobs);
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

impl Job {
    fn new(set: Dataset<'_>, pair: Pair, writer: &dyn Writer) -> Result<Self> {
        let (from, to) = (set.layout(pair.from)?, writer.layout(pair.to)?);
        let shape = set.reader.schema().shape(pair.from);
        let chunked = writer.takes_chunks(pair.to);
        let mut job = Self {
            pair,
            chunked,
            same_fill: false,
            method: Method::Convert,
            swept: false,
            from,
            to,
            shape,
        };
        job.same_fill = chunked && job.fills_agree(set, writer)?;
        job.method = job.choose(set);
        Ok(job)
    }

    /// Says so if more memory is needed than was given.
    fn warn(&self, set: Dataset<'_>) {
        let Method::Rechunk(plan) = &self.method else {
            return;
        };
        if plan.raised {
            set.env.notes.say(Note {
                object: set.reader.schema().var_path(self.pair.from),
                what: format!("its chunks need {} MiB of memory", plan.memory() >> 20),
                remedy: Some("use --memory to allow more".to_owned()),
            });
        }
    }

    /// The job as that of a column of the variable's elements.
    fn column(&self, set: Dataset<'_>, column: &Column<'_>) -> Self {
        let mut job = Self {
            from: column.layout().clone(),
            ..self.clone()
        };
        if job.method != Method::Convert {
            job.method = job.choose(set);
        }
        job
    }

    fn choose(&self, set: Dataset<'_>) -> Method {
        let assembled = set.reader.assembles(self.pair.from);
        if !self.chunked && assembled {
            return Method::Convert;
        }
        if !self.chunked {
            return methods::choose(&self.from, &self.to, &self.shape);
        }
        let variable = rechunk::Variable {
            from: &self.from,
            to: &self.to,
            shape: &self.shape,
            assembled,
        };
        let budget = rechunk::Budget {
            memory: set.env.memory.0,
            threads: set.env.pool.threads,
        };
        methods::choose_chunks(variable, self.same_fill, &budget)
    }

    /// True if what is not stored reads the same in both datasets.
    fn fills_agree(&self, set: Dataset<'_>, writer: &dyn Writer) -> Result<bool> {
        if self.has_heap() {
            return Ok(false);
        }
        let from = set.fill(self.pair.from, &self.from)?;
        let to = fill(writer.schema(), set.env, self.pair.to, &self.to)?;
        // A fill value that does not fit the output's type does not agree.
        Ok(self.encoded(set, from).is_ok_and(|from| from == to))
    }

    /// True if the writer has to make the stored form of values, as it has heap data.
    fn has_heap(&self) -> bool {
        self.to.element.plain_type().is_none()
    }

    /// What is told of the variable, of which `after` bytes were stored.
    fn report(&self, set: Dataset<'_>, after: u64, time: Duration) -> Result<VarReport> {
        Ok(VarReport {
            path: set.reader.schema().var_path(self.pair.from),
            method: self.method,
            raw: self.bytes(),
            before: self.stored(set)?,
            after,
            time,
        })
    }

    /// Bytes that the input stores, without heap data.
    fn stored(&self, set: Dataset<'_>) -> Result<u64> {
        if self.from.filters.is_empty() {
            let size = self.from.element.size;
            return Ok(self.elements().saturating_mul(size));
        }
        let mut stored = 0u64;
        set.locate(self.pair.from, &mut |chunk| {
            stored = stored.saturating_add(methods::length(&chunk.range));
            Ok(())
        })?;
        Ok(stored)
    }

    /// Copies the data; the bytes stored.
    fn copy(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        match &self.method {
            Method::Rows | Method::Move => self.moved(set, writer),
            Method::Convert => self.converted(set, writer),
            Method::Chunks => self.chunks_moved(set, writer),
            Method::Recode => self.recoded(set, writer),
            Method::Rechunk(plan) => self.rechunked(set, plan, writer),
        }
    }

    /// Number of elements.
    fn elements(&self) -> u64 {
        Region::whole(&self.shape).elements().unwrap_or(u64::MAX)
    }

    /// Bytes to be written.
    fn bytes(&self) -> u64 {
        self.elements().saturating_mul(self.to.element.size)
    }

    /// Length of the first dimension.
    fn records(&self) -> u64 {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Elements of one record.
    fn per_record(&self) -> u64 {
        self.elements().checked_div(self.records()).unwrap_or(0)
    }

    /// Bytes of one record.
    fn slab(&self) -> u64 {
        self.per_record().saturating_mul(self.from.element.size)
    }
}

#[cfg(test)]
mod tests;
