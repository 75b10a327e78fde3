//! Invalid entries of a directory or zip file: entries that are not keys, and several entries for one key. Readers treat them differently.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use crate::error::list_names;
use crate::notes::{Note, Notes};

/// The defect of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryDefect {
    /// The name cannot be a key: it has a control character, invalid UTF-8, an empty part, `..`, or a leading `/`.
    NoKey,
    /// Several members have this name. The last member is read.
    Twice,
    /// The local header of the member has another name than the central directory.
    OtherName,
}

impl EntryDefect {
    /// All defects.
    pub const ALL: [Self; 3] = [Self::NoKey, Self::Twice, Self::OtherName];

    /// The text of a note about the entry.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::NoKey => "not read: the name cannot be a key of a store",
            Self::Twice => "several times in the zip file: the last one is read",
            Self::OtherName => {
                "named differently in its own header than in the directory of the zip file"
            }
        }
    }
}

/// An invalid entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InvalidEntry {
    /// The defect.
    pub defect: EntryDefect,
    /// The name of the entry. Invalid UTF-8 is shown as `\\xe9`.
    pub name: String,
}

impl InvalidEntry {
    /// Creates an entry.
    #[must_use]
    pub fn new(defect: EntryDefect, name: &[u8]) -> Self {
        let mut text = String::new();
        for chunk in name.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                // Writing to a string does not fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
        Self { defect, name: text }
    }
}

/// The maximum number of recorded entries.
const MOST: usize = 10_000;

/// The recorded entries.
#[derive(Debug, Default)]
pub(super) struct InvalidEntries(Mutex<BTreeSet<InvalidEntry>>);

impl InvalidEntries {
    /// Records an entry.
    pub(super) fn add(&self, entry: InvalidEntry) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() < MOST {
            entries.insert(entry);
        }
    }

    /// All recorded entries, sorted.
    pub(super) fn all(&self) -> Vec<InvalidEntry> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().cloned().collect()
    }
}

/// Adds one note per defect about the invalid entries of a store.
pub fn add_notes(entries: &[InvalidEntry], store: &str, notes: &Notes) {
    for defect in EntryDefect::ALL {
        let names = entries.iter().filter(|entry| entry.defect == defect);
        let names: Vec<_> = names.map(|entry| entry.name.clone()).collect();
        if !names.is_empty() {
            notes.say(Note {
                object: store.to_owned(),
                what: format!("{}: {}", list_names(&names), defect.text()),
                remedy: Some("zdump check lists all entries".to_owned()),
            });
        }
    }
}
