//! The order of renames and syncs of a commit and of a rollback.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Result as IoResult;
use std::ops::Range;

use super::journal::{JournalEntry, KeyJournal, KeyLevel, ValueSum, hidden};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Store;
use crate::io::file::full;
use crate::io::raw_keys::RawKeys;

/// The system calls on a store.
#[derive(Clone, Copy)]
pub(super) struct KeySteps<'a> {
    pub(super) raw: &'a dyn RawKeys,
    /// Reads the keys of `raw`, and notices changes of other programs.
    pub(super) base: &'a dyn Store,
}

/// A failed commit.
pub(super) struct KeyFailure {
    pub(super) error: Error,
    /// Whether a sync failed. The state of the disk is then unknown.
    pub(super) is_unsure: bool,
}

impl KeySteps<'_> {
    fn failed(self, e: std::io::Error) -> Error {
        full::failed("cannot change", self.raw.name(), e)
    }

    pub(super) fn append(self, key: &str, bytes: &[u8]) -> IoResult<()> {
        self.base
            .change_own(key, &mut || self.raw.append(key, bytes))
    }

    fn rename(self, from: &str, to: &str) -> IoResult<()> {
        self.base.change_own(to, &mut || self.raw.rename(from, to))
    }

    pub(super) fn remove(self, key: &str) -> IoResult<()> {
        self.base.change_own(key, &mut || self.raw.remove(key))
    }

    fn done(self, done: IoResult<()>, is_unsure: bool) -> std::result::Result<(), KeyFailure> {
        done.map_err(|e| KeyFailure {
            error: self.failed(e),
            is_unsure,
        })
    }

    /// Syncs the journal and the new values.
    ///
    /// # Errors
    /// Returns system errors. No key has changed.
    pub(super) fn prepare<'k>(
        self,
        journal: &KeyJournal,
        values: impl Iterator<Item = &'k String>,
    ) -> Result<()> {
        let mut keys: Vec<String> = values.cloned().collect();
        keys.push(journal.key());
        let synced = self.raw.sync(&keys, &hidden_folders(journal));
        synced.map_err(|e| self.failed(e))
    }

    /// Gives the new values their names, level by level. `values` has the temporary key of each new value.
    pub(super) fn publish(
        self,
        journal: &KeyJournal,
        values: &BTreeMap<&str, &str>,
    ) -> std::result::Result<(), KeyFailure> {
        for level in KeyLevel::ALL {
            let entries: Vec<_> = of_level(journal, level).collect();
            for entry in &entries {
                let changed = match (entry.new, values.get(entry.key.as_str())) {
                    (Some(_), Some(value)) => self.rename(value, &entry.key),
                    (Some(_), None) => Err(std::io::ErrorKind::NotFound.into()),
                    (None, _) => self.remove(&entry.key),
                };
                self.done(changed, false)?;
            }
            let keys = entries.iter().map(|entry| entry.key.as_str());
            self.done(self.sync_folders(keys), true)?;
        }
        Ok(())
    }

    /// Removes the journal. The change, or its rollback, is then complete.
    ///
    /// # Errors
    /// Returns system errors.
    pub(super) fn end(self, journal: &KeyJournal) -> Result<()> {
        let folders = hidden_folders(journal);
        let removed = self.remove(&journal.key());
        let synced = removed.and_then(|()| self.raw.sync(&[], &folders));
        synced.map_err(|e| self.failed(e))?;
        self.clear(&journal.prefix)
    }

    /// Removes the hidden directory of an array.
    ///
    /// # Errors
    /// Returns system errors.
    pub(super) fn clear(self, prefix: &str) -> Result<()> {
        let folder = hidden(prefix);
        let name = folder.trim_end_matches('/');
        let removed = self
            .base
            .change_own(&folder, &mut || self.raw.remove_folder(name));
        removed.map_err(|e| self.failed(e))
    }

    /// Restores the old values, the consolidated metadata first. `journaled` reads the old values.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for old values that do not have their digest, and system errors.
    pub(super) fn restore(self, journal: &KeyJournal, journaled: &dyn Store) -> Result<()> {
        check_old_values(journal, journaled)?;
        for level in KeyLevel::ALL.into_iter().rev() {
            let mut values = vec![];
            let all = journal.with_ranges();
            for (number, (entry, range)) in all.enumerate().filter(|(_, (e, _))| e.level == level) {
                if entry.old.is_none() {
                    continue;
                }
                let value = format!("{}old{number}", hidden(&journal.prefix));
                let bytes = old_value(journal, journaled, range)?;
                // An earlier rollback may have been killed.
                let written = self.remove(&value);
                let written = written.and_then(|()| self.append(&value, &bytes));
                written.map_err(|e| self.failed(e))?;
                values.push((value, entry.key.as_str()));
            }
            self.restore_level((journal, level), &values)
                .map_err(|e| self.failed(e))?;
        }
        self.end(journal)
    }

    fn restore_level(
        self,
        (journal, level): (&KeyJournal, KeyLevel),
        values: &[(String, &str)],
    ) -> IoResult<()> {
        let written: Vec<String> = values.iter().map(|(value, _)| value.clone()).collect();
        self.raw.sync(&written, &[])?;
        for (value, key) in values {
            self.rename(value, key)?;
        }
        let new = of_level(journal, level).filter(|entry| entry.old.is_none());
        for entry in new {
            self.remove(&entry.key)?;
        }
        self.sync_folders(of_level(journal, level).map(|entry| entry.key.as_str()))
    }

    fn sync_folders<'k>(self, keys: impl Iterator<Item = &'k str>) -> IoResult<()> {
        let mut folders = BTreeSet::new();
        for key in keys {
            let ends = key.match_indices('/').map(|(end, _)| end);
            let above = ends.filter_map(|end| key.get(..end));
            folders.extend(above.map(str::to_owned));
            if !key.contains('/') {
                folders.insert(String::new());
            }
        }
        let folders: Vec<String> = folders.into_iter().collect();
        match folders.is_empty() {
            true => Ok(()),
            false => self.raw.sync(&[], &folders),
        }
    }
}

fn of_level(journal: &KeyJournal, level: KeyLevel) -> impl Iterator<Item = &JournalEntry> {
    journal
        .entries
        .iter()
        .filter(move |entry| entry.level == level)
}

/// Returns the directories with the entries of the journal.
fn hidden_folders(journal: &KeyJournal) -> Vec<String> {
    let hidden = hidden(&journal.prefix);
    let folders = [hidden.as_str(), journal.prefix.as_str()];
    folders
        .map(|folder| folder.trim_end_matches('/').to_owned())
        .to_vec()
}

/// Checks the digests of the old values in a journal.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`], and store errors.
pub(super) fn check_old_values(journal: &KeyJournal, journaled: &dyn Store) -> Result<()> {
    for (entry, range) in journal.with_ranges() {
        let Some(old) = entry.old else {
            continue;
        };
        if ValueSum::of(&old_value(journal, journaled, range)?) != old {
            let what = "the journal of an unfinished change is damaged";
            let e = Error::new(ErrorKind::Corrupt, what).in_object(&journal.key());
            return Err(e.of(journaled.name()));
        }
    }
    Ok(())
}

fn old_value(journal: &KeyJournal, journaled: &dyn Store, range: Range<u64>) -> Result<Vec<u8>> {
    let parts = journaled.get_ranges(&journal.key(), std::slice::from_ref(&range))?;
    parts.and_then(|mut parts| parts.pop()).ok_or_else(|| {
        let what = "the journal of a change is missing";
        let e = Error::new(ErrorKind::Changed, what).in_object(&journal.key());
        e.of(journaled.name())
    })
}
