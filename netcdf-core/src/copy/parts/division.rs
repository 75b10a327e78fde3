//! Division of a copy into parts, and the elements that each part copies.

use std::ops::Range;
use std::sync::Arc;

use super::aligned::{AlignedBoxes, VariableBoxes};
use super::boxes::Boxes;
use crate::arithmetic::Amount;
use crate::chunk::rechunk::{InParts, StageChunks, decoding};
use crate::chunk::{Dataset, Reader, Writer};
use crate::copy::methods::Method;
use crate::copy::{CopiedVariable, CopyJob};
use crate::format::traits;
use crate::model::{Region, Schema, VarId};

/// Minimum number of boxes per part, if the variable has enough units. Several boxes make the costs of parts more equal.
const BOXES: u64 = 4;

/// The size or number of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartSize {
    /// The number of parts.
    Number(u64),
    /// The approximate number of element bytes per part.
    Bytes(u64),
}

/// A copy in parts: the variables, and the boxes that divide each variable. The bytes of all variables form one line. Each part owns an
/// equal share of the line, and copies the boxes whose midpoint is in its share. Variables with aligned boxes are not in the line: each part
/// copies one box.
#[derive(Debug, Clone, PartialEq)]
pub struct Division {
    pub(super) vars: Vec<DividedVariable>,
    /// Bytes of all elements that parts copy.
    bytes: u64,
    /// Bytes of the line.
    line: u64,
    parts: u64,
}

/// The planned treatment of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableShare {
    /// The variable, in the input and in the output.
    pub pair: CopiedVariable,
    /// Bytes of the elements in the output.
    pub bytes: u64,
    /// True if the join copies the variable, not the parts.
    pub at_join: bool,
    /// Whether missing elements read the same in the input and the output.
    pub same_fill: bool,
}

/// A variable and its boxes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DividedVariable {
    pub(super) job: CopyJob,
    /// Shape of an indivisible unit, in elements: an output chunk, an output shard, or one element.
    unit: Vec<u64>,
    /// `None` if the join copies the variable.
    boxes: Option<VariableBoxes>,
    /// The variable in the intermediate store, if the elements come from that store.
    pub(super) between: Option<VarId>,
    /// Bytes of all preceding variables in the line.
    before: u64,
    /// Bytes in the line.
    bytes: u64,
}

impl Division {
    /// Divides the data of `jobs` from `reader`, which `writer` will store.
    #[must_use]
    pub fn new(
        (reader, jobs): (&dyn Reader, Vec<CopyJob>),
        writer: &dyn Writer,
        size: PartSize,
    ) -> Self {
        let schema = writer.schema();
        let heap = traits(schema.kind).heap;
        let apart = |job: &CopyJob| !(job.at_join || job.has_heap() && heap);
        let bytes_of = |jobs: &mut dyn Iterator<Item = &CopyJob>| {
            jobs.map(|job| Amount::of(job.bytes()))
                .sum::<Amount>()
                .get()
        };
        let bytes = bytes_of(&mut jobs.iter().filter(|job| apart(job)));
        let parts = match size {
            PartSize::Number(parts) => parts.max(1),
            PartSize::Bytes(size) => bytes.div_ceil(size.max(1)).max(1),
        };
        let mut inputs = InputBorders::new(reader);
        let aligned = jobs.iter().map(|job| {
            let unit = unit(job, schema);
            let boxes = |borders| AlignedBoxes::new(borders, (&job.shape, &unit), parts);
            apart(job)
                .then(|| boxes(inputs.of(job.pair.from)))
                .flatten()
        });
        let aligned: Vec<Option<AlignedBoxes>> = aligned.collect();
        let on_line = jobs.iter().zip(&aligned);
        let mut on_line = on_line.filter(|(job, aligned)| apart(job) && aligned.is_none());
        let line = bytes_of(&mut on_line.by_ref().map(|(job, _)| job));
        let mut before = 0;
        let vars = jobs.into_iter().zip(aligned).map(|(job, aligned)| {
            let unit = unit(&job, schema);
            let on_line = apart(&job) && aligned.is_none();
            let bytes = if on_line { job.bytes() } else { 0 };
            let boxes = || VariableBoxes::Line(boxes(&job, &unit, line / parts));
            let aligned = aligned.map(VariableBoxes::Aligned);
            let var = DividedVariable {
                boxes: aligned.or_else(|| on_line.then(boxes)),
                job,
                unit,
                between: None,
                before,
                bytes,
            };
            before = (Amount::of(before) + bytes).get();
            var
        });
        Self {
            vars: vars.collect(),
            bytes,
            line,
            parts,
        }
    }

