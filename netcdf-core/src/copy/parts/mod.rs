//! A copy in parts, run by concurrent processes on any number of hosts.
//!
//! A [`Division`] assigns elements to each part: boxes of whole output chunks or shards, or runs of elements. The division depends only on
//! the jobs of the copy and the number of parts, so each process computes its own boxes. [`make`] copies a part into a [`Segment`], which
//! records the output location of each fragment. [`join()`] combines the segments: it stores the same fragments in the same order as a copy
//! in one process, so the output has the same bytes.
//!
//! The parts of a joined dataset begin at inputs where possible (`aligned`), so that a part reads few inputs.
//!
//! Decisions about stored data are made once, when the copy is divided, and passed to the parts ([`VariableShare::same_fill`]). [`join()`] copies
//! variables with heap data, because the location of heap data depends on all data stored before. [`join()`] also copies strings without a
//! known length.
//!
//! A store in a directory or on an object store needs no segments: parts put their keys there (`io::dir::shared`, `io::claimed`), and the last
//! writer learns the keys (`put_elsewhere`). Segments also store the input offset of moved chunks, because a moved chunk keeps its offset within
//! a page. If input and output chunks cross, a copy has two stages: `rechunk::stages` chooses the intermediate chunk shape by cost, and the parts
//! of the first stage write an intermediate store.

mod aligned;
mod boxes;
mod costs;
mod division;
mod intermediate;
mod join;
mod layout_writer;
mod output;
pub mod segment;

pub use costs::Costs;
pub use division::{Division, PartSize, VariableShare};
pub use intermediate::IntermediatePlan;
pub use join::{OpenSegment, PutByPart, compare, complete, join};
pub use layout_writer::sketch;
pub use output::PartOutput;
pub use segment::Segment;

use super::job::OfVariable;
use super::{CopyJob, Plan, lengthen_all, unchanged};
use crate::arithmetic::Amount;
use crate::chunk::{Dataset, Writer};
use crate::error::Result;

/// Returns the jobs of a copy that the same `plan` has already divided. `same_fills` come from the division's [`VariableShare`]s. `writer`
/// must have the plan's schema. This function sets the lengths of its unlimited dimensions.
///
/// # Errors
/// Returns the errors of [`jobs`](super::jobs), except errors about stored data.
pub fn jobs(
    set: Dataset<'_>,
    plan: &Plan,
    same_fills: &[bool],
    writer: &mut dyn Writer,
) -> Result<Vec<CopyJob>> {
    lengthen_all(set.reader, plan, writer)?;
    let pairs = plan.data.iter().zip(same_fills);
    pairs
        .map(|(&pair, &same_fill)| {
            Ok(CopyJob {
                at_join: plan.unsized_strings.contains(&pair.to),
                ..CopyJob::decided(set, pair, (writer, same_fill))?
            })
        })
        .collect()
}

/// The source of a part's elements.
#[derive(Clone, Copy)]
pub struct PartOrigin<'a> {
    /// The input.
    pub set: Dataset<'a>,
    /// The intermediate store, for the second stage ([`Division::through`]).
    pub between: Option<Dataset<'a>>,
}

/// Copies the elements of a part. `writer` must have the same schema as the division's writer. It receives chunks and runs of the whole
/// output, by variable and in row-major order.
///
/// # Errors
/// Returns the errors of [`run`](super::run), except errors about notes. Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for
/// chunks missing from the intermediate store.
pub fn make(
    PartOrigin { set, between }: PartOrigin<'_>,
    division: &Division,
    part: u64,
    writer: &mut dyn Writer,
) -> Result<()> {
    let env = set.env;
    env.progress.expect(division.bytes_of(part));
    for (var, region) in division.boxes(part) {
        env.cancel.check()?;
        if Amount::product(&region.count).get() == 0 {
            continue;
        }
        match between.zip(var.between) {
            Some((between, id)) => {
                let from = OfVariable {
                    set: between,
                    var: id,
                };
                var.job.copy_from(from, (set, region), writer)?
            }
            None => var.job.within(set, region).copy(set, writer)?,
        };
    }
    unchanged(set.reader)
}
