//! A store in a zip file. A key is a member's name without the common directory of all members.
//!
//! Specification: PKWARE's APPNOTE.TXT, version 6.3. Members are stored or deflated. netCDF-C puts all members into a directory named like
//! the file, and zarr-python does not.

mod directory;
mod member;
mod prefetch;
mod target;

pub use target::ZipTarget;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::invalid_entries::{EntryDefect, InvalidEntries, InvalidEntry};
use super::key;
use super::reference::{Reference, SourceState};
use super::source::{Source, read_range};
use super::store::{
    Hints, KeyContent, KeyParts, KeyRanges, MARKERS, Store, VisitKey, ranges_of, without_content,
};
use super::tree;
use crate::arithmetic::{Amount, claimed, length};
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::limits::Limits;
use directory::ZipMember;
use prefetch::KnownRanges;

/// An inflated member, with its key.
type Inflated = Option<(String, Arc<Vec<u8>>)>;

/// The maximum number of bytes in a group of concurrent reads.
const MOST_AHEAD: u64 = 64 << 20;

/// A read-only store in a zip file.
#[derive(Debug)]
pub struct ZipStore {
    source: Arc<dyn Source>,
    hints: Hints,
    members: BTreeMap<String, ZipMember>,
    /// The member that was inflated last, to read more ranges.
    inflated: Mutex<Inflated>,
    /// Invalid entries.
    invalid: InvalidEntries,
}

impl ZipStore {
    /// Opens the store in a zip file. Reads the directory, but no member.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownFormat`] for a file that is not a zip file; [`ErrorKind::Truncated`] and [`ErrorKind::Corrupt`] for a damaged
    /// file; I/O errors.
    pub fn open(source: Arc<dyn Source>, limits: &Limits) -> Result<Self> {
        let invalid = InvalidEntries::default();
        let all = directory::read(&*source, limits, &invalid)?;
        let prefix = prefix(all.keys().map(String::as_str)).to_owned();
        let inside = |(key, member): (String, ZipMember)| {
            let key = key.strip_prefix(&prefix)?;
            Some((key.to_owned(), member))
        };
        Ok(Self {
            members: all.into_iter().filter_map(inside).collect(),
            source,
            hints: Hints::default(),
            inflated: Mutex::default(),
            invalid,
        })
    }

    /// Sets the hints.
    #[must_use]
    pub fn with_hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// Whether the store has Zarr metadata.
    #[must_use]
    pub fn is_store(&self) -> bool {
        let ends = |key: &String| MARKERS.contains(&last(key));
        self.members.keys().any(ends)
    }

    /// The member for a key.
    fn member(&self, key: &str) -> Result<Option<&ZipMember>> {
        key::check(key).map_err(|e| e.of(self.source.name()))?;
        let found = self.members.get(key);
        if found.is_none() && tree::has_below(&self.members, key) {
            return Err(without_content(self.source.name(), key));
        }
        Ok(found)
    }

    /// Inflates a member, and caches the bytes for further ranges.
    fn inflated(&self, key: &str, member: &ZipMember) -> Result<Arc<Vec<u8>>> {
        let lock = || self.inflated.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = lock().as_ref().filter(|(of, _)| of == key) {
            return Ok(Arc::clone(bytes));
        }
        let bytes = Arc::new(member.bytes(&*self.source)?);
        *lock() = Some((key.to_owned(), Arc::clone(&bytes)));
        Ok(bytes)
    }

    fn parts(
        &self,
        source: &dyn Source,
        (key, member): (&str, &ZipMember),
        ranges: &[Range<u64>],
    ) -> Result<Vec<Vec<u8>>> {
        if member.is_stored() {
            let start = member.stored_at(source)?;
            let shifted = ranges.iter().map(|range| {
                member.check_range(range)?;
                let end = claimed(start, range.end).end;
                Ok(claimed(start, range.start).end..end)
            });
            let parts = source.read_ranges(&shifted.collect::<Result<Vec<_>>>()?)?;
            let mut read = ranges.iter().zip(&parts);
            if let Some((_, all)) = read.find(|(range, _)| **range == (0..member.size)) {
                member.check_sum(all)?;
            }
            return Ok(parts);
        }
        ranges_of(&self.inflated(key, member)?, ranges)
    }

    fn content(&self, source: &dyn Source, key: &str) -> Result<Option<Vec<u8>>> {
        let Some(member) = self.member(key)? else {
            return Ok(None);
        };
        let bytes = member.bytes(source).in_object(|| key.to_owned());
        bytes.map(Some).map_err(|e| e.of(self.name()))
    }

    fn ranges(&self, source: &dyn Source, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        let Some(member) = self.member(key)? else {
            return Ok(None);
        };
        let parts = self.parts(source, (key, member), ranges);
        let parts = parts.in_object(|| key.to_owned());
        parts.map(Some).map_err(|e| e.of(self.name()))
    }

    /// Reads members of a remote file ahead. A failed read is ignored: a later read of the member reports the error.
    fn ahead<'s>(
        &'s self,
        wanted: impl Iterator<Item = (&'s str, Option<&'s [Range<u64>]>)>,
    ) -> Option<KnownRanges<'s>> {
        if !self.source.latency() {
            return None;
        }
        let mut left = MOST_AHEAD;
        let wanted = wanted.filter_map(|(key, ranges)| {
            let member = self.members.get(key)?;
            let ranges = match ranges {
                Some(ranges) if member.is_stored() => ranges.to_vec(),
                _ => std::iter::once(0..member.packed).collect(),
            };
            let need = ranges
                .iter()
                .map(length)
                .fold(Amount::of(0u64), |n, more| n + more)
                .get();
            left = left.checked_sub(need)?;
            Some((member, ranges))
        });
        KnownRanges::of(&*self.source, wanted).ok()
    }

    fn read_only(&self, key: &str) -> Error {
        let what = "a zip file cannot be changed";
        let e = Error::new(ErrorKind::Unsupported, what);
        e.in_object(key).of(self.source.name())
    }
}

