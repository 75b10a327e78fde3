//! A store that another program changes while it is read: the recorded calls of a change are replayed between the reads.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use super::is_in_hidden;
use super::recorded_keys::{Keys, Random, RecordedKeys, store_of};
use crate::io::Store;
use crate::io::store::{KeyParts, VisitKey, is_marker};

/// The state of the replay, and the states of keys that were read.
#[derive(Debug)]
struct Replay {
    /// The number of the current moment.
    at: usize,
    /// The number of calls before the replay starts.
    wait: u64,
    /// The maximum number of moments between two calls.
    pace: u64,
    random: Random,
    /// The number of the moment at which the store was opened.
    opened: usize,
    seen: BTreeMap<String, String>,
    changed: BTreeSet<String>,
    /// A data key that was changed after the opening and before it was read.
    later: Option<String>,
}

/// A store with the keys of one moment after another. It records the keys that are read, as a store in a directory does.
#[derive(Debug)]
pub(crate) struct ChangingStore {
    name: Arc<str>,
    moments: Vec<Keys>,
    replay: Mutex<Replay>,
}

/// The state of a missing key.
const MISSING: &str = "None";

impl ChangingStore {
    /// Replays recorded calls at a pace that depends on the seed.
    pub(crate) fn new(recorded: &RecordedKeys, seed: u64) -> Self {
        let mut random = Random(seed);
        let replay = Replay {
            at: 0,
            wait: random.next() % 60,
            pace: 1 + random.next() % 6,
            random,
            opened: 0,
            seen: BTreeMap::new(),
            changed: BTreeSet::new(),
            later: None,
        };
        Self {
            name: "changing.zarr".into(),
            moments: recorded.moments(),
            replay: Mutex::new(replay),
        }
    }

    fn replay(&self) -> MutexGuard<'_, Replay> {
        self.replay.lock().unwrap()
    }

    /// Returns the keys for the next call.
    fn now(&self) -> Arc<dyn Store> {
        let mut replay = self.replay();
        match replay.wait {
            0 => {
                let pace = replay.pace;
                let steps = usize::try_from(replay.random.next() % (pace + 1)).unwrap();
                replay.at = (replay.at + steps).min(self.moments.len() - 1);
            }
            _ => replay.wait -= 1,
        }
        store_of(&self.moments[replay.at])
    }

    /// Records the state of a key.
    fn note(&self, key: &str, store: &dyn Store) {
        let state = state(key, store);
        let mut replay = self.replay();
        match replay.seen.get(key) {
            Some(known) if *known != state => drop(replay.changed.insert(key.to_owned())),
            Some(_) => {}
            None => {
                let opened = self.moments[replay.opened].get(key);
                let is_data =
                    !key.is_empty() && !key.ends_with('/') && !is_marker(key) && !is_in_hidden(key);
                if is_data && format!("{opened:?}") != state && state != MISSING {
                    replay.later.get_or_insert(key.to_owned());
                }
                replay.seen.insert(key.to_owned(), state);
            }
        }
    }
}

/// Returns the state of a key, or of the directory that a prefix names.
fn state(key: &str, store: &dyn Store) -> String {
    match key.is_empty() || key.ends_with('/') {
        true => format!("{:?}", store.children(key).unwrap()),
        false => format!("{:?}", store.get(key).unwrap()),
    }
}

impl Store for ChangingStore {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn get(&self, key: &str) -> crate::Result<Option<Vec<u8>>> {
        let now = self.now();
        self.note(key, &*now);
        now.get(key)
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> crate::Result<KeyParts> {
        let now = self.now();
        self.note(key, &*now);
        now.get_ranges(key, ranges)
    }

    fn size(&self, key: &str) -> crate::Result<Option<u64>> {
        let now = self.now();
        self.note(key, &*now);
        now.size(key)
    }

    fn children(&self, prefix: &str) -> crate::Result<Vec<String>> {
        let now = self.now();
        self.note(prefix, &*now);
        now.children(prefix)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> crate::Result<()> {
        let now = self.now();
        self.note(prefix, &*now);
        now.walk(prefix, &mut |key, len| {
            let folders = key.match_indices('/').map(|(at, _)| &key[..=at]);
            let below = folders.filter(|folder| folder.len() > prefix.len());
            below.for_each(|folder| self.note(folder, &*now));
            visit(key, len)
        })
    }

    fn put(&self, _: &str, _: &[u8]) -> crate::Result<()> {
        panic!("for readers");
    }

    fn put_if_absent(&self, _: &str, _: &[u8]) -> crate::Result<()> {
        panic!("for readers");
    }

    fn delete(&self, _: &str) -> crate::Result<()> {
        panic!("for readers");
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.changed_keys().pop().map(|_| Arc::clone(&self.name))
    }

    fn changed_keys(&self) -> Vec<String> {
        let now = self.now();
        let replay = self.replay();
        let later = replay.seen.iter();
        let later = later.filter(|(key, before)| state(key, &*now) != **before);
        let mut all = replay.changed.clone();
        all.extend(later.map(|(key, _)| key.clone()));
        all.into_iter().collect()
    }

    fn later_key(&self) -> Option<String> {
        self.replay().later.clone()
    }

    fn forget_missing(&self) {
        self.replay().seen.retain(|_, state| state != MISSING);
    }

    fn forget_states(&self) {
        let mut replay = self.replay();
        replay.seen.clear();
        replay.changed.clear();
        replay.later = None;
        replay.opened = replay.at;
    }
}
