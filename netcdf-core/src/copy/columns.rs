//! Small records of many variables, collected per variable before the copy writes chunks.
//!
//! The small records of one variable are interleaved with the records of further variables, so reading one variable reads the whole file. A
//! sweep reads the records of all these variables once and sorts them into columns, one column per variable. Columns stay in memory if they
//! fit, otherwise in a temporary file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::records::gathered;
use super::{CopyJob, Method};
use crate::arithmetic::{exact, indices, span};
use crate::chunk::column::ColumnReader;
use crate::chunk::{Dataset, Reader};
use crate::error::{Error, Result};
use crate::format::traits;
use crate::io::Source;
use crate::io::file::Scratch;
use crate::io::memory::MemorySource;
use crate::limits::zeros;
use crate::model::VarId;

/// Records with at least this many bytes are read without a sweep.
const LARGE: u64 = 4 << 10;
/// Minimum number of variables for a sweep. The columns are written and read one additional time.
const MANY: usize = 4;
/// Minimum number of records for a sweep of a single variable. The list of record positions needs more memory than the records.
const LONG: u64 = 1 << 16;

/// The columns of some variables.
#[derive(Default)]
pub(super) struct Columns {
    /// The byte range of each column.
    places: BTreeMap<VarId, Range<u64>>,
    source: Option<Arc<dyn Source>>,
}

/// The storage of the columns.
enum ColumnPlace {
    Memory(Vec<u8>),
    File(Scratch),
}

impl ColumnPlace {
    fn put(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(file) => file.write_at(at, bytes),
            Self::Memory(all) => {
                let place = all.get_mut(indices(at, bytes.len())?);
                let place =
                    place.ok_or_else(|| Error::internal("record bytes exceed the column"))?;
                place.copy_from_slice(bytes);
                Ok(())
            }
        }
    }
}

/// Marks the jobs that share a sweep. These are jobs of many variables with the same number of records, and jobs of single variables with
/// many records. All records must be stored.
pub(super) fn mark(jobs: &mut [CopyJob], from: &dyn Reader) {
    let small = |job: &CopyJob| is_small(job) && !from.assembles(job.pair.from);
    let from = from.schema().kind;
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for job in jobs.iter().filter(|job| small(job)) {
        *counts.entry(job.records()).or_default() += 1;
    }
    for job in jobs.iter_mut().filter(|job| small(job)) {
        let many = counts.get(&job.records()).is_some_and(|&n| n >= MANY);
        job.swept = many || (traits(from).stores_all && job.records() >= LONG);
    }
}

/// Returns whether the records of a variable are small, unfiltered, and not adjacent.
fn is_small(job: &CopyJob) -> bool {
    let from = &job.from;
    let rows = from.chunk.first() == Some(&1) && from.extent.get(1..) == from.chunk.get(1..);
    let plain = from.filters.is_empty() && from.element.plain_type().is_some();
    let apart = rows && plain && from.extent == job.shape && job.records() > 1;
    let read = match job.method {
        Method::Rechunk(_) | Method::Convert => true,
        Method::Move | Method::Rows | Method::Chunks | Method::Recode => false,
    };
    apart && read && job.slab() < LARGE
}

impl Columns {
    /// Reads the records of all marked variables with as many records as `job`, in one sweep.
    pub(super) fn sweep(set: Dataset<'_>, jobs: &[CopyJob], job: &CopyJob) -> Result<Self> {
        let same = |other: &&CopyJob| other.swept && other.records() == job.records();
        let rows: Vec<&CopyJob> = jobs.iter().filter(same).collect();
        let mut places = BTreeMap::new();
        let mut end = 0u64;
        for row in &rows {
            let len = (exact(row.elements()) * row.from.element.size).get()?;
            let range = span(end, len)?;
            end = range.end;
            places.insert(row.pair.from, range);
        }
        let mut made = match end <= set.env.memory.0 / 2 {
            true => ColumnPlace::Memory(zeros(set.env.limits.item(end, "records")?, "records")?),
            false => ColumnPlace::File(Scratch::new(set.env.scratch.as_deref())?),
        };
        gathered(set, &rows, 0, |n, element, column| {
            let row = rows.get(n);
            let at = row.and_then(|row| Some((row, places.get(&row.pair.from)?)));
            let Some((row, range)) = at else {
                return Err(Error::internal("records without a column"));
            };
            let from = exact(element) * row.from.element.size;
            made.put((from + range.start).get()?, &column)
        })?;
        let source: Arc<dyn Source> = match made {
            ColumnPlace::Memory(bytes) => Arc::new(MemorySource::new("records", bytes)),
            ColumnPlace::File(file) => Arc::new(file),
        };
        Ok(Self {
            places,
            source: Some(source),
        })
    }

    /// Returns whether the sweep has read the column of a variable.
    pub(super) fn has(&self, job: &CopyJob) -> bool {
        self.places.contains_key(&job.pair.from)
    }

    /// Returns a reader for a variable's column, if the sweep has read it.
    pub(super) fn of<'a>(&self, set: Dataset<'a>, job: &CopyJob) -> Option<ColumnReader<'a>> {
        let range = self.places.get(&job.pair.from)?.clone();
        let source = (Arc::clone(self.source.as_ref()?), range);
        let column = (&*job.from, job.shape.as_slice());
        Some(ColumnReader::new(set.reader.schema(), column, source))
    }
}
