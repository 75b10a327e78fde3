//! The store of references.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::sources::ReferenceSources;
use super::table::KeyTable;
use crate::arithmetic::{claimed, length};
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::io::invalid_entries::InvalidEntry;
use crate::io::reference::{Reference, SourceState};
use crate::io::store::{
    Hints, KeyContent, KeyParts, KeyRanges, Store, UNKNOWN, VisitKey, ranges_of, without_content,
};
use crate::io::{Source, key};

/// A read-only store whose keys are byte ranges of other files.
#[derive(Debug)]
pub struct ReferenceStore {
    name: Arc<str>,
    table: Box<dyn KeyTable>,
    sources: ReferenceSources,
    hints: Hints,
    latency: bool,
}

/// The bytes of a key.
enum ReferencedBytes {
    Missing,
    Inline(Arc<[u8]>),
    /// A range of a source.
    Located(Arc<dyn Source>, Range<u64>),
}

impl ReferenceStore {
    pub(super) fn new(
        name: Arc<str>,
        table: Box<dyn KeyTable>,
        (sources, hints): (ReferenceSources, Hints),
    ) -> Self {
        let mut store = Self {
            name,
            table,
            sources,
            hints,
            latency: false,
        };
        store.latency = store.has_remote_source();
        store
    }

    /// Checks whether any key is in a remote source. Stops at the first remote source.
    fn has_remote_source(&self) -> bool {
        self.table.is_remote(&|url| self.sources.is_remote(url))
    }

    /// Returns the reference of a key.
    fn reference(&self, key: &str) -> Result<Option<Reference>> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        let found = self.table.find(key).in_object(|| key.to_owned())?;
        match found {
            None if self.table.has_below(key) => Err(without_content(&self.name, key)),
            found => Ok(found),
        }
    }

    fn bytes(&self, key: &str) -> Result<ReferencedBytes> {
        let Some(reference) = self.reference(key)? else {
            return Ok(ReferencedBytes::Missing);
        };
        let located = self.located(&reference);
        located
            .in_object(|| key.to_owned())
            .map_err(|e| e.of(&self.name))
    }

    fn located(&self, reference: &Reference) -> Result<ReferencedBytes> {
        let (url, range) = match reference {
            Reference::Inline(bytes) => return Ok(ReferencedBytes::Inline(Arc::clone(bytes))),
            Reference::Whole(url) => (url, None),
            Reference::Range { url, offset, len } => (url, Some((*offset, *len))),
        };
        let Some(source) = self.sources.source(url)? else {
            return Ok(ReferencedBytes::Missing);
        };
        let range = match range {
            None => 0..source.len(),
            Some((offset, len)) => within(&*source, offset, len)?,
        };
        Ok(ReferencedBytes::Located(source, range))
    }

    /// Returns the size of a key; [`UNKNOWN`] if a whole source would have to be opened.
    fn listed_size(&self, reference: &Reference) -> Result<Option<u64>> {
        if self.sources.may_skip()
            && let Some(url) = reference.url()
            && self.sources.source(url)?.is_none()
        {
            return Ok(None);
        }
        Ok(Some(match reference {
            Reference::Inline(bytes) => bytes.len() as u64,
            Reference::Whole(_) => UNKNOWN,
            Reference::Range { len, .. } => *len,
        }))
    }

    /// Reads the requested ranges of all keys, with one call per source.
    fn read(&self, wanted: &[(&str, Option<&[Range<u64>]>)]) -> Vec<Result<KeyParts>> {
        let mut reads = SourceReads::default();
        let mut pending: Vec<Result<PendingKey>> = vec![];
        for (key, ranges) in wanted {
            let one = self.bytes(key).and_then(|bytes| reads.add(bytes, *ranges));
            pending.push(one.in_object(|| (*key).to_owned()));
        }
        let answers = reads.read();
        let keys = wanted.iter().map(|(key, _)| *key);
        let parts = |(one, key): (Result<PendingKey>, &str)| {
            let parts = one.and_then(|one| answers.parts(one));
            let parts = parts.in_object(|| key.to_owned());
            parts.map_err(|e| e.of(&self.name))
        };
        pending.into_iter().zip(keys).map(parts).collect()
    }

    fn read_only(&self, key: &str) -> Error {
        let e = Error::new(ErrorKind::Unsupported, "references cannot be changed");
        e.in_object(key).of(&self.name)
    }
}

