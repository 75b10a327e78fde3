//! Which elements each part copies.

use std::ops::Range;

use super::boxes::Boxes;
use crate::arithmetic::Amount;
use crate::chunk::rechunk::{InParts, StageChunks, decoding};
use crate::chunk::{Dataset, Writer};
use crate::copy::methods::Method;
use crate::copy::{CopiedVariable, CopyJob};
use crate::format::traits;
use crate::model::{Region, Schema, VarId};

/// Boxes of a part, at least, if a variable has as many: parts then have about the same cost.
const BOXES: u64 = 4;

/// How large parts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartSize {
    /// So many parts.
    Number(u64),
    /// Parts of so many bytes of elements, roughly.
    Bytes(u64),
}

/// A copy in parts: the variables, and the boxes into which each is divided. All follow each other on a line of bytes, of which each
/// part has an equal share: the boxes whose middle is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Division {
    pub(super) vars: Vec<DividedVariable>,
    /// Bytes of all elements that parts copy.
    bytes: u64,
    parts: u64,
}

/// What becomes of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableShare {
    /// The variable, in the input and in the output.
    pub pair: CopiedVariable,
    /// Bytes of its elements in the output.
    pub bytes: u64,
    /// Whether it is copied when the parts are joined, not by the parts.
    pub at_join: bool,
    /// Whether elements that are not stored read the same in the input and the output.
    pub same_fill: bool,
}

/// A variable and its boxes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DividedVariable {
    pub(super) job: CopyJob,
    /// Shape of what is not divided further, in elements: a chunk or a shard of the output, or one element.
    unit: Vec<u64>,
    /// None if the variable is copied when the parts are joined.
    boxes: Option<Boxes>,
    /// The variable in the store between two stages, if its elements come from there.
    pub(super) between: Option<VarId>,
    /// Bytes of the variables before it.
    before: u64,
    /// Bytes of its elements.
    bytes: u64,
}

impl Division {
    /// Divides the data of `jobs`, which `writer` is to store.
    #[must_use]
    pub fn new(jobs: Vec<CopyJob>, writer: &dyn Writer, size: PartSize) -> Self {
        let schema = writer.schema();
        let heap = traits(schema.kind).heap;
        let apart = |job: &CopyJob| !(job.at_join || job.has_heap() && heap);
        let divided = jobs.iter().filter(|job| apart(job));
        let all = divided.map(|job| Amount::of(job.bytes())).sum::<Amount>();
        let parts = match size {
            PartSize::Number(parts) => parts.max(1),
            PartSize::Bytes(bytes) => all.get().div_ceil(bytes.max(1)).max(1),
        };
        let part = all.get() / parts;
        let mut before = 0;
        let vars = jobs.into_iter().map(|job| {
            let unit = unit(&job, schema);
            let boxes = apart(&job).then(|| boxes(&job, &unit, part));
            let bytes = boxes.as_ref().map_or(0, |_| job.bytes());
            let var = DividedVariable {
                job,
                unit,
                boxes,
                between: None,
                before,
                bytes,
            };
            before = (Amount::of(before) + bytes).get();
            var
        });
        Self {
            vars: vars.collect(),
            bytes: all.get(),
            parts,
        }
    }

    /// How many parts there are, numbered from 0 on. Some may be empty.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// Bytes of all elements that parts copy.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What becomes of each variable, in the order of the plan.
    pub fn shares(&self) -> impl Iterator<Item = VariableShare> + '_ {
        self.vars.iter().map(|var| VariableShare {
            pair: var.job.pair,
            bytes: var.job.bytes(),
            at_join: var.boxes.is_none(),
            same_fill: var.job.same_fill,
        })
    }

    /// The boxes of a part, in order: the variable and the elements of each.
    pub(super) fn boxes(&self, part: u64) -> impl Iterator<Item = (&DividedVariable, Region)> {
        let line = self.line(part);
        self.vars.iter().flat_map(move |var| {
            let numbers = var.numbers(&line);
            numbers.filter_map(move |n| Some((var, var.region(n)?)))
        })
    }

    /// Bytes of the elements that a part copies.
    #[must_use]
    pub fn bytes_of(&self, part: u64) -> u64 {
        let boxes = self
            .boxes(part)
            .map(|(var, region)| Amount::product(&region.count) * var.job.to.element.size);
        boxes.sum::<Amount>().get()
    }

    /// The parts that have boxes of a variable.
    pub(super) fn parts_of(&self, var: &DividedVariable) -> impl Iterator<Item = u64> + '_ {
        let near = |at| scaled(self.parts, at, self.bytes);
        let end = (Amount::of(var.before) + var.bytes).get();
        let (first, last) = (near(var.before).max(1) - 1, Amount::of(near(end)) + 1u64);
        let var = var.clone();
        let has = move |part: &u64| !var.numbers(&self.line(*part)).is_empty();
        (first..last.get().min(self.parts)).filter(has)
    }

    /// The part of the line that belongs to a part of the copy.
    fn line(&self, part: u64) -> Range<u64> {
        let end = |n: u64| scaled(self.bytes, n.min(self.parts), self.parts);
        end(part)..end((Amount::of(part) + 1u64).get())
    }
}

