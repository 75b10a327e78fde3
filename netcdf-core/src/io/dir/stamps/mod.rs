//! Records the state of files when they are read, to detect later changes.
//!
//! A store that this process changes in place also records the changes of this process. Only changes of other programs are reported then. A
//! file that is read for the first time has changed if its times are later than the opening of the store.

use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Result as IoResult;
use std::time::{Duration, Instant, SystemTime};

use super::DirStore;
use crate::io::key_reads::KeyState;
use crate::io::patched_store::is_in_hidden;
use crate::io::store::is_marker;

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

/// The time at which a file last changed or got its name. A writer may have written a file long before it renames the file.
#[cfg(unix)]
fn last_change(meta: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = Duration::from_secs(u64::try_from(meta.ctime()).ok()?);
    let rest = Duration::from_nanos(u64::try_from(meta.ctime_nsec()).ok()?);
    let status = SystemTime::UNIX_EPOCH.checked_add(seconds.checked_add(rest)?)?;
    Some(meta.modified().map_or(status, |time| time.max(status)))
}

#[cfg(not(unix))]
fn last_change(meta: &Metadata) -> Option<SystemTime> {
    meta.modified().ok()
}

#[cfg(unix)]
fn number(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

/// The maximum difference between the clock and the times of files: Linux updates the times once per tick.
const TICK: Duration = Duration::from_millis(10);

/// The time from which changes of other programs are reported.
#[derive(Debug)]
pub(super) struct WatchStart {
    time: SystemTime,
    start: Instant,
}

impl WatchStart {
    pub(super) fn now() -> Self {
        Self {
            time: SystemTime::now(),
            start: Instant::now(),
        }
    }

    /// Returns whether a file has been changed or created since. A time in the future does not count: a clock was wrong.
    fn is_before(&self, meta: &Metadata) -> bool {
        let mut times = [meta.modified(), meta.created()].into_iter().flatten();
        meta.is_file() && times.any(|time| time > self.time && time <= SystemTime::now() + TICK)
    }

    /// Waits until new files have later times.
    pub(super) fn wait(&self) {
        let rest = TICK.checked_sub(self.start.elapsed());
        rest.into_iter().for_each(std::thread::sleep);
    }
}

/// Finds data keys that another program changed after the store was opened, and before they were first read.
#[derive(Debug)]
struct LaterKey {
    opened: SystemTime,
    /// The latest time of the metadata that the reader opened. Our writers change data before metadata.
    metadata: Option<SystemTime>,
    /// The first such key.
    found: Option<Box<str>>,
}

impl Default for LaterKey {
    fn default() -> Self {
        Self {
            opened: SystemTime::now(),
            metadata: None,
            found: None,
        }
    }
}

impl LaterKey {
    /// Looks at a file that is read for the first time. The clock may be ahead of the times of files by one tick.
    fn look(&mut self, key: &str, meta: &Metadata) {
        let time = last_change(meta).filter(|_| meta.is_file());
        if is_marker(key) {
            self.metadata = self.metadata.max(time);
        } else if let Some(time) = time
            && self.found.is_none()
            && time + TICK > self.opened
            && time <= SystemTime::now() + TICK
            && self.metadata.is_none_or(|metadata| time > metadata)
        {
            self.found = Some(key.into());
        }
    }
}

/// Hashes of recorded states, by key and by listed directory.
#[derive(Debug, Default)]
pub(super) struct SeenEntries {
    metadata: HashMap<Box<str>, u64>,
    others: HashMap<Box<str>, u64>,
    /// The last states of the data keys that this process changed, by hash of the key.
    own: HashMap<u64, u64>,
    /// One in `2^part` of the data keys is recorded.
    part: u32,
    /// The keys with a change between two reads.
    changed: HashSet<String>,
    later: LaterKey,
}

impl SeenEntries {
    /// Adds the state of a key. `is_new`: another program has changed the key, unless this process did.
    fn add(&mut self, key: &str, stamp: u64, is_new: impl FnOnce() -> bool) {
        let metadata = is_marker(key);
        if !metadata && !is_kept(key, self.part) {
            return;
        }
        let known = match metadata {
            true => self.metadata.get(key),
            false => self.others.get(key),
        };
        let is_changed = match known.or_else(|| self.own.get(&hash(key))) {
            Some(before) => *before != stamp,
            None => is_new(),
        };
        if is_changed {
            self.changed.insert(key.to_owned());
        }
        if known.is_none() {
            self.insert(key, stamp);
        }
    }

    /// Whether the state of a key was recorded.
    fn has(&self, key: &str) -> bool {
        self.metadata.contains_key(key) || self.others.contains_key(key)
    }

    /// The first data key that was changed after the opening and before it was read.
    pub(super) fn later(&self) -> Option<&str> {
        self.later.found.as_deref()
    }

    fn insert(&mut self, key: &str, stamp: u64) {
        match is_marker(key) {
            true => self.metadata.insert(key.into(), stamp),
            false => self.others.insert(key.into(), stamp),
        };
        self.thin();
    }

    /// Records the state of a key after a change of this process. Data keys are not compared before they are read again.
    fn add_own(&mut self, key: &str, stamp: u64) {
        if is_marker(key) {
            self.metadata.insert(key.into(), stamp);
        } else if is_kept(key, self.part) {
            self.others.remove(key);
            self.own.insert(hash(key), stamp);
            self.thin();
        }
    }

    /// Keeps a smaller sample if it has too many keys.
    fn thin(&mut self) {
        while self.others.len().max(self.own.len()) > MOST && self.part < u64::BITS {
            self.part += 1;
            self.others.retain(|key, _| is_kept(key, self.part));
            self.own.retain(|hash, _| is_sampled(*hash, self.part));
        }
    }

    /// Forgets the states of keys that were read.
    pub(super) fn forget(&mut self) {
        let own = std::mem::take(&mut self.own);
        let part = self.part;
        *self = Self {
            own,
            part,
            ..Self::default()
        };
    }

    /// Returns the listed directories with a key, each as a prefix.
    fn listed_above(&self, key: &str) -> Vec<String> {
        let slashes = key.match_indices('/');
        let prefixes = slashes.filter_map(|(at, _)| key.get(..=at));
        prefixes
            .chain([""])
            .filter(|prefix| self.others.contains_key(*prefix))
            .map(str::to_owned)
            .collect()
    }
}

/// The hash of a file's state. A missing file has a hash as well.
fn sum(meta: Option<&Metadata>) -> u64 {
    let mut hasher = DefaultHasher::new();
    meta.map(EntryStamp::new).hash(&mut hasher);
    hasher.finish()
}

fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Whether a key belongs to the sample.
fn is_kept(key: &str, part: u32) -> bool {
    is_sampled(hash(key), part)
}

fn is_sampled(hash: u64, part: u32) -> bool {
    hash.trailing_zeros() >= part
}

impl DirStore {
    /// Records the state of a file when it is read. `None` stands for a missing file.
    pub(super) fn note(&self, key: &str, meta: Option<&Metadata>) {
        if self.watched_since.is_some() && is_in_hidden(key) {
            // This process changes these keys.
            return;
        }
        if let (Some(reads), Some(meta)) = (self.reads.get(), meta)
            && meta.is_file()
        {
            let modified = meta.modified().ok();
            let (len, tag) = (meta.len(), None);
            reads.add(key, KeyState { len, tag, modified });
        }
        let is_new = || {
            let start = self.watched_since.as_ref();
            meta.is_some_and(|meta| start.is_some_and(|start| start.is_before(meta)))
        };
        let mut seen = self.seen();
        if let Some(meta) = meta
            && self.watched_since.is_none()
            && !is_in_hidden(key)
            && !seen.has(key)
        {
            seen.later.look(key, meta);
        }
        seen.add(key, sum(meta), is_new);
    }

    /// The keys that have changed since they were read, sorted. The prefix of a listed directory is also a key.
    pub(super) fn changed_entries(&self) -> Vec<String> {
        let seen = self.seen();
        let all = seen.metadata.iter().chain(&seen.others);
        let others = all.filter(|(key, before)| self.stamp(key) != **before);
        let others = others.map(|(key, _)| key.to_string());
        let all: std::collections::BTreeSet<String> =
            seen.changed.iter().cloned().chain(others).collect();
        all.into_iter().collect()
    }

    /// The first file that has changed since it was read.
    pub(super) fn changed_key(&self) -> Option<String> {
        let first = self.seen().changed.iter().min().cloned();
        first.or_else(|| self.changed_entries().into_iter().next())
    }

    /// Changes a key, and records its new state.
    pub(super) fn change_key(
        &self,
        key: &str,
        change: &mut dyn FnMut() -> IoResult<()>,
    ) -> IoResult<()> {
        let listed = self.seen().listed_above(key);
        // The call adds or removes directory entries. Changes of other programs before the call count.
        for prefix in &listed {
            self.seen().add(prefix, self.stamp(prefix), || false);
        }
        let done = change();
        for prefix in &listed {
            let stamp = self.stamp(prefix);
            self.seen().insert(prefix, stamp);
        }
        if !is_in_hidden(key) {
            let stamp = self.stamp(key);
            self.seen().add_own(key, stamp);
        }
        done
    }

    /// Forgets missing data keys. A key that another program creates later is noticed when it is read or replaced.
    pub(super) fn forget_missing_keys(&self) {
        let missing = sum(None);
        self.seen().others.retain(|_, stamp| *stamp != missing);
    }

    fn stamp(&self, key: &str) -> u64 {
        sum(std::fs::metadata(self.root.join(key)).ok().as_ref())
    }
}

#[cfg(test)]
mod tests;
