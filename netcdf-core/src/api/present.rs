//! What has to be in the place of a dataset when it is written there.

use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::io::file::Stamp;

/// What a dataset may take the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Present {
    /// Whatever is there.
    Anything,
    /// Nothing has to be there.
    Nothing,
    /// That which was opened, or written last.
    This(Stamp),
}

impl Present {
    /// What is under a path now.
    pub(super) fn now(path: &Path) -> Result<Self> {
        Ok(Stamp::of(path)?.map_or(Self::Nothing, Self::This))
    }

    /// That it still is what is under a path; a dataset that has no path is nobody else's.
    pub(super) fn check(&self, path: Option<&Path>) -> Result<()> {
        let Some(path) = path else {
            return Ok(());
        };
        let wrong =
            |kind, what: &'static str| Err(Error::new(kind, what).of(&path.to_string_lossy()));
        match self {
            Self::Anything => Ok(()),
            Self::Nothing if std::fs::symlink_metadata(path).is_err() => Ok(()),
            Self::Nothing => wrong(ErrorKind::Exists, "the dataset exists already"),
            Self::This(stamp) if Stamp::of(path)?.as_ref() == Some(stamp) => Ok(()),
            Self::This(_) => {
                let what = "the dataset was changed by somebody else since it was opened";
                let changed = wrong(ErrorKind::Changed, what);
                changed.map_err(|e| e.with_remedy("open it again, and change that"))
            }
        }
    }
}
