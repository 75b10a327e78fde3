//! A directory in memory that records system calls, and replays every moment at which the system may stop.
//!
//! Files and directories are numbered nodes, as in a file system. After a power failure, bytes of files that were not synced and entries of
//! directories that were not synced may be lost, each for itself.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::io::Store;
use crate::io::memory_store::MemoryStore;
use crate::io::raw_keys::RawKeys;
use crate::io::store::{KeyParts, VisitKey, ranges_of};

/// All keys with their bytes.
pub(crate) type Keys = BTreeMap<String, Vec<u8>>;

/// A change that the disk makes or loses as a whole.
#[derive(Debug, Clone)]
enum Atom {
    /// An entry of a directory: a node, or its removal.
    Entry(usize, String, Option<usize>),
    /// Bytes of a file.
    Bytes(usize, usize, Vec<u8>),
}

#[derive(Debug, Clone)]
enum Step {
    Atom(Atom),
    /// The synced nodes.
    Sync(Vec<usize>),
}

#[derive(Debug, Clone)]
enum FakeNode {
    Folder(BTreeMap<String, usize>),
    File(Vec<u8>),
}

/// A file system. The root is node 0.
#[derive(Debug, Clone)]
struct FakeDisk(Vec<FakeNode>);

impl FakeDisk {
    fn new(keys: &Keys) -> Self {
        let mut disk = Self(vec![FakeNode::Folder(BTreeMap::new())]);
        for (key, bytes) in keys {
            let mut steps = vec![];
            let (folder, name) = disk.made_folder(key, &mut steps);
            let node = disk.add(FakeNode::File(bytes.clone()));
            disk.apply(&Atom::Entry(folder, name, Some(node)));
        }
        disk
    }

    fn add(&mut self, node: FakeNode) -> usize {
        self.0.push(node);
        self.0.len() - 1
    }

    fn apply(&mut self, atom: &Atom) {
        match atom {
            Atom::Entry(folder, name, node) => {
                let FakeNode::Folder(entries) = &mut self.0[*folder] else {
                    panic!("not a directory");
                };
                match node {
                    Some(node) => entries.insert(name.clone(), *node),
                    None => entries.remove(name),
                };
            }
            Atom::Bytes(file, offset, bytes) => {
                let FakeNode::File(own) = &mut self.0[*file] else {
                    panic!("not a file");
                };
                own.resize(own.len().max(offset + bytes.len()), 0);
                own[*offset..offset + bytes.len()].copy_from_slice(bytes);
            }
        }
    }

    fn find(&self, path: &str) -> Option<usize> {
        let mut at = 0;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let FakeNode::Folder(entries) = &self.0[at] else {
                return None;
            };
            at = *entries.get(part)?;
        }
        Some(at)
    }

    /// Returns the directory of a key, which is made if it is missing, and the last part.
    fn made_folder(&mut self, key: &str, steps: &mut Vec<Atom>) -> (usize, String) {
        let (folder, name) = key.rsplit_once('/').unwrap_or(("", key));
        let mut at = 0;
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            let FakeNode::Folder(entries) = &self.0[at] else {
                panic!("a key below a key");
            };
            at = match entries.get(part) {
                Some(node) => *node,
                None => {
                    let node = self.add(FakeNode::Folder(BTreeMap::new()));
                    let atom = Atom::Entry(at, part.to_owned(), Some(node));
                    self.apply(&atom);
                    steps.push(atom);
                    node
                }
            };
        }
        (at, name.to_owned())
    }

    fn keys(&self) -> Keys {
        let mut found = Keys::new();
        let mut left = vec![(0, String::new())];
        while let Some((node, path)) = left.pop() {
            match &self.0[node] {
                FakeNode::File(bytes) => drop(found.insert(path, bytes.clone())),
                FakeNode::Folder(entries) => left.extend(entries.iter().map(|(name, node)| {
                    let slash = if path.is_empty() { "" } else { "/" };
                    (*node, format!("{path}{slash}{name}"))
                })),
            }
        }
        found
    }
}

#[derive(Debug)]
struct KeyRecording {
    disk: FakeDisk,
    before: FakeDisk,
    steps: Vec<Step>,
    /// The number of calls that succeed before one fails.
    left: Option<usize>,
}

/// A handle to a directory in memory. Clones are handles to the same directory.
#[derive(Debug, Clone)]
pub(crate) struct RecordedKeys {
    name: Arc<str>,
    recording: Arc<Mutex<KeyRecording>>,
}

