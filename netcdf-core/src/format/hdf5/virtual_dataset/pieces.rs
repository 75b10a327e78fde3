//! Cuts a mapping into pieces: regions of the source that correspond to regions of the virtual dataset.

use super::Mapping;
use super::axis::BlockAxis;
use super::rows::{AxisProduct, ElementRow, RowList, SelectionElements};
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::selection::Selection;
use crate::model::Region;

/// Dataset shapes of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct MappingShapes<'a> {
    /// The source shape.
    pub source: &'a [u64],
    /// The virtual dataset shape.
    pub target: &'a [u64],
}

/// Source elements and the corresponding elements of the virtual dataset, in the same order. The regions have the same number of elements,
/// but may have different ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedPiece {
    /// Elements of the source.
    pub source: Region,
    /// Elements of the virtual dataset.
    pub target: Region,
}

/// Receives pieces.
pub(super) type VisitPiece<'a> = dyn FnMut(MappedPiece) -> Result<()> + 'a;

impl Mapping {
    /// Visits the pieces of source `number` (see [`Mapping::sources`]) in a box of the virtual dataset. Missing source elements are
    /// skipped. The stride of `wanted` must be 1.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if selections and datasets have different ranks, [`ErrorKind::Limit`] for selections with too many
    /// rows, and errors from `visit`.
    pub fn pieces(
        &self,
        number: u64,
        extents: MappingShapes,
        wanted: &Region,
        visit: &mut VisitPiece,
    ) -> Result<()> {
        let source = axes(&self.source, extents.source)?;
        let mut target = axes(&self.target, extents.target)?;
        if self.counts()
            && let (SelectedElements::Grid(axes), Some(dim)) =
                (&mut target, self.target.unlimited())
            && let Some(axis) = axes.get_mut(dim)
        {
            *axis = axis.block(number);
        }
        let query = PieceQuery {
            extents,
            wanted,
            visit,
        };
        let mut source = match &source {
            SelectedElements::Grid(source) => {
                if let SelectedElements::Grid(target) = &target
                    && let Some(pairs) = pairs(source, target)
                {
                    return query.grids(source, target, &pairs);
                }
                SelectionElements::Grid(AxisProduct::new(source)?)
            }
            SelectedElements::List(source) => SelectionElements::List(RowList::of(source)),
        };
        match &target {
            SelectedElements::Grid(target) => {
                let (start, end) = query.bounds();
                let rows = AxisProduct::new(target)?.within(&start, &end);
                query.rows(&mut source, rows)
            }
            SelectedElements::List(target) => query.rows(&mut source, RowList::of(target)),
        }
    }
}

/// The elements of a selection.
enum SelectedElements<'a> {
    Grid(Vec<BlockAxis>),
    List(&'a Selection),
}

fn axes<'a>(selection: &'a Selection, extent: &[u64]) -> Result<SelectedElements<'a>> {
    let ranks = |rank: usize| {
        if rank == extent.len() {
            return Ok(());
        }
        let what = format!(
            "a selection of {rank} dimensions in a dataset of {}",
            extent.len()
        );
        Err(Error::new(ErrorKind::Corrupt, what))
    };
    match selection {
        Selection::None => {}
        Selection::All => {
            return Ok(SelectedElements::Grid(
                extent.iter().map(|&n| BlockAxis::whole(n)).collect(),
            ));
        }
        Selection::Regular(slabs) => {
            ranks(slabs.len())?;
            let axes = slabs
                .iter()
                .zip(extent)
                .map(|(c, &n)| BlockAxis::of_hyperslab_dim(c, n));
            return Ok(SelectedElements::Grid(axes.collect()));
        }
        Selection::Points(points) => points.iter().try_for_each(|p| ranks(p.len()))?,
        Selection::Blocks(blocks) => blocks.iter().try_for_each(|b| ranks(b.start.len()))?,
    }
    Ok(SelectedElements::List(selection))
}

