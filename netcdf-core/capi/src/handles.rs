//! The open datasets of the process, by id.
//!
//! As in netCDF-C, an id has the number of the dataset in its upper 16 bits and the number of a group in its lower 16 bits. The table is
//! locked only to look up a dataset. Calls on a dataset hold its lock for reading, so that they run in parallel. [`close`] and
//! [`replace`] wait for these calls.

use std::ffi::c_int;
use std::sync::{Arc, PoisonError, RwLock};

use netcdf_core::model::GroupId;

use crate::border::KeptImage;
use crate::dataset::{LoadedDataset, OpenArguments, OpenGroup};
use crate::error_number::ErrorNumber;

/// The largest number of a dataset; ids are positive.
const LAST: usize = 0x7fff;
/// Bits of the group in an id.
const GROUP_BITS: u32 = 16;

static TABLE: RwLock<Vec<Option<Arc<OpenDataset>>>> = RwLock::new(Vec::new());

/// An open dataset.
struct OpenDataset {
    arguments: OpenArguments,
    /// `None` after the dataset was closed.
    loaded: RwLock<Option<LoadedDataset>>,
}

/// Adds a dataset and returns its id.
pub(crate) fn insert(
    arguments: OpenArguments,
    loaded: LoadedDataset,
) -> Result<c_int, ErrorNumber> {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    if table.is_empty() {
        // No dataset has number 0.
        table.push(None);
    }
    let free = table.iter().skip(1).position(Option::is_none);
    let number = free.map_or(table.len(), |n| n.saturating_add(1));
    if number > LAST {
        return Err(ErrorNumber::ENFILE);
    }
    let open = Some(Arc::new(OpenDataset {
        arguments,
        loaded: RwLock::new(Some(loaded)),
    }));
    match table.get_mut(number) {
        Some(entry) => *entry = open,
        None => table.push(open),
    }
    id(number, GroupId::ROOT)
}

/// Returns the id of a group.
fn id(number: usize, group: GroupId) -> Result<c_int, ErrorNumber> {
    let group = u16::try_from(group.0).map_err(|_| ErrorNumber::EBADID)?;
    let number = c_int::try_from(number).map_err(|_| ErrorNumber::EBADID)?;
    Ok((number << GROUP_BITS) | c_int::from(group))
}

/// Returns the number of the dataset and the group of an id.
fn parts(ncid: c_int) -> Result<(usize, GroupId), ErrorNumber> {
    let number = usize::try_from(ncid >> GROUP_BITS).map_err(|_| ErrorNumber::EBADID)?;
    let group = u32::try_from(ncid & 0xffff).map_err(|_| ErrorNumber::EBADID)?;
    Ok((number, GroupId(group)))
}

fn open(number: usize) -> Result<Arc<OpenDataset>, ErrorNumber> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    table
        .get(number)
        .cloned()
        .flatten()
        .ok_or(ErrorNumber::EBADID)
}

/// Runs a function on the group of an id. Other threads may use the dataset meanwhile.
pub(crate) fn with<R>(
    ncid: c_int,
    body: impl FnOnce(&OpenGroup<'_>) -> Result<R, ErrorNumber>,
) -> Result<R, ErrorNumber> {
    let (number, group) = parts(ncid)?;
    let open = open(number)?;
    let loaded = open.loaded.read().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.as_ref().ok_or(ErrorNumber::EBADID)?;
    loaded.schema().group(group).ok_or(ErrorNumber::EBADID)?;
    let ids = |group| id(number, group);
    body(&OpenGroup {
        loaded,
        arguments: &open.arguments,
        id: group,
        ids: &ids,
    })
}

/// Closes a dataset after all calls on it. Returns the memory of a dataset in memory. The id of a group closes nothing.
pub(crate) fn close(ncid: c_int) -> Result<Option<KeptImage>, ErrorNumber> {
    let (number, group) = parts(ncid)?;
    if group != GroupId::ROOT {
        return with(ncid, |_| Err(ErrorNumber::EBADGRPID));
    }
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let entry = table.get_mut(number).and_then(Option::take);
    drop(table);
    let open = entry.ok_or(ErrorNumber::EBADID)?;
    let mut loaded = open.loaded.write().unwrap_or_else(PoisonError::into_inner);
    let LoadedDataset { data, image, .. } = loaded.take().ok_or(ErrorNumber::EBADID)?;
    data.close()?;
    Ok(image)
}

/// Replaces a dataset by its new state, after all calls on it. `state` returns `None` if nothing has changed.
pub(crate) fn replace(
    ncid: c_int,
    state: impl FnOnce(&OpenArguments, &LoadedDataset) -> Result<Option<LoadedDataset>, ErrorNumber>,
) -> Result<(), ErrorNumber> {
    let (number, _) = parts(ncid)?;
    let open = open(number)?;
    let mut loaded = open.loaded.write().unwrap_or_else(PoisonError::into_inner);
    let old = loaded.as_ref().ok_or(ErrorNumber::EBADID)?;
    if let Some(new) = state(&open.arguments, old)? {
        *loaded = Some(new);
    }
    Ok(())
}
