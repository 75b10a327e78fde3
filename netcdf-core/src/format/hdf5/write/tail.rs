//! The growing end of a file: small writes are buffered, and adjacent source ranges are copied together.

use std::ops::Range;
use std::sync::Arc;

use super::space::{PagedSpace, ReservedSpace};
use crate::arithmetic::{Amount, exact, length};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::target::PAGE;
use crate::io::{Source, Target};

/// The end of a file being written.
#[derive(Debug)]
pub(super) struct Tail {
    target: Box<dyn Target>,
    /// The current end of the file.
    end: u64,
    /// Buffered bytes at the end of the file.
    gathered: Vec<u8>,
    copying: Option<TailCopy>,
    /// Source bytes that got space since the last aligned range.
    moved: Amount,
    /// The pages of a paged file, and the unused part of the last metadata pages among data.
    pages: Option<PagedSpace>,
    spare: Range<u64>,
}

/// A copy that may still be extended.
#[derive(Debug)]
struct TailCopy {
    source: Arc<dyn Source>,
    range: Range<u64>,
    to: u64,
}

/// Bytes to buffer before writing.
const GATHER: usize = 1 << 20;
/// Length that justifies an unused part of a page.
const LONG: u64 = 512 << 10;
/// A copy of this size is carried out at once, to show progress.
const COPY: u64 = 1 << 24;

impl Tail {
    /// Creates a file that ends at `end`. [`Tail::write`] writes all bytes before the end.
    pub(super) fn new(target: Box<dyn Target>, end: u64) -> Self {
        Self {
            target,
            end,
            gathered: vec![],
            copying: None,
            moved: Amount::default(),
            pages: None,
            spare: 0..0,
        }
    }

    /// Sets the pages of the file.
    #[must_use]
    pub(super) fn in_pages(mut self, pages: Option<PagedSpace>) -> Self {
        self.pages = pages;
        self
    }

