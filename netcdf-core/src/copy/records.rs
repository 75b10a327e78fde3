//! Copies interleaved records of several variables in one sweep.

use super::CopyJob;
use super::runs::source_of;
use crate::arithmetic::{Amount, exact, indices, length};
use crate::chunk::ChunkHolder;
use crate::chunk::scatter::Block;
use crate::chunk::visit::Locate;
use crate::chunk::{ChunkRef, Dataset, Writer};
use crate::error::{Context, Error, OrInternal as _, Result};
use crate::io::merge::merge;
use crate::io::source::present;
use crate::limits::zeros;
use crate::model::Region;
use crate::runtime::WorkItem;

/// Minimum size in bytes of records that the sweep moves one by one.
const LARGE: u64 = 64 << 10;
/// Minimum mean size in bytes of adjacent record fragments that the sweep moves one by one. Adjacent moves merge into few requests.
const PACKED: u64 = 256;
/// Approximate number of bytes gathered at a time.
const BAND: u64 = 4 << 20;
/// Maximum number of record positions in memory.
const PLACES: u64 = 1 << 16;

/// Copies variables with the same number of records. Returns the variables.
pub(super) fn sweep(
    set: Dataset<'_>,
    rows: Vec<CopyJob>,
    writer: &mut dyn Writer,
) -> Result<Vec<CopyJob>> {
    let Order { gathered, moved } = Order::of(set, rows, writer)?;
    gather(set, &gathered, writer)?;
    move_records(set, &moved, writer)?;
    Ok([moved, gathered].concat())
}

/// Returns the same variables, ordered by their first write in a sweep.
pub(super) fn in_order(
    set: Dataset<'_>,
    rows: Vec<CopyJob>,
    writer: &dyn Writer,
) -> Result<Vec<CopyJob>> {
    let Order { gathered, moved } = Order::of(set, rows, writer)?;
    Ok([gathered, moved].concat())
}

/// The variables of a sweep.
struct Order {
    /// Variables with gathered records; they come first.
    gathered: Vec<CopyJob>,
    /// Variables with records moved one by one.
    moved: Vec<CopyJob>,
}

impl Order {
    fn of(set: Dataset<'_>, rows: Vec<CopyJob>, writer: &dyn Writer) -> Result<Self> {
        let rows = by_place(set, rows)?;
        let bytes = rows.iter().map(CopyJob::slab).sum::<u64>();
        let worth = bytes / rows.len().max(1) as u64 >= PACKED;
        let packed = worth && is_packed(set, &rows)? && keeps_order(&rows, writer);
        let moves = |job: &CopyJob| packed || job.slab() >= LARGE;
        let (moved, gathered) = rows.into_iter().partition(moves);
        Ok(Self { gathered, moved })
    }
}

/// Orders variables by the position of the first record.
fn by_place(set: Dataset<'_>, rows: Vec<CopyJob>) -> Result<Vec<CopyJob>> {
    let mut places = Vec::with_capacity(rows.len());
    for job in rows {
        let first = chunks(set, &job, 0, 1)?;
        places.push((first.first().map(|c| (c.holder, c.range.start)), job));
    }
    places.sort_by_key(|(place, job)| (*place, job.pair.from));
    Ok(places.into_iter().map(|(_, job)| job).collect())
}

/// Returns whether the records are adjacent, without gaps.
fn is_packed(set: Dataset<'_>, rows: &[CopyJob]) -> Result<bool> {
    let mut next = None;
    for record in [0, 1] {
        for job in rows {
            let found = chunks(set, job, record, 1)?;
            let Some(chunk) = found.first() else {
                return Ok(false);
            };
            if next.is_some_and(|n| n != (chunk.holder, chunk.range.start)) {
                return Ok(false);
            }
            next = Some((chunk.holder, chunk.range.end));
        }
    }
    Ok(true)
}

/// Returns whether the variables are all record variables of the output, in the output's order.
fn keeps_order(rows: &[CopyJob], writer: &dyn Writer) -> bool {
    let schema = writer.schema();
    let records = schema.var_ids().zip(&schema.vars);
    let records = records
        .filter(|(_, var)| schema.is_record(var))
        .map(|(id, _)| id);
    records.eq(rows.iter().map(|job| job.pair.to))
}

