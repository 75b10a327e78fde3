//! Copies datasets: one schema is mapped to another, and each variable's data goes the cheapest
//! way that leads there.
//!
//! [`plan()`] is pure: what to make of a schema. [`run`] does it with a reader and a writer.

pub mod methods;
pub mod options;
pub mod plan;
mod records;
pub mod report;
mod select;

pub use options::Options;
pub use plan::{Pair, Plan, plan};
pub use report::{Report, VarReport};
pub use select::Selection;

use std::collections::BTreeMap;

use crate::chunk::Dataset;
use crate::chunk::layout::Layout;
use crate::env::Env;
use crate::error::Result;
use crate::format::{Reader, Writer};
use crate::model::Region;
use methods::Method;

/// Copies the data that `plan` names from `reader` to `writer`, which was made for the plan's
/// schema, and finishes the output.
///
/// # Errors
/// Those of reading and writing, with the variable's path; [`crate::ErrorKind::Cancelled`].
pub fn run(reader: &dyn Reader, plan: &Plan, mut writer: Box<dyn Writer>, env: &Env) -> Result<()> {
    let set = Dataset::new(reader, env);
    let jobs = jobs(set, plan, &*writer)?;
    env.progress
        .expect(jobs.iter().map(Job::bytes).fold(0, u64::saturating_add));
    let mut rows: BTreeMap<u64, Vec<Job>> = BTreeMap::new();
    for job in jobs {
        env.cancel.check()?;
        match job.method {
            Method::Rows => rows.entry(job.records()).or_default().push(job),
            Method::Move => job.moved(set, &mut *writer)?,
            Method::Convert => job.converted(set, &mut *writer)?,
        }
    }
    for rows in rows.into_values() {
        records::sweep(set, rows, &mut *writer)?;
    }
    for &(dim, len) in &plan.lengths {
        writer.set_len(dim, len)?;
    }
    env.cancel.check()?;
    writer.finish()
}

/// The data of one variable and how it is copied.
#[derive(Debug)]
struct Job {
    pair: Pair,
    from: Layout,
    to: Layout,
    method: Method,
    /// The variable's shape in the input.
    shape: Vec<u64>,
}

/// What there is to do.
fn jobs(set: Dataset<'_>, plan: &Plan, writer: &dyn Writer) -> Result<Vec<Job>> {
    let one = |&pair: &Pair| {
        let (from, to) = (set.layout(pair.from)?, writer.layout(pair.to)?);
        let shape = set.reader.schema().shape(pair.from);
        Ok(Job {
            pair,
            method: methods::choose(&from, &to, &shape),
            from,
            to,
            shape,
        })
    };
    plan.data.iter().map(one).collect()
}

impl Job {
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
