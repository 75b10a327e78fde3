//! The work items for reading a region, in order.

use std::collections::VecDeque;
use std::sync::Arc;

use super::slab::Slab;
use super::variable::{BoxElements, ReadVariable};
use super::{Dataset, InBands};
use crate::arithmetic::Amount;
use crate::chunk::layout::ChunkRef;
use crate::chunk::plan::{BandWay, Bands, PlanBudget, PlanCells, in_boxes, in_rows, plan};
use crate::chunk::visit::Locate;
use crate::error::{Context as _, OrInternal as _, Result};
use crate::model::Region;
use crate::runtime::WorkItem;

/// A work item.
enum Task {
    /// A band that reads and decodes its own chunks. The list has the chunks if they are already located.
    Direct(Region, Option<Vec<ChunkRef>>),
    /// A group of chunks of a slab.
    Load(Arc<Slab>, usize),
    /// A band cut from a slab, relative to the slab.
    Cut(Arc<Slab>, Region),
}

/// The number of large bands in memory, if requests take long.
const AHEAD: u64 = 3;

/// Approximate number of copies of a band in memory while it is processed.
pub(crate) const COPIES: u64 = 4;

/// Returns the parts of a slab, relative to its start, in the required order.
pub(super) type SlabParts<'a> = Box<dyn Fn(&Region) -> PartsOf + 'a>;

/// The parts of one slab. They are generated one by one: a damaged file may claim more parts than memory holds.
pub(crate) type PartsOf = Box<dyn Iterator<Item = Region>>;

/// The division of a region into slabs and parts.
pub struct Cuts<'a> {
    /// Consecutive slabs, read in order.
    pub slabs: Box<dyn Iterator<Item = Region> + 'a>,
    /// The source of the elements. With [`BandWay::Direct`], a slab is one part.
    pub way: BandWay,
    /// The division of a slab into parts.
    pub parts: SlabParts<'a>,
    /// The shape of parts if a slab is cut regularly from its start; parts at its ends may be smaller.
    pub tile: Option<Vec<u64>>,
    /// The memory for items in progress, on top of the slabs, in bytes.
    pub memory: u64,
    /// Approximate number of copies of a part in memory while it is processed.
    pub copies: u64,
}

impl<'a> Cuts<'a> {
    /// Plans the bands of a region.
    pub(super) fn bands(set: Dataset<'_>, variable: &ReadVariable<'_>, bands: &InBands) -> Self {
        let large = Some(bands).filter(|bands| bands.large);
        if let Some(cuts) = large.and_then(|bands| Self::large_bands(set, variable, bands)) {
            return cuts;
        }
        let (region, most) = (&bands.region, bands.most);
        let runtime = &set.env.runtime;
        let budget = PlanBudget {
            most,
            // The other half is for decoding and processing.
            memory: runtime.memory() / 2,
            threads: runtime.threads(),
        };
        let plan = match variable.assembly.is_some() {
            false => plan(region, variable.layout, &budget),
            true => in_boxes(region, variable.layout, &budget),
        };
        let memory = match plan.way {
            BandWay::Direct => runtime.memory(),
            BandWay::Staged { .. } => {
                // Memory for decoding two chunks concurrently is always granted.
                let chunk = Amount::of(variable.layout.chunk_bytes());
                (runtime.memory() / 2).max((chunk * 4u64).get())
            }
        };
        let bands = move |slab: &Region| Bands::new(Region::whole(&slab.count), &[], most);
        Self {
            slabs: Box::new(plan.slabs),
            way: plan.way,
            parts: Box::new(move |slab| Box::new(bands(slab))),
            tile: None,
            memory,
            copies: COPIES,
        }
    }

    /// Plans large bands that read their own chunks, if this avoids caching chunks.
    fn large_bands(set: Dataset<'_>, variable: &ReadVariable<'_>, bands: &InBands) -> Option<Self> {
        if variable.assembly.is_some() {
            return None;
        }
        let runtime = set.runtime();
        // A request fetches chunks of one band only.
        let share = Amount::of(runtime.memory() / AHEAD) / variable.layout.element.size.max(1);
        let budget = PlanBudget {
            most: match runtime.asks_ahead() {
                true => bands.most.max(share.get()),
                false => bands.most,
            },
            memory: runtime.memory() / runtime.threads() as u64,
            threads: runtime.threads(),
        };
        Some(Self {
            slabs: Box::new(in_rows(&bands.region, variable.layout, &budget)?),
            way: BandWay::Direct,
            parts: Box::new(|_| Box::new(std::iter::empty())),
            tile: None,
            memory: runtime.memory(),
            copies: 1,
        })
    }
}

