//! A moving window over a byte range of a source.

use std::ops::Range;

use netcdf_core::error::Result;
use netcdf_core::io::Source;

/// Block size of reads in bytes: fits the second level cache.
const SIZE: usize = 256 << 10;

/// The bytes of a source range from a moving position. The window decides how many bytes are visible.
pub(super) struct SourceWindow<'a> {
    source: &'a dyn Source,
    /// The unread range.
    rest: Range<u64>,
    buffer: Vec<u8>,
    /// The part of the buffer that was read but not yet passed.
    text: Range<usize>,
    size: usize,
}

impl<'a> SourceWindow<'a> {
    /// Returns a window that reads `size` bytes at a time.
    pub(super) fn with_size(source: &'a dyn Source, range: Range<u64>, size: usize) -> Self {
        Self {
            source,
            rest: range,
            buffer: Vec::new(),
            text: 0..0,
            size,
        }
    }

    pub(super) fn new(source: &'a dyn Source, range: Range<u64>) -> Self {
        Self::with_size(source, range, SIZE)
    }

    /// Returns the visible bytes.
    #[inline]
    pub(super) fn text(&self) -> &[u8] {
        self.buffer.get(self.text.clone()).unwrap_or_default()
    }

    /// Returns the position of the visible bytes in the source.
    pub(super) fn position(&self) -> u64 {
        self.rest.start - self.text.len() as u64
    }

    /// Returns whether the visible bytes are the last ones.
    #[inline]
    pub(super) fn is_last(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the number of bytes from the position to the end of the range.
    pub(super) fn left(&self) -> u64 {
        self.rest.end - self.position()
    }

    /// Skips `count` visible bytes.
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.text.start = self.text.end.min(self.text.start + count);
    }

    /// Makes more bytes visible. Returns false at the end of the range.
    ///
    /// # Errors
    /// Returns errors of the source.
    pub(super) fn refill(&mut self) -> Result<bool> {
        if self.is_last() {
            return Ok(false);
        }
        let kept = self.text.len();
        self.buffer.copy_within(self.text.clone(), 0);
        let room = self.size.max(kept.saturating_mul(2)) - kept;
        let left = usize::try_from(self.rest.end - self.rest.start).unwrap_or(usize::MAX);
        let count = room.min(left);
        self.buffer.resize(kept + count, 0);
        let target = self.buffer.get_mut(kept..).unwrap_or_default();
        self.source.read_at(self.rest.start, target)?;
        self.rest.start += count as u64;
        self.text = 0..kept + count;
        Ok(true)
    }

    /// Makes at least `count` bytes visible if the range is long enough.
    ///
    /// # Errors
    /// Returns errors of the source.
    #[inline]
    pub(super) fn ensure(&mut self, count: usize) -> Result<()> {
        while self.text.len() < count && self.refill()? {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::io::memory::MemorySource;

    #[test]
    fn moves_over_the_range_and_grows() {
        let source = MemorySource::new("x", (0..100).collect());
        let mut window = SourceWindow::with_size(&source, 10..90, 8);
        assert_eq!((window.text(), window.position()), (&[][..], 10));
        assert_eq!(window.left(), 80);
        assert!(window.refill().unwrap());
        assert_eq!(window.text(), (10..18).collect::<Vec<u8>>());
        window.advance(5);
        assert_eq!((window.position(), window.left()), (15, 75));
        window.refill().unwrap();
        assert_eq!(window.text(), (15..23).collect::<Vec<u8>>());
        window.ensure(70).unwrap();
        assert_eq!(window.text()[..70], (15..85).collect::<Vec<u8>>());
        window.advance(1000);
        while window.refill().unwrap() {
            window.advance(1000);
        }
        assert_eq!((window.text(), window.position()), (&[][..], 90));
        assert!(window.is_last());
    }

    #[test]
    fn a_range_beyond_the_source_is_an_error() {
        let source = MemorySource::new("x", vec![1; 5]);
        let mut window = SourceWindow::new(&source, 0..6);
        assert!(window.refill().is_err());
    }
}
