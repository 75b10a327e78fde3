//! Identifies files, whatever their names.

use std::path::Path;

use crate::io::Source;

/// Identifies a file through links of any sort: its device and number or, where there are none, its path without
/// links.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileId(
    #[cfg(unix)] (u64, u64),
    #[cfg(not(unix))] std::path::PathBuf,
);

impl FileId {
    /// The file that `path` leads to; `None` if it does not exist.
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

    /// The file behind a source; `None` if there is none.
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

    /// The open file at `path`, with its metadata.
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

    /// The file in words without blanks: the host, and the number of the file there.
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

/// The name of this host.
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