impl DividedVariable {
    /// True if parts copy it.
    pub(super) fn in_parts(&self) -> bool {
        self.boxes.is_some()
    }

    /// The numbers of the boxes whose middle is in a range of the line.
    fn numbers(&self, line: &Range<u64>) -> Range<u64> {
        let Some(boxes) = &self.boxes else {
            return 0..0;
        };
        let first = |at: u64| match at.checked_sub(self.before) {
            None => 0,
            Some(at) if at >= self.bytes => boxes.len(),
            Some(at) => rounded(boxes.len(), at, self.bytes),
        };
        first(line.start)..first(line.end)
    }

    /// The elements of a box.
    fn region(&self, number: u64) -> Option<Region> {
        let units = self.boxes.as_ref()?.nth(number);
        Some(region(&units, &self.unit, &self.job.shape))
    }

    /// How it is stored between two stages, as `choose` says. `None` if it cannot be, because stored bytes are moved, or the elements
    /// have no plain type.
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

    /// How many boxes there are.
    pub(super) fn len(&self) -> u64 {
        self.boxes.as_ref().map_or(0, Boxes::len)
    }

    /// How often a chunk of the input is decoded, on average, if its elements do not come from the store between two stages.
    pub(super) fn decoded(&self) -> f64 {
        let part = self.region(0).map_or_else(Vec::new, |part| part.count);
        decoding(&self.job.from, &self.job.shape, &part)
    }
}

/// The elements of a box of units of a variable of this shape.
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

/// Shape of what is not divided.
fn unit(job: &CopyJob, schema: &Schema) -> Vec<u64> {
    let var = schema.var(job.pair.to);
    let shard = var.and_then(|var| var.storage.shard.clone());
    let chunk = match job.chunked {
        true => shard.unwrap_or_else(|| job.to.chunk.clone()),
        false => vec![1; job.shape.len()],
    };
    chunk.into_iter().map(|n| n.max(1)).collect()
}

/// The boxes of a variable, where parts have so many bytes: several to a part, which then have about the same cost, or one, if chunks of
/// the input are then decoded so much less often that the largest part takes less.
fn boxes(job: &CopyJob, unit: &[u64], part: u64) -> Boxes {
    let dims = job.shape.iter().zip(unit);
    let counts: Vec<u64> = dims.map(|(len, unit)| len.div_ceil(*unit)).collect();
    // Units at the ends may be smaller than others: what counts is how many there are.
    let units = Amount::product(&counts).get();
    let (bytes, part) = (job.bytes(), part.clamp(1, job.bytes().max(1)));
    let cost = |boxes: &Boxes| {
        let first = boxes.nth(0);
        // So many boxes a part has, at most.
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

/// `all` times `n`, divided by `of`, rounded down.
fn scaled(all: u64, n: u64, of: u64) -> u64 {
    let scaled = u128::from(all) * u128::from(n) / u128::from(of.max(1));
    u64::try_from(scaled).unwrap_or(all)
}

/// As [`scaled`], rounded to the nearest number, of two the smaller one.
fn rounded(all: u64, n: u64, of: u64) -> u64 {
    let (twice, of) = (2 * u128::from(all) * u128::from(n), u128::from(of.max(1)));
    let rounded = twice
        .checked_sub(of)
        .map_or(0, |above| above.div_ceil(2 * of));
    u64::try_from(rounded).unwrap_or(all)
}
