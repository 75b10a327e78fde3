//! The journal of a change: the old values of keys, an index with an entry for each key, and the trailer.
//!
//! All numbers are little-endian. The layout is in `docs/update.md`.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::arithmetic::exact;
use crate::error::{OrInternal as _, Result};
use crate::io::Store;
use crate::io::key;
use crate::limits::room;

/// The hidden directory in an array: the journal and the new values before they get their names.
pub(super) const HIDDEN: &str = ".netcdf-update";
/// The name of the journal in the hidden directory.
pub(super) const JOURNAL: &str = "journal";

const MAGIC: &[u8; 8] = b"NCUPKEYS";
const VERSION: u8 = 1;
/// The length of the trailer in bytes.
const TRAILER: u64 = 48;
/// The length of a digest in bytes.
pub(super) const DIGEST: usize = 16;

/// Returns whether a key relative to an array belongs to a change in place.
#[must_use]
pub fn is_hidden(key: &str) -> bool {
    key.split_once('/')
        .is_some_and(|(first, _)| first == HIDDEN)
}

/// Returns whether a key of a store belongs to a change in place.
#[must_use]
pub fn is_in_hidden(key: &str) -> bool {
    key.split('/').any(|part| part == HIDDEN)
}

/// Returns the hidden directory of an array, with a slash at the end. `prefix` is the prefix of the array.
pub(super) fn hidden(prefix: &str) -> String {
    format!("{prefix}{HIDDEN}/")
}

/// The order in which keys change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyLevel {
    /// Chunks.
    Chunk,
    /// Metadata of arrays and groups.
    Metadata,
    /// Consolidated metadata.
    Consolidated,
}

impl KeyLevel {
    /// All levels, in the order of changes.
    pub(super) const ALL: [Self; 3] = [Self::Chunk, Self::Metadata, Self::Consolidated];

    fn number(self) -> u8 {
        match self {
            Self::Chunk => 1,
            Self::Metadata => 2,
            Self::Consolidated => 3,
        }
    }

    fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.number() == number)
    }
}

/// The length and the digest of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueSum {
    pub(super) len: u64,
    pub(super) digest: [u8; DIGEST],
}

impl ValueSum {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            len: bytes.len() as u64,
            digest: digest(&[bytes]),
        }
    }
}

/// Returns the first bytes of the BLAKE3 digest of some bytes.
fn digest(parts: &[&[u8]]) -> [u8; DIGEST] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let mut out = [0; DIGEST];
    out.copy_from_slice(hasher.finalize().as_bytes().split_at(DIGEST).0);
    out
}

/// A changed key. `None` stands for a missing key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JournalEntry {
    pub(super) level: KeyLevel,
    pub(super) key: String,
    pub(super) old: Option<ValueSum>,
    pub(super) new: Option<ValueSum>,
}

impl JournalEntry {
    /// Returns whether the key is a chunk that the old state lacks.
    pub(super) fn is_new_chunk(&self) -> bool {
        self.level == KeyLevel::Chunk && self.old.is_none()
    }
}

/// A journal. The old values are at the beginning, in the order of the entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyJournal {
    /// The prefix of the array with the journal.
    pub(super) prefix: String,
    pub(super) entries: Vec<JournalEntry>,
}

impl KeyJournal {
    /// Returns the index and the trailer, which follow the old values.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let mut out = vec![];
        put_text(&self.prefix, &mut out)?;
        for entry in &self.entries {
            out.push(entry.level.number());
            put_text(&entry.key, &mut out)?;
            put_sum(entry.old, &mut out);
            put_sum(entry.new, &mut out);
        }
        let values = self.values_len().or_internal("old values of a change")?;
        let len = (exact(values) + out.len() + TRAILER).get()?;
        let count = u32::try_from(self.entries.len()).ok();
        let mut trailer = MAGIC.to_vec();
        trailer.extend([VERSION, 0, 0, 0]);
        trailer.extend(count.or_internal("keys of a change")?.to_le_bytes());
        trailer.extend(values.to_le_bytes());
        trailer.extend(len.to_le_bytes());
        let sum = digest(&[&out, &trailer]);
        out.extend(trailer);
        out.extend(sum);
        Ok(out)
    }

    /// Returns the length of all old values in bytes.
    fn values_len(&self) -> Option<u64> {
        let mut lens = self.entries.iter().filter_map(|entry| entry.old);
        lens.try_fold(0u64, |sum, old| sum.checked_add(old.len))
    }

    /// Returns the entries with the ranges of their old values in the journal.
    pub(super) fn with_ranges(&self) -> impl Iterator<Item = (&JournalEntry, Range<u64>)> {
        let mut end = 0u64;
        self.entries.iter().map(move |entry| {
            let start = end;
            // The sum of all lengths was checked.
            end = start.wrapping_add(entry.old.map_or(0, |old| old.len));
            (entry, start..end)
        })
    }

    /// Returns the key of the journal.
    pub(super) fn key(&self) -> String {
        hidden(&self.prefix) + JOURNAL
    }

    /// Reads the journal in the array with this prefix. Returns `None` for a missing or incomplete journal.
    ///
    /// # Errors
    /// Returns store errors.
    pub(super) fn read(store: &dyn Store, prefix: &str) -> Result<Option<Self>> {
        let key = hidden(prefix) + JOURNAL;
        let Some(len) = store.size(&key)? else {
            return Ok(None);
        };
        let Some(start) = len.checked_sub(TRAILER) else {
            return Ok(None);
        };
        let part = |range: Range<u64>| {
            let parts = store.get_ranges(&key, std::slice::from_ref(&range))?;
            Ok::<_, crate::Error>(parts.and_then(|mut parts| parts.pop()))
        };
        let Some(trailer) = part(start..len)? else {
            return Ok(None);
        };
        let Some(trailer) = KeyTrailer::decode(&trailer).filter(|trailer| trailer.fits(len)) else {
            return Ok(None);
        };
        room(
            exact(start - trailer.values).index()?,
            "the journal of a change",
        )?;
        let Some(index) = part(trailer.values..start)? else {
            return Ok(None);
        };
        Ok(trailer.journal(&index).filter(|it| it.prefix == prefix))
    }
}