/// Returns the pairs of corresponding source and target dimensions. Returns `None` if the selection shapes differ. Dimensions of one
/// element are ignored.
fn pairs(source: &[BlockAxis], target: &[BlockAxis]) -> Option<Vec<(usize, usize)>> {
    let long = |axes: &[BlockAxis]| -> Vec<(usize, Option<u64>)> {
        let axes = axes.iter().enumerate();
        let long = axes.filter(|(_, a)| a.unlimited || a.len != 1);
        long.map(|(dim, a)| (dim, (!a.unlimited).then_some(a.len)))
            .collect()
    };
    let (source, target) = (long(source), long(target));
    let both = || source.iter().zip(&target);
    let same = source.len() == target.len() && both().all(|(s, t)| s.1 == t.1);
    same.then(|| both().map(|(s, t)| (s.0, t.0)).collect())
}

/// Source elements and the corresponding target elements, in one dimension.
#[derive(Debug, Clone, Copy)]
struct Strip {
    source: u64,
    target: u64,
    source_step: u64,
    target_step: u64,
    count: u64,
}

struct PieceQuery<'a, 'v> {
    extents: MappingShapes<'a>,
    wanted: &'a Region,
    visit: &'a mut VisitPiece<'v>,
}

impl PieceQuery<'_, '_> {
    /// The wanted range of a target dimension.
    fn range(&self, dim: usize) -> (u64, u64) {
        let get = |list: &[u64]| list.get(dim).copied().unwrap_or(0);
        let start = get(&self.wanted.start);
        let end = start.saturating_add(get(&self.wanted.count));
        (start, end.min(get(self.extents.target)))
    }

    /// Cuts selections of the same shape. Each dimension is cut separately.
    fn grids(
        self,
        source: &[BlockAxis],
        target: &[BlockAxis],
        pairs: &[(usize, usize)],
    ) -> Result<()> {
        let mut from = Region::boxed(vec![0; source.len()], vec![1; source.len()]);
        let mut to = Region::boxed(vec![0; target.len()], vec![1; target.len()]);
        for (dim, (axis, (at, &extent))) in (source
            .iter()
            .zip(from.start.iter_mut().zip(self.extents.source)))
        .enumerate()
        {
            *at = axis.position(0);
            if !pairs.iter().any(|p| p.0 == dim) && *at >= extent {
                return Ok(());
            }
        }
        for (dim, (axis, at)) in target.iter().zip(&mut to.start).enumerate() {
            *at = axis.position(0);
            let (start, end) = self.range(dim);
            if !pairs.iter().any(|p| p.1 == dim) && !(start..end).contains(at) {
                return Ok(());
            }
        }
        let mut cuts = vec![];
        for &(s, t) in pairs {
            let (Some(axis), Some(of), Some(&extent)) =
                (source.get(s), target.get(t), self.extents.source.get(s))
            else {
                return Ok(());
            };
            let (start, end) = self.range(t);
            let mut wanted = of.within(start, end);
            wanted.end = wanted.end.min(axis.before(extent));
            if wanted.is_empty() {
                return Ok(());
            }
            cuts.push(Cut::new(axis, of, wanted));
        }
        self.product(pairs, &mut cuts, (from, to))
    }

    /// Visits all combinations of strips.
    fn product(
        self,
        pairs: &[(usize, usize)],
        cuts: &mut [Cut],
        (mut from, mut to): (Region, Region),
    ) -> Result<()> {
        loop {
            for (&(s, t), cut) in pairs.iter().zip(&*cuts) {
                let strip = cut.strip();
                set(&mut from, s, (strip.source, strip.count, strip.source_step));
                set(&mut to, t, (strip.target, strip.count, strip.target_step));
            }
            (self.visit)(MappedPiece {
                source: from.clone(),
                target: to.clone(),
            })?;
            if !cuts.iter_mut().rev().any(Cut::advance) {
                return Ok(());
            }
        }
    }

    /// The wanted box: start and end coordinates.
    fn bounds(&self) -> (Vec<u64>, Vec<u64>) {
        (0..self.extents.target.len())
            .map(|dim| self.range(dim))
            .unzip()
    }

