//! Nested lists: braces enclose the values for each element of an unlimited dimension other than the first.

use super::build;
use super::scan::Scan;
use super::tree::{ElementTree, ListOutcome, ListStop, Until};
use super::{ValueList, ValueSink};
use netcdf_core::error::Result;
use netcdf_core::model::{DimId, Schema, Values, Variable};

/// Batch size in elements.
const PIECE: usize = 1 << 16;

/// Consecutive dimensions without nested lists: up to the next unlimited dimension.
struct DimensionLevel {
    /// The unlimited dimension at the start of the level.
    open: Option<DimId>,
    /// Number of elements of the dimensions after the unlimited one.
    block: u64,
    /// Number of elements of all dimensions of the level at their current lengths.
    size: u64,
    /// The length that the lists require of the unlimited dimension.
    needed: u64,
}

/// Returns the levels of a variable. A scalar has one level with one element.
fn levels(schema: &Schema, var: &Variable) -> Vec<DimensionLevel> {
    let mut levels: Vec<DimensionLevel> = vec![];
    for &id in &var.dims {
        let Some(dim) = schema.dim(id) else { continue };
        match levels.last_mut().filter(|_| !dim.unlimited) {
            Some(level) => {
                level.block = level.block.saturating_mul(dim.len);
                level.size = level.size.saturating_mul(dim.len);
            }
            None => levels.push(DimensionLevel {
                open: dim.unlimited.then_some(id),
                block: if dim.unlimited { 1 } else { dim.len },
                size: dim.len,
                needed: 0,
            }),
        }
    }
    if levels.is_empty() {
        levels.push(DimensionLevel {
            open: None,
            block: 1,
            size: 1,
            needed: 0,
        });
    }
    levels
}

/// Reads a list of values of any type. Returns the length that each unlimited dimension requires.
///
/// With a `sink`, the dimensions must already have their lengths. Without a sink, the list is only checked.
///
/// # Errors
/// Returns errors of the source and of the sink.
pub(super) fn read(
    scan: &mut Scan<'_>,
    schema: &Schema,
    list: &ValueList<'_>,
    sink: Option<&mut dyn ValueSink>,
) -> Result<Vec<(DimId, u64)>> {
    let Some(var) = schema.var(list.var) else {
        return Ok(vec![]);
    };
    let mut nested = Nested {
        tree: ElementTree::new(scan, schema),
        var,
        fill: var.fill_value().or_else(|| build::fill(schema, var.ty)),
        levels: levels(schema, var),
        sink,
    };
    match nested.level(0, 0, Until::End) {
        Ok(()) | Err(ListStop::Syntax) => {}
        Err(ListStop::Failed(error)) => return Err(error),
    }
    let needed = |level: &DimensionLevel| Some((level.open?, level.needed));
    Ok(nested.levels.iter().filter_map(needed).collect())
}

struct Nested<'s, 'a, 'k> {
    tree: ElementTree<'s, 'a>,
    var: &'s Variable,
    fill: Option<Values>,
    levels: Vec<DimensionLevel>,
    sink: Option<&'k mut dyn ValueSink>,
}

impl Nested<'_, '_, '_> {
    /// Reads a list of level `index` within element `base` of the previous levels.
    fn level(&mut self, index: usize, base: u64, until: Until) -> ListOutcome<()> {
        let Some(level) = self.levels.get(index) else {
            return Ok(());
        };
        let base = base.saturating_mul(level.size);
        let last = index + 1 == self.levels.len();
        let found = if !last {
            self.lists(index, base, until)?
        } else if build::is_text(self.var.ty) {
            self.characters(base, until)?
        } else {
            self.elements(base, until)?
        };
        if let Some(level) = self.levels.get_mut(index) {
            level.needed = level.needed.max(found.div_ceil(level.block.max(1)));
        }
        Ok(())
    }

    /// Reads lists in braces, one for each element of this level.
    fn lists(&mut self, index: usize, base: u64, until: Until) -> ListOutcome<u64> {
        // A closure cannot borrow both the tree and the remaining fields, so this loop reads items itself.
        let mut count = 0;
        loop {
            if until == Until::Brace && count == 0 && self.tree.closes()? {
                return Ok(0);
            }
            let place = self.tree.open("the values of an unlimited dimension")?;
            let level = self.levels.get(index);
            if level.is_some_and(|level| level.open.is_none() && count >= level.size) {
                return Err(self
                    .tree
                    .error(place, "more lists than the dimensions have elements"));
            }
            self.level(index + 1, base.saturating_add(count), Until::Brace)?;
            count += 1;
            if !self.tree.continues(until)? {
                return Ok(count);
            }
        }
    }

    fn elements(&mut self, base: u64, until: Until) -> ListOutcome<u64> {
        let Some(fill) = self.fill.clone() else {
            return Ok(0);
        };
        let limit = self.limit_of_last();
        let (ty, sink) = (self.var.ty, &mut self.sink);
        let none = fill.slice(0..0);
        let (mut values, mut done) = (none.clone(), 0u64);
        let mut extra = None;
        let count = self.tree.items(until, |tree, count| {
            if count >= limit {
                extra = Some(count);
                return tree.element(ty, &fill, &mut none.clone());
            }
            tree.element(ty, &fill, &mut values)?;
            if values.len() >= PIECE {
                done += flush_values(sink, base + done, &mut values, &none)?;
            }
            Ok(())
        })?;
        flush_values(&mut self.sink, base + done, &mut values, &none)?;
        if extra.is_some() {
            self.tree.too_many(limit);
        }
        Ok(count.min(limit))
    }

    /// Returns the maximum number of elements in one list of the last level.
    fn limit_of_last(&self) -> u64 {
        match self.levels.last() {
            Some(level) if level.open.is_none() => level.size,
            Some(level) if level.block == 0 => 0,
            Some(_) | None => u64::MAX,
        }
    }

    fn characters(&mut self, base: u64, until: Until) -> ListOutcome<u64> {
        let dims = self.var.dims.iter();
        let last = dims.filter_map(|&id| self.tree.schema.dim(id)).next_back();
        let unit = last.filter(|dim| !dim.unlimited && self.var.dims.len() > 1);
        let text = self.tree.texts(until, unit.map_or(1, |dim| dim.len))?;
        let count = text.len() as u64;
        if count > self.limit_of_last() {
            return Err(self.tree.too_long(self.limit_of_last()));
        }
        let mut values = Values::Char(text);
        flush_values(&mut self.sink, base, &mut values, &Values::Char(vec![]))?;
        Ok(count)
    }
}

/// Passes `values` to the sink and clears them. Returns their number.
fn flush_values(
    sink: &mut Option<&mut dyn ValueSink>,
    element: u64,
    values: &mut Values,
    none: &Values,
) -> Result<u64> {
    let count = values.len() as u64;
    if let Some(sink) = sink.as_mut().filter(|_| count > 0) {
        sink.values(element, values)?;
    }
    *values = none.clone();
    Ok(count)
}
