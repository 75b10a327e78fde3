//! Invalid entries of a directory or zip file: entries that are not keys, and several entries for one key. Readers treat them differently.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use crate::error::list_names;
use crate::notes::{Note, Notes};

/// The defect of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// The name cannot be a key: it has a control character, invalid UTF-8, an empty part, `..`, or a leading `/`.
    NoKey,
    /// Several members have this name. The last member is read.
    Twice,
    /// The local header of the member has another name than the central directory.
    OtherName,
}

impl Oddity {
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
pub struct Odd {
    /// The defect.
    pub what: Oddity,
    /// The name of the entry. Invalid UTF-8 is shown as `\\xe9`.
    pub name: String,
}

impl Odd {
    /// Creates an entry.
    #[must_use]
    pub fn new(what: Oddity, name: &[u8]) -> Self {
        let mut text = String::new();
        for chunk in name.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                // Writing to a string does not fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
        Self { what, name: text }
    }
}

/// The maximum number of recorded entries.
const MOST: usize = 10_000;

/// The recorded entries.
#[derive(Debug, Default)]
pub(super) struct InvalidEntries(Mutex<BTreeSet<Odd>>);

impl InvalidEntries {
    /// Records an entry.
    pub(super) fn add(&self, odd: Odd) {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if met.len() < MOST {
            met.insert(odd);
        }
    }

    /// All recorded entries, sorted.
    pub(super) fn all(&self) -> Vec<Odd> {
        let met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        met.iter().cloned().collect()
    }
}

/// Adds one note per defect about the invalid entries of a store.
pub fn tell(odd: &[Odd], store: &str, notes: &Notes) {
    for what in Oddity::ALL {
        let names = odd.iter().filter(|odd| odd.what == what);
        let names: Vec<_> = names.map(|odd| odd.name.clone()).collect();
        if !names.is_empty() {
            notes.say(Note {
                object: store.to_owned(),
                what: format!("{}: {}", list_names(&names), what.text()),
                remedy: Some("zdump check lists all of them".to_owned()),
            });
        }
    }
}
