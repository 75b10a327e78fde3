//! Copy jobs: one variable's data and its copy method.

use std::sync::Arc;
use std::time::Duration;

use super::methods::{self, Method};
use super::plan::{has_nothing, may_lack_data};
use super::report::Changes;
use super::{CopiedVariable, VarReport};
use crate::arithmetic::Amount;
use crate::chunk::column::ColumnReader;
use crate::chunk::decode::{beyond, fill};
use crate::chunk::layout::Layout;
use crate::chunk::{Dataset, Writer, rechunk};
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::model::region::{check_lengths, product};
use crate::model::{Atomic, DimId, FillMode, Region, Values, VarId, Variable};
use crate::notes::Note;

/// Maximum size of a small variable, in bytes.
const SMALL: u64 = 64 << 10;

/// A variable of a dataset.
#[derive(Clone, Copy)]
pub(super) struct OfVariable<'a> {
    pub set: Dataset<'a>,
    pub var: VarId,
}

/// A copy job for the data of one variable.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyJob {
    /// The variable, in the input and in the output.
    pub pair: CopiedVariable,
    /// The layout in the input.
    pub from: Arc<Layout>,
    /// The layout in the output.
    pub to: Arc<Layout>,
    /// True if the output stores the variable in chunks.
    pub chunked: bool,
    /// True if an element has the same bytes in both datasets, apart from the byte order of numbers.
    pub alike: bool,
    /// True if the output has a different kind. Readers of that kind may accept fewer forms of a stored chunk.
    pub other_kind: bool,
    /// True if missing elements read the same in both datasets, or if no element is missing. For output without chunks: true if the input
    /// stores no element, and missing elements read the same in both datasets.
    pub same_fill: bool,
    /// The copy method.
    pub method: Method,
    /// True if `join` or `complete` copies the variable because the string length is unknown until then.
    pub at_join: bool,
    /// True if the variable shares a sweep with variables whose records are interleaved with its records.
    pub swept: bool,
    /// The shape in the input.
    pub shape: Vec<u64>,
    /// The elements to copy: all elements, or the elements of one part of the copy. A part covers whole output chunks, or a run of
    /// elements.
    pub region: Arc<Region>,
}

/// The input and the job that determine which elements are stored. The elements themselves may come from another store.
#[derive(Clone, Copy)]
pub(super) struct StoredElements<'a> {
    pub set: Dataset<'a>,
    pub job: &'a CopyJob,
}

impl CopyJob {
    pub(super) fn new(set: Dataset<'_>, pair: CopiedVariable, writer: &dyn Writer) -> Result<Self> {
        let mut job = Self::undecided(set, pair, writer)?;
        job.same_fill = match job.chunked {
            true => {
                !job.lacks_all(set, writer)?
                    && (job.fills_agree(set, writer)? || job.is_whole(set)?)
            }
            false => job.has_no_data(set, writer)?,
        };
        job.method = job.choose(set);
        Ok(job)
    }

    /// Like [`CopyJob::new`], for a caller that knows whether missing elements read the same in both datasets.
    pub(super) fn decided(
        set: Dataset<'_>,
        pair: CopiedVariable,
        (writer, same_fill): (&dyn Writer, bool),
    ) -> Result<Self> {
        let mut job = Self::undecided(set, pair, writer)?;
        job.same_fill = same_fill;
        job.method = job.choose(set);
        Ok(job)
    }

    fn undecided(set: Dataset<'_>, pair: CopiedVariable, writer: &dyn Writer) -> Result<Self> {
        let (from, to) = (set.layout(pair.from)?, writer.layout(pair.to)?);
        let shape = set.reader.schema().shape(pair.from);
        if shape.len() != writer.schema().shape(pair.to).len() {
            let what = "the variable would lose dimensions";
            let path = set.reader.schema().var_path(pair.from);
            return Err(Error::new(ErrorKind::Argument, what).in_object(&path));
        }
        check_lengths(&shape).in_object(|| set.reader.schema().var_path(pair.from))?;
        let chunked = writer.rules(pair.to).chunks;
        let mut job = Self {
            pair,
            chunked,
            alike: false,
            same_fill: false,
            other_kind: set.reader.schema().kind.storage != writer.schema().kind.storage,
            method: Method::Convert,
            at_join: false,
            swept: false,
            from: Arc::new(from),
            to: Arc::new(to),
            region: Arc::new(Region::whole(&shape)),
            shape,
        };
        job.alike = job.is_alike(set, writer)?;
        Ok(job)
    }

