//! The first bytes of a source, read once for all formats.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::merge::CoalesceLimits;
use super::source::Source;
use crate::arithmetic::{indices, length};
use crate::error::{OrInternal as _, Result};

/// A source whose first bytes are cached until [`Headed::forget`].
#[derive(Debug)]
pub(crate) struct Headed {
    inner: Arc<dyn Source>,
    head: Mutex<SourceHead>,
}

#[derive(Debug, Clone)]
enum SourceHead {
    Unread,
    Read(Arc<Vec<u8>>),
    Forgotten,
}

/// The length of the head in bytes. It is enough for most headers, and takes hardly longer to read than one byte.
const HEAD: u64 = 32 << 10;

impl Headed {
    /// Wraps `inner`. The first read of a byte in the head reads the head.
    #[must_use]
    pub(crate) fn new(inner: Arc<dyn Source>) -> Self {
        let head = Mutex::new(SourceHead::Unread);
        Self { inner, head }
    }

    /// Drops and returns the head, if it was read. From then on, every byte comes from the source.
    fn forget(&self) -> Option<Arc<Vec<u8>>> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *head, SourceHead::Forgotten) {
            SourceHead::Read(bytes) => Some(bytes),
            SourceHead::Unread | SourceHead::Forgotten => None,
        }
    }

    /// Drops the head, and looks at the file a second time. Returns the file as it is now if its head has changed, or its length, unless
    /// `may_grow` is set and the file is longer.
    ///
    /// # Errors
    /// Returns read errors.
    pub(crate) fn second_look(&self, may_grow: bool) -> Result<Option<Arc<dyn Source>>> {
        let head = self.forget();
        let Some(now) = self.inner.second_look()? else {
            return Ok(None);
        };
        let (len, old_len) = (now.len(), self.inner.len());
        if len != old_len && !(may_grow && len > old_len) {
            return Ok(Some(now));
        }
        let mut bytes = vec![0; head.as_ref().map_or(0, |head| head.len())];
        // A file that has become shorter since the second look has changed, too.
        let read = now.read_at(0, &mut bytes);
        let same = read.is_ok() && head.is_none_or(|head| bytes == *head);
        Ok((!same).then_some(now))
    }

    /// Returns the head if it contains the start of a range, the range ends within the source, and the head can be read.
    fn head(&self, range: &Range<u64>) -> Option<Arc<Vec<u8>>> {
        let len = self.inner.len();
        if range.start >= HEAD || range.end > len {
            return None;
        }
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        match &*head {
            SourceHead::Forgotten => None,
            SourceHead::Read(bytes) => Some(Arc::clone(bytes)),
            SourceHead::Unread => {
                let mut bytes = vec![0; usize::try_from(len.min(HEAD)).ok()?];
                self.inner.read_at(0, &mut bytes).ok()?;
                let bytes = Arc::new(bytes);
                *head = SourceHead::Read(Arc::clone(&bytes));
                Some(bytes)
            }
        }
    }

    /// The bytes of a range that is in the head.
    fn whole(&self, range: &Range<u64>) -> Option<Vec<u8>> {
        let head = self.head(range)?;
        let span = indices(range.start, usize::try_from(length(range)).ok()?).ok()?;
        head.get(span).map(<[u8]>::to_vec)
    }
}

