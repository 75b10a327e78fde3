//! Datasets that grow while other processes read them.
//!
//! The helper programs `appendrecords` and `readrecords` write and read such a dataset: `time`, the record number; `t`, the record number
//! plus the index; and `steps`, which is 0.

use std::path::Path;

use netcdf_core::api::{Dataset, Length, Select};
use netcdf_core::error::{ErrorKind, Result};
use netcdf_core::model::{Atomic, GroupId, Kind, StorageLayout};

const ROOT: GroupId = GroupId::ROOT;
/// The length of a record of `t`.
const WIDTH: u64 = 40;
/// The number of values in `steps`.
const STEPS: u64 = 700;

/// The storage of `time` and `t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordStorage {
    /// The default of the kind.
    Default,
    /// Chunks of some records, with filters.
    Deflated,
}

/// Creates a dataset without records.
///
/// # Panics
/// Panics if the dataset cannot be written.
pub fn create(path: &Path, kind: Kind, storage: RecordStorage) {
    let made = define(path, kind, storage);
    made.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

fn define(path: &Path, kind: Kind, storage: RecordStorage) -> Result<()> {
    let mut data = Dataset::create(path, kind)?;
    let time = data.define_dim(ROOT, "time", Length::Unlimited)?;
    let x = data.define_dim(ROOT, "x", WIDTH.into())?;
    let n = data.define_dim(ROOT, "n", STEPS.into())?;
    let times = data.define_var(ROOT, "time", Atomic::Double, &[time])?;
    let t = data.define_var(ROOT, "t", Atomic::Int, &[time, x])?;
    let steps = data.define_var(ROOT, "steps", Atomic::Int, &[n])?;
    if storage == RecordStorage::Deflated {
        data.define_chunking(times, StorageLayout::Chunked(vec![16]))?;
        data.define_chunking(t, StorageLayout::Chunked(vec![5, 8]))?;
        data.define_deflate(times, true, Some(1))?;
        data.define_deflate(t, true, Some(1))?;
    }
    data.end_definition()?;
    data.write(steps, &Select::all(), &vec![0; 700])?;
    data.close()
}

/// Returns the number of records of a dataset, after a check of all values.
///
/// # Errors
/// Returns the errors of opening and reading.
///
/// # Panics
/// Panics if the values belong to no single state.
pub fn read(path: &Path) -> Result<u64> {
    let data = Dataset::open(path)?;
    let count = read_open(&data)?;
    // A second read has the same state, or it is an error.
    assert_eq!(read_open(&data)?, count, "the state stays");
    Ok(count)
}

fn read_open(data: &Dataset) -> Result<u64> {
    let times = data.read::<u64>(data.var_id(ROOT, "time")?, &Select::all())?;
    let count = times.len() as u64;
    assert!(times.into_iter().eq(0..count), "times of {count} records");
    let values = data.read::<u64>(data.var_id(ROOT, "t")?, &Select::all())?;
    let wanted = (0..count).flat_map(|n| n..n + WIDTH);
    assert!(values.into_iter().eq(wanted), "values of {count} records");
    let steps = data.read::<u64>(data.var_id(ROOT, "steps")?, &Select::all())?;
    assert!(steps.into_iter().eq((0..STEPS).map(|_| 0)), "steps");
    Ok(count)
}

/// The results of many reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// Reads of a whole state.
    pub whole: u64,
    /// Whole states with more records than the one before.
    pub states: u64,
    /// Reads that ended with [`ErrorKind::Changed`] or, while the dataset was opened, with [`ErrorKind::Busy`].
    pub changed: u64,
}

/// Reads a dataset again and again, until it has `count` records.
///
/// # Errors
/// Returns all errors of reading that are not about a change.
///
/// # Panics
/// Panics if the values belong to no single state, or if records vanish.
pub fn read_until(path: &Path, count: u64) -> Result<ReadCounts> {
    let (mut counts, mut last) = (ReadCounts::default(), 0);
    while last < count {
        match read(path) {
            Ok(found) => {
                assert!(found >= last, "{found} records after {last}");
                counts.states += u64::from(found > last);
                counts.whole += 1;
                last = found;
            }
            Err(e) if matches!(e.kind(), ErrorKind::Changed | ErrorKind::Busy) => {
                counts.changed += 1;
            }
            Err(e) => return Err(e),
        }
    }
    Ok(counts)
}
