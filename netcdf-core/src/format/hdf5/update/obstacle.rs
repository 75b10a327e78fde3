//! Files and datasets that can only be written anew.

use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::driver;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::message;
use crate::format::hdf5::message::layout::{ChunkIndexKind, DataLayout};
use crate::format::hdf5::object_header::ObjectHeader;
use crate::io::source::read_range;

/// The offset of the consistency flags in superblocks from version 2 on.
const FLAGS: u64 = 11;

/// Checks that no program has marked the file as open for writing ("II. Disk Format: Level 0A", file consistency flags).
///
/// # Errors
/// Returns [`ErrorKind::Busy`] for a marked file, and read errors.
pub(crate) fn check_closed(file: &Hdf5File) -> Result<()> {
    let superblock = file.superblock();
    if superblock.version < 3 {
        return Ok(());
    }
    let at = superblock.base.saturating_add(FLAGS);
    match read_range(&**file.source(), &(at..at.saturating_add(1)))?.first() {
        Some(0) | None => Ok(()),
        Some(_) => {
            let what = "the file is marked as open for writing";
            let e = Error::new(ErrorKind::Busy, what).at(file.name(), at);
            Err(e.with_remedy("if no program writes it, clear the mark with h5clear -s"))
        }
    }
}

/// Returns the reason why a file can only be written anew, if there is one.
///
/// # Errors
/// Returns read errors.
pub(crate) fn obstacle(file: &Hdf5File) -> Result<Option<&'static str>> {
    let superblock = file.superblock();
    if (superblock.sizes.offset, superblock.sizes.length) != (8, 8) {
        return Ok(Some("addresses or lengths have fewer than 8 bytes"));
    }
    if superblock.driver.is_some() || driver::check(file).is_err() {
        return Ok(Some("the file has a driver information block"));
    }
    let Some(extension) = superblock.extension else {
        return Ok(None);
    };
    let extension = ObjectHeader::read(file, extension)?;
    let has = |kind| extension.find(kind).is_some();
    Ok(if has(message::CACHE_IMAGE) {
        Some("the file has a cache image")
    } else if has(message::SHARED_TABLE) {
        Some("objects of the file share messages")
    } else if has(message::DRIVER) {
        Some("the file has driver information")
    } else if has(message::FILE_SPACE_INFO) && keeps_space(file, &extension)? {
        Some("the file has pages or persistent free space")
    } else {
        None
    })
}

/// Returns whether free space is stored, or whether the file has pages.
fn keeps_space(file: &Hdf5File, extension: &ObjectHeader) -> Result<bool> {
    let Some(body) = extension.body_of(file, message::FILE_SPACE_INFO)? else {
        return Ok(false);
    };
    let mut c = body.fields(file);
    let (version, strategy, persists) = (c.u8()?, c.u8()?, c.u8()?);
    Ok(version != 1 || strategy == crate::format::hdf5::pages::PAGING || persists != 0)
}

/// Returns the reason why the chunks of a dataset can only be written anew, if there is one.
pub(crate) fn obstacle_of_dataset(dataset: &Hdf5Dataset) -> Option<&'static str> {
    if dataset.external.is_some() {
        return Some("the data is in external files");
    }
    match &dataset.layout {
        DataLayout::Chunked(chunked) if chunked.edges_unfiltered => {
            Some("partial chunks are stored without filters")
        }
        DataLayout::Chunked(chunked) => obstacle_of_index(chunked.index),
        DataLayout::Contiguous {
            address: Some(_), ..
        } => None,
        DataLayout::Contiguous { address: None, .. } => Some("no storage is allocated"),
        DataLayout::Compact(_) => Some("the data is in the object header"),
        DataLayout::Virtual { .. } => Some("the dataset is virtual"),
    }
}

/// Returns the reason why a chunk index can only be written anew, if there is one.
fn obstacle_of_index(index: ChunkIndexKind) -> Option<&'static str> {
    match index {
        ChunkIndexKind::BTree1 | ChunkIndexKind::ExtensibleArray => None,
        ChunkIndexKind::FixedArray | ChunkIndexKind::Single(_) => None,
        ChunkIndexKind::Implicit => Some("the chunk index is implicit"),
        ChunkIndexKind::BTree2 => Some("the chunk index is a version 2 B-tree"),
    }
}