    /// Ends the leading metadata. In a paged file, the next bytes begin at a page start.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn end_metadata(&mut self, pages: Option<PagedSpace>) -> Result<()> {
        self.pages = pages;
        self.next_page()
    }

    /// Continues at the next page start, if the file has pages and the last page has bytes.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn next_page(&mut self) -> Result<()> {
        let Some(pages) = self.pages else {
            return Ok(());
        };
        self.spill(0)?;
        self.grow(pages.padding(self.end, pages.size()), 0)
            .map(drop)
    }

    /// The current end of the file.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Grows the file by padding and space. Returns the offset of the space.
    fn grow(&mut self, padding: u64, size: u64) -> Result<u64> {
        let at = (exact(self.end) + padding).get()?;
        // Addresses stay below 2^63, because some programs use signed offsets.
        let end = at.checked_add(size).filter(|&end| end <= i64::MAX as u64);
        self.end = end.ok_or_else(|| {
            let what = format!("{size} bytes at {at} exceed the maximum file size");
            Error::new(ErrorKind::Limit, what)
        })?;
        Ok(at)
    }

    /// Reserves space for a small structure at a multiple of eight. The space is zero until written.
    ///
    /// # Errors
    /// Returns target errors, and [`ErrorKind::Limit`] beyond 2^63.
    pub(super) fn reserve(&mut self, size: u64) -> Result<u64> {
        let padding = self.padding_before(size)?;
        let zeros = (Amount::of(padding) + size).count();
        if zeros > GATHER {
            self.spill(0)?;
            return self.grow(padding, size);
        }
        let at = self.grow(padding, size)?;
        self.gathered.resize(self.gathered.len() + zeros, 0);
        self.spill(GATHER)?;
        Ok(at)
    }

    /// The padding before a structure.
    fn padding_before(&self, size: u64) -> Result<u64> {
        let padding = self.padding();
        let Some(pages) = self.pages else {
            return Ok(padding);
        };
        let at = (exact(self.end) + padding).get()?;
        (exact(padding) + pages.padding(at, size)).get()
    }

    /// Reserves space for structures of equal length.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn reserve_run(&mut self, size: u64, count: u64) -> Result<ReservedSpace> {
        let padding = self.padding_before(size)?;
        let start = (exact(self.end) + padding).get()?;
        let bytes = match self.pages {
            Some(pages) => pages.run(start, size, count),
            None => exact(count) * size.next_multiple_of(8),
        };
        self.spill(0)?;
        let start = self.grow(padding, bytes.get()?)?;
        Ok(ReservedSpace {
            left: start..self.end,
            pages: self.pages,
        })
    }

    /// Reserves space for metadata among data. In a paged file, metadata goes to separate pages.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn reserve_metadata(&mut self, size: u64) -> Result<u64> {
        let Some(pages) = self.pages else {
            return self.reserve(size);
        };
        let mut reserved = ReservedSpace {
            left: self.spare.clone(),
            pages: self.pages,
        };
        if let Some(at) = reserved.take(size) {
            self.spare = reserved.left;
            return Ok(at);
        }
        self.next_page()?;
        let whole = exact(size.div_ceil(pages.size())) * pages.size();
        let at = self.grow(0, whole.get()?)?;
        self.spare = at + size..self.end;
        Ok(at)
    }

    /// Bytes up to the next multiple of eight.
    fn padding(&self) -> u64 {
        self.end.next_multiple_of(8) - self.end
    }

    /// Like [`Tail::reserve_data`], at a multiple of eight.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn reserve_aligned(&mut self, size: u64) -> Result<u64> {
        self.spill(0)?;
        self.grow(self.padding(), size)
    }

    /// Reserves space for data, which is written separately.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn reserve_data(&mut self, size: u64) -> Result<u64> {
        self.spill(0)?;
        self.grow(0, size)
    }

    /// Reserves space for bytes to be copied from a source. Long ranges get the same page alignment as in the source.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn reserve_copy(&mut self, range: &Range<u64>) -> Result<u64> {
        let size = length(range);
        let missing = range.start.wrapping_sub(self.end) % PAGE;
        self.moved = self.moved + size;
        if missing != 0 && self.moved >= Amount::of(LONG) {
            self.reserve_data(missing)?;
            self.moved = Amount::default();
        }
        self.reserve_data(size)
    }

    /// Appends bytes. Returns their offset.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        if bytes.len() > GATHER / 4 {
            let at = self.reserve_data(bytes.len() as u64)?;
            self.target.write_at(at, bytes)?;
            return Ok(at);
        }
        let at = self.grow(0, bytes.len() as u64)?;
        self.gathered.extend_from_slice(bytes);
        self.spill(GATHER)?;
        Ok(at)
    }

    /// Writes to reserved space.
    ///
    /// # Errors
    /// Returns target errors.
    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let first = self.end - self.gathered.len() as u64;
        let start = at.checked_sub(first).map(usize::try_from);
        let Some(Ok(start)) = start else {
            return self.target.write_at(at, bytes);
        };
        let place = start.checked_add(bytes.len());
        let place = place.and_then(|end| self.gathered.get_mut(start..end));
        let beyond = || Error::new(ErrorKind::Argument, "a write beyond the end of the file");
        place.ok_or_else(beyond)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Fills a reserved range with copies of `bytes`.
    ///
    /// # Errors
    /// Returns target errors.
    pub(super) fn repeat(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        if bytes.iter().all(|&b| b == 0) {
            return Ok(());
        }
        let all = bytes.repeat((GATHER / bytes.len().max(1)).max(1));
        let mut at = range.start;
        while at < range.end {
            let left = Amount::of(range.end - at).count().min(all.len());
            let part = all.get(..left).or_internal("a value beyond its copies")?;
            self.write(at, part)?;
            at += part.len() as u64;
        }
        Ok(())
    }

    /// Copies source bytes to reserved space.
    ///
    /// # Errors
    /// Returns errors from the source and the target.
    pub(super) fn copy(
        &mut self,
        source: &Arc<dyn Source>,
        range: Range<u64>,
        to: u64,
    ) -> Result<()> {
        if let Some(copying) = &mut self.copying {
            let done = copying.range.end - copying.range.start;
            let is_next = Arc::ptr_eq(&copying.source, source)
                && copying.range.end == range.start
                && copying.to + done == to;
            if is_next && done < COPY {
                copying.range.end = range.end;
                return Ok(());
            }
            self.flush_copy()?;
        }
        self.copying = Some(TailCopy {
            source: Arc::clone(source),
            range,
            to,
        });
        Ok(())
    }

    fn flush_copy(&mut self) -> Result<()> {
        match self.copying.take() {
            Some(c) => self.target.copy_from(&*c.source, c.range, c.to),
            None => Ok(()),
        }
    }

    /// Writes the buffered bytes if there are more than `most`.
    fn spill(&mut self, most: usize) -> Result<()> {
        if self.gathered.len() > most {
            let at = self.end - self.gathered.len() as u64;
            self.target.write_at(at, &self.gathered)?;
            self.gathered.clear();
        }
        Ok(())
    }

    /// Writes the buffered bytes, then `front` at offset `at`, and finally the `superblock`. Makes the file visible.
    ///
    /// # Errors
    /// Returns errors from the sources and the target.
    pub(super) fn finish(mut self, (at, front): (u64, &[u8]), superblock: &[u8]) -> Result<()> {
        self.flush_copy()?;
        self.spill(0)?;
        self.target.set_len(self.end)?;
        self.target.write_at(at, front)?;
        self.target.write_at(0, superblock)?;
        self.target.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::{MemorySource, MemoryTarget};

    fn finished(tail: Tail, done: &std::sync::Mutex<Option<Vec<u8>>>) -> Vec<u8> {
        tail.finish((4, b"front"), b"sup").unwrap();
        done.lock().unwrap().take().unwrap()
    }

    fn tail() -> (Tail, Arc<std::sync::Mutex<Option<Vec<u8>>>>) {
        let (target, done) = MemoryTarget::new("t");
        (Tail::new(Box::new(target), 10), done)
    }

    #[test]
    fn bytes_are_at_the_returned_offsets() {
        let (mut tail, done) = tail();
        let node = tail.reserve(16).unwrap();
        assert_eq!(node, 16);
        let small = tail.append(b"small").unwrap();
        let large = tail.append(&vec![1; GATHER]).unwrap();
        let second = tail.reserve(8).unwrap();
        let behind = tail.append(b"behind").unwrap();
        tail.write(second, b"second").unwrap();
        tail.write(node, b"first").unwrap();
        let huge = tail.reserve(3 * GATHER as u64).unwrap();
        tail.write(huge, b"huge").unwrap();
        let end = tail.end();
        assert!(tail.write(end - 2, b"beyond").is_err() || tail.gathered.is_empty());
        let bytes = finished(tail, &done);
        let at = |place: u64, len: usize| &bytes[place as usize..place as usize + len];
        assert_eq!(bytes.len() as u64, end);
        assert_eq!((at(0, 3), at(4, 5)), (&b"sup"[..], &b"front"[..]));
        assert_eq!(
            (at(node, 6), at(small, 5)),
            (&b"first\0"[..], &b"small"[..])
        );
        assert_eq!(at(large, GATHER), vec![1; GATHER]);
        assert_eq!(
            (at(second, 6), at(behind, 6)),
            (&b"second"[..], &b"behind"[..])
        );
        assert_eq!(at(huge, 5), b"huge\0");
        assert_eq!((second % 8, huge % 8), (0, 0));
    }

    #[test]
    fn writes_within_what_is_gathered_stay_within() {
        let (mut tail, _) = tail();
        let at = tail.append(b"12").unwrap();
        assert!(tail.write(at + 1, b"23").is_err());
    }

    #[test]
    fn neighbours_are_copied_at_once() {
        let (mut tail, done) = tail();
        let source: Arc<dyn Source> = Arc::new(MemorySource::new("s", (0..100).collect()));
        let to = tail.reserve_data(30).unwrap();
        tail.copy(&source, 10..20, to).unwrap();
        tail.copy(&source, 20..25, to + 10).unwrap();
        let one = tail.copying.as_ref().map(|c| (c.range.clone(), c.to));
        assert_eq!(one, Some((10..25, to)));
        tail.copy(&source, 30..35, to + 15).unwrap();
        let next = tail.copying.as_ref().map(|c| (c.range.clone(), c.to));
        assert_eq!(next, Some((30..35, to + 15)));
        tail.append(b"end").unwrap();
        let bytes = finished(tail, &done);
        let expected: Vec<u8> = (10..25).chain(30..35).chain([0; 10]).collect();
        assert_eq!((&bytes[10..40], &bytes[40..]), (&expected[..], &b"end"[..]));
    }

    #[test]
    fn long_source_ranges_retain_their_page_alignment() {
        let (mut tail, _) = tail();
        // Not enough bytes for alignment.
        let first = tail.reserve_copy(&(7..7 + LONG - 1)).unwrap();
        assert_eq!(first, 10);
        let second = tail
            .reserve_copy(&(5 * PAGE + 100..5 * PAGE + 200))
            .unwrap();
        assert_eq!((second % PAGE, second - first - LONG < PAGE), (100, true));
        // Not enough bytes since the last alignment.
        let third = tail.reserve_copy(&(1..101)).unwrap();
        assert_eq!(third, second + 100);
        // Bytes at the right page offset need no padding.
        assert_eq!(tail.reserve_copy(&(300..300 + LONG)).unwrap(), third + 100);
        assert_eq!(
            tail.reserve_copy(&(300 + LONG..400 + LONG)).unwrap(),
            third + 100 + LONG
        );
    }

    #[test]
    fn ranges_are_filled_with_whole_and_cut_values() {
        let (mut tail, done) = tail();
        let at = tail.reserve_data(3 * GATHER as u64).unwrap();
        tail.repeat(at + 1..at + 2 * GATHER as u64, b"abc").unwrap();
        let bytes = finished(tail, &done);
        let filled = &bytes[11..10 + 2 * GATHER];
        let expected = (0..filled.len()).map(|n| b"abc"[n % 3]);
        assert!(filled.iter().copied().eq(expected));
        assert!(bytes[10 + 2 * GATHER..].iter().all(|&b| b == 0));
    }

    #[test]
    fn files_end() {
        let (mut tail, _) = tail();
        let error = tail.reserve_data(u64::MAX).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        assert!(tail.reserve(i64::MAX as u64).is_err());
        assert_eq!(tail.end(), 10);
    }
}
