//! A text read in windows: memory holds the current piece, not the file.

use netcdf_core::Result;
use netcdf_core::io::Source;

/// Block size of reads in bytes.
const BLOCK: u64 = 128 << 10;
/// Number of bytes before the position that stay readable.
const BEHIND: u64 = 1 << 10;

/// A position in a text, with the surrounding text in memory.
#[derive(Debug)]
pub(super) struct TextWindow<'s> {
    source: &'s dyn Source,
    len: u64,
    buffer: Vec<u8>,
    /// The offset of the buffer's first byte.
    base: u64,
    /// The offset of the first retained byte.
    kept: Option<u64>,
    at: u64,
    line: u32,
}

impl<'s> TextWindow<'s> {
    pub(super) fn new(source: &'s dyn Source) -> Self {
        let (len, buffer) = (source.len(), Vec::new());
        let (base, kept, at, line) = (0, None, 0, 1);
        Self {
            source,
            len,
            buffer,
            base,
            kept,
            at,
            line,
        }
    }

    /// Returns the offset of the next byte.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Returns the line of the next byte, from 1.
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    /// Retains all bytes from the position until [`TextWindow::forget`].
    pub(super) fn keep(&mut self) {
        self.kept = Some(self.at);
    }

    /// Allows dropping bytes before the position.
    pub(super) fn forget(&mut self) {
        self.kept = None;
    }

    /// Returns the bytes in memory from the position, at least one unless the text ends here.
    pub(super) fn rest(&mut self) -> Result<&[u8]> {
        self.ahead(1)
    }

    /// Returns the bytes in memory from the position, at least `count` unless the text ends earlier.
    pub(super) fn ahead(&mut self, count: u64) -> Result<&[u8]> {
        while self.end() < self.len && self.end() - self.at < count {
            self.fill()?;
        }
        Ok(self.buffer.get(self.index(self.at)..).unwrap_or_default())
    }

    /// Returns the bytes from `from` to the position that are still in memory.
    pub(super) fn passed(&self, from: u64) -> &[u8] {
        self.buffer
            .get(self.index(from)..self.index(self.at))
            .unwrap_or_default()
    }

    /// Skips up to `count` bytes in memory and counts their lines.
    pub(super) fn pass(&mut self, count: usize) {
        let start = self.index(self.at);
        let end = start.saturating_add(count).min(self.buffer.len());
        let bytes = self.buffer.get(start..end).unwrap_or_default();
        self.line = self.line.saturating_add(lines(bytes));
        self.at += bytes.len() as u64;
    }

    /// Skips all bytes in memory.
    pub(super) fn pass_all(&mut self) {
        self.pass(self.buffer.len() - self.index(self.at));
    }

    /// Moves back to `to`, which must be in memory.
    pub(super) fn back(&mut self, to: u64) {
        self.line = self.line.saturating_sub(lines(self.passed(to)));
        self.at = to.max(self.base).min(self.at);
    }

    fn end(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }

    fn index(&self, offset: u64) -> usize {
        let index = offset.saturating_sub(self.base);
        usize::try_from(index).map_or(self.buffer.len(), |i| i.min(self.buffer.len()))
    }

    fn fill(&mut self) -> Result<()> {
        let oldest = self
            .kept
            .unwrap_or(self.at)
            .min(self.at)
            .saturating_sub(BEHIND);
        let drop = self.index(oldest);
        self.buffer.drain(..drop);
        self.base += drop as u64;
        let (have, offset) = (self.buffer.len(), self.end());
        let more = usize::try_from(BLOCK.min(self.len - offset)).unwrap_or(0);
        self.buffer.resize(have + more, 0);
        match self.buffer.get_mut(have..) {
            Some(place) => self.source.read_at(offset, place),
            None => Ok(()),
        }
    }
}

/// Counts newlines.
pub(super) fn lines(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::io::memory::MemorySource;

    #[test]
    fn drops_passed_bytes_and_retains_kept_bytes() {
        let text: Vec<u8> = (0..1_000_000u32)
            .map(|i| if i % 10 == 9 { b'\n' } else { b'x' })
            .collect();
        let source = MemorySource::new("x", text.clone());
        let mut w = TextWindow::new(&source);
        while w.at() < 500_000 {
            let n = w.rest().unwrap().len().min(777);
            w.pass(n);
        }
        assert!(w.buffer.len() < 300_000, "{}", w.buffer.len());
        let (start, line) = (w.at(), w.line());
        assert_eq!(u64::from(line), 1 + start / 10);
        w.keep();
        while !w.rest().unwrap().is_empty() {
            w.pass_all();
        }
        assert_eq!(w.at(), 1_000_000);
        assert_eq!(w.passed(start), &text[usize::try_from(start).unwrap()..]);
        w.back(start);
        assert_eq!((w.at(), w.line()), (start, line));
        w.forget();
        assert_eq!(
            w.ahead(3).unwrap().get(..3),
            text.get(start as usize..start as usize + 3)
        );
    }
}