impl RecordedKeys {
    pub(crate) fn new(keys: &Keys) -> Self {
        let disk = FakeDisk::new(keys);
        let recording = KeyRecording {
            before: disk.clone(),
            disk,
            steps: vec![],
            left: None,
        };
        Self {
            name: "recorded.zarr".into(),
            recording: Arc::new(Mutex::new(recording)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, KeyRecording> {
        self.recording.lock().unwrap()
    }

    pub(crate) fn keys(&self) -> Keys {
        self.lock().disk.keys()
    }

    /// Returns the number of syncs so far.
    pub(crate) fn syncs(&self) -> usize {
        let steps = &self.lock().steps;
        steps
            .iter()
            .filter(|step| matches!(step, Step::Sync(_)))
            .count()
    }

    /// Lets the call after `left` further ones fail, and all later ones succeed.
    pub(crate) fn fail_after(&self, left: usize) {
        self.lock().left = Some(left);
    }

    /// Returns whether the failure of [`RecordedKeys::fail_after`] is still to come.
    pub(crate) fn will_fail(&self) -> bool {
        self.lock().left.is_some()
    }

    /// Changes a key as another program does.
    pub(crate) fn change(&self, key: &str, bytes: &[u8]) {
        let mut keys = self.keys();
        keys.insert(key.to_owned(), bytes.to_vec());
        self.lock().disk = FakeDisk::new(&keys);
    }

    fn recorded(
        &self,
        work: impl FnOnce(&mut FakeDisk, &mut Vec<Atom>) -> Result<()>,
    ) -> Result<()> {
        let mut guard = self.lock();
        let recording = &mut *guard;
        match recording.left {
            Some(0) => {
                recording.left = None;
                return Err(Error::from(ErrorKind::StorageFull));
            }
            Some(n) => recording.left = Some(n - 1),
            None => {}
        }
        let mut atoms = vec![];
        let done = work(&mut recording.disk, &mut atoms);
        recording.steps.extend(atoms.into_iter().map(Step::Atom));
        done
    }

    /// Returns the keys after each call so far, and before the first.
    pub(crate) fn moments(&self) -> Vec<Keys> {
        let recording = self.lock();
        let mut disk = recording.start();
        let mut moments = vec![disk.keys()];
        for step in &recording.steps {
            disk.apply_step(step);
            moments.push(disk.keys());
        }
        moments
    }

    /// Visits the keys at every moment at which the process may be killed or the power may fail.
    pub(crate) fn every_moment(&self, tries: usize, visit: &mut dyn FnMut(&Keys)) {
        let recording = self.lock();
        let mut seen = BTreeSet::new();
        let mut visit_once = |disk: &FakeDisk| {
            let keys = disk.keys();
            if seen.insert(
                blake3::hash(format!("{keys:?}").as_bytes())
                    .to_hex()
                    .to_string(),
            ) {
                visit(&keys);
            }
        };
        let mut random = Random(1);
        for end in 0..=recording.steps.len() {
            let steps = &recording.steps[..end];
            let mut killed = recording.start();
            steps.iter().for_each(|step| killed.apply_step(step));
            visit_once(&killed);
            let unsure = unsynced(steps);
            for chosen in subsets(unsure.len(), tries, &mut random) {
                let lost: BTreeSet<usize> = unsure
                    .iter()
                    .zip(chosen)
                    .filter(|(_, kept)| !kept)
                    .map(|(n, _)| *n)
                    .collect();
                let mut disk = recording.start();
                let kept = steps.iter().enumerate().filter(|(n, _)| !lost.contains(n));
                kept.for_each(|(_, step)| disk.apply_step(step));
                visit_once(&disk);
            }
        }
    }
}

impl KeyRecording {
    /// Returns the directory before all steps, with room for all nodes.
    fn start(&self) -> FakeDisk {
        let mut disk = self.before.clone();
        let new = &self.disk.0[disk.0.len()..];
        disk.0.extend(new.iter().map(|node| match node {
            FakeNode::Folder(_) => FakeNode::Folder(BTreeMap::new()),
            FakeNode::File(_) => FakeNode::File(vec![]),
        }));
        disk
    }
}

impl FakeDisk {
    fn apply_step(&mut self, step: &Step) {
        if let Step::Atom(atom) = step {
            self.apply(atom);
        }
    }
}

/// Returns the numbers of the steps that a power failure may undo.
fn unsynced(steps: &[Step]) -> Vec<usize> {
    let mut synced: BTreeSet<usize> = BTreeSet::new();
    let mut found = vec![];
    for (n, step) in steps.iter().enumerate().rev() {
        match step {
            Step::Sync(nodes) => synced.extend(nodes),
            Step::Atom(Atom::Entry(node, ..) | Atom::Bytes(node, ..)) => {
                if !synced.contains(node) {
                    found.push(n);
                }
            }
        }
    }
    found
}

/// Repeatable random numbers.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.0 >> 33
    }
}

/// Returns all subsets of a few items, or `tries` random ones.
fn subsets(count: usize, tries: usize, random: &mut Random) -> Vec<Vec<bool>> {
    if count < 6 {
        let bits = |n: usize| (0..count).map(|i| n >> i & 1 == 1).collect();
        return (0..1 << count).map(bits).collect();
    }
    let mut one = |_| {
        let share = random.next() % 9;
        (0..count).map(|_| random.next() % 8 < share).collect()
    };
    (0..tries).map(&mut one).collect()
}

impl RawKeys for RecordedKeys {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn read(&self, key: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.keys().remove(key))
    }

