//! Records the state of files when they are read, to detect later changes.

use std::collections::HashMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::SystemTime;

use super::DirStore;
use crate::io::key_reads::KeyState;
use crate::io::store::MARKERS;

/// The maximum number of recorded files, not counting metadata. Of more files, only a sample is recorded.
const MOST: usize = 1 << 19;

/// The identity and state of a file. A replaced or changed file has another stamp.
#[derive(Hash)]
struct EntryStamp {
    len: u64,
    modified: Option<SystemTime>,
    number: u64,
}

impl EntryStamp {
    fn new(meta: &Metadata) -> Self {
        // The length of a directory has no meaning.
        let len = if meta.is_dir() { 0 } else { meta.len() };
        Self {
            len,
            modified: meta.modified().ok(),
            number: number(meta),
        }
    }
}

#[cfg(unix)]
fn number(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

/// Hashes of recorded states, by key and by listed directory.
#[derive(Debug, Default)]
pub(super) struct SeenEntries {
    metadata: HashMap<Box<str>, u64>,
    others: HashMap<Box<str>, u64>,
    /// One in `2^part` of the data keys is recorded.
    part: u32,
    /// The first key with a change between two reads.
    changed: Option<String>,
}

impl SeenEntries {
    fn add(&mut self, key: &str, stamp: u64) {
        let name = key.rsplit('/').next().unwrap_or(key);
        let metadata = MARKERS.contains(&name);
        if !metadata && !is_kept(key, self.part) {
            return;
        }
        let seen = match metadata {
            true => &mut self.metadata,
            false => &mut self.others,
        };
        match seen.get(key) {
            Some(before) if *before != stamp => {
                self.changed.get_or_insert_with(|| key.to_owned());
            }
            Some(_) => {}
            None => {
                seen.insert(key.into(), stamp);
            }
        }
        while self.others.len() > MOST && self.part < u64::BITS {
            self.part += 1;
            self.others.retain(|key, _| is_kept(key, self.part));
        }
    }
}

/// The hash of a file's state. A missing file has a hash as well.
fn sum(meta: Option<&Metadata>) -> u64 {
    let mut hasher = DefaultHasher::new();
    meta.map(EntryStamp::new).hash(&mut hasher);
    hasher.finish()
}

/// Whether a key belongs to the sample.
fn is_kept(key: &str, part: u32) -> bool {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish().trailing_zeros() >= part
}

impl DirStore {
    /// Records the state of a file when it is read. `None` stands for a missing file.
    pub(super) fn note(&self, key: &str, meta: Option<&Metadata>) {
        if let (Some(reads), Some(meta)) = (self.reads.get(), meta)
            && meta.is_file()
        {
            let modified = meta.modified().ok();
            let (len, tag) = (meta.len(), None);
            reads.add(key, KeyState { len, tag, modified });
        }
        let mut seen = self.seen();
        seen.add(key, sum(meta));
    }

    /// The first file that has changed since it was read.
    pub(super) fn changed_key(&self) -> Option<String> {
        let seen = self.seen();
        let all = seen.metadata.iter().chain(&seen.others);
        let other = || {
            let others = all.filter(|(key, before)| self.stamp(key) != **before);
            others.map(|(key, _)| key).min().map(|key| key.to_string())
        };
        seen.changed.clone().or_else(other)
    }

    fn stamp(&self, key: &str) -> u64 {
        sum(std::fs::metadata(self.root.join(key)).ok().as_ref())
    }
}

#[cfg(test)]
mod tests;