impl Source for Headed {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let end = offset.checked_add(buf.len() as u64);
        let Some(head) = end.and_then(|end| self.head(&(offset..end))) else {
            return self.inner.read_at(offset, buf);
        };
        let start = usize::try_from(offset).ok();
        let part = start.and_then(|start| head.get(start..));
        let part = part.unwrap_or_default();
        let (to, rest) = buf.split_at_mut(part.len().min(buf.len()));
        to.copy_from_slice(part.get(..to.len()).unwrap_or_default());
        if rest.is_empty() || self.inner.read_at(head.len() as u64, rest).is_ok() {
            return Ok(());
        }
        // Repeat the whole read, so that the error names the requested range.
        self.inner.read_at(offset, buf)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        let known: Vec<_> = ranges.iter().map(|range| self.whole(range)).collect();
        let unknown = ranges.iter().zip(&known).filter(|(_, k)| k.is_none());
        let unknown: Vec<_> = unknown.map(|(range, _)| range.clone()).collect();
        if unknown.is_empty() {
            return Ok(known.into_iter().flatten().collect());
        }
        let mut read = self.inner.read_ranges(&unknown)?.into_iter();
        let bytes = known.into_iter().map(|k| k.or_else(|| read.next()));
        bytes.map(|b| b.or_internal("a range of a read")).collect()
    }

    fn latency(&self) -> bool {
        self.inner.latency()
    }

    fn coalesce_limits(&self) -> CoalesceLimits {
        self.inner.coalesce_limits()
    }

    fn sibling(&self, name: &Path, outside: bool) -> Result<Arc<dyn Source>> {
        self.inner.sibling(name, outside)
    }

    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        self.inner.location(range)
    }

    fn state(&self) -> String {
        self.inner.state()
    }

    fn second_look(&self) -> Result<Option<Arc<dyn Source>>> {
        self.inner.second_look()
    }

    fn has_changed(&self) -> bool {
        self.inner.has_changed()
    }

    fn as_file(&self) -> Option<Arc<std::fs::File>> {
        self.inner.as_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;
    use crate::io::rounds::Rounds;
    use crate::io::source::truncated;

    fn bytes(range: Range<u64>) -> Vec<u8> {
        range.map(|n| (n % 251) as u8).collect()
    }

    fn counted(len: u64) -> (Headed, Arc<Rounds<dyn Source>>) {
        let inner = Rounds::of(Arc::new(MemorySource::new("m", bytes(0..len))) as Arc<dyn Source>);
        (Headed::new(Arc::clone(&inner) as _), inner)
    }

    fn read(source: &Headed, range: Range<u64>) -> Vec<u8> {
        let mut buf = vec![0; (range.end - range.start) as usize];
        source.read_at(range.start, &mut buf).unwrap();
        buf
    }

    /// A file that becomes shorter between the second look and the read after it.
    #[derive(Debug)]
    struct CutSource {
        name: Arc<str>,
        is_cut: bool,
    }

    impl Source for CutSource {
        fn name(&self) -> &Arc<str> {
            &self.name
        }

        fn len(&self) -> u64 {
            100
        }

        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
            match self.is_cut {
                true => Err(truncated(&self.name, offset, buf.len() as u64, 0)),
                false => Ok(()),
            }
        }

        fn second_look(&self) -> Result<Option<Arc<dyn Source>>> {
            let name = Arc::clone(&self.name);
            Ok(Some(Arc::new(Self { name, is_cut: true })))
        }
    }

    #[test]
    fn a_file_that_becomes_shorter_has_changed() {
        let inner = CutSource {
            name: "c".into(),
            is_cut: false,
        };
        let source = Headed::new(Arc::new(inner));
        read(&source, 0..4);
        assert!(source.second_look(false).unwrap().is_some());
    }

    #[test]
    fn the_head_is_read_once() {
        let (source, inner) = counted(HEAD + 100);
        for range in [0..4, 4..9, 0..HEAD, HEAD - 1..HEAD] {
            assert_eq!(read(&source, range.clone()), bytes(range));
        }
        assert_eq!(inner.asked().rounds, 1);
        source.forget();
        assert_eq!(read(&source, 0..4), bytes(0..4));
        assert_eq!(inner.asked().bytes, HEAD + 4);
    }

    #[test]
    fn what_begins_in_the_head_may_end_behind_it() {
        let (source, inner) = counted(HEAD + 100);
        let range = HEAD - 10..HEAD + 10;
        assert_eq!(read(&source, range.clone()), bytes(range));
        assert_eq!(inner.asked().bytes, HEAD + 10);
        let ranges = [HEAD - 1..HEAD + 1, 7..9, HEAD + 1..HEAD + 2];
        let want: Vec<_> = ranges.iter().cloned().map(bytes).collect();
        assert_eq!(source.read_ranges(&ranges).unwrap(), want);
        assert_eq!(inner.asked().rounds, 3);
    }

    #[test]
    fn errors_are_those_of_the_source() {
        let (source, inner) = counted(10);
        assert_eq!(read(&source, 0..10), bytes(0..10));
        for (offset, len) in [(2, 9), (10, 1), (u64::MAX, 1)] {
            let mut buf = vec![0; len];
            let [ours, its] = [&source as &dyn Source, &*inner]
                .map(|s| s.read_at(offset, &mut buf.clone()).unwrap_err());
            assert_eq!(ours.to_string(), its.to_string());
            buf.clear();
            assert!(source.read_at(0, &mut buf).is_ok());
        }
        assert!(source.read_ranges(&[0..2, 9..11]).is_err());
    }
}
