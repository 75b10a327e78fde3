//! Files: positioned reads, and outputs created beside the target and renamed when complete.

pub(super) mod adopt;
pub(super) mod disk;
mod exclusive;
mod existing;
pub(crate) mod full;
mod id;
mod leftovers;
mod locked_directory;
mod locked_file;
pub(super) mod names;
pub(super) mod obstacle;
mod paths;
pub(super) mod permissions;
pub(super) mod place;
mod pool;
mod positions;
pub(super) mod references;
pub(super) mod replace;
mod scratch;
mod small_files;
mod source;
mod space;
mod stamp;
pub(super) mod swap;
mod target;
pub(super) mod temporary;
pub(super) mod unnamed;
mod writers;

pub use exclusive::{FileLock, LockAttempt, Sharing};
pub use existing::Replacement;
pub use id::{FileId, host};
pub use leftovers::{clear, is_aside, recover, sweep};
pub(in crate::io) use locked_directory::refuse_writers;
pub use locked_directory::{DirectoryAccess, LockedDirectory};
pub use locked_file::{LockedFile, WriteAccess};
pub use paths::{
    beside, in_place, input_path, names, or_stdout, overlap, real, same_file, sync_name, within,
};
pub(super) use positions::PIECE;
pub use scratch::Scratch;
pub use small_files::{Readers, append, put_new, put_with, read_small};
pub use source::FileSource;
pub use stamp::FileStamp;
pub use target::FileTarget;

#[cfg(test)]
mod tests;