/// Checks that a source contains a range.
fn within(source: &dyn Source, offset: u64, len: u64) -> Result<Range<u64>> {
    let have = source.len();
    match offset.checked_add(len).filter(|end| *end <= have) {
        Some(end) => Ok(offset..end),
        None => {
            let what = format!(
                "the reference leads to {len} bytes at {offset}, but the file has {have} bytes"
            );
            Err(Error::new(ErrorKind::Truncated, what).of(source.name()))
        }
    }
}

/// A key whose bytes are known or will be read.
enum PendingKey {
    Missing,
    Known(Vec<Vec<u8>>),
    /// The index of the source, and the indices of the reads.
    Reads(usize, Range<usize>),
}

/// The reads of several keys, by source.
#[derive(Default)]
struct SourceReads {
    index: HashMap<*const (), usize>,
    reads: Vec<SourceRanges>,
}

/// A source, and the ranges to read.
type SourceRanges = (Arc<dyn Source>, Vec<Range<u64>>);

impl SourceReads {
    fn add(&mut self, bytes: ReferencedBytes, ranges: Option<&[Range<u64>]>) -> Result<PendingKey> {
        let (source, whole) = match bytes {
            ReferencedBytes::Missing => return Ok(PendingKey::Missing),
            ReferencedBytes::Inline(bytes) => {
                let all = 0..bytes.len() as u64;
                let ranges = ranges.unwrap_or(std::slice::from_ref(&all));
                return Ok(PendingKey::Known(ranges_of(&bytes, ranges)?));
            }
            ReferencedBytes::Located(source, whole) => (source, whole),
        };
        let all = 0..length(&whole);
        let ranges = ranges.unwrap_or(std::slice::from_ref(&all));
        for range in ranges {
            check_part(range, length(&whole))?;
        }
        let n = *self
            .index
            .entry(Arc::as_ptr(&source).cast())
            .or_insert_with(|| {
                self.reads.push((source, vec![]));
                self.reads.len() - 1
            });
        let (_, reads) = self.reads.get_mut(n).or_internal("the reads of a source")?;
        let first = reads.len();
        let shifted = ranges.iter().map(|range| {
            let end = claimed(whole.start, range.end).end;
            claimed(whole.start, range.start).end..end
        });
        reads.extend(shifted);
        Ok(PendingKey::Reads(n, first..reads.len()))
    }

    fn read(self) -> SourceAnswers {
        let read =
            |(source, ranges): (Arc<dyn Source>, Vec<Range<u64>>)| read_sorted(&*source, &ranges);
        SourceAnswers(self.reads.into_iter().map(read).collect())
    }
}

/// Reads ranges in ascending order, so that the source can merge them.
fn read_sorted(source: &dyn Source, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_by_key(|&n| ranges.get(n).map(|range| (range.start, range.end)));
    let sorted: Vec<_> = order
        .iter()
        .filter_map(|&n| ranges.get(n).cloned())
        .collect();
    let read = source.read_ranges(&sorted)?;
    let mut out = vec![vec![]; ranges.len()];
    for (n, bytes) in order.into_iter().zip(read) {
        *out.get_mut(n).or_internal("a range")? = bytes;
    }
    Ok(out)
}

/// Checks that a key of `have` bytes contains a range.
fn check_part(range: &Range<u64>, have: u64) -> Result<()> {
    if range.start <= range.end && range.end <= have {
        return Ok(());
    }
    let what = format!(
        "{have} bytes, but bytes {} to {} are needed",
        range.start, range.end
    );
    Err(Error::new(ErrorKind::Truncated, what))
}

/// The bytes read from each source.
struct SourceAnswers(Vec<Result<Vec<Vec<u8>>>>);

impl SourceAnswers {
    fn parts(&self, one: PendingKey) -> Result<KeyParts> {
        match one {
            PendingKey::Missing => Ok(None),
            PendingKey::Known(parts) => Ok(Some(parts)),
            PendingKey::Reads(n, reads) => {
                let read = self.0.get(n).or_internal("a source that was read")?;
                let read = read.as_ref().map_err(Error::again)?;
                Ok(Some(
                    read.get(reads)
                        .or_internal("ranges that were read")?
                        .to_vec(),
                ))
            }
        }
    }
}

