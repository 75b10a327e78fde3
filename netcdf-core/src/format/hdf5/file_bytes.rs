//! The bytes of an HDF5 file: checked metadata reads through a block cache.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::blocks::{BlockCache, PageRun};
use super::cache_image::CacheImage;
use super::extents::Extents;
use super::fields::{FieldSizes, Fields};
use super::one_state_source::OneStateSource;
use super::superblock::Superblock;
use crate::bytes::Cursor;
use crate::chunk::{FileMetadata, FilePages};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::patched::PatchedFile;
use crate::io::source::truncated;
use crate::limits::Limits;

/// The bytes of an open HDF5 file.
#[derive(Debug)]
pub struct FileBytes {
    source: Arc<dyn Source>,
    /// The same bytes, for reads that must belong to the state that was opened.
    one_state: Arc<OneStateSource>,
    superblock: Superblock,
    limits: Limits,
    pub(super) blocks: BlockCache,
    pub(super) image: Option<CacheImage>,
    /// Remaining byte limit for object headers and fractal heap objects.
    left: AtomicU64,
    /// Recorded byte ranges, if recording is enabled.
    recorded: Option<Mutex<RecordedRanges>>,
    /// The pages of a paged file.
    pub(super) pages: Option<PageRun>,
}

/// Byte ranges read from a file.
#[derive(Debug, Default)]
struct RecordedRanges {
    metadata: Extents,
    /// Global heap collections.
    heaps: Extents,
}

/// Limit on bytes of object headers and fractal heap objects read, as a multiple of the file length. They are normally read once, or
/// several times for objects with several names. Without a limit, repeated links and index entries to one large object could cost the
/// square of the file length.
const READ_OFTEN: u64 = 4;

/// Additional byte limit: objects may be compressed, and many objects may share types and messages.
const READ_MORE: u64 = 1 << 28;

/// Cost of an object in addition to its length.
const OBJECT: u64 = 32;

/// Bytes of a structure with their address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StructureBytes {
    /// The bytes.
    pub data: Vec<u8>,
    /// Address of the first byte, relative to the base address; `None` for decoded or assembled bytes.
    pub address: Option<u64>,
}

impl FileBytes {
    /// Reads the superblock. Records metadata ranges if `record` is set.
    ///
    /// # Errors
    /// Returns [`ErrorKind::UnknownFormat`] without a signature, [`ErrorKind::Corrupt`] and [`ErrorKind::Checksum`].
    pub(super) fn new(source: Arc<dyn Source>, limits: &Limits, record: bool) -> Result<Self> {
        let (superblock, bytes) = Superblock::read_with_bytes(&*source)?;
        let one_state = OneStateSource::new(Arc::clone(&source), superblock.base, bytes);
        let bytes = Self {
            source,
            one_state: Arc::new(one_state),
            superblock,
            limits: limits.clone(),
            blocks: BlockCache::default(),
            image: None,
            left: AtomicU64::new(0),
            recorded: record.then(Mutex::default),
            pages: None,
        };
        bytes.start();
        bytes.note(0, bytes.superblock.size());
        Ok(bytes)
    }

    /// Resets the byte limit for headers and heaps, for another traversal of the file.
    pub fn start(&self) {
        let len = self.source.len().saturating_mul(READ_OFTEN);
        self.left.store(len.saturating_add(READ_MORE), Relaxed);
    }

    /// Subtracts an object header or fractal heap object from the byte limit.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] if the total is too large for the file length.
    pub(super) fn take(&self, len: u64, address: u64) -> Result<()> {
        let cost = len.saturating_add(OBJECT);
        let left = |left: u64| left.checked_sub(cost);
        match self.left.fetch_update(Relaxed, Relaxed, left) {
            Ok(_) => Ok(()),
            Err(_) => {
                let what = "links and indexes lead to far more bytes than the file has";
                Err(self.error(ErrorKind::Limit, address, what))
            }
        }
    }

    /// Forgets the bytes in memory, after the source changed.
    pub(crate) fn forget(&self) {
        self.blocks.forget();
        self.start();
    }

    /// Takes over the changes of the source since its last commit.
    pub(crate) fn take_over(&self, changed: &PatchedFile) {
        changed.each_patch(|place, bytes| self.blocks.overwrite(place, bytes));
        self.blocks.forget_from(changed.committed_len());
        self.start();
    }

    /// The superblock.
    #[must_use]
    pub fn superblock(&self) -> &Superblock {
        &self.superblock
    }

    /// Allocation limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The bytes of the file. Add the base address to addresses.
    #[must_use]
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// The bytes of the file, for data that a later change may replace: a read fails with [`ErrorKind::Changed`] if the file has another
    /// state than at opening.
    #[must_use]
    pub(crate) fn one_state(&self) -> &Arc<OneStateSource> {
        &self.one_state
    }

