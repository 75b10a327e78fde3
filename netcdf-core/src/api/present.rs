//! What must exist at the place of a dataset when it is written there.

use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::io::file::FileStamp;

/// What a dataset may replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Present {
    /// Anything.
    Anything,
    /// Nothing: nothing may exist there.
    Nothing,
    /// Only what was opened, or last written.
    This(FileStamp),
}

impl Present {
    /// The current state of a path.
    pub(super) fn now(path: &Path) -> Result<Self> {
        Ok(FileStamp::of(path)?.map_or(Self::Nothing, Self::This))
    }

    /// Checks that the path is still in this state; a dataset without a path cannot be changed by others.
    pub(super) fn check(&self, path: Option<&Path>) -> Result<()> {
        let Some(path) = path else {
            return Ok(());
        };
        let wrong =
            |kind, what: &'static str| Err(Error::new(kind, what).of(&path.to_string_lossy()));
        match self {
            Self::Anything => Ok(()),
            Self::Nothing if std::fs::symlink_metadata(path).is_err() => Ok(()),
            Self::Nothing => wrong(ErrorKind::Exists, "the dataset already exists"),
            Self::This(stamp) if FileStamp::of(path)?.as_ref() == Some(stamp) => Ok(()),
            Self::This(_) => {
                let what = "the dataset was changed by others since it was opened";
                let changed = wrong(ErrorKind::Changed, what);
                changed.map_err(|e| e.with_remedy("open it again, and repeat the change"))
            }
        }
    }
}
