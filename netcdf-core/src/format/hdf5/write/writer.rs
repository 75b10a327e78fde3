//! An HDF5 file being written.

use std::ops::Range;
use std::sync::Arc;

use super::argument;
use super::chunk_tree::StoredChunk;
use super::dataset::{Contiguous, DataLocation, DatasetState};
use super::front::{Front, START};
use super::global_heap::HeapWriter;
use super::part::{MetadataPart, UNDEFINED};
use super::plan::{FilePlan, MadeDatasets, ObjectId};
use super::space::PagedSpace;
use super::tail::Tail;
use crate::arithmetic::{exact, length};
use crate::bytes::ByteSink;
use crate::bytes::sums::lookup3;
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::superblock::SIGNATURE;
use crate::io::{Source, Target};
use crate::model::FileSpace;

/// An HDF5 file being written. The file stays invisible until [`FileWriter::finish`].
#[derive(Debug)]
pub struct FileWriter {
    front: MetadataPart,
    root: u64,
    data: Vec<Option<DatasetState>>,
    extension: Option<u64>,
    space: FileSpace,
    /// Whether leading metadata is still growing, so that the page size is not yet known.
    begins: bool,
    /// Offset of the page size in the metadata.
    page_size_at: Option<usize>,
    tail: Tail,
    heap: HeapWriter,
    cancel: Cancel,
}

/// Source bytes.
pub struct SourceRange<'a> {
    /// The source.
    pub source: &'a Arc<dyn Source>,
    /// The byte range.
    pub range: Range<u64>,
}

/// Bytes in memory or in a source.
#[derive(Clone, Copy)]
enum ChunkInput<'a> {
    Here(&'a [u8]),
    There(&'a Arc<dyn Source>, &'a Range<u64>),
}

impl ChunkInput<'_> {
    fn len(self) -> u64 {
        match self {
            Self::Here(bytes) => bytes.len() as u64,
            Self::There(_, range) => length(range),
        }
    }

    /// Writes the bytes to reserved space.
    fn write(self, tail: &mut Tail, at: u64) -> Result<()> {
        match self {
            Self::Here(bytes) => tail.write(at, bytes),
            Self::There(source, range) => tail.copy(source, range.clone(), at),
        }
    }

    /// Appends the bytes to the file. Returns their offset.
    fn append(self, tail: &mut Tail) -> Result<u64> {
        match self {
            Self::Here(bytes) => tail.append(bytes),
            Self::There(source, range) => {
                let at = tail.reserve_copy(range)?;
                tail.copy(source, range.clone(), at)?;
                Ok(at)
            }
        }
    }
}

fn data_of(data: &mut [Option<DatasetState>], dataset: ObjectId) -> Result<&mut DatasetState> {
    let index = usize::try_from(dataset.0).ok();
    let data = index.and_then(|n| data.get_mut(n)?.as_mut());
    data.ok_or_else(|| argument(format!("object {} is not a dataset", dataset.0)))
}

impl FileWriter {
    /// Assigns an address to every object, without writing to the target.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for values beyond the format, [`ErrorKind::Argument`] for contradictory plans, and
    /// [`ErrorKind::Unsupported`] for types that are not written, with the object's path.
    pub fn create(target: Box<dyn Target>, plan: FilePlan, space: FileSpace) -> Result<Self> {
        let make = &|_| Err(Error::internal("no more datasets"));
        Self::with_datasets(target, (plan, MadeDatasets { count: 0, make }), space)
    }