/// Returns the locations of `count` records of a variable, starting at record `first`.
fn chunks(set: Dataset<'_>, job: &CopyJob, first: u64, count: u64) -> Result<Vec<ChunkRef>> {
    let mut all = Block {
        start: vec![0; job.shape.len()],
        count: vec![1; job.shape.len()],
    };
    all.start.iter_mut().take(1).for_each(|n| *n = first);
    all.count.iter_mut().take(1).for_each(|n| *n = count);
    let mut found = Vec::new();
    let mut keep = |chunk: ChunkRef| {
        found.push(chunk);
        Ok(())
    };
    set.locate_chunks(job.pair.from, &all, Locate::Stored, &mut keep)?;
    Ok(found)
}

/// Returns consecutive runs of records as (first, count), each with at most `most` records.
fn bands(records: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    let most = most.max(1);
    let bands = records.div_ceil(most);
    (0..bands).map(move |n| {
        let first = n * most;
        (first, most.min(records - first))
    })
}

/// Moves record by record, and copies runs that are adjacent in both datasets at once.
fn move_records(set: Dataset<'_>, rows: &[CopyJob], writer: &mut dyn Writer) -> Result<()> {
    let records = rows.first().map_or(0, CopyJob::records);
    for (first, count) in bands(records, PLACES / rows.len().max(1) as u64) {
        let places = rows.iter().map(|job| chunks(set, job, first, count));
        let places = places.collect::<Result<Vec<_>>>()?;
        for (index, record) in (first..first + count).enumerate() {
            for (job, places) in rows.iter().zip(&places) {
                let path = || set.reader.schema().var_path(job.pair.from);
                let element = exact(record) * job.per_record();
                let elements = element.get()?..(element + job.per_record()).get()?;
                match places.get(index).filter(|c| c.index == record) {
                    Some(chunk) => job.piece(set, writer, elements, chunk).in_object(path)?,
                    None => put_fill(set, job, record, writer)?,
                }
            }
        }
    }
    Ok(())
}

/// Writes a record that the input does not store.
fn put_fill(set: Dataset<'_>, job: &CopyJob, record: u64, writer: &mut dyn Writer) -> Result<()> {
    let bytes = set.read_stored(job.pair.from, &job.from, &region(job, record, 1))?;
    let element = (exact(record) * job.per_record()).get()?;
    writer.put_run(job.pair.to, element, &bytes)?;
    set.env.progress.advance(bytes.len() as u64);
    Ok(())
}

fn region(job: &CopyJob, first: u64, count: u64) -> Region {
    let mut region = Region::whole(&job.shape);
    region.start.iter_mut().take(1).for_each(|n| *n = first);
    region.count.iter_mut().take(1).for_each(|n| *n = count);
    region
}

/// Copies small records band by band.
fn gather(set: Dataset<'_>, rows: &[CopyJob], writer: &mut dyn Writer) -> Result<()> {
    let rows: Vec<&CopyJob> = rows.iter().collect();
    let bytes = record_bytes(writer);
    gathered(set, &rows, bytes, |n, element, column| {
        let job = rows.get(n).or_internal("records of no variable")?;
        let path = || set.reader.schema().var_path(job.pair.from);
        let put = writer.put_run(job.pair.to, element, &column);
        put.in_object(path)?;
        set.env.progress.advance(column.len() as u64);
        Ok(())
    })
}

