//! A store that is changed in place.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::journal::{JOURNAL, JournalEntry, KeyJournal, KeyLevel, ValueSum, hidden};
use super::opening::foreign;
use super::overlay::{LaidValue, OverlayStore};
use super::progress::{KeyProgress, Purpose, progress};
use super::steps::{KeyFailure, KeySteps, check_old_values};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Store;
use crate::io::file::full;
use crate::io::raw_keys::RawKeys;
use crate::notes::{Note, Notes};

/// A store with an exclusive lock, and the changes since the last commit.
///
/// [`PatchedStore::view`] has all changes. [`PatchedStore::commit`] makes them visible to other programs; [`PatchedStore::abandon`] and
/// dropping the store remove them.
#[derive(Debug)]
pub struct PatchedStore {
    raw: Box<dyn RawKeys>,
    base: Arc<dyn Store>,
    view: Arc<OverlayStore>,
    state: Mutex<StoreChanges>,
}

/// The changes since the last commit.
#[derive(Debug, Default)]
struct StoreChanges {
    /// The prefix of the array with the hidden directory, once a key has changed.
    prefix: Option<String>,
    /// The number of temporary keys.
    count: u64,
    keys: BTreeMap<String, ChangedKey>,
    /// The error after which the store can only be closed.
    failed: Option<Error>,
}

/// A changed key.
#[derive(Debug)]
struct ChangedKey {
    level: KeyLevel,
    /// The temporary key and the sum of the new value; `None` for a removed key.
    new: Option<(String, ValueSum)>,
}

impl PatchedStore {
    /// Returns a store for changes. `base` reads the keys of `raw`. Call [`PatchedStore::settle`] before other methods.
    #[must_use]
    pub fn new(raw: Box<dyn RawKeys>, base: Arc<dyn Store>) -> Self {
        Self {
            raw,
            view: Arc::new(OverlayStore::new(Arc::clone(&base))),
            base,
            state: Mutex::default(),
        }
    }

    /// Returns the store with all changes, for reading.
    #[must_use]
    pub fn view(&self) -> Arc<dyn Store> {
        Arc::clone(&self.view) as Arc<dyn Store>
    }

    /// Returns the store without uncommitted changes, for reading.
    #[must_use]
    pub fn base(&self) -> &Arc<dyn Store> {
        &self.base
    }

