//! Cuts a mapping into pieces: regions of the source that are regions of the virtual dataset.

use super::Mapping;
use super::axis::Axis;
use super::rows::{self, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::selection::Selection;
use crate::model::Region;

/// Shapes of the two datasets of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct Extents<'a> {
    /// Of the source.
    pub source: &'a [u64],
    /// Of the virtual dataset.
    pub target: &'a [u64],
}

/// Elements of the source that are elements of the virtual dataset, in the same order. Both have
/// the same number of elements, but may have different ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Elements of the source.
    pub source: Region,
    /// Elements of the virtual dataset.
    pub target: Region,
}

/// Receives pieces.
pub type Visit<'a> = dyn FnMut(Piece) -> Result<()> + 'a;

impl Mapping {
    /// The pieces of source `number` (see [`Mapping::sources`]) that are in a box of the virtual
    /// dataset, as far as the source has them. The stride of `wanted` has to be 1.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if selections and datasets have different ranks;
    /// [`ErrorKind::Limit`] for selections of too many rows; those of `visit`.
    pub fn pieces(
        &self,
        number: u64,
        extents: Extents,
        wanted: &Region,
        visit: &mut Visit,
    ) -> Result<()> {
        let source = axes(&self.source, extents.source)?;
        let mut target = axes(&self.target, extents.target)?;
        if self.counts()
            && let (Form::Grid(axes), Some(dim)) = (&mut target, self.target.unlimited())
            && let Some(axis) = axes.get_mut(dim)
        {
            *axis = axis.block(number);
        }
        let query = Query {
            extents,
            wanted,
            visit,
        };
        match (source, target) {
            (Form::Grid(source), Form::Grid(target)) => match pairs(&source, &target) {
                Some(pairs) => query.grids(&source, &target, &pairs),
                None => query.rows(&rows::of_axes(&source)?, &rows::of_axes(&target)?),
            },
            (Form::Rows(source), Form::Grid(target)) => {
                query.rows(&source, &rows::of_axes(&target)?)
            }
            (Form::Grid(source), Form::Rows(target)) => {
                query.rows(&rows::of_axes(&source)?, &target)
            }
            (Form::Rows(source), Form::Rows(target)) => query.rows(&source, &target),
        }
    }
}

/// The elements of a selection.
enum Form {
    Grid(Vec<Axis>),
    Rows(Vec<Row>),
}

fn axes(selection: &Selection, extent: &[u64]) -> Result<Form> {
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
        Selection::None => return Ok(Form::Rows(vec![])),
        Selection::All => return Ok(Form::Grid(extent.iter().map(|&n| Axis::whole(n)).collect())),
        Selection::Regular(combs) => {
            ranks(combs.len())?;
            let axes = combs.iter().zip(extent).map(|(c, &n)| Axis::of_comb(c, n));
            return Ok(Form::Grid(axes.collect()));
        }
        Selection::Points(points) => points.iter().try_for_each(|p| ranks(p.len()))?,
        Selection::Blocks(blocks) => blocks.iter().try_for_each(|b| ranks(b.start.len()))?,
    }
    rows::of_selection(selection).map(Form::Rows)
}

