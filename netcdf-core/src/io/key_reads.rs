//! The record of the keys that a process reads, with sizes and modification times or tags.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::lease;
use super::sums::KeyStates;
use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, Result};

/// Maximum number of keys in a record. Times are compared for all keys.
const MOST: usize = 1 << 20;

/// Clock differences up to this number of seconds are ignored.
const MARGIN: u64 = 1;

/// The state of a key that is read.
#[derive(Debug, Clone, Copy)]
pub struct KeyState<'a> {
    /// The length in bytes.
    pub len: u64,
    /// The tag, if the service has tags.
    pub tag: Option<&'a str>,
    /// The time of the last change.
    pub modified: Option<SystemTime>,
}

/// The keys that a process reads.
#[derive(Debug, Default)]
pub struct KeyReads(Mutex<ReadKeys>);

#[derive(Debug, Default)]
struct ReadKeys {
    /// Hashes of the keys since the last record.
    known: HashSet<u64>,
    states: KeyStates,
    /// The key with the latest change, and the time of the change in seconds since 1970.
    newest: Option<(u64, String)>,
}

impl KeyReads {
    fn lock(&self) -> MutexGuard<'_, ReadKeys> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a key.
    pub fn add(&self, key: &str, state: KeyState<'_>) {
        let modified = state
            .modified
            .and_then(|t| t.duration_since(UNIX_EPOCH).ok());
        let seconds = modified.map_or(0, |time| time.as_secs());
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        // Ignore times in the future: a clock is wrong.
        let future = seconds > late(lease::now());
        let mut keys = self.lock();
        if !future && keys.newest.as_ref().is_none_or(|(time, _)| *time < seconds) {
            keys.newest = Some((seconds, key.to_owned()));
        }
        if keys.known.len() < MOST && keys.known.insert(hasher.finish()) {
            let text = match state.tag {
                Some(tag) => tag.to_owned(),
                None => format!("{modified:?}"),
            };
            keys.states.add(key, state.len, &text);
        }
    }

    /// Returns number, bytes and state digest of the keys since the last call. `None` without keys.
    #[must_use]
    pub fn record(&self) -> Option<String> {
        let mut keys = self.lock();
        keys.known.clear();
        let states = std::mem::take(&mut keys.states);
        (states.count() > 0).then(|| states.text())
    }

    /// The latest modification time of the keys, in seconds since 1970.
    #[must_use]
    pub fn newest(&self) -> u64 {
        self.lock().newest.as_ref().map_or(0, |(time, _)| *time)
    }

    /// Checks that no key changed after a time, in seconds since 1970.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] with the key.
    pub fn check(&self, time: u64) -> Result<()> {
        let keys = self.lock();
        let newest = keys.newest.as_ref();
        match newest.filter(|(at, _)| *at > late(time)) {
            None => Ok(()),
            Some((_, key)) => {
                let what = format!("the key {key} of the input changed after the plan was made");
                Err(Error::new(ErrorKind::Changed, what))
            }
        }
    }
}

/// The latest time that another machine's clock may show, in seconds since 1970.
fn late(time: u64) -> u64 {
    (Amount::of(time) + MARGIN).get()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn state(len: u64, seconds: u64) -> KeyState<'static> {
        let modified = Some(UNIX_EPOCH + Duration::from_secs(seconds));
        KeyState {
            len,
            tag: None,
            modified,
        }
    }

    #[test]
    fn each_key_is_recorded_once() {
        let reads = KeyReads::default();
        assert_eq!(reads.record(), None);
        reads.add("v/0", state(3, 10));
        let one = reads.record().unwrap();
        assert!(one.starts_with("1 keys, 3 bytes, "), "{one}");
        for _ in 0..2 {
            reads.add("v/0", state(3, 10));
        }
        assert_eq!(reads.record().unwrap(), one);
        reads.add("v/0", state(3, 11));
        assert_ne!(reads.record().unwrap(), one);
        assert_eq!(reads.record(), None);
    }

    #[test]
    fn later_changes_are_noticed() {
        let reads = KeyReads::default();
        reads.check(0).unwrap();
        assert_eq!(reads.newest(), 0);
        reads.add("v/0", state(3, 12));
        reads.add("v/1", state(3, 10));
        assert_eq!(reads.newest(), 12);
        let e = reads.check(10).unwrap_err();
        assert!(e.kind() == ErrorKind::Changed && e.to_string().contains("key v/0"));
        // Accept small clock differences.
        reads.check(11).unwrap();
    }
}
