//! Data that is not contiguous in the file: linked blocks, or external files.

use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use crate::arithmetic::{exact, indices, length};
use crate::error::{Error, Result};
use crate::io::Source;
use crate::io::reference::SourceState;
use crate::io::source::{present, truncated};
use crate::limits::zeros;

/// A source of all data stored in pieces. Each element has its own range, where its pieces are consecutive.
#[derive(Debug)]
pub(crate) struct PieceSource {
    file: Arc<dyn Source>,
    pieces: RwLock<ElementPieces>,
}

#[derive(Debug, Default)]
struct ElementPieces {
    list: Vec<PlacedPiece>,
    end: u64,
}

/// A piece and its offset in the source.
#[derive(Debug, Clone)]
struct PlacedPiece {
    start: u64,
    piece: ElementPiece,
}

/// A piece of an element.
#[derive(Debug, Clone)]
pub(crate) struct ElementPiece {
    /// Length in bytes.
    pub len: u64,
    /// The origin of the bytes.
    pub from: PieceOrigin,
}

/// The location of a piece.
#[derive(Debug, Clone)]
pub(crate) enum PieceOrigin {
    /// An offset in the file itself.
    File(u64),
    /// An offset in another file.
    Other(Arc<dyn Source>, u64),
    /// Unwritten bytes, which read as zeros.
    Zeros,
}

/// The source and destination of a partial read.
struct ReadPart {
    from: PieceOrigin,
    to: Range<usize>,
}

impl PieceSource {
    /// A source without elements.
    #[must_use]
    pub(crate) fn new(file: Arc<dyn Source>) -> Self {
        let pieces = RwLock::default();
        Self { file, pieces }
    }

    /// Adds an element. Returns its range in this source.
    ///
    /// # Errors
    /// Returns errors from [`crate::arithmetic::Exact::get`].
    pub(crate) fn add(&self, pieces: impl IntoIterator<Item = ElementPiece>) -> Result<Range<u64>> {
        let mut all = self.pieces.write().unwrap_or_else(PoisonError::into_inner);
        let start = all.end;
        for piece in pieces.into_iter().filter(|p| p.len > 0) {
            let end = (exact(all.end) + piece.len).get()?;
            let start = std::mem::replace(&mut all.end, end);
            all.list.push(PlacedPiece { start, piece });
        }
        Ok(start..all.end)
    }

    /// Splits a range into piecewise reads.
    fn parts(&self, range: &Range<u64>) -> Result<Vec<ReadPart>> {
        let all = self.pieces.read().unwrap_or_else(PoisonError::into_inner);
        if range.end > all.end {
            let have = all.end.saturating_sub(range.start);
            return Err(truncated(
                self.file.name(),
                range.start,
                length(range),
                have,
            ));
        }
        let first = all.list.partition_point(|p| p.start <= range.start);
        let touched = all.list.iter().skip(first.saturating_sub(1));
        let touched = touched.take_while(|p| p.start < range.end);
        touched.map(|placed| placed.part(range)).collect()
    }

    /// Reads all ranges of the file itself in one step.
    fn fill(&self, reads: &mut [(Vec<ReadPart>, Vec<u8>)]) -> Result<()> {
        let own = |part: &ReadPart| match part.from {
            PieceOrigin::File(at) => Some(at..at.saturating_add(part.to.len() as u64)),
            PieceOrigin::Other(..) | PieceOrigin::Zeros => None,
        };
        let ranges = reads
            .iter()
            .flat_map(|(parts, _)| parts.iter().filter_map(own));
        let mut bytes = self
            .file
            .read_ranges(&ranges.collect::<Vec<_>>())?
            .into_iter();
        for (parts, buffer) in reads {
            for part in parts.iter() {
                let missing = || Error::internal("a piece outside the requested range");
                let to = buffer.get_mut(part.to.clone()).ok_or_else(missing)?;
                match &part.from {
                    PieceOrigin::File(_) => match bytes.next().filter(|b| b.len() == to.len()) {
                        Some(bytes) => to.copy_from_slice(&bytes),
                        None => return Err(missing()),
                    },
                    PieceOrigin::Other(source, at) => source.read_at(*at, to)?,
                    PieceOrigin::Zeros => to.fill(0),
                }
            }
        }
        Ok(())
    }
}

