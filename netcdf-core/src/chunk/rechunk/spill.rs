//! Elements in a temporary file, in the required order.
//!
//! The file has an *area* for each slab. A slab consists of *pieces*: its intersections with the bands in which the
//! input is read. Each input chunk is decoded once. A piece is one run of bytes, in the order of its elements.
//! Bands and slabs form grids, so the position of a piece is computed. If bands and slabs that fit in memory would
//! have only small pieces, the areas belong to larger slabs, each of which then goes through its own file.

use super::{RechunkPlan, Rechunking};
use crate::arithmetic::{Amount, Exact, exact};
use crate::chunk::dataset::{BoxElements, COPIES, Cuts, Dataset, PartsOf};
use crate::chunk::grid::ChunkGrid;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::plan::{BandWay, Bands, PlanCells};
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Locate, Visit, Visited};
use crate::chunk::{Assembly, ChunkBytes};
use crate::chunk::{Provenance, Reader};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::file::Scratch;
use crate::io::store::KeyContent;
use crate::model::{Region, Schema, Values, VarId};
use std::sync::Arc;

/// The minimum size of a piece that is read and written alone, in bytes. Pieces in tests are smaller.
const PIECE: u64 = if cfg!(test) { 24 } else { 64 << 10 };

/// A part of a variable being rechunked.
struct SpillView<'a> {
    set: Dataset<'a>,
    var: VarId,
    layout: Layout,
    /// The elements in the variable's coordinates.
    region: Region,
    /// The output chunks, relative to the region's start.
    grid: ChunkGrid,
}

/// Rechunks a variable through files. `work` and `sink` get the elements of each output chunk in row-major order.
///
/// # Errors
/// Returns the first error from reading, the files, `work` or `sink`.
pub(super) fn spilled<R: Send>(
    what: &Rechunking<'_>,
    work: impl Fn(&Region, BoxElements) -> Result<R> + Sync,
    mut sink: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let view = SpillView {
        set: what.set,
        var: what.var,
        layout: what.set.layout(what.var)?,
        region: what.within.clone(),
        grid: what.grid.inside(what.within),
    };
    level(&view, what.plan, &work, &mut sink)
}

/// Rechunks a part of a variable through one file, or through several.
fn level<R: Send>(
    view: &SpillView<'_>,
    plan: &RechunkPlan,
    work: &(impl Fn(&Region, BoxElements) -> Result<R> + Sync),
    sink: &mut impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let (chunks, last) = of_area(view, plan);
    let Some(first) = view.grid.boxes(chunks).next() else {
        return Ok(());
    };
    let spill = Spill::new(view, first.count, plan)?;
    spill.write(view, plan)?;
    let set = Dataset::new(&spill, view.set.env);
    let areas = spill.areas.boxes(1).map(|area| spill.moved(area));
    if !last {
        let mut areas = areas;
        return areas.try_for_each(|area| {
            let part = SpillView {
                set,
                var: view.var,
                layout: spill.layout.clone(),
                grid: view.grid.inside(&area),
                region: area,
            };
            level(&part, plan, work, sink)
        });
    }
    let cuts = Cuts {
        slabs: Box::new(areas),
        way: BandWay::Staged { slabs: 1 },
        parts: Box::new(|slab| Box::new(view.grid.chunks(slab))),
        tile: Some(view.grid.chunk().to_vec()),
        memory: plan.work,
        copies: COPIES,
    };
    set.parts(view.var, cuts, work, sink)
}

/// Returns the number of chunks per area, and whether areas fit in memory.
fn of_area(view: &SpillView<'_>, plan: &RechunkPlan) -> (u64, bool) {
    let size = view.layout.element.size.max(1);
    let bytes = |count: &[u64]| (Amount::product(count) * size).get();
    let total = bytes(&view.region.count);
    let chunk = bytes(&view.grid.largest()).max(1);
    let slab = (Amount::of(plan.chunks) * chunk).get();
    let bands = (total / plan.slabs.max(1)).max(1);
    let wanted = (Amount::of(PIECE) * bands).get();
    // Areas become smaller from level to level.
    if slab >= wanted || wanted >= total / 2 {
        return (plan.chunks, true);
    }
    ((wanted / chunk).max(plan.chunks), false)
}

fn subtract(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a.saturating_sub(*b)).collect()
}

/// Returns the number of elements before a box. `whole` is cut into a grid of equal boxes, whose elements are
/// stored box by box.
fn before(part: &Region, whole: &Region) -> Exact {
    let behind = whole.count.iter().rev().scan(exact(1u64), |n, len| {
        let behind = *n;
        *n = *n * *len;
        Some(behind)
    });
    let behind: Vec<Exact> = behind.collect();
    let (mut above, mut sum) = (exact(1u64), exact(0u64));
    let dims = part.start.iter().zip(&part.count).zip(&whole.start);
    for (((start, count), first), behind) in dims.zip(behind.iter().rev()) {
        let skipped = (exact(*start) - *first) * *behind;
        sum = sum + above * skipped;
        above = above * *count;
    }
    sum
}

/// The elements of a part of a variable in a file, as a dataset that contains only this part.
struct Spill<'a> {
    set: Dataset<'a>,
    file: Scratch,
    /// The start of the part.
    start: Vec<u64>,
    /// The slabs, relative to the start of the part.
    areas: ChunkGrid,
    /// The bands as chunks.
    layout: Layout,
}

impl<'a> Spill<'a> {
    fn new(view: &SpillView<'a>, area: Vec<u64>, plan: &RechunkPlan) -> Result<Self> {
        let fill = view.set.fill(view.var, &view.layout)?;
        Ok(Self {
            set: view.set,
            file: Scratch::new(view.set.env.scratch.as_deref())?,
            start: view.region.start.clone(),
            areas: ChunkGrid::of(view.region.count.clone(), area),
            layout: Layout {
                chunk: band(view, plan),
                filters: vec![],
                fill: Some(fill),
                ..view.layout.clone()
            },
        })
    }