/// Runs `work` and `sink` on the parts of a region.
pub(super) fn run<R: Send>(
    set: Dataset<'_>,
    variable: &ReadVariable<'_>,
    cuts: Cuts<'_>,
    (work, mut sink): (
        impl Fn(&Region, BoxElements) -> Result<R> + Sync,
        impl FnMut(R) -> Result<()>,
    ),
) -> Result<()> {
    let runtime = set.runtime().with_memory(cuts.memory);
    let path = || set.reader.schema().var_path(variable.var);
    let one = |task: Task| match task {
        Task::Direct(band, located) => {
            let part = variable.read_part(&band, located).in_object(path)?;
            work(&band, part).map(Some)
        }
        Task::Load(slab, group) => {
            slab.load(variable, group);
            Ok(None)
        }
        Task::Cut(slab, part) => {
            let elements = slab.band(variable, &part).in_object(path)?;
            let band = slab.region.part(&part);
            drop(slab);
            work(&band, elements).map(Some)
        }
    };
    let tasks = Tasks::new(set, variable, cuts);
    let tasks = tasks.map(|task| task.in_object(path));
    runtime.ordered(tasks, one, |done| done.map_or(Ok(()), &mut sink))
}

/// Generates the work items.
struct Tasks<'a> {
    set: Dataset<'a>,
    variable: &'a ReadVariable<'a>,
    cuts: Cuts<'a>,
    /// The number of generated tasks.
    count: u64,
    /// The queued items, which load chunks of slabs.
    made: VecDeque<WorkItem<Task>>,
    /// The slab being cut, and its remaining parts.
    cutting: Option<(LoadedSlab, PartsOf)>,
    /// The slab that is loaded while the chunks of the next slab are requested.
    last: Option<LoadedSlab>,
    /// The number of generated slabs.
    slabs: usize,
    /// For each cut slab, the number of tasks that must end before its memory is free for the next slab.
    cut: VecDeque<u64>,
}

/// A slab, and the number of tasks that must end before all its chunks are loaded.
struct LoadedSlab {
    slab: Arc<Slab>,
    after: u64,
}

impl<'a> Tasks<'a> {
    fn new(set: Dataset<'a>, variable: &'a ReadVariable<'a>, cuts: Cuts<'a>) -> Self {
        Self {
            set,
            variable,
            cuts,
            count: 0,
            made: VecDeque::new(),
            cutting: None,
            last: None,
            slabs: 0,
            cut: VecDeque::new(),
        }
    }

    /// Returns the memory of a band in progress, in bytes.
    fn bytes(&self, band: &Region) -> Amount {
        let bytes = Amount::product(&band.count) * self.variable.layout.element.size;
        bytes * self.cuts.copies
    }

    /// Returns the item of a band that decodes its own chunks one by one.
    fn direct(&self, band: Region) -> Result<WorkItem<Task>> {
        let layout = self.variable.layout;
        let chunk = match layout.filters.len() {
            0 => Amount::default(),
            _ => layout.chunk_bytes().into(),
        };
        let bytes = self.bytes(&band) + chunk * 2u64 + self.variable.assembly_bytes().get();
        // Locate here, because concurrent bands would request the same parts of the index.
        let ahead = self.set.runtime().asks_ahead() && self.variable.assembly.is_none();
        let located = match ahead {
            true => {
                let cells = PlanCells::new(&band, layout);
                Some(self.variable.located(&cells, Locate::Candidates)?)
            }
            false => None,
        };
        Ok(WorkItem::new(bytes.get(), Task::Direct(band, located)))
    }

    /// Queues the chunks of a slab, then the bands of the previous slab. With only one slab in memory, queues the
    /// slab's own bands.
    fn slab(&mut self, region: Region, slabs: usize) -> Result<()> {
        let width = self.set.runtime().width();
        let tile = self.cuts.tile.as_deref();
        let slab = Arc::new(Slab::new(self.variable, region, width, tile)?);
        let after = match self.slabs < slabs {
            true => 0,
            false => self.cut.pop_front().or_internal("an earlier slab")?,
        };
        self.slabs += 1;
        for (group, bytes) in slab.groups(self.variable).into_iter().enumerate() {
            let value = Task::Load(Arc::clone(&slab), group);
            self.made.push_back(WorkItem {
                bytes,
                after,
                value,
            });
        }
        let after = self.count + self.made.len() as u64;
        let ready = self.last.replace(LoadedSlab { slab, after });
        self.cut(ready);
        if slabs <= 1 {
            let ready = self.last.take();
            self.cut(ready);
        }
        Ok(())
    }