/// Reads the small records of all variables band by band. Passes each run to `put` in order per variable: the variable's index in `rows`,
/// the first element and the bytes. The number of records in a band assumes at least `least` bytes per record.
pub(super) fn gathered(
    set: Dataset<'_>,
    rows: &[&CopyJob],
    least: u64,
    mut put: impl FnMut(usize, u64, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let bytes = rows.iter().map(|job| job.slab()).sum::<Amount>();
    let bytes = bytes.max(least.into());
    let most = (Amount::of(BAND) / bytes)
        .get()
        .min(PLACES / rows.len() as u64);
    let items = bands(first.records(), most).map(|value| {
        set.env.cancel.check()?;
        let bytes = (bytes * value.1 * 3u64).get();
        Ok(WorkItem::new(bytes, value))
    });
    let read = |(first, count)| Ok((first, gather_band(set, rows, (first, count))?));
    let put = |(first, columns): (u64, Vec<Vec<u8>>)| {
        for (n, (job, column)) in rows.iter().zip(columns).enumerate() {
            put(n, (exact(first) * job.per_record()).get()?, column)?;
        }
        Ok(())
    };
    set.runtime().ordered(items, read, put)
}

/// Returns the bytes of an output record over all record variables.
fn record_bytes(writer: &dyn Writer) -> u64 {
    let schema = writer.schema();
    let records = schema.var_ids().zip(&schema.vars);
    let records = records.filter(|(_, var)| schema.is_record(var));
    let slabs = records.map(|(id, var)| {
        let count = schema.shape(id).split_off(1);
        let size = var.ty.fixed_size(schema).unwrap_or(16);
        Amount::product(&count) * size
    });
    slabs.sum::<Amount>().get()
}

/// Reads one band of records, with one run of bytes per variable.
fn gather_band(
    set: Dataset<'_>,
    rows: &[&CopyJob],
    (first, count): (u64, u64),
) -> Result<Vec<Vec<u8>>> {
    let mut columns = Vec::with_capacity(rows.len());
    let mut places = Vec::with_capacity(rows.len());
    for job in rows {
        let found = chunks(set, job, first, count)?;
        let whole =
            found.len() as u64 == count && found.iter().all(|c| c.holder == ChunkHolder::Source(0));
        if whole {
            let size = (exact(job.slab()) * count).get()?;
            columns.push(zeros(set.env.limits.item(size, "records")?, "records")?);
            places.push(found);
        } else {
            let region = region(job, first, count);
            columns.push(set.read_stored(job.pair.from, &job.from, &region)?);
            places.push(vec![]);
        }
    }
    fetch(set, rows, &places, &mut columns)?;
    Ok(columns)
}

/// Reads the records at `places` into the columns of their variables.
fn fetch(
    set: Dataset<'_>,
    rows: &[&CopyJob],
    places: &[Vec<ChunkRef>],
    columns: &mut [Vec<u8>],
) -> Result<()> {
    let most = places.iter().map(Vec::len).max().unwrap_or(0);
    let Some(first) = places.iter().find_map(|found| found.first()) else {
        return Ok(());
    };
    let source = source_of(set, first)?;
    let (mut ranges, mut owners) = (Vec::new(), Vec::new());
    for record in 0..most {
        for (owner, (job, found)) in rows.iter().zip(places).enumerate() {
            let Some(chunk) = found.get(record) else {
                continue;
            };
            if chunk.range.end > source.len() {
                let path = || set.reader.schema().var_path(job.pair.from);
                present(&*source, &chunk.range).in_object(path)?;
            }
            ranges.push(chunk.range.clone());
            owners.push((owner, record));
        }
    }
    let mut buffer = Vec::new();
    for read in merge(&ranges, source.coalesce_limits()) {
        buffer.resize(set.env.limits.item(length(&read.range), "records")?, 0);
        set.read_at(&*source, read.range.start, &mut buffer)?;
        let members = ranges.get(read.members.clone());
        let members = members.zip(owners.get(read.members));
        let (members, owners) = members.or_internal("a read of no records")?;
        for (range, &(owner, record)) in members.iter().zip(owners) {
            let size = length(range);
            let from = indices(exact(range.start) - read.range.start, size)?;
            let to = indices(exact(record) * size, size)?;
            let column = columns.get_mut(owner).and_then(|c| c.get_mut(to));
            let (Some(bytes), Some(place)) = (buffer.get(from), column) else {
                return Err(Error::internal("record bytes exceed the column"));
            };
            place.copy_from_slice(bytes);
        }
    }
    Ok(())
}
