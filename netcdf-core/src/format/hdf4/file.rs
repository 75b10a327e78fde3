//! Element access, for contiguous and scattered bytes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::dd::{Descriptor, Descriptors, TagRef};
use super::piece_source::{ElementPiece, PieceOrigin, PieceSource};
use super::special::{ExternalElement, Linked, SpecialData, u16_be};
use super::tags;
use crate::arithmetic::{claimed, length};
use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::io::source::{present, read_range};
use crate::io::{Source, siblings};
use crate::limits::Limits;

/// The object number of the file itself.
pub const FILE: u32 = 0;
/// The object number of `PieceSource`.
pub const PIECES: u32 = 1;
/// Maximum header size of a special element. Only names of external files could be longer.
const HEADER: u64 = 1 << 16;

/// The location of an element's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementLocation {
    /// [`FILE`] or [`PIECES`].
    pub object: u32,
    /// The byte range in this object.
    pub range: Range<u64>,
}

/// An open file.
#[derive(Debug)]
pub struct Hdf4File {
    source: Arc<dyn Source>,
    descriptors: Descriptors,
    piece_bytes: Arc<dyn Source>,
    pieces: Arc<PieceSource>,
    known: Mutex<ElementCache>,
    limits: Limits,
    access: siblings::SiblingAccess,
}

/// Cached element locations.
#[derive(Debug, Default)]
struct ElementCache {
    places: HashMap<TagRef, ElementLocation, foldhash::fast::RandomState>,
    /// Total number of linked blocks.
    blocks: u64,
}

impl Hdf4File {
    /// Reads the descriptors.
    ///
    /// # Errors
    /// Returns errors from [`Descriptors::read`].
    pub fn open(
        source: Arc<dyn Source>,
        limits: &Limits,
        access: &siblings::SiblingAccess,
    ) -> Result<Self> {
        let descriptors = Descriptors::read(&*source)?;
        let pieces = Arc::new(PieceSource::new(Arc::clone(&source)));
        let piece_bytes: Arc<dyn Source> = Arc::<PieceSource>::clone(&pieces);
        Ok(Self {
            source,
            descriptors,
            piece_bytes,
            pieces,
            known: Mutex::default(),
            limits: limits.clone(),
            access: access.clone(),
        })
    }

    /// The bytes of the file itself.
    #[must_use]
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// The read limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The sources of element locations, by object number.
    #[must_use]
    pub fn sources(&self) -> Vec<Arc<dyn Source>> {
        vec![Arc::clone(&self.source), Arc::clone(&self.piece_bytes)]
    }

    /// Returns the source with this object number.
    #[must_use]
    pub fn object(&self, object: u32) -> Option<&Arc<dyn Source>> {
        match object {
            FILE => Some(&self.source),
            PIECES => Some(&self.piece_bytes),
            _ => None,
        }
    }

    /// The descriptors.
    #[must_use]
    pub fn descriptors(&self) -> &Descriptors {
        &self.descriptors
    }

    /// The descriptor of an element.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for a missing descriptor.
    pub fn descriptor(&self, id: TagRef) -> Result<&Descriptor> {
        self.descriptors.find(id).ok_or_else(|| {
            let what = format!("{id} does not exist");
            Error::new(ErrorKind::Corrupt, what).of(self.source.name())
        })
    }

    /// Reads the bytes of elements in one step.
    ///
    /// # Errors
    /// Returns read errors. The result of a missing, damaged or compressed element is its own error.
    pub fn read(&self, ids: &[TagRef]) -> Result<Vec<Result<Vec<u8>>>> {
        let places = ids.iter().map(|&id| self.whole(id)).collect::<Vec<_>>();
        let good = places.iter().filter_map(|p| p.as_ref().ok());
        let ranges = |object| {
            let of_object = good
                .clone()
                .filter(move |p: &&ElementLocation| p.object == object);
            of_object.map(|p| p.range.clone()).collect::<Vec<_>>()
        };
        self.check_sum(&[ranges(FILE), ranges(PIECES)].concat())?;
        let mut own = self.source.read_ranges(&ranges(FILE))?.into_iter();
        let mut piece_bytes = self.piece_bytes.read_ranges(&ranges(PIECES))?.into_iter();
        let bytes = |place: Result<ElementLocation>| {
            let next = match place?.object {
                FILE => own.next(),
                _ => piece_bytes.next(),
            };
            next.ok_or_else(|| Error::internal("bytes that were not read"))
        };
        Ok(places.into_iter().map(bytes).collect())
    }

