//! The elements of a variable, part by part, decoded once each on all threads.

use crate::arithmetic::Amount;
use crate::chunk::dataset::BoxElements;
use crate::chunk::grid::Grid;
use crate::chunk::plan::{self, Bands};
use crate::chunk::rechunk::{self, Rechunking};
use crate::chunk::{Dataset, Layout, elements};
use crate::error::{Context as _, Result};
use crate::model::region::check_lengths;
use crate::model::{Atomic, Region, Values, VarId};

/// Bytes of a part that is not a chunk, roughly.
const PART: u64 = if cfg!(test) { 64 } else { 1 << 20 };

/// Calls `work` on any thread for each part of a variable of numbers, and `sink` with the results, in order.
///
/// # Errors
/// Those of reading, with the variable's path; those of `work` and `sink`.
pub(super) fn each<R: Send>(
    set: Dataset<'_>,
    (var, ty): (VarId, Atomic),
    work: impl Fn(&Region, Values) -> Result<R> + Sync,
    mut sink: impl FnMut(R),
) -> Result<()> {
    let layout = set.layout(var)?;
    let schema = set.reader.schema();
    let shape = schema.shape(var);
    check_lengths(&shape).in_object(|| schema.var_path(var))?;
    let chunk = part(set, &layout, &shape);
    let to = Layout {
        extent: shape.clone(),
        chunk: chunk.clone(),
        filters: vec![],
        ..layout.clone()
    };
    let variable = rechunk::Variable {
        from: &layout,
        to: &to,
        shape: &shape,
        assembled: set.reader.assembles(var),
    };
    let budget = rechunk::Budget {
        memory: set.env.memory.0,
        threads: set.env.runtime.threads(),
    };
    let plan = rechunk::plan(variable, &budget);
    let what = Rechunking {
        set,
        var,
        grid: &Grid::of(shape.clone(), chunk),
        plan: &plan,
        met: None,
    };
    let work = |region: &Region, part: BoxElements| {
        let values = elements::decode(ty, layout.element.order, &part.bytes)?;
        let bytes = part.bytes.len() as u64;
        set.env.buffers.give_large(part.bytes);
        Ok((bytes, work(region, values)?))
    };
    set.env
        .progress
        .expect((Amount::product(&shape) * layout.element.size).get());
    rechunk::run(&what, work, |(bytes, result)| {
        set.env.cancel.check()?;
        set.env.progress.advance(bytes);
        sink(result);
        Ok(())
    })
}

/// The shape of parts: chunks, unless these are small or very large.
fn part(set: Dataset<'_>, layout: &Layout, shape: &[u64]) -> Vec<u64> {
    let size = layout.element.size.max(1);
    let bytes = Amount::product(&layout.chunk) * size;
    let (threads, whole) = (set.env.runtime.threads(), Region::whole(shape));
    let memory = set.env.memory.0 / threads as u64;
    let fits = bytes >= Amount::of(PART / 16) && bytes * 4u64 <= Amount::of(memory);
    if fits {
        return layout.chunk.clone();
    }
    let budget = plan::Budget {
        most: (PART / size).max(1),
        memory,
        threads,
    };
    let bands = plan::in_rows(&whole, layout, &budget);
    let mut bands = bands.unwrap_or_else(|| Bands::new(whole, &layout.chunk, budget.most));
    bands
        .next()
        .map_or_else(|| shape.to_vec(), |band| band.count)
}
