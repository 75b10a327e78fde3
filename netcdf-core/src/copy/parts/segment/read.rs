//! Reads a segment.

use std::ops::Range;
use std::sync::Arc;

use super::{END, ENTRY, HEAD, MAGIC, SegmentContent, SegmentPiece, SegmentPieceKind};
use crate::arithmetic::{exact, length, span};
use crate::bytes::Cursor;
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::source::read_range;
use crate::model::VarId;
use crate::sum::Digest;

/// Bytes read at a time for the digest.
const BUFFER: u64 = 4 << 20;

/// The byte range of the fragments per variable.
type PieceTable = Vec<(VarId, Range<u64>)>;

/// The segment of a part.
#[derive(Debug)]
pub struct Segment {
    source: Arc<dyn Source>,
    /// The byte range of the fragments per variable.
    table: PieceTable,
    written: SegmentContent,
}

impl Segment {
    /// Reads the table of a segment.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] or [`ErrorKind::Truncated`] for files that are no segments, and I/O errors of the source.
    pub fn open(source: Arc<dyn Source>) -> Result<Self> {
        let opened = opened(&*source);
        let (table, written) = opened.map_err(|e| e.of(source.name()))?;
        Ok(Self {
            source,
            table,
            written,
        })
    }

    /// Returns the length and digest of the segment.
    #[must_use]
    pub fn written(&self) -> SegmentContent {
        self.written
    }

    /// Checks the bytes against the digest.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for different bytes, and I/O errors of the source.
    pub fn verify(&self, cancel: &Cancel) -> Result<()> {
        let mut hasher = blake3::Hasher::new();
        let end = self.written.bytes - length(&(0..32));
        let mut at = 0;
        while at < end {
            cancel.check()?;
            let next = (exact(at) + BUFFER).get()?.min(end);
            hasher.update(&read_range(&*self.source, &(at..next))?);
            at = next;
        }
        match Digest::of(&hasher) == self.written.digest {
            true => Ok(()),
            false => Err(
                wrong("the bytes differ from the digest that the part recorded")
                    .with_remedy(format!(
                        "run the part again: remove this file, then nccopy --part {} FOLDER",
                        self.source.name().rsplit('/').next().unwrap_or("K")
                    ))
                    .of(self.source.name()),
            ),
        }
    }

    /// Returns the source of the fragments' bytes.
    #[must_use]
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Returns the fragments of a variable and their byte ranges in the source, in the order of the writes.
    pub fn pieces(
        &self,
        var: VarId,
    ) -> impl Iterator<Item = Result<(SegmentPiece, Range<u64>)>> + '_ {
        let ranges = self.table.iter().filter(move |(of, _)| *of == var);
        ranges.flat_map(move |(_, range)| self.within(range.clone()))
    }

    fn within(
        &self,
        range: Range<u64>,
    ) -> impl Iterator<Item = Result<(SegmentPiece, Range<u64>)>> + '_ {
        let mut at = range.start;
        std::iter::from_fn(move || {
            if at >= range.end {
                return None;
            }
            let found = piece(&*self.source, &(at..range.end));
            // After an error, the iteration ends.
            at = found.as_ref().map_or(range.end, |(_, bytes)| bytes.end);
            Some(found.map_err(|e| e.of(self.source.name())))
        })
    }
}

/// Reads the fragment at the start of a range. Returns its byte range.
fn piece(source: &dyn Source, within: &Range<u64>) -> Result<(SegmentPiece, Range<u64>)> {
    let head = span(within.start, HEAD)?;
    if head.end > within.end {
        return Err(wrong("a piece that does not fit").at(source.name(), within.start));
    }
    let bytes = read_range(source, &head)?;
    let mut cursor = Cursor::new(&bytes, source.name(), head.start);
    let (var, kind) = (VarId(cursor.u32_le()?), cursor.u32_le()?);
    let (place, mask) = (cursor.u64_le()?, cursor.u32_le()?);
    let zeros = u64::from(cursor.u32_le()?);
    let range = span((exact(head.end) + zeros).get()?, cursor.u64_le()?)?;
    let chunk = |moved| SegmentPieceKind::Chunk {
        index: place,
        mask,
        moved,
    };
    let kind = match kind {
        0 => SegmentPieceKind::Run { element: place },
        1 => chunk(false),
        2 => chunk(true),
        _ => return Err(wrong("a piece of no kind").at(source.name(), within.start)),
    };
    match range.end <= within.end {
        true => Ok((SegmentPiece { var, kind }, range)),
        false => Err(wrong("a piece that does not fit").at(source.name(), within.start)),
    }
}

/// Reads the table of fragments, and the length and digest of the segment.
fn opened(source: &dyn Source) -> Result<(PieceTable, SegmentContent)> {
    let len = source.len();
    let Some(end) = len
        .checked_sub(END)
        .filter(|end| *end >= MAGIC.len() as u64)
    else {
        return Err(wrong("not a segment, or only the beginning of one"));
    };
    if read_range(source, &(0..MAGIC.len() as u64))? != MAGIC {
        return Err(wrong("not a segment"));
    }
    let bytes = read_range(source, &(end..len))?;
    let mut cursor = Cursor::new(&bytes, source.name(), end);
    let table = span(cursor.u64_le()?, cursor.u64_le()?)?;
    let digest = Digest::from_bytes(cursor.array()?);
    if table.end != end {
        return Err(wrong("a segment that does not end as it should").at(source.name(), end));
    }
    let entries = read_range(source, &table)?;
    let mut cursor = Cursor::new(&entries, source.name(), table.start);
    let mut all = vec![];
    for _ in 0..length(&table) / ENTRY {
        let var = VarId(cursor.u32_le()?);
        cursor.skip(4)?;
        let range = cursor.u64_le()?..cursor.u64_le()?;
        if range.start > range.end || range.end > table.start {
            return Err(
                wrong("fragments outside of the segment's data").at(source.name(), table.start)
            );
        }
        all.push((var, range));
    }
    Ok((all, SegmentContent { bytes: len, digest }))
}

fn wrong(what: &'static str) -> Error {
    Error::new(ErrorKind::Corrupt, what)
}
