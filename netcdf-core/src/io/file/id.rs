//! The identity of a file, independent of its path.

use std::path::Path;

use crate::io::Source;

/// The identity of a file: device and inode number, or the resolved path on systems without inodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileId(
    #[cfg(unix)] (u64, u64),
    #[cfg(not(unix))] std::path::PathBuf,
);

impl FileId {
    /// The identity of the file at `path`. Returns `None` for a missing file.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            std::fs::metadata(path).ok().map(|meta| Self::new(&meta))
        }
        #[cfg(not(unix))]
        {
            std::fs::canonicalize(path).ok().map(Self)
        }
    }

    /// The identity of a source's file. Returns `None` for sources without a file.
    #[must_use]
    pub fn of_source(source: &dyn Source) -> Option<Self> {
        let file = source.as_file()?;
        #[cfg(unix)]
        {
            file.metadata().ok().map(|meta| Self::new(&meta))
        }
        #[cfg(not(unix))]
        {
            let _ = file;
            Self::of_path(Path::new(source.name().as_ref()))
        }
    }

    /// The identity of the open file at `path`.
    #[must_use]
    pub(super) fn of_open(path: &Path, meta: &std::fs::Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            let _ = path;
            Some(Self::new(meta))
        }
        #[cfg(not(unix))]
        {
            let _ = meta;
            Self::of_path(path)
        }
    }

    /// The host name and the file's number, as text without blanks.
    #[must_use]
    pub fn on_this_host(&self) -> String {
        #[cfg(unix)]
        let file = format!("{}-{}", self.0.0, self.0.1);
        #[cfg(not(unix))]
        let file = self.0.to_string_lossy();
        let name = format!("{}/{file}", host());
        name.split_whitespace().collect::<Vec<_>>().join("_")
    }

    #[cfg(unix)]
    fn new(meta: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self((meta.dev(), meta.ino()))
    }
}

/// The host name.
#[must_use]
pub fn host() -> String {
    #[cfg(unix)]
    {
        let name = rustix::system::uname();
        name.nodename().to_string_lossy().into_owned()
    }
    #[cfg(not(unix))]
    {
        std::env::var("COMPUTERNAME").unwrap_or_default()
    }
}
