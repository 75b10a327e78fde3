//! A copy in parts, which processes make side by side, on any machines.
//!
//! A [`Division`] says which elements each part copies: boxes of whole chunks or shards of the output, or of elements that follow each
//! other. It follows from the jobs of the copy and the number of parts alone, so that each process works out its own boxes. [`make`]
//! copies a part; what it stores goes into a [`Segment`], with its place in the output. [`join()`] puts segments together: it stores the
//! same pieces in the same order as a copy in one process, so that the output has the same bytes.
//!
//! Decisions about stored data are made once, when the copy is divided, and passed to the parts ([`VariableShare::same_fill`]). [`join()`] copies
//! variables with heap data, because the location of heap data depends on all data stored before. [`join()`] also copies strings without a
//! known length.

mod boxes;
mod costs;
mod division;
mod intermediate;
mod join;
mod output;
pub mod segment;
mod sketch;

pub use costs::Costs;
pub use division::{Division, PartSize, VariableShare};
pub use intermediate::Through;
pub use join::{OpenSegment, PutByPart, compare, complete, join};
pub use output::PartOutput;
pub use segment::Segment;
pub use sketch::sketch;

use super::job::OfVariable;
use super::{CopyJob, Plan, lengthen_all, unchanged};
use crate::arithmetic::Amount;
use crate::chunk::{Dataset, Writer};
use crate::error::Result;

/// The jobs of a copy that was divided before, by the same `plan`: `same_fills` are those of its [`VariableShare`]s. `writer` was made for the
/// plan's schema; its unlimited dimensions get their lengths.
///
/// # Errors
/// As [`jobs`](super::jobs), without those about stored data.
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

/// Where the elements of a part come from.
#[derive(Clone, Copy)]
pub struct PartOrigin<'a> {
    /// The input.
    pub set: Dataset<'a>,
    /// The store between two stages, for the second one ([`Division::through`]).
    pub between: Option<Dataset<'a>>,
}

/// Copies the elements of a part. `writer` was made for the same schema as that of the division, and receives them as chunks and runs of
/// the whole output, by variable and in row-major order.
///
/// # Errors
/// Those of [`run`](super::run), except for notes; [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for chunks that the first stage
/// should have stored.
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