/// The end of a journal.
struct KeyTrailer {
    count: u32,
    /// The length of the old values, and the offset of the index.
    values: u64,
    len: u64,
    /// The bytes before the digest.
    content: Vec<u8>,
    digest: [u8; DIGEST],
}

impl KeyTrailer {
    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST)?)?;
        let mut rest = content;
        let magic = take(&mut rest, MAGIC.len())?;
        let [version, ..] = *take(&mut rest, 4)?.first_chunk::<4>()?;
        let trailer = Self {
            count: u32::from_le_bytes(*take(&mut rest, 4)?.first_chunk()?),
            values: take_number(&mut rest)?,
            len: take_number(&mut rest)?,
            content: content.to_vec(),
            digest: *sum.first_chunk()?,
        };
        (magic == MAGIC && version == VERSION).then_some(trailer)
    }

    fn fits(&self, len: u64) -> bool {
        let index_end = len.checked_sub(TRAILER);
        self.len == len && index_end.is_some_and(|end| self.values <= end)
    }

    /// Decodes the index. Returns `None` if it is not valid.
    fn journal(&self, index: &[u8]) -> Option<KeyJournal> {
        if digest(&[index, &self.content]) != self.digest {
            return None;
        }
        let mut rest = index;
        let prefix = take_text(&mut rest)?;
        let mut entries = vec![];
        let mut keys = BTreeSet::new();
        for _ in 0..self.count {
            let entry = JournalEntry {
                level: KeyLevel::of(*take(&mut rest, 1)?.first()?)?,
                key: take_text(&mut rest)?,
                old: take_sum(&mut rest)?,
                new: take_sum(&mut rest)?,
            };
            let is_other = !entry.key.split('/').any(|part| part == HIDDEN);
            if key::check(&entry.key).is_err() || !is_other || !keys.insert(entry.key.clone()) {
                return None;
            }
            entries.push(entry);
        }
        let journal = KeyJournal { prefix, entries };
        let is_whole = rest.is_empty() && journal.values_len() == Some(self.values);
        is_whole.then_some(journal)
    }
}

fn put_text(text: &str, out: &mut Vec<u8>) -> Result<()> {
    let len = u32::try_from(text.len()).ok().or_internal("a key")?;
    out.extend(len.to_le_bytes());
    out.extend(text.as_bytes());
    Ok(())
}

fn put_sum(sum: Option<ValueSum>, out: &mut Vec<u8>) {
    out.push(u8::from(sum.is_some()));
    if let Some(sum) = sum {
        out.extend(sum.len.to_le_bytes());
        out.extend(sum.digest);
    }
}

fn take<'b>(rest: &mut &'b [u8], len: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(len)?;
    *rest = left;
    Some(taken)
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*take(rest, 8)?.first_chunk()?))
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let len = u32::from_le_bytes(*take(rest, 4)?.first_chunk()?);
    let text = take(rest, usize::try_from(len).ok()?)?;
    String::from_utf8(text.to_vec()).ok()
}

fn take_sum(rest: &mut &[u8]) -> Option<Option<ValueSum>> {
    match take(rest, 1)? {
        [0] => Some(None),
        [1] => Some(Some(ValueSum {
            len: take_number(rest)?,
            digest: *take(rest, DIGEST)?.first_chunk()?,
        })),
        _ => None,
    }
}