    /// Returns the job restricted to the elements of one part. The part stores the same bytes as a copy of all elements does.
    pub(super) fn within(&self, set: Dataset<'_>, region: Region) -> Self {
        let mut job = Self {
            region: Arc::new(region),
            ..self.clone()
        };
        job.method = match self.method {
            Method::Move | Method::Rows | Method::Convert => Method::Convert,
            Method::Chunks | Method::Recode => self.method,
            Method::Rechunk(_) => Method::Rechunk(rechunk::plan(
                job.variable(set, &job.region.count),
                &budget(set),
            )),
        };
        job
    }

    /// Copies one part from the variable `from` of the intermediate store, which stores all elements. Elements missing in the input `set`
    /// stay missing in the output. Returns the bytes stored.
    pub(super) fn copy_from(
        &self,
        from: OfVariable<'_>,
        (set, region): (Dataset<'_>, Region),
        writer: &mut dyn Writer,
    ) -> Result<u64> {
        let OfVariable { set: between, var } = from;
        let job = Self {
            pair: CopiedVariable {
                from: var,
                ..self.pair
            },
            from: Arc::new(between.layout(var)?),
            ..self.clone()
        };
        let job = job.within(between, region);
        job.check_stored(between)?;
        match &job.method {
            Method::Rechunk(plan) => {
                let known = StoredElements { set, job: self };
                job.rechunked_from((between, plan), known, writer)
            }
            Method::Move | Method::Rows | Method::Convert => job.converted(between, writer),
            Method::Chunks | Method::Recode => {
                Err(Error::internal("chunks that need no second stage"))
            }
        }
    }

    /// Checks that all chunks with elements to copy are stored.
    fn check_stored(&self, set: Dataset<'_>) -> Result<()> {
        let within = self.from.touched(&self.region);
        let (stored, all) = (
            set.chunks_stored_in(self.pair.from, &within)?,
            Amount::product(&within.count).get(),
        );
        if stored == all {
            return Ok(());
        }
        let what = format!(
            "{} of {all} chunks are not there, which parts of the first stage have stored",
            all - stored.min(all)
        );
        let path = set.reader.schema().var_path(self.pair.from);
        let e = Error::new(ErrorKind::NotFound, what).in_object(&path);
        Err(e.with_remedy("create the plan again: something has removed files of its directory"))
    }

    /// Returns whether an element has the same bytes in both datasets, apart from the byte order of numbers.
    fn is_alike(&self, set: Dataset<'_>, writer: &dyn Writer) -> Result<bool> {
        let (from, to) = (&self.from.element, &self.to.element);
        match (from.plain_type(), to.plain_type()) {
            (Some(from), Some(to)) => Ok(from == to),
            (None, None) if from.ty == to.ty && from.size == to.size => {
                let form = set.reader.form(self.pair.from)?;
                Ok(form.is_some() && form == writer.form(self.pair.to)?)
            }
            (Some(_) | None, Some(_) | None) => Ok(false),
        }
    }

    /// Returns whether the copy can move or encode single chunks, and no chunk is missing. Chunks without filters may be records; reading
    /// single records is too slow.
    fn is_whole(&self, set: Dataset<'_>) -> Result<bool> {
        let (from, to) = (&self.from, &self.to);
        let grid = from.chunk == to.chunk && from.extent == self.shape;
        let same = from.element == to.element && methods::moves(&from.filters, &to.filters);
        let one_by_one = self.alike && (same || !from.filters.is_empty());
        if !one_by_one || !grid || set.reader.assembles(self.pair.from) {
            return Ok(false);
        }
        Ok(product(&self.from.grid()) == Some(set.chunks_stored(self.pair.from)?))
    }

    /// Returns whether all chunks are missing and readers would find no elements. Beyond the end of an unlimited dimension, netCDF-C
    /// returns its default fill value and ignores the variable's fill value.
    fn lacks_all(&self, set: Dataset<'_>, writer: &dyn Writer) -> Result<bool> {
        let schema = writer.schema();
        let bare = |v: &Variable| {
            let said = v.storage.fill == FillMode::Fill || v.storage.unwritten.is_some();
            !said && v.dims.iter().any(|&dim| schema.is_unlimited(dim))
        };
        let elements = product(&self.from.extent).is_none_or(|n| n > 0);
        if !elements || !schema.var(self.pair.to).is_some_and(bare) {
            return Ok(false);
        }
        Ok(!set.reader.assembles(self.pair.from) && !set.has_chunks(self.pair.from)?)
    }

    /// Adds a note if the job needs more memory than allowed.
    pub(super) fn warn(&self, set: Dataset<'_>) {
        let Method::Rechunk(plan) = &self.method else {
            return;
        };
        if plan.raised {
            set.env.notes.say(Note {
                object: set.reader.schema().var_path(self.pair.from),
                what: format!(
                    "the copy of a chunk needs {} MiB of memory",
                    plan.memory().div_ceil(1 << 20)
                ),
                remedy: Some("use --memory to allow more".to_owned()),
            });
        }
    }

    /// Returns the same job, reading from a column of the variable's elements.
    pub(super) fn column(&self, set: Dataset<'_>, column: &ColumnReader<'_>) -> Self {
        let mut job = Self {
            from: Arc::new(column.layout().clone()),
            ..self.clone()
        };
        if job.method != Method::Convert {
            job.method = job.choose(set);
        }
        job
    }

    /// Returns whether the input stores no element, and the output reads the same without data.
    fn has_no_data(&self, set: Dataset<'_>, writer: &dyn Writer) -> Result<bool> {
        let schema = writer.schema();
        let var = schema.var(self.pair.to).or_internal("a variable")?;
        Ok(may_lack_data(schema.kind, var)
            && has_nothing(set, self.pair.from)?
            && match self.has_heap() {
                true => self.string_fills_agree(set, var)?,
                false => self.fills_agree(set, writer)?,
            })
    }

    /// Like [`CopyJob::fills_agree`] for strings: compares missing elements with the output's fill value.
    fn string_fills_agree(&self, set: Dataset<'_>, to: &Variable) -> Result<bool> {
        let fill = set.fill(self.pair.from, &self.from)?;
        let within = fill == beyond(set.reader.schema(), self.pair.from, &self.from)?;
        if to.ty != Atomic::String.into() || !within {
            return Ok(false);
        }
        let value = self.values(set, &fill)?;
        Ok(match to.storage.fill {
            FillMode::Fill => to.unwritten() == Some(value),
            FillMode::NoFill => value == Values::String(vec![None]),
        })
    }

    /// Returns whether the output stores no data because the input stores no data.
    pub(super) fn is_unallocated(&self) -> bool {
        !self.chunked && self.same_fill
    }

    fn choose(&self, set: Dataset<'_>) -> Method {
        let assembled = set.reader.assembles(self.pair.from);
        if self.is_unallocated() {
            return Method::Convert;
        }
        if !self.chunked && (assembled || !set.reader.bytes().has_sources()) {
            return Method::Convert;
        }
        if !self.chunked {
            return methods::choose(&self.from, &self.to, &self.shape, self.alike);
        }
        let variable = self.variable(set, &self.shape);
        methods::choose_chunks(variable, (self.alike, self.same_fill), &budget(set))
    }

    /// Returns the variable, or a part with this shape, as input for the rechunking planner.
    pub(super) fn variable<'a>(
        &'a self,
        set: Dataset<'_>,
        shape: &'a [u64],
    ) -> rechunk::RechunkVariable<'a> {
        rechunk::RechunkVariable {
            from: &self.from,
            to: &self.to,
            shape,
            assembled: set.reader.assembles(self.pair.from),
        }
    }

    /// Returns whether missing elements read the same in both datasets.
    fn fills_agree(&self, set: Dataset<'_>, writer: &dyn Writer) -> Result<bool> {
        if self.has_heap() {
            return Ok(false);
        }
        let from = set.fill(self.pair.from, &self.from)?;
        let to = fill(writer.schema(), self.pair.to, &self.to)?;
        if from != beyond(set.reader.schema(), self.pair.from, &self.from)? {
            return Ok(false);
        }
        // A fill value that does not fit the output's type counts as different.
        Ok(self.encoded(set, from).is_ok_and(|from| from == to))
    }

    /// Returns whether the writer has to encode the values because they have heap data.
    pub(super) fn has_heap(&self) -> bool {
        self.to.element.plain_type().is_none() && !self.alike
    }

    /// Returns the report on the variable; `after` is the number of bytes stored.
    pub(super) fn report(&self, set: Dataset<'_>, after: u64, time: Duration) -> VarReport {
        VarReport {
            path: set.reader.schema().var_path(self.pair.from),
            method: self.method,
            raw: self.bytes(),
            before: 0,
            after,
            time,
            changes: Changes::default(),
        }
    }

    /// Copies the data. Returns the bytes stored.
    pub(super) fn copy(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        if self.is_unallocated() {
            set.env.progress.advance(self.bytes_copied());
            return Ok(0);
        }
        match &self.method {
            Method::Rows | Method::Move => self.moved(set, writer),
            Method::Convert => self.converted(set, writer),
            Method::Chunks => self.chunks_moved(set, writer),
            Method::Recode => self.recoded(set, writer),
            Method::Rechunk(plan) => self.rechunked(set, plan, writer),
        }
    }

    /// Returns the variable's rank in a cloud-optimized file. Rank 0, closest to the metadata, is for small data without chunks. Rank 1 is
    /// for coordinates and small chunked data, rank 2 for all remaining data.
    #[must_use]
    pub fn distance(&self, set: Dataset<'_>) -> u8 {
        let schema = set.reader.schema();
        let coordinate = schema.var(self.pair.from).is_some_and(|var| {
            let same = |dim: &DimId| schema.dim(*dim).is_some_and(|dim| dim.name == var.name);
            var.dims.len() == 1 && var.dims.iter().all(same)
        });
        match (self.bytes() <= SMALL, coordinate) {
            (true, _) if !self.chunked => 0,
            (true, _) | (false, true) => 1,
            (false, false) => 2,
        }
    }

    /// Returns the number of elements of the variable.
    pub(super) fn elements(&self) -> u64 {
        Amount::product(&self.shape).get()
    }

    /// Returns the bytes of the variable in the output.
    pub(super) fn bytes(&self) -> u64 {
        (Amount::of(self.elements()) * self.to.element.size).get()
    }

    /// Returns the bytes of the elements to copy.
    pub(super) fn bytes_copied(&self) -> u64 {
        (Amount::product(&self.region.count) * self.to.element.size).get()
    }

    /// Returns the length of the first dimension.
    pub(super) fn records(&self) -> u64 {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Returns the number of elements per record.
    pub(super) fn per_record(&self) -> u64 {
        self.elements().checked_div(self.records()).unwrap_or(0)
    }

    /// Returns the bytes per record.
    pub(super) fn slab(&self) -> u64 {
        (Amount::of(self.per_record()) * self.from.element.size).get()
    }
}

/// Returns the rechunking budget.
fn budget(set: Dataset<'_>) -> rechunk::RechunkBudget {
    rechunk::RechunkBudget {
        memory: set.env.memory.0,
        threads: set.env.runtime.threads(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of 100,000 variables has a job and a report for each variable.
    #[test]
    fn jobs_take_little_memory() {
        assert!(size_of::<CopyJob>() <= 128);
        assert!(size_of::<(VarId, VarReport)>() <= 184);
    }
}