    /// Checks the total size. Elements do not overlap, so their sum cannot exceed the file.
    fn check_sum(&self, ranges: &[Range<u64>]) -> Result<()> {
        let sum = ranges.iter().map(length).fold(0, u64::saturating_add);
        if sum <= self.source.len() {
            return Ok(());
        }
        let what = "elements overlap";
        Err(Error::new(ErrorKind::Corrupt, what).of(self.source.name()))
    }

    /// The location of an element stored contiguously in the file.
    fn whole(&self, id: TagRef) -> Result<ElementLocation> {
        let place = self.place(id)?;
        if place.object == FILE {
            present(&*self.source, &place.range)?;
        }
        Ok(place)
    }

    /// Reads the headers of elements in one step. Elements that are not special have `None`.
    ///
    /// # Errors
    /// Returns read errors. The result of a damaged header is its own error.
    pub fn specials(&self, ids: &[TagRef]) -> Result<Vec<Result<Option<SpecialData>>>> {
        let range = |&id: &TagRef| {
            let special = self.descriptor(id)?.special;
            special.then(|| self.header_range(id)).transpose()
        };
        let ranges: Vec<Result<Option<Range<u64>>>> = ids.iter().map(range).collect();
        let read: Vec<_> = ranges.iter().flatten().flatten().cloned().collect();
        self.check_sum(&read)?;
        let mut headers = self.source.read_ranges(&read)?.into_iter();
        let special = |range: Result<Option<Range<u64>>>| {
            let Some(range) = range? else {
                return Ok(None);
            };
            let header = headers.next().unwrap_or_default();
            let mut cursor = Cursor::new(&header, self.source.name(), range.start);
            SpecialData::parse(&mut cursor, &self.limits).map(Some)
        };
        Ok(ranges.into_iter().map(special).collect())
    }

    fn header_range(&self, id: TagRef) -> Result<Range<u64>> {
        let range = self.descriptor(id)?.range.clone();
        let range = range.start..range.end.min(range.start.saturating_add(HEADER));
        present(&*self.source, &range)?;
        Ok(range)
    }

