//! Stores in a directory that are changed in place, safely against kills and power failures.
//!
//! A change replaces, creates and removes keys: chunks first, then array metadata, then consolidated metadata. New values are written to a
//! hidden directory and renamed. The journal in this directory has the old values. `docs/update.md` describes the rule and the journal byte
//! by byte. No other module knows the journal. [`RawKeys`](super::raw_keys::RawKeys) has the system calls.
//!
//! | file | responsibility |
//! |---|---|
//! | `journal` | the journal: old values, and an entry for each key |
//! | `progress` | compares a store with its journal |
//! | `steps` | the order of renames and syncs of a commit and of a rollback |
//! | `overlay` | a store with other values of some keys |
//! | `opening` | looks for the journal of an unfinished change |
//! | `store` | [`PatchedStore`]: put, remove, read, commit, abandon |

#[cfg(test)]
pub(crate) mod changing_store;
mod journal;
mod opening;
mod overlay;
mod progress;
#[cfg(test)]
pub(crate) mod recorded_keys;
mod steps;
mod store;

pub use journal::{KeyLevel, is_hidden, is_in_hidden};
pub(crate) use opening::{FoundStore, find_state};
pub use store::PatchedStore;

#[cfg(test)]
mod tests;