/// Dimensions of source and target that belong together, if the selections have the same shape but
/// for dimensions of one element.
fn pairs(source: &[Axis], target: &[Axis]) -> Option<Vec<(usize, usize)>> {
    let long = |axes: &[Axis]| -> Vec<(usize, Option<u64>)> {
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

/// Elements of a dimension of the source that are elements of one of the target.
#[derive(Debug, Clone, Copy)]
struct Strip {
    source: u64,
    target: u64,
    source_step: u64,
    target_step: u64,
    count: u64,
}

struct Query<'a, 'v> {
    extents: Extents<'a>,
    wanted: &'a Region,
    visit: &'a mut Visit<'v>,
}

impl Query<'_, '_> {
    /// The wanted range of a dimension of the target.
    fn range(&self, dim: usize) -> (u64, u64) {
        let get = |list: &[u64]| list.get(dim).copied().unwrap_or(0);
        let start = get(&self.wanted.start);
        let end = start.saturating_add(get(&self.wanted.count));
        (start, end.min(get(self.extents.target)))
    }

    /// Selections of the same shape: each dimension is cut by itself.
    fn grids(self, source: &[Axis], target: &[Axis], pairs: &[(usize, usize)]) -> Result<()> {
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
            (self.visit)(Piece {
                source: from.clone(),
                target: to.clone(),
            })?;
            if !cuts.iter_mut().rev().any(Cut::advance) {
                return Ok(());
            }
        }
    }

    /// Selections of any shape: both are lists of rows, of which the common parts are taken.
    fn rows(self, source: &[Row], target: &[Row]) -> Result<()> {
        let (mut sources, mut targets) = (source.iter().cloned(), target.iter().cloned());
        let (mut from, mut to) = (sources.next(), targets.next());
        while let (Some(s), Some(t)) = (&mut from, &mut to) {
            let len = s.len.min(t.len);
            if let Some(piece) = self.piece(&s.at, &t.at, len) {
                (self.visit)(piece)?;
            }
            for row in [&mut *s, &mut *t] {
                row.len -= len;
                if let Some(x) = row.at.last_mut() {
                    *x = x.saturating_add(len);
                }
            }
            if s.len == 0 {
                from = sources.next();
            }
            if t.len == 0 {
                to = targets.next();
            }
        }
        Ok(())
    }

    /// The part of `len` elements of a row that is wanted and that the source has.
    fn piece(&self, from: &[u64], to: &[u64], len: u64) -> Option<Piece> {
        let (last, outer) = to.split_last()?;
        let inside = |(dim, x): (usize, &u64)| {
            let (start, end) = self.range(dim);
            (start..end).contains(x)
        };
        if !outer.iter().enumerate().all(inside) {
            return None;
        }
        let (row, rows) = from.split_last()?;
        let (extent, extents) = self.extents.source.split_last()?;
        if rows.iter().zip(extents).any(|(x, n)| x >= n) {
            return None;
        }
        let (start, end) = self.range(outer.len());
        let skip = start.saturating_sub(*last);
        let end = len
            .min(end.saturating_sub(*last))
            .min(extent.saturating_sub(*row));
        let count = end.checked_sub(skip).filter(|&n| n > 0)?;
        let region = |at: &[u64]| {
            let mut start = at.to_vec();
            let mut counts = vec![1; at.len()];
            if let (Some(x), Some(n)) = (start.last_mut(), counts.last_mut()) {
                (*x, *n) = (x.saturating_add(skip), count);
            }
            Region::boxed(start, counts)
        };
        Some(Piece {
            source: region(from),
            target: region(to),
        })
    }
}

fn set(region: &mut Region, dim: usize, (start, count, stride): (u64, u64, u64)) {
    let lists = [&mut region.start, &mut region.count, &mut region.stride];
    for (list, value) in lists.into_iter().zip([start, count, stride]) {
        if let Some(to) = list.get_mut(dim) {
            *to = value;
        }
    }
}

/// Elements of two dimensions, cut where the distance of neighbours changes.
struct Cut<'a> {
    source: &'a Axis,
    target: &'a Axis,
    /// Numbers of the elements; not empty.
    elements: std::ops::Range<u64>,
    /// The first element of the present strip.
    at: u64,
}

impl<'a> Cut<'a> {
    fn new(source: &'a Axis, target: &'a Axis, elements: std::ops::Range<u64>) -> Self {
        Self {
            source,
            target,
            at: elements.start,
            elements,
        }
    }

    /// The present strip.
    fn strip(&self) -> Strip {
        let (source, target, k) = (self.source, self.target, self.at);
        let left = self.elements.end.saturating_sub(k);
        let whole = |axis: &Axis| match axis.step() {
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

    /// Moves to the next strip; false, and back to the first one, behind the last.
    fn advance(&mut self) -> bool {
        self.at = self.at.saturating_add(self.strip().count.max(1));
        if self.at < self.elements.end {
            return true;
        }
        self.at = self.elements.start;
        false
    }
}