    /// The file name for messages.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        self.source.name()
    }

    /// Sizes of addresses and lengths.
    #[must_use]
    pub fn sizes(&self) -> FieldSizes {
        self.superblock.sizes
    }

    /// Converts an address to a source offset.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] beyond 2^64.
    pub fn place(&self, address: u64) -> Result<u64> {
        let place = self.superblock.base.checked_add(address);
        place.ok_or_else(|| self.error(ErrorKind::Corrupt, address, "an address beyond 2^64"))
    }

    /// Creates an error about the structure at an address.
    #[must_use]
    pub fn error(
        &self,
        kind: ErrorKind,
        address: u64,
        what: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Error {
        let place = self.superblock.base.saturating_add(address);
        Error::new(kind, what).at(self.name(), place)
    }

    /// Reads `len` bytes of metadata at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`] beyond the end of the file, and [`ErrorKind::Limit`].
    pub fn read(&self, address: u64, len: u64) -> Result<StructureBytes> {
        let bytes = self.read_unrecorded(address, len)?;
        self.note(address, len);
        Ok(bytes)
    }

    /// Like [`Self::read`], but records the bytes as heap data.
    ///
    /// # Errors
    /// Returns errors from [`Self::read`].
    pub(super) fn read_heap(&self, address: u64, len: u64) -> Result<StructureBytes> {
        let bytes = self.read_unrecorded(address, len)?;
        if let Some((mut recorded, range)) = self.recorded().zip(self.range(address, len)) {
            recorded.heaps.add(range);
        }
        Ok(bytes)
    }

    fn read_unrecorded(&self, address: u64, len: u64) -> Result<StructureBytes> {
        let place = self.place(address)?;
        let have = self.source.len().saturating_sub(place);
        if len > have {
            return Err(self.missing(place, len, have));
        }
        let size = self.metadata(address, len, "a structure")?;
        let mut data = vec![0; size];
        self.blocks.read(&*self.one_state, place, &mut data)?;
        if let Some(image) = &self.image {
            image.cover(address, &mut data);
        }
        Ok(StructureBytes {
            data,
            address: Some(address),
        })
    }

    /// The error for missing bytes. If the file has the length in its superblock, the address is wrong. Otherwise the file is truncated.
    fn missing(&self, place: u64, len: u64, have: u64) -> Error {
        if have > 0 || self.superblock.check_length(&*self.source).is_err() {
            return truncated(self.name(), place, len, have);
        }
        let what = format!(
            "an address beyond the end of the file ({} bytes)",
            self.source.len()
        );
        Error::new(ErrorKind::Corrupt, what).at(self.name(), place)
    }

    /// Records metadata at an address.
    pub(super) fn note(&self, address: u64, len: u64) {
        if let Some((mut recorded, range)) = self.recorded().zip(self.range(address, len)) {
            recorded.metadata.add(range);
        }
    }

    fn recorded(&self) -> Option<MutexGuard<'_, RecordedRanges>> {
        let recorded = self.recorded.as_ref()?;
        Some(recorded.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Converts an address range to a source range.
    fn range(&self, address: u64, len: u64) -> Option<Range<u64>> {
        let start = self.superblock.base.checked_add(address)?;
        Some(start..start.checked_add(len)?)
    }

    /// Returns the recorded metadata ranges, if recording is enabled.
    #[must_use]
    pub fn places(&self) -> Option<FileMetadata> {
        let recorded = self.recorded()?;
        let (last, end) = recorded.metadata.limits();
        Some(FileMetadata {
            ranges: recorded.metadata.ranges(),
            last,
            end,
            heaps: recorded.metadata.bytes_beside(&recorded.heaps),
            pages: self.pages.map(|pages| FilePages {
                base: pages.base,
                size: pages.size,
            }),
            ..FileMetadata::default()
        })
    }

    /// Whether requests have high latency.
    #[must_use]
    pub fn latency(&self) -> bool {
        self.source.latency()
    }

    /// Reads metadata ranges ahead in one request. Read errors are ignored: the later read reports the error.
    pub fn prefetch(&self, ranges: &[Range<u64>]) {
        let base = self.superblock.base;
        let place = |r: &Range<u64>| Some(base.checked_add(r.start)?..base.checked_add(r.end)?);
        let places: Vec<_> = ranges.iter().filter_map(place).collect();
        self.blocks.prefetch(&*self.one_state, &places);
    }

    /// The size in memory of a structure at an address; see [`Limits::metadata`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] beyond the limit.
    pub fn metadata(&self, address: u64, len: u64, what: &str) -> Result<usize> {
        let place = self.superblock.base.saturating_add(address);
        let size = self.limits.metadata(len, what);
        size.map_err(|e| e.at(self.name(), place))
    }

    /// Like [`Self::read`], but returns fewer bytes at the end of the file. For structures that contain their own size; the caller records
    /// the range once the size is known.
    ///
    /// # Errors
    /// Returns errors from [`Self::read`], and [`ErrorKind::Truncated`] if not even one byte is left.
    pub fn read_up_to(&self, address: u64, len: u64) -> Result<StructureBytes> {
        let have = self.source.len().saturating_sub(self.place(address)?);
        self.read_unrecorded(address, len.min(have.max(1)))
    }

    /// The fields of a structure.
    #[must_use]
    pub fn fields<'a>(&'a self, bytes: &'a StructureBytes) -> Fields<'a> {
        self.fields_of(&bytes.data, bytes.address)
    }

    /// The fields of bytes at an optional address.
    #[must_use]
    #[inline]
    pub fn fields_of<'a>(&'a self, data: &'a [u8], address: Option<u64>) -> Fields<'a> {
        let base = address.map_or(0, |a| self.superblock.base.saturating_add(a));
        Fields {
            cursor: Cursor::new(data, self.name(), base),
            sizes: self.sizes(),
        }
    }

    /// The fields of bytes at a source offset.
    #[must_use]
    #[inline]
    pub fn fields_at<'a>(&'a self, data: &'a [u8], place: u64) -> Fields<'a> {
        Fields {
            cursor: Cursor::new(data, self.name(), place),
            sizes: self.sizes(),
        }
    }
}
