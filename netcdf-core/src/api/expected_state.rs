//! The expected state of the destination when a dataset is written.

use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::io::file::FileStamp;

/// The content that a dataset may replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExpectedState {
    /// Any content.
    Any,
    /// No content: the path must not exist.
    Absent,
    /// Only the dataset that was opened or last written.
    Unchanged(FileStamp),
}

impl ExpectedState {
    /// Returns the current state of a path.
    pub(super) fn now(path: &Path) -> Result<Self> {
        Ok(FileStamp::of(path)?.map_or(Self::Absent, Self::Unchanged))
    }

    /// Checks that the path is still in this state. A dataset without a path always passes.
    pub(super) fn check(&self, path: Option<&Path>) -> Result<()> {
        let Some(path) = path else {
            return Ok(());
        };
        let wrong =
            |kind, what: &'static str| Err(Error::new(kind, what).of(&path.to_string_lossy()));
        match self {
            Self::Any => Ok(()),
            Self::Absent if std::fs::symlink_metadata(path).is_err() => Ok(()),
            Self::Absent => wrong(ErrorKind::Exists, "the dataset already exists"),
            Self::Unchanged(stamp) if FileStamp::of(path)?.as_ref() == Some(stamp) => Ok(()),
            Self::Unchanged(_) => {
                let what = "another process changed the dataset since it was opened";
                let changed = wrong(ErrorKind::Changed, what);
                changed.map_err(|e| e.with_remedy("open the dataset again, and repeat the change"))
            }
        }
    }
}