impl Store for ReferenceStore {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn latency(&self) -> bool {
        self.latency
    }

    fn location(&self, key: &str) -> Result<Option<Reference>> {
        let Some(reference) = self.reference(key)? else {
            return Ok(None);
        };
        let Some(url) = reference.url() else {
            return Ok(Some(reference));
        };
        let Some(source) = self.sources.source(url).in_object(|| key.to_owned())? else {
            return Ok(None);
        };
        // The name of the source does not depend on the directory of the references.
        Ok(match reference {
            Reference::Range { offset, len, .. } => {
                let range = within(&*source, offset, len)?;
                let location = source.location(&range);
                location.map(|(url, offset)| Reference::Range { url, offset, len })
            }
            Reference::Whole(_) | Reference::Inline(_) => {
                let location = source.location(&(0..source.len()));
                location.map(|(url, _)| Reference::Whole(url))
            }
        })
    }

    fn is_spread(&self) -> bool {
        true
    }

    fn source_state(&self, url: &str) -> Option<SourceState> {
        self.sources.state(url)
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let mut read = self.read(&[(key, None)]);
        let parts = read.pop().or_internal("an answer for a key")??;
        Ok(parts.and_then(|mut parts| parts.pop()))
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        let mut read = self.read(&[(key, Some(ranges))]);
        read.pop().or_internal("an answer for a key")?
    }

    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        let wanted = keys.iter().map(|of| (of.key.as_str(), Some(&*of.ranges)));
        self.read(&wanted.collect::<Vec<_>>())
    }

    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        let mut left = most;
        let mut sized: Vec<Option<Result<KeyContent>>> = vec![];
        for key in keys {
            sized.push(match self.size(key) {
                Err(e) => Some(Err(e)),
                Ok(None) => Some(Ok(KeyContent::Missing)),
                Ok(Some(size)) => match left.checked_sub(size) {
                    None => Some(Ok(KeyContent::Longer(size))),
                    Some(rest) => {
                        left = rest;
                        None
                    }
                },
            });
        }
        let unread = keys.iter().zip(&sized).filter(|(_, known)| known.is_none());
        let unread: Vec<_> = unread.map(|(key, _)| (key.as_str(), None)).collect();
        let mut read = self.read(&unread).into_iter();
        let content = |known: Option<Result<KeyContent>>| {
            known.unwrap_or_else(|| {
                let parts = read.next().or_internal("an answer for a key")??;
                let bytes = parts.and_then(|mut parts| parts.pop());
                Ok(bytes.map_or(KeyContent::Missing, KeyContent::Bytes))
            })
        };
        sized.into_iter().map(content).collect()
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        let Some(reference) = self.reference(key)? else {
            return Ok(None);
        };
        let size = match self.listed_size(&reference) {
            Ok(Some(UNKNOWN)) => {
                return Ok(match self.bytes(key)? {
                    ReferencedBytes::Missing => None,
                    ReferencedBytes::Inline(bytes) => Some(bytes.len() as u64),
                    ReferencedBytes::Located(_, range) => Some(length(&range)),
                });
            }
            size => size,
        };
        size.in_object(|| key.to_owned())
            .map_err(|e| e.of(&self.name))
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        self.table.children(prefix)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        self.table.walk(
            prefix,
            &mut |key, reference| match self.listed_size(reference)? {
                Some(size) => visit(key, size),
                None => Ok(()),
            },
        )
    }

    fn put(&self, key: &str, _: &[u8]) -> Result<()> {
        Err(self.read_only(key))
    }

    fn put_if_absent(&self, key: &str, _: &[u8]) -> Result<()> {
        Err(self.read_only(key))
    }

    fn invalid_entries(&self, _: bool) -> Result<Vec<InvalidEntry>> {
        Ok(self.table.invalid().all())
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.sources.changed()
    }

    fn delete(&self, key: &str) -> Result<()> {
        Err(self.read_only(key))
    }
}