    /// Converts a box from coordinates of the part to the variable's coordinates.
    fn moved(&self, part: Region) -> Region {
        let start = part.start.iter().zip(&self.start);
        let start = start.map(|(a, b)| a + b).collect();
        Region::boxed(start, part.count)
    }

    /// Decodes the input band by band, and writes the pieces to their positions.
    fn write(&self, view: &SpillView<'_>, plan: &RechunkPlan) -> Result<()> {
        let bands = PlanCells::new(&view.region, &self.layout);
        let bands = bands.iter().map(|cell| cell.place);
        let pieces = |band: &Region| -> PartsOf {
            let band = Region::boxed(subtract(&band.start, &self.start), band.count.clone());
            let places = self.areas.cells(&band);
            Box::new(places.map(|p| p.region()))
        };
        let cuts = Cuts {
            slabs: Box::new(bands.map(|p| self.moved(p.region()))),
            way: BandWay::Staged { slabs: 1 },
            parts: Box::new(pieces),
            tile: None,
            memory: plan.work,
            copies: COPIES,
        };
        let work = |place: &Region, part: BoxElements| Ok((place.clone(), part.bytes));
        let sink = |(place, bytes): (Region, Vec<u8>)| {
            self.file.write_at(self.offset(&place)?, &bytes)?;
            view.set.env.buffers.give_large(bytes);
            Ok(())
        };
        view.set.parts(view.var, cuts, work, sink)
    }

    /// Returns the position of a piece in the file.
    fn offset(&self, piece: &Region) -> Result<u64> {
        let start = subtract(&piece.start, &self.start);
        let mut area = self.areas.around(&start);
        let elements = before(&area, &self.areas.whole());
        // Only the stored part of areas and pieces counts.
        let stored = subtract(&self.layout.extent, &self.start);
        let ends = area.count.iter_mut().zip(&area.start).zip(&stored);
        ends.for_each(|((n, start), end)| *n = (*n).min(end.saturating_sub(*start)));
        let piece = Region::boxed(start, piece.count.clone());
        let elements = elements + before(&piece, &area);
        (elements * self.layout.element.size).get()
    }
}

/// Returns the shape of bands: as many readable boxes as fit in memory. The readable boxes are chunks, pieces, or
/// elements.
fn band(view: &SpillView<'_>, plan: &RechunkPlan) -> Vec<u64> {
    let (layout, region) = (&view.layout, &view.region);
    let alone = layout.filters.is_empty() && !view.set.reader.assembles(view.var);
    let unit = match alone {
        true => vec![1; layout.chunk.len()],
        false => layout.chunk.clone(),
    };
    let largest: Vec<u64> = unit
        .iter()
        .zip(&region.count)
        .map(|(a, b)| *a.min(b))
        .collect();
    let bytes = Amount::product(&largest) * layout.element.size;
    let dims = region.start.iter().zip(&region.count).zip(&unit);
    let counts = dims.map(|((start, count), unit)| {
        let (end, unit) = (start + count, (*unit).max(1));
        end.div_ceil(unit) - start / unit
    });
    let counts: Vec<u64> = counts.collect();
    let most = (Amount::of(plan.slabs) / bytes).get().max(1);
    let first = Bands::new(Region::whole(&counts), &[], most).next();
    let units = first.map_or_else(|| counts.clone(), |b| b.count);
    let dims = units
        .iter()
        .zip(&counts)
        .zip(unit.iter().zip(&layout.extent));
    dims.map(|((&n, &all), (&unit, &extent))| {
        // A dimension that is whole in the region is whole in the variable.
        let n = if n == all {
            extent.div_ceil(unit.max(1))
        } else {
            n
        };
        n.max(1) * unit
    })
    .collect()
}

impl Reader for Spill<'_> {
    fn schema(&self) -> &Schema {
        self.set.reader.schema()
    }

    fn provenance(&self) -> Provenance {
        self.set.reader.provenance()
    }

    fn layout(&self, _: VarId) -> Result<Layout> {
        Ok(self.layout.clone())
    }

    fn locate(&self, _: VarId, _: &Block, _: Locate, _: Visit<'_>) -> Visited {
        Err(Error::new(ErrorKind::Unsupported, "pieces are not chunks").into())
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        self
    }

    fn assembly(&self, _: VarId) -> Option<&dyn Assembly> {
        Some(self)
    }

    fn resolve(&self, var: VarId, bytes: &[u8], _env: &Env) -> Result<Values> {
        self.set.resolve(var, bytes)
    }
}

impl Assembly for Spill<'_> {
    /// Reads a piece, or a part of a piece.
    fn read_box(&self, _: VarId, part: &Block, env: &Env) -> Result<Vec<u8>> {
        let part = part.region();
        let len = Amount::product(&part.count) * self.layout.element.size;
        let len = env.limits.item(len.get(), "a piece")?;
        let mut bytes = env.buffers.zeros(len)?;
        self.file.read_at(self.offset(&part)?, &mut bytes)?;
        Ok(bytes)
    }
}

/// The pieces are no chunks.
impl ChunkBytes for Spill<'_> {
    fn fetch(&self, _: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        Err(Error::new(ErrorKind::Unsupported, "pieces are not chunks"))
    }

    fn source(&self, _: &ChunkRef) -> Option<Arc<dyn Source>> {
        None
    }

    fn has_sources(&self) -> bool {
        false
    }

    fn latency(&self) -> bool {
        false
    }

    fn changed(&self) -> Option<Arc<str>> {
        None
    }
}