    /// Cuts selections of any shape. The wanted parts of target rows are cut at the ends of source rows.
    fn rows(
        self,
        source: &mut SelectionElements,
        target: impl Iterator<Item = (u64, ElementRow)>,
    ) -> Result<()> {
        let (start, end) = self.bounds();
        for (number, row) in target {
            let Some((skip, mut to)) = clip(row, &start, &end) else {
                continue;
            };
            let mut number = number.saturating_add(skip);
            while to.len > 0 {
                let Some(mut from) = source.row(number) else {
                    return Ok(());
                };
                let len = from.len.min(to.len);
                from.len = len;
                let origin = vec![0; from.at.len()];
                if let Some((0, part)) = clip(from, &origin, self.extents.source) {
                    (self.visit)(MappedPiece {
                        target: region(&to.at, part.len),
                        source: region(&part.at, part.len),
                    })?;
                }
                number = number.saturating_add(len);
                to = to.after(len);
            }
        }
        Ok(())
    }
}

/// The part of a row within a box, and the number of row elements before it. Returns `None` without overlap.
fn clip(mut row: ElementRow, start: &[u64], end: &[u64]) -> Option<(u64, ElementRow)> {
    let Some((&x, outer)) = row.at.split_last() else {
        return Some((0, row));
    };
    let (start, outer_start) = start.split_last()?;
    let (end, outer_end) = end.split_last()?;
    let bounds = outer_start.iter().zip(outer_end);
    let inside = outer
        .iter()
        .zip(bounds)
        .all(|(x, (s, e))| (s..e).contains(&x));
    let skip = start.saturating_sub(x);
    let stop = row.len.min(end.saturating_sub(x));
    if !inside || skip >= stop {
        return None;
    }
    row.len = stop;
    Some((skip, row.after(skip)))
}

/// The region of a row.
fn region(at: &[u64], len: u64) -> Region {
    let mut count = vec![1; at.len()];
    if let Some(last) = count.last_mut() {
        *last = len;
    }
    Region::boxed(at.to_vec(), count)
}

fn set(region: &mut Region, dim: usize, (start, count, stride): (u64, u64, u64)) {
    let lists = [&mut region.start, &mut region.count, &mut region.stride];
    for (list, value) in lists.into_iter().zip([start, count, stride]) {
        if let Some(to) = list.get_mut(dim) {
            *to = value;
        }
    }
}

/// Elements of two dimensions, cut where the element distance changes.
struct Cut<'a> {
    source: &'a BlockAxis,
    target: &'a BlockAxis,
    /// The element numbers; not empty.
    elements: std::ops::Range<u64>,
    /// The first element of the current strip.
    at: u64,
}

impl<'a> Cut<'a> {
    fn new(source: &'a BlockAxis, target: &'a BlockAxis, elements: std::ops::Range<u64>) -> Self {
        Self {
            source,
            target,
            at: elements.start,
            elements,
        }
    }

    /// The current strip.
    fn strip(&self) -> Strip {
        let (source, target, k) = (self.source, self.target, self.at);
        let left = self.elements.end.saturating_sub(k);
        let whole = |axis: &BlockAxis| match axis.step() {
            Some(1) => u64::MAX,
            Some(_) | None => axis.left_in_block(k),
        };
        let (count, source_step, target_step) = match (source.step(), target.step()) {
            (Some(s), Some(t)) => (left, s, t),
            _ => (left.min(whole(source)).min(whole(target)), 1, 1),
        };
        Strip {
            source: source.position(k),
            target: target.position(k),
            source_step,
            target_step,
            count,
        }
    }

    /// Moves to the next strip. After the last strip, returns false and restarts at the first strip.
    fn advance(&mut self) -> bool {
        self.at = self.at.saturating_add(self.strip().count.max(1));
        if self.at < self.elements.end {
            return true;
        }
        self.at = self.elements.start;
        false
    }
}