    /// Returns the number of parts. Part numbers start at 0; some parts may be empty.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// Returns the bytes of all elements that parts copy.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the planned treatment of each variable, in the plan's order.
    pub fn shares(&self) -> impl Iterator<Item = VariableShare> + '_ {
        self.vars.iter().map(|var| VariableShare {
            pair: var.job.pair,
            bytes: var.job.bytes(),
            at_join: var.boxes.is_none(),
            same_fill: var.job.same_fill,
        })
    }

    /// Returns the boxes of a part in order: the variable and the elements of each box.
    pub(super) fn boxes(&self, part: u64) -> impl Iterator<Item = (&DividedVariable, Region)> {
        let line = self.line(part);
        self.vars.iter().flat_map(move |var| {
            let numbers = var.numbers(part, &line);
            numbers.filter_map(move |n| Some((var, var.region(n)?)))
        })
    }

    /// Returns the bytes of the elements that a part copies.
    #[must_use]
    pub fn bytes_of(&self, part: u64) -> u64 {
        let boxes = self
            .boxes(part)
            .map(|(var, region)| Amount::product(&region.count) * var.job.to.element.size);
        boxes.sum::<Amount>().get()
    }

    /// Returns the parts that have boxes of a variable.
    pub(super) fn parts_of(&self, var: &DividedVariable) -> impl Iterator<Item = u64> + '_ {
        let near = |at| scaled(self.parts, at, self.line);
        let end = (Amount::of(var.before) + var.bytes).get();
        let (first, last) = match var.is_aligned() {
            true => (0, self.parts),
            false => {
                let last = Amount::of(near(end)) + 1u64;
                (near(var.before).max(1) - 1, last.get())
            }
        };
        let var = var.clone();
        let has = move |part: &u64| !var.numbers(*part, &self.line(*part)).is_empty();
        (first..last.min(self.parts)).filter(has)
    }

    /// Returns the share of the line that a part of the copy owns.
    fn line(&self, part: u64) -> Range<u64> {
        let end = |n: u64| scaled(self.line, n.min(self.parts), self.parts);
        end(part)..end((Amount::of(part) + 1u64).get())
    }
}

impl DividedVariable {
    /// Returns whether parts copy the variable.
    pub(super) fn in_parts(&self) -> bool {
        self.boxes.is_some()
    }

    /// Returns whether each part has one box.
    fn is_aligned(&self) -> bool {
        self.boxes.as_ref().is_some_and(VariableBoxes::is_aligned)
    }

    /// Returns the numbers of the boxes of a part, whose range of the line is `line`.
    fn numbers(&self, part: u64, line: &Range<u64>) -> Range<u64> {
        let Some(boxes) = &self.boxes else {
            return 0..0;
        };
        if boxes.is_aligned() {
            let is_empty = part >= boxes.len() || boxes.nth(part).count.contains(&0);
            return if is_empty { 0..0 } else { part..part + 1 };
        }
        let first = |at: u64| match at.checked_sub(self.before) {
            None => 0,
            Some(at) if at >= self.bytes => boxes.len(),
            Some(at) => rounded(boxes.len(), at, self.bytes),
        };
        first(line.start)..first(line.end)
    }

    /// Returns the elements of a box.
    fn region(&self, number: u64) -> Option<Region> {
        let units = self.boxes.as_ref()?.nth(number);
        Some(region(&units, &self.unit, &self.job.shape))
    }

