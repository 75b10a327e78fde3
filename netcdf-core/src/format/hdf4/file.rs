//! The data elements of a file, wherever their bytes are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::dd::{Descriptor, Descriptors, TagRef};
use super::scattered::{ElementPiece, PieceOrigin, Scattered};
use super::special::{ExternalElement, Linked, SpecialData, u16_be};
use super::tags;
use crate::arithmetic::{claimed, length};
use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::io::source::{present, read_range};
use crate::io::{Source, siblings};
use crate::limits::Limits;

/// The number of the file itself among the objects of a reader.
pub const FILE: u32 = 0;
/// The number of [`Scattered`] among the objects of a reader.
pub const SCATTERED: u32 = 1;
/// Bytes of the header of a special element that are read at once; only names of external files can be longer.
const HEADER: u64 = 1 << 16;

/// Where the bytes of an element are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementLocation {
    /// [`FILE`] or [`SCATTERED`].
    pub object: u32,
    /// The bytes there.
    pub range: Range<u64>,
}

/// An open file.
#[derive(Debug)]
pub struct Hdf4File {
    source: Arc<dyn Source>,
    descriptors: Descriptors,
    scattered: Arc<dyn Source>,
    pieces: Arc<Scattered>,
    known: Mutex<ElementCache>,
    limits: Limits,
    access: siblings::SiblingAccess,
}

/// What was found out about elements.
#[derive(Debug, Default)]
struct ElementCache {
    places: HashMap<TagRef, ElementLocation, foldhash::fast::RandomState>,
    /// Blocks of all elements.
    blocks: u64,
}

impl Hdf4File {
    /// Reads the descriptors.
    ///
    /// # Errors
    /// Those of [`Descriptors::read`].
    pub fn open(
        source: Arc<dyn Source>,
        limits: &Limits,
        access: &siblings::SiblingAccess,
    ) -> Result<Self> {
        let descriptors = Descriptors::read(&*source)?;
        let pieces = Arc::new(Scattered::new(Arc::clone(&source)));
        let scattered: Arc<dyn Source> = Arc::<Scattered>::clone(&pieces);
        Ok(Self {
            source,
            descriptors,
            scattered,
            pieces,
            known: Mutex::default(),
            limits: limits.clone(),
            access: access.clone(),
        })
    }

    /// The file's own bytes.
    #[must_use]
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// The limits on what is read.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The sources of places, by number.
    #[must_use]
    pub fn sources(&self) -> Vec<Arc<dyn Source>> {
        vec![Arc::clone(&self.source), Arc::clone(&self.scattered)]
    }

    /// The source with this number.
    #[must_use]
    pub fn object(&self, object: u32) -> Option<&Arc<dyn Source>> {
        match object {
            FILE => Some(&self.source),
            SCATTERED => Some(&self.scattered),
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
    /// [`ErrorKind::Corrupt`] if there is none.
    pub fn descriptor(&self, id: TagRef) -> Result<&Descriptor> {
        self.descriptors.find(id).ok_or_else(|| {
            let what = format!("{id} does not exist");
            Error::new(ErrorKind::Corrupt, what).of(self.source.name())
        })
    }

    /// The bytes of elements, read together.
    ///
    /// # Errors
    /// Those of reading. An element that is missing, damaged or compressed has an error of its own.
    pub fn read(&self, ids: &[TagRef]) -> Result<Vec<Result<Vec<u8>>>> {
        let places = ids.iter().map(|&id| self.whole(id)).collect::<Vec<_>>();
        let good = places.iter().filter_map(|p| p.as_ref().ok());
        let ranges = |object| {
            let of_object = good
                .clone()
                .filter(move |p: &&ElementLocation| p.object == object);
            of_object.map(|p| p.range.clone()).collect::<Vec<_>>()
        };
        self.check_sum(&[ranges(FILE), ranges(SCATTERED)].concat())?;
        let mut own = self.source.read_ranges(&ranges(FILE))?.into_iter();
        let mut scattered = self.scattered.read_ranges(&ranges(SCATTERED))?.into_iter();
        let bytes = |place: Result<ElementLocation>| {
            let next = match place?.object {
                FILE => own.next(),
                _ => scattered.next(),
            };
            next.ok_or_else(|| Error::internal("bytes that were not read"))
        };
        Ok(places.into_iter().map(bytes).collect())
    }

    /// Elements do not overlap, so that all of them have no more bytes than the file.
    fn check_sum(&self, ranges: &[Range<u64>]) -> Result<()> {
        let sum = ranges.iter().map(length).fold(0, u64::saturating_add);
        if sum <= self.source.len() {
            return Ok(());
        }
        let what = "elements overlap";
        Err(Error::new(ErrorKind::Corrupt, what).of(self.source.name()))
    }

    /// The place of an element that is in the file as a whole.
    fn whole(&self, id: TagRef) -> Result<ElementLocation> {
        let place = self.place(id)?;
        if place.object == FILE {
            present(&*self.source, &place.range)?;
        }
        Ok(place)
    }

    /// The headers of elements, read together; `None` for those that are not special.
    ///
    /// # Errors
    /// Those of reading. A damaged header is an error of its own.
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

    /// Where the bytes of an element are.
    ///
    /// # Errors
    /// Those of reading tables of blocks; [`ErrorKind::Unsupported`] for compressed data.
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
        let object = SCATTERED;
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

    /// The blocks of an element.
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
                let room = self.room(linked, reference, first)?.min(left);
                *blocks = blocks.saturating_add(1);
                if room == 0 || *blocks > self.source.len() {
                    return Err(self.corrupt("linked blocks without data"));
                }
                pieces.extend(self.pieces_of(reference, room)?);
                left = left.saturating_sub(room);
                if left == 0 {
                    break;
                }
            }
            table = next;
        }
        Ok(pieces)
    }

    /// A table of blocks: the next table, and the blocks, of which no more are read than `left` bytes of data need: many
    /// tables may have the same bytes.
    fn table(&self, linked: Linked, table: u16, left: u64) -> Result<(u16, Vec<u16>)> {
        let whole = self.plain(TagRef::new(tags::LINKED, table))?;
        // The first block has a length of its own.
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

    /// Bytes of data that a block stands for. The first block has the length of its element.
    fn room(&self, linked: Linked, reference: u16, first: bool) -> Result<u64> {
        if !first || reference == 0 {
            return Ok(linked.block);
        }
        let range = self.plain(TagRef::new(tags::LINKED, reference))?;
        Ok(length(&range))
    }

    /// The part of a block that was written, and the rest, which is zeros.
    fn pieces_of(&self, reference: u16, room: u64) -> Result<[ElementPiece; 2]> {
        let range = match reference {
            0 => 0..0,
            _ => self.plain(TagRef::new(tags::LINKED, reference))?,
        };
        let written = length(&range).min(room);
        let range = claimed(range.start, written);
        if reference != 0 {
            present(&*self.source, &range)?;
        }
        let piece = |len, from| ElementPiece { len, from };
        let rest = piece(room.saturating_sub(written), PieceOrigin::Zeros);
        Ok([piece(written, PieceOrigin::File(range.start)), rest])
    }

    /// The bytes of an element that must not be special.
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