impl PlacedPiece {
    /// The overlap of this piece and a range.
    fn part(&self, range: &Range<u64>) -> Result<ReadPart> {
        let start = self.start.max(range.start);
        let end = range.end.min((exact(self.start) + self.piece.len).get()?);
        let skipped = start.saturating_sub(self.start);
        let from = match &self.piece.from {
            PieceOrigin::File(at) => PieceOrigin::File(at.saturating_add(skipped)),
            PieceOrigin::Other(source, at) => {
                PieceOrigin::Other(Arc::clone(source), at.saturating_add(skipped))
            }
            PieceOrigin::Zeros => PieceOrigin::Zeros,
        };
        let to = indices(exact(start) - range.start, exact(end) - start)?;
        Ok(ReadPart { from, to })
    }
}

impl Source for PieceSource {
    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        let parts = self.parts(range).ok()?;
        let [part] = parts.as_slice() else {
            return None;
        };
        match part.from {
            PieceOrigin::File(at) => {
                let end = at.checked_add(length(range))?;
                self.file.location(&(at..end))
            }
            PieceOrigin::Other(..) | PieceOrigin::Zeros => None,
        }
    }

    fn file_state(&self) -> SourceState {
        self.file.file_state()
    }

    fn name(&self) -> &Arc<str> {
        self.file.name()
    }

    fn len(&self) -> u64 {
        let all = self.pieces.read().unwrap_or_else(PoisonError::into_inner);
        all.end
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let range = offset..offset.saturating_add(buf.len() as u64);
        for part in self.parts(&range)? {
            let to = buf.get_mut(part.to);
            let to = to.ok_or_else(|| Error::internal("a piece outside the requested range"))?;
            match part.from {
                PieceOrigin::File(at) => self.file.read_at(at, to)?,
                PieceOrigin::Other(source, at) => source.read_at(at, to)?,
                PieceOrigin::Zeros => to.fill(0),
            }
        }
        Ok(())
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        let read = |range: &Range<u64>| {
            let size = present(self, range)?;
            Ok((self.parts(range)?, zeros(size, "a read")?))
        };
        let mut reads = ranges.iter().map(read).collect::<Result<Vec<_>>>()?;
        self.fill(&mut reads)?;
        Ok(reads.into_iter().map(|(_, bytes)| bytes).collect())
    }

    fn has_changed(&self) -> bool {
        let all = self.pieces.read().unwrap_or_else(PoisonError::into_inner);
        let mut external = all.list.iter().filter_map(|p| match &p.piece.from {
            PieceOrigin::Other(source, _) => Some(source),
            PieceOrigin::File(_) | PieceOrigin::Zeros => None,
        });
        external.any(|source| source.has_changed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;

    #[test]
    fn pieces_read_as_one_run() {
        let memory =
            |bytes: &[u8]| -> Arc<dyn Source> { Arc::new(MemorySource::new("m", bytes.to_vec())) };
        let source = PieceSource::new(memory(b"abcdefgh"));
        let piece = |len, from| ElementPiece { len, from };
        let first = source.add([piece(1, PieceOrigin::File(7))]).unwrap();
        let other = PieceOrigin::Other(memory(b"XYZ"), 1);
        let pieces = [
            piece(3, PieceOrigin::File(4)),
            piece(0, PieceOrigin::File(9)),
            piece(2, PieceOrigin::Zeros),
            piece(2, other),
            piece(1, PieceOrigin::File(0)),
        ];
        let second = source.add(pieces).unwrap();
        assert_eq!((first.clone(), second.clone()), (0..1, 1..9));
        let whole = b"hefg\0\0YZa";
        for start in 0..9 {
            for end in start..=9 {
                let mut buf = vec![9; end - start];
                source.read_at(start as u64, &mut buf).unwrap();
                assert_eq!(buf, whole[start..end]);
                let ranges = [start as u64..end as u64, second.clone()];
                let read = source.read_ranges(&ranges).unwrap();
                assert_eq!(read, [&whole[start..end], &whole[1..]]);
            }
        }
        assert!(source.read_at(8, &mut [0; 2]).is_err());
    }
}