    /// Returns the location of an element's bytes.
    ///
    /// # Errors
    /// Returns errors from reading block tables, and [`ErrorKind::Unsupported`] for compressed data.
    pub fn place(&self, id: TagRef) -> Result<ElementLocation> {
        let descriptor = self.descriptor(id)?;
        if !descriptor.special {
            let range = descriptor.range.clone();
            return Ok(ElementLocation {
                object: FILE,
                range,
            });
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = known.places.get(&id) {
            return Ok(place.clone());
        }
        let header = self.header_range(id)?;
        let bytes = read_range(&*self.source, &header)?;
        let mut cursor = Cursor::new(&bytes, self.source.name(), header.start);
        let pieces = match SpecialData::parse(&mut cursor, &self.limits)? {
            SpecialData::Linked(linked) => self.blocks(linked, &mut known.blocks)?,
            SpecialData::External(external) => vec![self.external(&external)?],
            SpecialData::Compressed(_) | SpecialData::Chunked(_) => {
                let what = format!("{id} is compressed, where plain data is expected");
                return Err(Error::new(ErrorKind::Unsupported, what).of(self.source.name()));
            }
        };
        let range = self.pieces.add(pieces)?;
        let object = PIECES;
        let place = ElementLocation { object, range };
        known.places.insert(id, place.clone());
        Ok(place)
    }

    fn external(&self, external: &ExternalElement) -> Result<ElementPiece> {
        let source = siblings::open(&*self.source, &external.name, &self.access)?;
        let from = PieceOrigin::Other(source, external.offset);
        let len = external.len;
        Ok(ElementPiece { len, from })
    }

    /// The linked blocks of an element.
    fn blocks(&self, linked: Linked, blocks: &mut u64) -> Result<Vec<ElementPiece>> {
        let mut pieces: Vec<ElementPiece> = vec![];
        let mut seen: HashSet<u16, foldhash::fast::RandomState> = HashSet::default();
        let (mut left, mut table) = (linked.len, linked.table);
        while left > 0 {
            if table == 0 || !seen.insert(table) {
                return Err(self.corrupt("linked blocks end before their data"));
            }
            let (next, references) = self.table(linked, table, left)?;
            for reference in references {
                let first = pieces.is_empty();
                let capacity = self.capacity(linked, reference, first)?.min(left);
                *blocks = blocks.saturating_add(1);
                if capacity == 0 || *blocks > self.source.len() {
                    return Err(self.corrupt("linked blocks without data"));
                }
                pieces.extend(self.pieces_of(reference, capacity)?);
                left = left.saturating_sub(capacity);
                if left == 0 {
                    break;
                }
            }
            table = next;
        }
        Ok(pieces)
    }

    /// Reads a block table. Returns the next table and the blocks. `left` bytes of data limit the number of blocks: many tables may share
    /// the same bytes.
    fn table(&self, linked: Linked, table: u16, left: u64) -> Result<(u16, Vec<u16>)> {
        let whole = self.plain(TagRef::new(tags::LINKED, table))?;
        // The first block has a separate length.
        let needed = left.div_ceil(linked.block.max(1)).saturating_add(1);
        let most = linked.blocks.min(needed).saturating_mul(2);
        let range = claimed(whole.start, length(&whole).min(most.saturating_add(2)));
        let bytes = read_range(&*self.source, &range)?;
        let mut cursor = Cursor::new(&bytes, self.source.name(), range.start);
        let next = u16_be(&mut cursor)?;
        let count = cursor.remaining() as u64 / 2;
        let references = (0..count).map(|_| u16_be(&mut cursor));
        Ok((next, references.collect::<Result<_>>()?))
    }

    /// Capacity of a block in bytes. The first block is as long as the element with its data.
    fn capacity(&self, linked: Linked, reference: u16, first: bool) -> Result<u64> {
        if !first || reference == 0 {
            return Ok(linked.block);
        }
        let range = self.plain(TagRef::new(tags::LINKED, reference))?;
        Ok(length(&range))
    }

    /// The written part of a block, and zeros for the unwritten part.
    fn pieces_of(&self, reference: u16, capacity: u64) -> Result<[ElementPiece; 2]> {
        let range = match reference {
            0 => 0..0,
            _ => self.plain(TagRef::new(tags::LINKED, reference))?,
        };
        let written = length(&range).min(capacity);
        let range = claimed(range.start, written);
        if reference != 0 {
            present(&*self.source, &range)?;
        }
        let piece = |len, from| ElementPiece { len, from };
        let rest = piece(capacity.saturating_sub(written), PieceOrigin::Zeros);
        Ok([piece(written, PieceOrigin::File(range.start)), rest])
    }

    /// The byte range of an element that must not be special.
    fn plain(&self, id: TagRef) -> Result<Range<u64>> {
        let descriptor = self.descriptor(id)?;
        match descriptor.special {
            false => Ok(descriptor.range.clone()),
            true => Err(self.corrupt("a linked block is a special element")),
        }
    }

    fn corrupt(&self, what: &'static str) -> Error {
        Error::new(ErrorKind::Corrupt, what).of(self.source.name())
    }
}
