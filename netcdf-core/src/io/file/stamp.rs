//! Records the state of a path, to detect later changes.

use std::collections::hash_map::DefaultHasher;
use std::fs::Metadata;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use super::id::FileId;
use crate::error::{Error, Result};

/// The identity, size and modification time of a file, or of all files in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStamp {
    id: Option<FileId>,
    state: u64,
}

impl FileStamp {
    /// Returns the current state of `path`. `None` if the path is missing.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    pub fn of(path: &Path) -> Result<Option<Self>> {
        let failed = |e| Error::io("cannot read", &path.to_string_lossy(), e);
        let meta = match std::fs::metadata(path) {
            Ok(meta) => meta,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(failed(e)),
        };
        let state = match meta.is_dir() {
            true => within(path).map_err(failed)?,
            false => state(Path::new(""), &meta),
        };
        let id = FileId::of_path(path);
        Ok(Some(Self { id, state }))
    }
}

/// The state of all files below a directory, in any order. Includes targets of links to files, but not of links to directories.
fn within(root: &Path) -> std::io::Result<u64> {
    let mut sum = 0u64;
    let mut left: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                left.push(path);
                continue;
            }
            // For a broken link, use the link's own metadata.
            let meta = std::fs::metadata(&path).or_else(|_| entry.metadata());
            match meta {
                Ok(meta) => sum = sum.wrapping_add(state(&path, &meta)),
                // The file was removed after it was listed. Its absence changes the stamp.
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(e),
            }
        }
    }
    Ok(sum)
}

/// The state of one file. Pipes and devices have no state, because reading changes their times.
fn state(path: &Path, meta: &Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    if meta.is_file() {
        (meta.len(), meta.modified().ok()).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let (file, store) = (dir.path().join("f"), dir.path().join("s"));
        assert_eq!(FileStamp::of(&file).unwrap(), None);
        std::fs::write(&file, "1").unwrap();
        std::fs::create_dir_all(store.join("v")).unwrap();
        std::fs::write(store.join("v/0"), "1").unwrap();
        let old = |path: &Path| FileStamp::of(path).unwrap().unwrap();
        let (a, b) = (old(&file), old(&store));
        assert_eq!((old(&file), old(&store)), (a.clone(), b.clone()));
        std::fs::write(&file, "12").unwrap();
        std::fs::write(store.join("v/0"), "12").unwrap();
        let (c, d) = (old(&file), old(&store));
        assert!(c != a && d != b);
        std::fs::write(store.join("v/1"), "").unwrap();
        assert_ne!(old(&store), d);
        std::fs::remove_file(store.join("v/1")).unwrap();
        assert_eq!(old(&store), d);
        std::fs::rename(&file, dir.path().join("old")).unwrap();
        std::fs::copy(dir.path().join("old"), &file).unwrap();
        assert_ne!(old(&file), c);
    }
}
