//! An object as a source. Range requests read the bytes.

use std::ops::Range;
use std::path::{Component, Path};
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _};

use super::failure::changed;
use super::wait::wait;
use super::{Answer, Objects, Part, PartResponse, Version, limited};
use crate::arithmetic::{indices, length};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::merge::{CoalesceLimits, MergedRead, merge};
use crate::io::source::{Source, present, truncated};

/// The number of bytes that opening an object reads: all formats need these bytes first.
pub(super) const HEAD: u64 = 32 << 10;

/// An object that must not change during reads.
#[derive(Debug)]
pub(super) struct RemoteObject {
    objects: Arc<dyn Objects>,
    key: String,
    name: Arc<str>,
    /// The first bytes.
    head: Vec<u8>,
    len: u64,
    version: Option<Version>,
    /// The objects of the directory, if the key does not contain the directory.
    folder: Option<Arc<dyn Objects>>,
}

impl RemoteObject {
    /// Creates the source for a key. `first` contains at most [`HEAD`] bytes from the start.
    pub(super) fn new(objects: Arc<dyn Objects>, key: &str, first: PartResponse) -> Self {
        let name = objects.address(key).into();
        Self {
            objects,
            key: key.to_owned(),
            name,
            head: first.bytes,
            len: first.total,
            version: first.version,
            folder: None,
        }
    }

    /// Opens an object. Returns `None` for a missing object.
    ///
    /// # Errors
    /// Returns the errors of [`Objects::get`].
    pub(super) fn open(objects: Arc<dyn Objects>, key: &str) -> Result<Option<Self>> {
        let first = wait(objects.get(key, Part::First(HEAD), None))?;
        Ok(first.map(|first| Self::new(objects, key, first)))
    }

    /// Sets the directory of the object.
    pub(super) fn beside(self, folder: Option<Arc<dyn Objects>>) -> Self {
        Self { folder, ..self }
    }

    /// The objects of the directory, and the prefix of their keys.
    fn folder(&self) -> Option<(&Arc<dyn Objects>, String)> {
        match (&self.folder, self.key.rsplit_once('/')) {
            (Some(folder), _) => Some((folder, String::new())),
            (None, Some((folder, _))) => Some((&self.objects, format!("{folder}/"))),
            (None, None) => (!self.key.is_empty()).then_some((&self.objects, String::new())),
        }
    }

    /// Fetches a range that is not empty.
    async fn ask(&self, range: Range<u64>) -> Result<Vec<u8>> {
        if let Some(known) = self.known(&range) {
            return Ok(known.to_vec());
        }
        let start = range.start;
        let part = Part::Range(range);
        let got = limited(&*self.objects, &self.key, part, self.version.as_ref());
        let failed = |e: Error| e.at(&self.name, start);
        let got = got.await.map_err(failed)?;
        // A missing object counts as changed.
        let same = |got: &PartResponse| {
            let told = got.version.as_ref().zip(self.version.as_ref());
            got.total == self.len && told.is_none_or(|(now, before)| now == before)
        };
        match got.filter(same) {
            Some(got) => Ok(got.bytes),
            None => Err(failed(changed())),
        }
    }

    /// Returns the bytes of a range in the head.
    fn known(&self, range: &Range<u64>) -> Option<&[u8]> {
        let count = usize::try_from(length(range)).ok()?;
        self.head.get(indices(range.start, count).ok()?)
    }

    /// Fetches merged ranges concurrently.
    fn all(&self, reads: Vec<Range<u64>>) -> Answer<'_, Vec<Vec<u8>>> {
        let at_once = self.objects.network().downloads.most();
        let reads = futures_util::stream::iter(reads);
        Box::pin(
            reads
                .map(|range| self.ask(range))
                .buffered(at_once)
                .try_collect(),
        )
    }
}

/// Merges ranges to reads. Ranges may be empty.
pub(super) fn merged(ranges: &[Range<u64>]) -> Vec<MergedRead> {
    merge(ranges, CoalesceLimits::FAR).collect()
}

/// Cuts the requested ranges from the merged reads.
pub(super) fn cut(
    ranges: &[Range<u64>],
    reads: &[MergedRead],
    got: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>> {
    let mut parts = Vec::with_capacity(ranges.len());
    for (read, bytes) in reads.iter().zip(got) {
        for range in ranges.get(read.members.clone()).unwrap_or_default() {
            let count = usize::try_from(length(range)).ok();
            let at = range.start.checked_sub(read.range.start);
            let span = at
                .zip(count)
                .and_then(|(at, count)| indices(at, count).ok());
            let part = span.and_then(|span| bytes.get(span));
            parts.push(part.or_internal("a range within its read")?.to_vec());
        }
    }
    Ok(parts)
}

impl Source for RemoteObject {
    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        Some((Arc::clone(self.name()), range.start))
    }

    fn state(&self) -> String {
        match &self.version {
            Some(Version(tag)) => format!("{} bytes, tag {tag}", self.len),
            None => format!("{} bytes", self.len),
        }
    }

    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let want = buf.len() as u64;
        let end = offset.checked_add(want);
        let end = end.ok_or_else(|| truncated(&self.name, offset, want, 0))?;
        present(self, &(offset..end))?;
        if buf.is_empty() {
            return Ok(());
        }
        self.objects.network().used(want);
        let bytes = wait(self.ask(offset..end))?;
        match bytes.len() == buf.len() {
            true => buf.copy_from_slice(&bytes),
            false => return Err(changed().at(&self.name, offset)),
        }
        Ok(())
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        for range in ranges {
            present(self, range)?;
            self.objects.network().used(length(range));
        }
        let reads = merged(ranges);
        let wanted: Vec<_> = reads.iter().map(|r| r.range.clone()).collect();
        let some: Vec<_> = wanted.iter().filter(|r| !r.is_empty()).cloned().collect();
        let mut got = wait(self.all(some))?.into_iter();
        let mut filled = Vec::with_capacity(wanted.len());
        for range in &wanted {
            filled.push(match range.is_empty() {
                true => vec![],
                false => got.next().or_internal("an answer for each read")?,
            });
        }
        cut(ranges, &reads, &filled)
    }

    fn sibling(&self, name: &Path, _outside: bool) -> Result<Arc<dyn Source>> {
        let shown = name.display();
        let Some(below) = below(name) else {
            let what = format!("the file {shown} is outside the directory of this object");
            return Err(Error::new(ErrorKind::Unsupported, what).of(&self.name));
        };
        let Some((objects, folder)) = self.folder() else {
            let what =
                format!("cannot read the file {shown}: the address of this file has no directory");
            let e = Error::new(ErrorKind::Unsupported, what).of(&self.name);
            return Err(e.with_remedy("download both, and use their paths"));
        };
        let key = format!("{folder}{below}");
        match Self::open(Arc::clone(objects), &key)? {
            Some(object) => Ok(Arc::new(object)),
            None => Err(missing(&**objects, &key)),
        }
    }

    fn latency(&self) -> bool {
        true
    }

    fn coalesce_limits(&self) -> CoalesceLimits {
        CoalesceLimits::FAR
    }
}

/// Converts a relative path to a key. `None` if the path leads outside its directory.
pub(super) fn below(name: &Path) -> Option<String> {
    let mut parts = vec![];
    for part in name.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// The error for a missing object.
pub(super) fn missing(objects: &dyn Objects, key: &str) -> Error {
    let e = Error::new(ErrorKind::NotFound, "no such object");
    e.of(&objects.address(key))
}