    /// Like [`FileWriter::create`], with generated datasets after the objects of the plan.
    ///
    /// # Errors
    /// Returns the errors of [`FileWriter::create`] and of [`MadeDatasets::make`].
    pub fn with_datasets(
        target: Box<dyn Target>,
        (plan, more): (FilePlan, MadeDatasets<'_>),
        space: FileSpace,
    ) -> Result<Self> {
        let front = Front::new(&plan, more, space)?;
        drop(plan);
        let end = (exact(START) + front.part.len()).get()?;
        Ok(Self {
            front: front.part,
            root: front.root,
            data: front.data,
            extension: front.extension,
            space,
            begins: space != FileSpace::Mixed,
            page_size_at: front.page_size_at,
            tail: Tail::new(target, end).in_pages(PagedSpace::of(space)?),
            heap: HeapWriter::default(),
            cancel: Cancel::default(),
        })
    }

    /// Makes [`FileWriter::finish`] fail once `cancel` is set.
    #[must_use]
    pub fn unless(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Stores bytes of a contiguous or compact dataset from byte `at` on. Gaps get the fill value, unless the fill value has heap data: two
    /// elements must not share heap data, so the caller must write all elements.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] beyond the dataset, and target errors.
    pub fn put_bytes(&mut self, dataset: ObjectId, at: u64, bytes: &[u8]) -> Result<()> {
        self.put(dataset, at, ChunkInput::Here(bytes))
    }

    /// Like [`FileWriter::put_bytes`], for source bytes.
    ///
    /// # Errors
    /// Returns errors from [`FileWriter::put_bytes`] and from the source.
    pub fn move_bytes(
        &mut self,
        dataset: ObjectId,
        at: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()> {
        self.put(dataset, at, ChunkInput::There(source, &range))
    }

    fn put(&mut self, dataset: ObjectId, at: u64, bytes: ChunkInput) -> Result<()> {
        self.end_metadata()?;
        let data = data_of(&mut self.data, dataset)?;
        let end = at.checked_add(bytes.len());
        let fits = |size: u64| {
            end.filter(|&end| end <= size).ok_or_else(|| {
                let len = bytes.len();
                argument(format!("{len} bytes at {at} of a dataset of {size}"))
            })
        };
        match &mut data.stored {
            DataLocation::Compact(place) => {
                fits(place.len() as u64)?;
                let at = (exact(place.start) + at).index()?;
                match bytes {
                    ChunkInput::Here(bytes) => self.front.sink.patch(at, bytes),
                    ChunkInput::There(source, range) => {
                        let bytes = crate::io::source::read_range(&**source, range)?;
                        self.front.sink.patch(at, &bytes)
                    }
                }
            }
            DataLocation::Contiguous(data) => {
                let range = at..fits(data.size)?;
                data.put((&mut self.front, &mut self.tail), range, bytes)
            }
            DataLocation::Chunked { .. } => Err(argument("bytes written to a chunked dataset")),
        }
    }

    /// Reserves space for the chunk index of a dataset with at most `chunks` chunks. Before any data, the space is next to the other
    /// metadata. Has no effect on a dataset without chunks.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for an object that is not a dataset, [`ErrorKind::Limit`] for an index of 2^63 bytes or more, and
    /// errors of the target.
    pub fn expect_chunks(&mut self, dataset: ObjectId, chunks: u64) -> Result<()> {
        match &mut data_of(&mut self.data, dataset)?.stored {
            DataLocation::Chunked { tree, .. } => tree.expect(chunks, &mut self.tail),
            DataLocation::Compact(_) | DataLocation::Contiguous(_) => Ok(()),
        }
    }

    /// Ends the leading metadata, before data. From now on, the page size is fixed, and data uses separate heap collections. Further calls
    /// have no effect.
    ///
    /// # Errors
    /// Returns target errors.
    pub fn end_metadata(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.begins) {
            return Ok(());
        }
        self.end_heap()?;
        let end = self.tail.end();
        let pages = PagedSpace::of(self.space)?.map(|pages| pages.chosen(self.space, end));
        if let (Some(pages), Some(at)) = (pages, self.page_size_at) {
            self.front.sink.patch(at, &pages.size().to_le_bytes())?;
        }
        self.tail.end_metadata(pages)
    }

    /// Writes the last heap collection.
    fn end_heap(&mut self) -> Result<()> {
        match self.heap.finish()? {
            Some((at, full)) => self.tail.write(at, &full.finish()?),
            None => Ok(()),
        }
    }

    /// Whether a dataset has more chunks than announced to [`FileWriter::expect_chunks`], so that part of its index is stored among data.
    #[must_use]
    pub fn exceeds(&self, dataset: ObjectId) -> bool {
        let index = usize::try_from(dataset.0).ok();
        let data = index.and_then(|n| self.data.get(n)?.as_ref());
        match data.map(|data| &data.stored) {
            Some(DataLocation::Chunked { tree, .. }) => tree.exceeds(),
            Some(DataLocation::Compact(_) | DataLocation::Contiguous(_)) | None => false,
        }
    }

    /// Stores an encoded chunk. `place` is its grid position, counted in chunks. The chunks of a dataset must arrive in row-major order;
    /// datasets may alternate. Bit `n` of `mask` is set if filter `n` was skipped.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a chunk out of order or a dataset without chunks, [`ErrorKind::Limit`] for a chunk of 4 GiB or
    /// more, and target errors.
    pub fn put_chunk(
        &mut self,
        dataset: ObjectId,
        place: &[u64],
        mask: u32,
        bytes: &[u8],
    ) -> Result<()> {
        self.chunk(dataset, place, mask, ChunkInput::Here(bytes))
    }

    /// Like [`FileWriter::put_chunk`], for source bytes. Adjacent ranges are copied together.
    ///
    /// # Errors
    /// Returns errors from [`FileWriter::put_chunk`] and from the source.
    pub fn move_chunk(
        &mut self,
        dataset: ObjectId,
        place: &[u64],
        mask: u32,
        from: &SourceRange<'_>,
    ) -> Result<()> {
        let bytes = ChunkInput::There(from.source, &from.range);
        self.chunk(dataset, place, mask, bytes)
    }

    fn chunk(
        &mut self,
        dataset: ObjectId,
        place: &[u64],
        mask: u32,
        bytes: ChunkInput,
    ) -> Result<()> {
        self.end_metadata()?;
        let data = data_of(&mut self.data, dataset)?;
        let DataLocation::Chunked { filters, tree, .. } = &mut data.stored else {
            return Err(argument("a chunk written to a dataset without chunks"));
        };
        tree.check(place)?;
        let starts = place
            .iter()
            .zip(&tree.chunk)
            .map(|(n, len)| n.checked_mul(*len));
        let is_within = |(start, max): (Option<u64>, &Option<u64>)| {
            start.is_some_and(|start| max.is_none_or(|max| start < max))
        };
        if !starts.zip(&data.max).all(is_within) {
            return Err(argument(format!("chunk {place:?} is beyond the dataset")));
        }
        let (size, plain) = (bytes.len(), tree.bytes());
        let is_plain = mask & *filters == *filters;
        if size == 0 || is_plain && plain.is_some_and(|plain| plain != size) {
            let wanted = plain.map_or_else(String::new, |n| format!(", but its shape needs {n}"));
            return Err(argument(format!("a chunk of {size} bytes{wanted}")));
        }
        if size > u32::MAX.into() {
            let what = format!("a chunk of {size} bytes, HDF5 allows less than 4 GiB");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let address = bytes.append(&mut self.tail)?;
        let chunk = StoredChunk {
            address,
            size,
            mask,
        };
        tree.push(place, chunk, &mut self.tail)
    }

    /// Stores objects in the global heap. Returns 16-byte references: the number of elements given by the caller, the collection address,
    /// and the object index. Objects may contain references.
    ///
    /// # Errors
    /// Returns target errors.
    pub fn put_heap(&mut self, objects: &[(u32, &[u8])]) -> Result<Vec<u8>> {
        let mut references = ByteSink::default();
        for (count, bytes) in objects {
            let place = store(&mut self.heap, &mut self.tail, &MetadataPart::of(bytes))?;
            references.u32(*count);
            references.u64(place.collection);
            references.u32(place.index);
        }
        Ok(references.bytes)
    }

    /// Sets the current lengths of a dataset.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a wrong number of lengths, or a length beyond its maximum.
    pub fn set_extent(&mut self, dataset: ObjectId, lens: &[u64]) -> Result<()> {
        let data = data_of(&mut self.data, dataset)?;
        let fits = |(&n, max): (&u64, &Option<u64>)| max.is_none_or(|max| n <= max);
        if lens.len() != data.max.len() || !lens.iter().zip(&data.max).all(fits) {
            let what = format!("lengths {lens:?}, at most {:?}", data.max);
            return Err(argument(what));
        }
        match data.stored {
            DataLocation::Compact(_) | DataLocation::Contiguous(_) if *lens != data.lens => {
                return Err(argument("a new length for data that is not in chunks"));
            }
            DataLocation::Compact(_)
            | DataLocation::Contiguous(_)
            | DataLocation::Chunked { .. } => {}
        }
        let stored: Vec<u8> = lens.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.front.sink.patch(data.lens_at, &stored)?;
        data.lens = lens.to_vec();
        Ok(())
    }

    /// Writes the metadata and makes the file visible.
    ///
    /// # Errors
    /// Returns target errors.
    pub fn finish(mut self) -> Result<()> {
        self.end_metadata()?;
        for data in self.data.iter_mut().flatten() {
            self.cancel.check()?;
            match &mut data.stored {
                DataLocation::Compact(_) => {}
                DataLocation::Contiguous(data) => {
                    data.fill_up((&self.front, &mut self.tail), data.size)?;
                }
                DataLocation::Chunked {
                    address_at, tree, ..
                } => {
                    let root = tree.finish(&mut self.tail)?;
                    self.front.sink.patch(*address_at, &root.to_le_bytes())?;
                }
            }
        }
        self.end_heap()?;
        self.tail.next_page()?;
        let superblock = superblock(self.tail.end(), (self.extension, self.root));
        let front = self.front.finish_unless(&self.cancel)?;
        self.tail.finish((START, &front), &superblock)
    }
}

impl Contiguous {
    /// Writes a byte range and fills the gap before it.
    fn put(
        &mut self,
        (front, tail): (&mut MetadataPart, &mut Tail),
        range: Range<u64>,
        bytes: ChunkInput,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let address = match self.address {
            Some(address) => address,
            None => {
                let at = tail.reserve_aligned(self.size)?;
                front.sink.patch(self.address_at, &at.to_le_bytes())?;
                *self.address.insert(at)
            }
        };
        self.fill_up((front, tail), range.start)?;
        self.done = range.end.max(self.done);
        bytes.write(tail, address + range.start)
    }

    /// Fills up to byte `end`, if the dataset has data.
    fn fill_up(&mut self, (front, tail): (&MetadataPart, &mut Tail), end: u64) -> Result<()> {
        let Some(address) = self.address else {
            return Ok(());
        };
        let start = self.done.next_multiple_of(self.element.max(1));
        let value = self.fill.clone();
        let value = value.and_then(|range| front.sink.bytes.get(range));
        if let Some(value) = value.filter(|_| start < end) {
            tail.repeat(address + start..address + end, value)?;
        }
        self.done = end.max(self.done);
        Ok(())
    }
}

/// Stores an object in the data heap.
fn store(
    heap: &mut HeapWriter,
    tail: &mut Tail,
    object: &MetadataPart,
) -> Result<super::global_heap::HeapLocation> {
    let mut full = vec![];
    let mut allocate = |size| tail.reserve(size);
    let place = heap.put(object, &mut allocate, &mut |collection| {
        full.push(collection);
        Ok(())
    })?;
    for (at, part) in full {
        tail.write(at, &part.finish()?)?;
    }
    Ok(place)
}

/// The superblock, version 2.
fn superblock(end: u64, (extension, root): (Option<u64>, u64)) -> Vec<u8> {
    let mut out = ByteSink::default();
    out.put(&SIGNATURE);
    out.put(&[2, 8, 8, 0]);
    for address in [0, extension.unwrap_or(UNDEFINED), end, root] {
        out.u64(address);
    }
    out.u32(lookup3(&out.bytes));
    out.bytes
}
