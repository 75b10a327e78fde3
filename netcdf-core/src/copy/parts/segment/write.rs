//! Writes a segment.

use super::{HEAD, MAGIC, SegmentPiece, SegmentPieceKind};
use crate::arithmetic::exact;
use crate::error::{Error, Result};
use crate::io::Target;
use crate::io::target::PAGE;
use crate::model::VarId;
use crate::sum::Digest;

/// Bytes buffered before a write.
const BUFFER: usize = 1 << 20;

/// A segment being written.
pub struct SegmentWriter {
    target: Box<dyn Target>,
    hasher: Box<blake3::Hasher>,
    /// Bytes that are not written yet.
    buffer: Vec<u8>,
    /// Bytes before the buffer.
    at: u64,
    /// The variables, with the offset of the first fragment and the offset after the last fragment.
    table: Vec<(VarId, u64, u64)>,
}

/// The length and digest of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentContent {
    /// The length in bytes.
    pub bytes: u64,
    /// BLAKE3 of all bytes except the last 32, which contain this digest.
    pub digest: Digest,
}

impl SegmentWriter {
    pub(in crate::copy::parts) fn new(target: Box<dyn Target>) -> Self {
        Self {
            target,
            hasher: Box::default(),
            buffer: MAGIC.to_vec(),
            at: 0,
            table: vec![],
        }
    }

    /// Adds a fragment. All fragments of a variable must be consecutive. A moved fragment was at byte `origin` of the input.
    pub(in crate::copy::parts) fn add(
        &mut self,
        piece: SegmentPiece,
        origin: Option<u64>,
        bytes: &[u8],
    ) -> Result<()> {
        let start = self.end()?;
        let first = (exact(start) + HEAD).get()?;
        let zeros = origin.map_or(0, |origin| origin.wrapping_sub(first) % PAGE);
        let end = (exact(first) + zeros + bytes.len()).get()?;
        match self.table.last_mut() {
            Some((var, _, last)) if *var == piece.var => *last = end,
            Some(_) | None => self.table.push((piece.var, start, end)),
        }
        let (kind, place, mask) = match piece.kind {
            SegmentPieceKind::Run { element } => (0u32, element, 0),
            SegmentPieceKind::Chunk { index, mask, moved } => (1 + u32::from(moved), index, mask),
        };
        for four in [piece.var.0, kind] {
            self.buffer.extend(four.to_le_bytes());
        }
        self.buffer.extend(place.to_le_bytes());
        let few = u32::try_from(zeros).map_err(|_| Error::internal("more zeros than a page"))?;
        for four in [mask, few] {
            self.buffer.extend(four.to_le_bytes());
        }
        self.buffer.extend((bytes.len() as u64).to_le_bytes());
        self.buffer.extend((0..zeros).map(|_| 0));
        if self.buffer.len() + bytes.len() <= BUFFER {
            self.buffer.extend_from_slice(bytes);
            return Ok(());
        }
        self.flush()?;
        self.write(bytes)
    }

    /// Returns the number of bytes so far.
    fn end(&self) -> Result<u64> {
        (exact(self.at) + self.buffer.len()).get()
    }

    fn flush(&mut self) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.target.write_at(self.at, bytes)?;
        self.at = (exact(self.at) + bytes.len()).get()?;
        Ok(())
    }

    /// Writes the table and the end, and makes the segment visible.
    pub(in crate::copy::parts) fn finish(mut self) -> Result<SegmentContent> {
        let start = self.end()?;
        for (var, first, end) in std::mem::take(&mut self.table) {
            self.buffer.extend(var.0.to_le_bytes());
            self.buffer.extend(0u32.to_le_bytes());
            self.buffer.extend(first.to_le_bytes());
            self.buffer.extend(end.to_le_bytes());
        }
        let len = (exact(self.end()?) - start).get()?;
        self.buffer.extend(start.to_le_bytes());
        self.buffer.extend(len.to_le_bytes());
        self.flush()?;
        let digest = Digest::of(&self.hasher);
        self.target.write_at(self.at, digest.bytes())?;
        let bytes = (exact(self.at) + digest.bytes().len()).get()?;
        self.target.commit()?;
        Ok(SegmentContent { bytes, digest })
    }
}