    fn state(&self) -> MutexGuard<'_, StoreChanges> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state if the handle can be used.
    fn usable(&self) -> Result<MutexGuard<'_, StoreChanges>> {
        let state = self.state();
        match &state.failed {
            None => Ok(state),
            Some(e) => Err(e.again()),
        }
    }

    fn steps(&self) -> KeySteps<'_> {
        KeySteps {
            raw: &*self.raw,
            base: &*self.base,
        }
    }

    /// Rolls an unfinished change back, and removes the remains of killed programs. `prefixes` are the prefixes of the arrays. Returns
    /// whether keys changed.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] if another program interfered with an unfinished change, and I/O errors.
    pub fn settle(&self, prefixes: &[&str], notes: &Notes) -> Result<bool> {
        let mut is_changed = false;
        for prefix in prefixes {
            match self.base.children(&hidden(prefix))?.is_empty() {
                // A program that was killed may have left an empty directory.
                true => self.steps().clear(prefix)?,
                false => is_changed |= self.settle_array(prefix, notes)?,
            }
        }
        Ok(is_changed)
    }

    fn settle_array(&self, prefix: &str, notes: &Notes) -> Result<bool> {
        let Some(journal) = KeyJournal::read(&*self.base, prefix)? else {
            self.steps().clear(prefix)?;
            return Ok(false);
        };
        let is_begun = match progress(&*self.base, &journal, Purpose::RollBack)? {
            KeyProgress::Foreign => return Err(foreign(self.raw.name(), &journal.key())),
            KeyProgress::Unfinished { is_begun } => is_begun,
            KeyProgress::Finished => {
                self.steps().end(&journal)?;
                return Ok(false);
            }
        };
        match check_old_values(&journal, &*self.base) {
            // The power failed before the journal was complete on disk. No key has changed then.
            Err(e) if e.kind() == ErrorKind::Corrupt && !is_begun => self.steps().end(&journal)?,
            checked => {
                checked?;
                self.steps().restore(&journal, &*self.base)?;
            }
        }
        if is_begun {
            notes.remark(Note {
                object: self.raw.name().to_string(),
                what: "rolled back an unfinished change of the store".to_owned(),
                remedy: None,
            });
        }
        Ok(is_begun)
    }

    /// Returns whether a key can be changed in place: it is missing or a regular file, and no directory above it is a link.
    #[must_use]
    pub fn is_plain(&self, key: &str) -> bool {
        self.raw.is_plain(key)
    }

    /// Returns whether a key has an uncommitted change.
    #[must_use]
    pub fn is_changed(&self, key: &str) -> bool {
        self.state().keys.contains_key(key)
    }

    /// Stores the new value of a key in an array or of its metadata. `prefix` is the prefix of the array.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub fn put(&self, (level, prefix): (KeyLevel, &str), key: &str, bytes: &[u8]) -> Result<()> {
        let mut state = self.usable()?;
        let hidden = hidden(state.prefix.get_or_insert_with(|| prefix.to_owned()));
        let value = format!("{hidden}{}", state.count);
        state.count += 1;
        let written = self.steps().append(&value, bytes);
        written.map_err(|e| full::failed("cannot write", self.raw.name(), e).in_object(key))?;
        let sum = ValueSum::of(bytes);
        let laid = LaidValue {
            key: value.clone(),
            range: 0..sum.len,
            sum: None,
        };
        self.view.lay(key, Some(laid));
        let new = Some((value, sum));
        state.keys.insert(key.to_owned(), ChangedKey { level, new });
        Ok(())
    }

    /// Removes a key of an array. `prefix` is the prefix of the array.
    ///
    /// # Errors
    /// Returns an error if an earlier write failed.
    pub fn remove(&self, (level, prefix): (KeyLevel, &str), key: &str) -> Result<()> {
        let mut state = self.usable()?;
        state.prefix.get_or_insert_with(|| prefix.to_owned());
        self.view.lay(key, None);
        let change = ChangedKey { level, new: None };
        state.keys.insert(key.to_owned(), change);
        Ok(())
    }

    /// Takes back the uncommitted change of a key.
    pub fn withdraw(&self, key: &str) {
        self.state().keys.remove(key);
        self.view.unlay(key);
    }

    /// Checks that no other program changed the keys that were read, and that the path still names the store.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`].
    pub fn check_unchanged(&self) -> Result<()> {
        if self.raw.is_at_path() && self.base.changed().is_none() {
            return Ok(());
        }
        let what = "another program changed the store since it was opened";
        let e = Error::new(ErrorKind::Changed, what).of(self.raw.name());
        Err(e.with_remedy("open the dataset again, and repeat the change"))
    }

    /// Checks that no other program changed a key of the store, also of keys that were not read.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`], and store errors.
    pub fn check_all_unchanged(&self) -> Result<()> {
        self.base.walk("", &mut |key, _| {
            // Keys that cannot be read have no state.
            let _ = self.base.size(key);
            Ok(())
        })?;
        self.check_unchanged()
    }

    /// Lets this process replace the store. Other writers are still refused.
    pub fn share_lock(&self) {
        self.raw.share_lock();
    }

    /// Makes all changes visible. After an error, the message states which state the store has.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] if another program changed the store, and I/O errors.
    pub fn commit(&self) -> Result<()> {
        let mut state = self.usable()?;
        let Some(prefix) = state.prefix.clone() else {
            return Ok(());
        };
        self.look_at(state.keys.keys())?;
        self.check_unchanged()?;
        let journal = self.write_journal(&prefix, &state)?;
        if journal.entries.is_empty() {
            return self.restart(&mut state);
        }
        let values = state.keys.iter().filter_map(|(key, change)| {
            let (value, _) = change.new.as_ref()?;
            Some((key.as_str(), value.as_str()))
        });
        let values: BTreeMap<&str, &str> = values.collect();
        let wanted = journal.entries.iter().map(|entry| entry.key.as_str());
        let wanted = wanted.filter_map(|key| values.get(key).map(|value| (*value).to_owned()));
        let wanted: Vec<String> = wanted.collect();
        let steps = self.steps();
        if let Err(e) = steps.prepare(&journal, wanted.iter()) {
            // No key has changed.
            let _ = steps.remove(&journal.key());
            return Err(e);
        }
        if let Err(failure) = steps.publish(&journal, &values) {
            let error = self.undo(&journal, failure);
            state.failed = Some(error.again());
            return Err(error);
        }
        if let Err(e) = steps.end(&journal) {
            // The change is complete. The next writer removes the journal.
            state.failed = Some(e);
        }
        self.restart(&mut state)
    }

    /// Looks at the states of keys that this change replaces. They may not have been read.
    fn look_at<'k>(&self, keys: impl Iterator<Item = &'k String>) -> Result<()> {
        for key in keys {
            self.base.size(key)?;
        }
        Ok(())
    }

    /// Writes the old values and the entries of all keys that change.
    fn write_journal(&self, prefix: &str, state: &StoreChanges) -> Result<KeyJournal> {
        let failed = |e| full::failed("cannot write", self.raw.name(), e);
        let key = hidden(prefix) + JOURNAL;
        let written = || {
            self.steps().remove(&key)?;
            let mut entries = vec![];
            for (own, change) in &state.keys {
                let old = self.raw.read(own)?;
                let old_sum = old.as_deref().map(ValueSum::of);
                let new = change.new.as_ref().map(|(_, sum)| *sum);
                if old_sum == new {
                    continue;
                }
                if let Some(old) = &old {
                    self.steps().append(&key, old)?;
                }
                entries.push(JournalEntry {
                    level: change.level,
                    key: own.clone(),
                    old: old_sum,
                    new,
                });
            }
            Ok(entries)
        };
        let entries = written().map_err(failed)?;
        let prefix = prefix.to_owned();
        let journal = KeyJournal { prefix, entries };
        if !journal.entries.is_empty() {
            let index = journal.encode()?;
            self.steps().append(&key, &index).map_err(failed)?;
        }
        Ok(journal)
    }

    /// Restores the old values after a failed commit. Returns the error with the state of the store.
    fn undo(&self, journal: &KeyJournal, failure: KeyFailure) -> Error {
        let KeyFailure { error, is_unsure } = failure;
        if is_unsure {
            return error
                .with_remedy("the store has its old or its new state: open it again to see which");
        }
        match self.steps().restore(journal, &*self.base) {
            Ok(()) => error.with_remedy("the store has its old state"),
            Err(_) => error.with_remedy(
                "readers of this library see the old state; opening the store for writing restores it",
            ),
        }
    }

    /// Begins a new change.
    fn restart(&self, state: &mut StoreChanges) -> Result<()> {
        let failed = state.failed.take();
        let prefix = state.prefix.take();
        *state = StoreChanges {
            failed,
            ..StoreChanges::default()
        };
        self.view.clear();
        self.base.forget_missing();
        match prefix {
            // The journal of a complete change stays if it cannot be removed.
            // Another directory at the path belongs to other programs.
            Some(prefix) if state.failed.is_none() && self.raw.is_at_path() => {
                self.steps().clear(&prefix)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Removes all changes since the last commit.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub fn abandon(&self) -> Result<()> {
        let mut state = self.usable()?;
        self.restart(&mut state)
    }
}

impl Drop for PatchedStore {
    fn drop(&mut self) {
        let mut state = self.state();
        if state.failed.is_none() {
            // The next writer removes the remains otherwise.
            let _ = self.restart(&mut state);
        }
    }
}