/// The last part of a key.
fn last(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// The root directory of the store: the directory of the metadata with the shortest path, or the common parent if several directories have
/// metadata.
fn prefix<'k>(keys: impl Iterator<Item = &'k str>) -> &'k str {
    let mut found: Option<(usize, &str)> = None;
    for key in keys.filter(|key| MARKERS.contains(&last(key))) {
        let depth = key.matches('/').count();
        let folder = key.get(..key.len() - last(key).len()).unwrap_or_default();
        found = match found {
            Some((least, _)) if depth > least => found,
            Some((least, other)) if depth == least => Some((least, common(other, folder))),
            Some(_) | None => Some((depth, folder)),
        };
    }
    found.map_or("", |(_, folder)| folder)
}

/// The common part of two prefixes.
fn common<'k>(a: &'k str, b: &str) -> &'k str {
    let same = a.split_inclusive('/').zip(b.split_inclusive('/'));
    let same = same.take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum();
    a.get(..same).unwrap_or_default()
}

impl Store for ZipStore {
    fn name(&self) -> &Arc<str> {
        self.source.name()
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn state(&self) -> Result<Option<String>> {
        Ok(Some(self.source.state()))
    }

    fn invalid_entries(&self, all: bool) -> Result<Vec<InvalidEntry>> {
        for (key, member) in self.members.iter().filter(|_| all) {
            if member.has_other_name(&*self.source) {
                self.invalid
                    .add(InvalidEntry::new(EntryDefect::OtherName, key.as_bytes()));
            }
        }
        Ok(self.invalid.all())
    }

    fn latency(&self) -> bool {
        self.source.latency()
    }

    fn location(&self, key: &str) -> Result<Option<Reference>> {
        let Some(member) = self.member(key)?.filter(|member| member.is_stored()) else {
            return Ok(None);
        };
        let offset = member.stored_at(&*self.source);
        Ok(Some(Reference::Range {
            url: Arc::clone(self.name()),
            offset: offset.in_object(|| key.to_owned())?,
            len: member.size,
        }))
    }

    fn source_state(&self, url: &str) -> Option<SourceState> {
        (url == &**self.name()).then(|| self.source.file_state())
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        self.content(&*self.source, key)
    }

    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        let mut left = most;
        // Do not read members beyond the limit.
        let fits: Vec<Result<Option<u64>>> = keys.iter().map(|key| self.size(key)).collect();
        let mut answers: Vec<Option<Result<KeyContent>>> = vec![];
        for size in fits {
            answers.push(match size {
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
        let wanted = keys.iter().zip(&answers);
        let wanted = wanted.filter(|(_, answer)| answer.is_none());
        let ahead = self.ahead(wanted.map(|(key, _)| (key.as_str(), None)));
        let source: &dyn Source = ahead.as_ref().map_or(&*self.source, |ahead| ahead);
        let answer = |(key, answer): (&String, Option<Result<KeyContent>>)| {
            answer.unwrap_or_else(|| {
                let bytes = self.content(source, key)?;
                Ok(bytes.map_or(KeyContent::Missing, KeyContent::Bytes))
            })
        };
        keys.iter().zip(answers).map(answer).collect()
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        let ahead = self.ahead(std::iter::once((key, Some(ranges))));
        let source: &dyn Source = ahead.as_ref().map_or(&*self.source, |ahead| ahead);
        self.ranges(source, key, ranges)
    }

    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        let wanted = keys.iter().map(|of| (of.key.as_str(), Some(&*of.ranges)));
        let ahead = self.ahead(wanted);
        let source: &dyn Source = ahead.as_ref().map_or(&*self.source, |ahead| ahead);
        let parts = |of: &KeyRanges| self.ranges(source, &of.key, &of.ranges);
        keys.iter().map(parts).collect()
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        Ok(self.member(key)?.map(|member| member.size))
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        key::check_prefix(prefix).map_err(|e| e.of(self.name()))?;
        Ok(tree::children(&self.members, prefix))
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        key::check_prefix(prefix).map_err(|e| e.of(self.name()))?;
        let mut below = tree::below(&self.members, prefix);
        below.try_for_each(|(key, member)| visit(key, member.size))
    }

    fn put(&self, key: &str, _: &[u8]) -> Result<()> {
        Err(self.read_only(key))
    }

    fn put_if_absent(&self, key: &str, _: &[u8]) -> Result<()> {
        Err(self.read_only(key))
    }

    fn changed(&self) -> Option<Arc<str>> {
        let changed = self.source.has_changed();
        changed.then(|| Arc::clone(self.source.name()))
    }

    fn delete(&self, key: &str) -> Result<()> {
        Err(self.read_only(key))
    }
}

/// Whether a file has the signature of a zip file.
///
/// # Errors
/// Returns I/O errors.
pub fn is_zip(source: &dyn Source) -> Result<bool> {
    let head = read_range(source, &(0..source.len().min(4)))?;
    Ok(head == *b"PK\x03\x04" || head == *b"PK\x05\x06")
}

#[cfg(test)]
mod tests;
