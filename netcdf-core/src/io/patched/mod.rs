//! Files that are changed in place, safely against kills and power failures.
//!
//! A change consists of new data at the end of the file and of patches, which are ranges of the old file with new bytes. `docs/update.md`
//! describes the rule and the journal byte by byte. No other module knows the journal. [`RawFile`](super::raw_file::RawFile) has the system
//! calls.
//!
//! | file | responsibility |
//! |---|---|
//! | `differences` | the ranges in which two byte strings differ |
//! | `patches` | sorted, disjoint ranges with bytes |
//! | `sectors` | 512-byte sectors, the unit that a disk writes atomically |
//! | `journal` | the journal: old and new bytes of each range, and the trailer |
//! | `progress` | compares a file with its journal |
//! | `steps` | the order of writes and syncs of a commit and of a rollback |
//! | `tail` | new data behind the old end, as a target for buffered writes |
//! | `overlay` | the file before an unfinished change, as a source |
//! | `opening` | looks for a journal at the end of a file |
//! | `patch_state` | the changes since the last commit |
//! | `file` | [`PatchedFile`]: append, patch, read, commit, abandon |
//! | `recovery` | ends an unfinished change that another program interfered with |

#[cfg(test)]
pub(crate) mod cached_disk;
mod differences;
mod file;
mod journal;
mod opening;
mod overlay;
mod patch_state;
mod patches;
mod progress;
#[cfg(test)]
pub(crate) mod recorded_file;
mod recovery;
mod sectors;
#[cfg(test)]
pub(crate) mod state_files;
mod steps;
mod tail;

pub use file::{PatchedFile, PendingBytes};
pub use opening::visible_state;
pub(crate) use opening::{ATTEMPTS, FoundState, find_state, is_unreadable};
pub use recovery::{RecoveredState, recover};

#[cfg(test)]
mod tests;
