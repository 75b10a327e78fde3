//! Opens HDF5 files.

use std::sync::Arc;

use super::cache_image::CacheImage;
use super::file::Hdf5File;
use super::file_bytes::FileBytes;
use super::object_header::ObjectHeader;
use super::superblock::Superblock;
use super::{driver, pages};
use crate::error::Result;
use crate::io::Source;
use crate::limits::Limits;

/// Upper bound for the length of superblock extensions written by this crate.
const LONGEST_EXTENSION: u64 = 64;

impl Hdf5File {
    /// Reads the superblock.
    ///
    /// # Errors
    /// Returns [`ErrorKind::UnknownFormat`](crate::ErrorKind::UnknownFormat) without a signature,
    /// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) if the file is shorter than the length in the superblock,
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt), and [`ErrorKind::Checksum`](crate::ErrorKind::Checksum).
    pub fn open(source: Arc<dyn Source>, limits: &Limits) -> Result<Self> {
        Self::noting(source, limits, false)
    }

    /// Like [`Hdf5File::open`], but records metadata ranges if `record` is set.
    ///
    /// # Errors
    /// Returns errors from [`Hdf5File::open`].
    pub fn noting(source: Arc<dyn Source>, limits: &Limits, record: bool) -> Result<Self> {
        let mut file = Self::new(FileBytes::new(source, limits, record)?);
        if let Err(e) = file.superblock().check_length(&**file.source()) {
            driver::check(&file)?;
            return Err(e);
        }
        if let Some(extension) = file.superblock().extension {
            read_front(&file, extension);
            let extension = ObjectHeader::read(&file, extension)?;
            file.pages = pages::of(&file, &extension);
            let pages = file.pages;
            file.blocks.by_pages(pages);
            file.image = CacheImage::of(&file, &extension)?;
        }
        Ok(file)
    }
}

/// Reads all headers ahead if requests have high latency and the superblock extension follows the headers at a short distance. This is the
/// layout that [`write`](super::write) uses for leading metadata.
fn read_front(file: &FileBytes, extension: u64) {
    let Superblock { base, root, .. } = *file.superblock();
    let end = base.checked_add(extension);
    let end = end.and_then(|end| end.checked_add(LONGEST_EXTENSION));
    if let Some(end) = end.filter(|_| file.latency() && root < extension) {
        file.blocks.prefetch_front(&**file.one_state(), base, end);
    }
}
