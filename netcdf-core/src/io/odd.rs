//! Entries of a directory or zip file that are no keys of a store, or not one key each: readers differ in what they make of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use super::store::Store;
use crate::env::{Note, Notes};
use crate::error::{Result, list_names};

/// What is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// No key has such a name: a control character, bytes that are no UTF-8, an empty part, `..`, `/` in front.
    NoKey,
    /// There are several members of this name; the last one counts.
    Twice,
    /// The member has another name where it stands than in the directory of the zip file.
    OtherName,
}

impl Oddity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NoKey, Self::Twice, Self::OtherName];

    /// What is said of an entry.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::NoKey => "not read: no key of a store has such a name",
            Self::Twice => "there several times in the zip file: the last one is read",
            Self::OtherName => {
                "called otherwise where it stands than in the directory of the zip file"
            }
        }
    }
}

/// An entry, and what is odd about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Odd {
    /// What.
    pub what: Oddity,
    /// Its name; bytes that are no UTF-8 as `\\xe9`.
    pub name: String,
}

impl Odd {
    /// The entry of this name.
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

/// Entries kept at most.
const MOST: usize = 10_000;

/// The odd entries that were met.
#[derive(Debug, Default)]
pub(super) struct Met(Mutex<BTreeSet<Odd>>);

impl Met {
    /// Keeps an entry in mind.
    pub fn add(&self, odd: Odd) {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if met.len() < MOST {
            met.insert(odd);
        }
    }

    /// What was met so far, in order.
    pub fn all(&self) -> Vec<Odd> {
        let met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        met.iter().cloned().collect()
    }
}

/// Says what is odd about a store, as far as it was met: a note for each sort.
///
/// # Errors
/// Those of the store.
pub fn tell(store: &dyn Store, notes: &Notes) -> Result<()> {
    let odd = store.odd(false)?;
    for what in Oddity::ALL {
        let names = odd.iter().filter(|odd| odd.what == what);
        let names: Vec<_> = names.map(|odd| odd.name.clone()).collect();
        if !names.is_empty() {
            notes.say(Note {
                object: store.name().to_string(),
                what: format!("{}: {}", list_names(&names), what.text()),
                remedy: Some("zdump check lists all".to_owned()),
            });
        }
    }
    Ok(())
}