    /// Starts to cut a slab into bands.
    fn cut(&mut self, ready: Option<LoadedSlab>) {
        if let Some(ready) = ready {
            let bands = (self.cuts.parts)(&ready.slab.region);
            self.cutting = Some((ready, bands));
        }
    }

    /// Returns the next band of the slab being cut. Drops the slab after the last band, so that its memory is free
    /// when the last band ends.
    fn next_band(&mut self) -> Option<WorkItem<Task>> {
        let (ready, bands) = self.cutting.as_mut()?;
        let Some(band) = bands.next() else {
            self.cutting = None;
            self.cut.push_back(self.count);
            return None;
        };
        let value = Task::Cut(Arc::clone(&ready.slab), band.clone());
        let after = ready.after;
        let bytes = self.bytes(&band).get();
        Some(WorkItem {
            bytes,
            after,
            value,
        })
    }

    fn following(&mut self) -> Result<Option<WorkItem<Task>>> {
        self.set.env.cancel.check()?;
        loop {
            if let Some(item) = self.made.pop_front().or_else(|| self.next_band()) {
                return Ok(Some(item));
            }
            match (self.cuts.slabs.next(), self.cuts.way) {
                (Some(band), BandWay::Direct) => return self.direct(band).map(Some),
                (Some(region), BandWay::Staged { slabs }) => self.slab(region, slabs.max(1))?,
                (None, _) => {
                    let ready = self.last.take();
                    if ready.is_none() {
                        return Ok(None);
                    }
                    self.cut(ready);
                }
            }
        }
    }
}

impl Iterator for Tasks<'_> {
    type Item = Result<WorkItem<Task>>;

    fn next(&mut self) -> Option<Self::Item> {
        let task = self.following().transpose();
        self.count += 1;
        task
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::readers;
    use super::*;
    use crate::env::Env;
    use crate::model::VarId;
    use crate::testing::add_table;

    /// Returns the tasks for four slabs of two parts each: the slab number, whether a chunk is loaded, and the
    /// number of tasks that must end first.
    fn tasks(slabs: usize) -> Vec<(u64, bool, u64)> {
        let env = Env {
            filters: add_table(),
            ..Env::default()
        };
        let [_, reader] = readers();
        let set = Dataset::new(&reader, &env);
        let layout = set.layout(VarId(0)).unwrap();
        let variable = set.variable(VarId(0), &layout, None).unwrap();
        let halves = |_: &Region| -> PartsOf {
            let half = |n: u64| Region::boxed(vec![0, 3 * n], vec![1, 3]);
            Box::new((0..2).map(half))
        };
        let cuts = Cuts {
            slabs: Box::new((0..4).map(|row| Region::boxed(vec![row, 0], vec![1, 7]))),
            way: BandWay::Staged { slabs },
            parts: Box::new(halves),
            tile: None,
            memory: 1 << 20,
            copies: 4,
        };
        let tasks = Tasks::new(set, &variable, cuts).map(|task| {
            let task = task.unwrap();
            let (slab, load) = match task.value {
                Task::Load(slab, _) => (slab, true),
                Task::Cut(slab, _) => (slab, false),
                Task::Direct(..) => panic!("a band of its own"),
            };
            (slab.region.start[0], load, task.after)
        });
        tasks.collect()
    }

    #[test]
    fn slabs_are_cut_when_loaded_and_loaded_when_others_have_left() {
        for slabs in [1, 2, 3] {
            let all = tasks(slabs);
            let done = |slab: u64, load: bool| {
                let at = all.iter().rposition(|&(n, l, _)| (n, l) == (slab, load));
                at.unwrap() as u64 + 1
            };
            for &(slab, load, after) in &all {
                let want = match load {
                    false => done(slab, true),
                    true if slab < slabs as u64 => 0,
                    true => done(slab - slabs as u64, false),
                };
                assert_eq!(after, want, "slab {slab} of {all:?}, {slabs} at a time");
            }
        }
    }
}