    fn append(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.recorded(|disk, atoms| {
            let node = match disk.find(key) {
                Some(node) => node,
                None => {
                    let (folder, name) = disk.made_folder(key, atoms);
                    let node = disk.add(FakeNode::File(vec![]));
                    let atom = Atom::Entry(folder, name, Some(node));
                    disk.apply(&atom);
                    atoms.push(atom);
                    node
                }
            };
            let FakeNode::File(old) = &disk.0[node] else {
                return Err(ErrorKind::IsADirectory.into());
            };
            let atom = Atom::Bytes(node, old.len(), bytes.to_vec());
            disk.apply(&atom);
            atoms.push(atom);
            Ok(())
        })
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.recorded(|disk, atoms| {
            let node = disk.find(from).ok_or(ErrorKind::NotFound)?;
            let (folder, name) = disk.made_folder(to, atoms);
            let (old_folder, old_name) = disk.made_folder(from, atoms);
            for atom in [
                Atom::Entry(folder, name, Some(node)),
                Atom::Entry(old_folder, old_name, None),
            ] {
                disk.apply(&atom);
                atoms.push(atom);
            }
            Ok(())
        })
    }

    fn remove(&self, key: &str) -> Result<()> {
        self.recorded(|disk, atoms| {
            if disk.find(key).is_some() {
                let (folder, name) = disk.made_folder(key, atoms);
                let atom = Atom::Entry(folder, name, None);
                disk.apply(&atom);
                atoms.push(atom);
            }
            Ok(())
        })
    }

    fn remove_folder(&self, folder: &str) -> Result<()> {
        let below = format!("{folder}/");
        for key in self.keys().keys().filter(|key| key.starts_with(&below)) {
            self.remove(key)?;
        }
        self.remove(folder)
    }

    fn is_plain(&self, _: &str) -> bool {
        true
    }

    fn sync(&self, keys: &[String], folders: &[String]) -> Result<()> {
        let mut nodes = vec![];
        self.recorded(|disk, _| {
            for key in keys {
                nodes.push(disk.find(key).ok_or(ErrorKind::NotFound)?);
            }
            nodes.extend(folders.iter().filter_map(|folder| disk.find(folder)));
            Ok(())
        })?;
        self.lock().steps.push(Step::Sync(nodes));
        Ok(())
    }

    fn is_at_path(&self) -> bool {
        true
    }

    fn share_lock(&self) {}
}

/// Returns a store in memory with these keys.
pub(crate) fn store_of(keys: &Keys) -> Arc<dyn Store> {
    let store = MemoryStore::new("recorded.zarr");
    for (key, bytes) in keys {
        store.put(key, bytes).unwrap();
    }
    Arc::new(store)
}

impl Store for RecordedKeys {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn get(&self, key: &str) -> crate::Result<Option<Vec<u8>>> {
        Ok(self.keys().remove(key))
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> crate::Result<KeyParts> {
        let bytes = self.keys().remove(key);
        bytes.map(|bytes| ranges_of(&bytes, ranges)).transpose()
    }

    fn size(&self, key: &str) -> crate::Result<Option<u64>> {
        Ok(self.keys().get(key).map(|bytes| bytes.len() as u64))
    }

    fn children(&self, prefix: &str) -> crate::Result<Vec<String>> {
        store_of(&self.keys()).children(prefix)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> crate::Result<()> {
        store_of(&self.keys()).walk(prefix, visit)
    }

    fn put(&self, _: &str, _: &[u8]) -> crate::Result<()> {
        panic!("only through RawKeys");
    }

    fn put_if_absent(&self, _: &str, _: &[u8]) -> crate::Result<()> {
        panic!("only through RawKeys");
    }

    fn delete(&self, _: &str) -> crate::Result<()> {
        panic!("only through RawKeys");
    }
}
