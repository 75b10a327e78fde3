//! One pass through the elements of a variable, box by box, on all threads.
//!
//! The variable is read as if it were rechunked to the shape of the boxes. `rechunk` decides whether each box decodes its own chunks,
//! whether slabs are decoded in memory, or whether the elements go through a temporary file.

use super::dataset::BoxElements;
use super::grid::ChunkGrid;
use super::plan::{self, Bands};
use super::rechunk::{self, RechunkPlan, RechunkWay, Rechunking};
use super::{Dataset, Layout};
use crate::arithmetic::Amount;
use crate::error::{Context as _, Result};
use crate::model::region::check_lengths;
use crate::model::{Region, VarId};

/// The approximate box size in bytes. Variables in tests have several boxes.
const BOX: u64 = if cfg!(test) { 64 } else { 1 << 20 };

/// The approximate size of an element with heap data, in bytes.
const HEAP: u64 = 64;

/// If fewer than one chunk in 64 is stored, a temporary file would mostly contain fill values.
const FEW: u64 = 64;

/// The number of copies of a chunk in memory if the chunk is a box.
const COPIES: u64 = 4;

/// A variable and the boxes in which it is read.
pub(crate) struct VariablePass<'a> {
    set: Dataset<'a>,
    var: VarId,
    /// The storage layout.
    pub layout: Layout,
    shape: Vec<u64>,
    grid: ChunkGrid,
}

impl<'a> VariablePass<'a> {
    /// Creates a pass in bands, which are consecutive in row-major order.
    ///
    /// # Errors
    /// Returns errors from the layout, and [`ErrorKind::Limit`](crate::ErrorKind::Limit) for more elements than can be counted, with the
    /// variable's path.
    pub(crate) fn in_rows(set: Dataset<'a>, var: VarId) -> Result<Self> {
        Self::new(set, var, |layout, shape| band(set, layout, shape))
    }

    /// Creates a pass in chunks, or in bands if the chunks are small or too large for the memory.
    ///
    /// # Errors
    /// Returns errors from [`VariablePass::in_rows`].
    pub(crate) fn in_chunks(set: Dataset<'a>, var: VarId) -> Result<Self> {
        Self::new(set, var, |layout, shape| {
            let bytes = Amount::of(layout.chunk_bytes());
            let each = set.env.memory.0 / set.env.runtime.threads() as u64;
            match bytes >= Amount::of(BOX / 16) && bytes * COPIES <= each.into() {
                true => layout.chunk.clone(),
                false => band(set, layout, shape),
            }
        })
    }

    fn new(
        set: Dataset<'a>,
        var: VarId,
        boxes: impl FnOnce(&Layout, &[u64]) -> Vec<u64>,
    ) -> Result<Self> {
        let layout = set.layout(var)?;
        let schema = set.reader.schema();
        let shape = schema.shape(var);
        check_lengths(&shape).in_object(|| schema.var_path(var))?;
        Ok(Self {
            grid: ChunkGrid::of(shape.clone(), boxes(&layout, &shape)),
            set,
            var,
            layout,
            shape,
        })
    }

    /// Plans how to read the boxes.
    ///
    /// # Errors
    /// Returns errors from locating the stored chunks.
    pub(crate) fn plan(&self) -> Result<RechunkPlan> {
        let to = Layout {
            extent: self.shape.clone(),
            chunk: self.grid.chunk().to_vec(),
            filters: vec![],
            ..self.layout.clone()
        };
        let variable = rechunk::RechunkVariable {
            from: &self.layout,
            to: &to,
            shape: &self.shape,
            assembled: self.set.reader.assembles(self.var),
        };
        let budget = rechunk::RechunkBudget {
            memory: self.set.env.memory.0,
            threads: self.set.env.runtime.threads(),
        };
        let plan = rechunk::plan(variable, &budget);
        Ok(match plan.way == RechunkWay::Spill && self.has_little()? {
            true => RechunkPlan {
                way: RechunkWay::Memory { slabs: 1 },
                disk: 0,
                ..plan
            },
            false => plan,
        })
    }

    /// Returns true if only few chunks are stored.
    fn has_little(&self) -> Result<bool> {
        let stored = Amount::of(self.set.chunks_stored(self.var)?) * FEW;
        Ok(stored < Amount::product(&self.layout.grid()))
    }

    /// Calls `work` on any thread with the stored elements of each box, and `sink` with the results, in order.
    ///
    /// # Errors
    /// Returns errors from reading, with the variable's path, and errors from `work` and `sink`. Returns
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) after a signal.
    pub(crate) fn run<R: Send>(
        &self,
        work: impl Fn(&Region, Vec<u8>) -> Result<R> + Sync,
        mut sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let plan = self.plan()?;
        let what = Rechunking {
            set: self.set,
            var: self.var,
            grid: &self.grid,
            within: &self.grid.whole(),
            plan: &plan,
            met: None,
        };
        let env = self.set.env;
        let bytes = Amount::product(&self.shape) * self.layout.element.size;
        env.progress.expect(bytes.get());
        let path = || self.set.reader.schema().var_path(self.var);
        let work = |region: &Region, part: BoxElements| {
            let stored = part.bytes.len() as u64;
            Ok((stored, work(region, part.bytes).in_object(path)?))
        };
        rechunk::run(&what, work, |(stored, result)| {
            env.cancel.check()?;
            env.progress.advance(stored);
            sink(result)
        })
    }
}

/// Returns the shape of bands: about [`BOX`] bytes, or larger if each chunk is then decoded only once.
fn band(set: Dataset<'_>, layout: &Layout, shape: &[u64]) -> Vec<u64> {
    let size = match layout.element.plain_type() {
        Some(_) => layout.element.size,
        None => layout.element.size.max(HEAP),
    };
    let (threads, whole) = (set.env.runtime.threads(), Region::whole(shape));
    let budget = plan::PlanBudget {
        most: (BOX / size.max(1)).max(1),
        memory: set.env.memory.0 / threads as u64,
        threads,
    };
    let bands = plan::in_rows(&whole, layout, &budget);
    let mut bands = bands.unwrap_or_else(|| Bands::new(whole, &layout.chunk, budget.most));
    let first = bands.next();
    first.map_or_else(|| shape.to_vec(), |band| band.count)
}