    /// Returns the variable's chunks in the intermediate store, as `choose` selects. Returns `None` if stored bytes are moved, or the
    /// elements have no plain type.
    pub(super) fn stages(
        &self,
        set: Dataset<'_>,
        choose: &dyn Fn(InParts<'_>) -> Option<StageChunks>,
    ) -> Option<StageChunks> {
        let part = self.region(0)?.count;
        let moved = match self.job.method {
            Method::Move | Method::Rows | Method::Chunks | Method::Recode => true,
            Method::Convert | Method::Rechunk(_) => false,
        };
        let variable = self.job.variable(set, &self.job.shape);
        if moved || variable.from.element.plain_type().is_none() {
            return None;
        }
        choose(InParts {
            variable,
            unit: &self.unit,
            part: &part,
        })
    }

    /// Returns the number of boxes.
    pub(super) fn len(&self) -> u64 {
        self.boxes.as_ref().map_or(0, VariableBoxes::len)
    }

    /// Returns the mean number of decodings per input chunk, if the elements do not come from the intermediate store.
    pub(super) fn decoded(&self) -> f64 {
        let part = self.region(0).map_or_else(Vec::new, |part| part.count);
        decoding(&self.job.from, &self.job.shape, &part)
    }
}

/// The borders of inputs. Variables with the same borders share memory.
struct InputBorders<'a> {
    reader: &'a dyn Reader,
    last: Arc<[u64]>,
}

impl<'a> InputBorders<'a> {
    fn new(reader: &'a dyn Reader) -> Self {
        Self {
            reader,
            last: Arc::default(),
        }
    }

    /// Returns the borders of a variable.
    fn of(&mut self, var: VarId) -> Arc<[u64]> {
        let borders = self.reader.borders(var);
        if *self.last != *borders {
            self.last = borders.into();
        }
        Arc::clone(&self.last)
    }
}

/// Returns the elements of a box of units, for a variable with this shape.
fn region(units: &Region, unit: &[u64], shape: &[u64]) -> Region {
    let (mut start, mut count) = (vec![], vec![]);
    let dims = units.start.iter().zip(&units.count).zip(unit);
    for (((first, n), unit), len) in dims.zip(shape) {
        let (from, end) = ((first * unit).min(*len), ((first + n) * unit).min(*len));
        start.push(from);
        count.push(end - from);
    }
    Region::boxed(start, count)
}

/// Returns the shape of an indivisible unit.
fn unit(job: &CopyJob, schema: &Schema) -> Vec<u64> {
    let var = schema.var(job.pair.to);
    let shard = var.and_then(|var| var.storage.shard.clone());
    let chunk = match job.chunked {
        true => shard.unwrap_or_else(|| job.to.chunk.clone()),
        false => vec![1; job.shape.len()],
    };
    chunk.into_iter().map(|n| n.max(1)).collect()
}

/// Chooses the boxes of a variable for parts of `part` bytes. Several boxes per part make the costs of parts more equal. One box per part
/// wins if it reduces the cost of the largest part, because fewer parts decode the same input chunk.
fn boxes(job: &CopyJob, unit: &[u64], part: u64) -> Boxes {
    let dims = job.shape.iter().zip(unit);
    let counts: Vec<u64> = dims.map(|(len, unit)| len.div_ceil(*unit)).collect();
    // Count units, although units at the end of a dimension may be smaller.
    let units = Amount::product(&counts).get();
    let (bytes, part) = (job.bytes(), part.clamp(1, job.bytes().max(1)));
    let cost = |boxes: &Boxes| {
        let first = boxes.nth(0);
        // The maximum number of boxes per part.
        let most = rounded(boxes.len(), part, bytes).max(1);
        let largest = Amount::product(&first.count) * most;
        let first = region(&first, unit, &job.shape);
        largest.get() as f64 * (1.0 + decoding(&job.from, &job.shape, &first.count))
    };
    let many = Boxes::new(counts.clone(), scaled(units, part, bytes) / BOXES);
    let few = Boxes::around(counts, rounded(units, part, bytes));
    match cost(&few) < cost(&many) {
        true => few,
        false => many,
    }
}

/// Returns `all * n / of`, rounded down.
fn scaled(all: u64, n: u64, of: u64) -> u64 {
    let scaled = u128::from(all) * u128::from(n) / u128::from(of.max(1));
    u64::try_from(scaled).unwrap_or(all)
}

/// Like [`scaled`], but rounds to the nearest number, and rounds halves down.
fn rounded(all: u64, n: u64, of: u64) -> u64 {
    let (twice, of) = (2 * u128::from(all) * u128::from(n), u128::from(of.max(1)));
    let rounded = twice
        .checked_sub(of)
        .map_or(0, |above| above.div_ceil(2 * of));
    u64::try_from(rounded).unwrap_or(all)
}
