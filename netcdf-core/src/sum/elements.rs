//! The elements of a variable, in row-major order within the memory.
//!
//! They are read in *bands*, which follow each other in row-major order, as if the variable was copied to chunks of that
//! shape: `chunk::rechunk` decides whether each band decodes its own chunks, whether many bands are decoded at a time, or
//! whether all goes through a temporary file. Threads decode, and put elements into canonical form; one hashes.

use super::stream::Stream;
use super::values;
use crate::arithmetic::Amount;
use crate::chunk::dataset::BoxElements;
use crate::chunk::grid::Grid;
use crate::chunk::plan::{self, Bands};
use crate::chunk::rechunk::{self, RechunkPlan, RechunkWay, Rechunking};
use crate::chunk::{Dataset, Layout, elements};
use crate::error::{Context as _, Result};
use crate::model::region::check_lengths;
use crate::model::{Endianness, Region, VarId};

/// Bytes of a band, roughly. Tests have variables of several bands.
const BAND: u64 = if cfg!(test) { 64 } else { 1 << 20 };

/// Bytes of an element with heap data, roughly.
const HEAP: u64 = 64;

/// If fewer chunks than one in this many are stored, a temporary file would mostly hold fill values.
const FEW: u64 = 64;

/// Adds all elements of a variable to a stream.
///
/// # Errors
/// Those of reading, with the variable's path.
pub(super) fn all(set: Dataset<'_>, var: VarId, to: &mut Stream) -> Result<()> {
    let rows = Rows::new(set, var)?;
    let plan = rows.plan()?;
    let what = Rechunking {
        set,
        var,
        grid: &rows.grid,
        plan: &plan,
        met: None,
    };
    let path = || set.reader.schema().var_path(var);
    let work = |_: &Region, part: BoxElements| {
        let stored = part.bytes.len() as u64;
        Ok((stored, rows.canonical(part.bytes).in_object(path)?))
    };
    let progress = &set.env.progress;
    progress.expect(rows.bytes());
    let sink = |(stored, bytes): (u64, Vec<u8>)| {
        set.env.cancel.check()?;
        to.add(&bytes);
        progress.advance(stored);
        set.env.buffers.give_large(bytes);
        Ok(())
    };
    rechunk::run(&what, work, sink)
}

/// A variable read in bands.
struct Rows<'a> {
    set: Dataset<'a>,
    var: VarId,
    layout: Layout,
    shape: Vec<u64>,
    /// The bands.
    grid: Grid,
}

impl<'a> Rows<'a> {
    fn new(set: Dataset<'a>, var: VarId) -> Result<Self> {
        let layout = set.layout(var)?;
        let schema = set.reader.schema();
        let shape = schema.shape(var);
        check_lengths(&shape).in_object(|| schema.var_path(var))?;
        Ok(Self {
            grid: Grid::of(shape.clone(), band(set, &layout, &shape)),
            set,
            var,
            layout,
            shape,
        })
    }

    /// Bytes of all elements, roughly.
    fn bytes(&self) -> u64 {
        (Amount::product(&self.shape) * self.layout.element.size).get()
    }

    /// How the bands are read.
    fn plan(&self) -> Result<RechunkPlan> {
        let to = Layout {
            extent: self.shape.clone(),
            chunk: self.grid.chunk().to_vec(),
            filters: vec![],
            ..self.layout.clone()
        };
        let variable = rechunk::Variable {
            from: &self.layout,
            to: &to,
            shape: &self.shape,
            assembled: self.set.reader.assembles(self.var),
        };
        let budget = rechunk::Budget {
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

    /// Whether only few chunks are stored.
    fn has_little(&self) -> Result<bool> {
        let stored = Amount::of(self.set.chunks_stored(self.var)?) * FEW;
        Ok(stored < Amount::product(&self.layout.grid()))
    }

    /// The canonical form of stored elements.
    fn canonical(&self, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let element = self.layout.element;
        let Some(ty) = element.plain_type() else {
            let values = self.set.reader.resolve(self.var, &bytes)?;
            self.set.env.buffers.give_large(bytes);
            return values::canonical(&values);
        };
        if element.order == Endianness::Big {
            elements::swap(&mut bytes, ty.size().unwrap_or(1));
        }
        Ok(bytes)
    }
}

/// The shape of bands: of about [`BAND`] bytes, or larger if each chunk is then decoded only once.
fn band(set: Dataset<'_>, layout: &Layout, shape: &[u64]) -> Vec<u64> {
    let size = match layout.element.plain_type() {
        Some(_) => layout.element.size,
        None => layout.element.size.max(HEAP),
    };
    let (threads, whole) = (set.env.runtime.threads(), Region::whole(shape));
    let budget = plan::Budget {
        most: (BAND / size.max(1)).max(1),
        memory: set.env.memory.0 / threads as u64,
        threads,
    };
    let bands = plan::in_rows(&whole, layout, &budget);
    let mut bands = bands.unwrap_or_else(|| Bands::new(whole, &layout.chunk, budget.most));
    bands
        .next()
        .map_or_else(|| shape.to_vec(), |band| band.count)
}

/// How the elements of a variable are read.
#[cfg(test)]
pub(super) fn planned(set: Dataset<'_>, var: VarId) -> Result<RechunkPlan> {
    Rows::new(set, var)?.plan()
}
