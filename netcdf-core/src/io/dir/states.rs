//! The state of all files of a store, to detect later changes.

use std::io::{ErrorKind as Failure, Result};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::io::sums::KeyStates;

/// The files below a directory with sizes and modification times. Returns `None` for more than `most` files.
///
/// # Errors
/// Returns system errors.
pub(super) fn of(root: &Path, most: u64) -> Result<Option<KeyStates>> {
    let mut all = KeyStates::default();
    let mut left = vec![PathBuf::new()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                left.push(path);
                continue;
            }
            let meta = match std::fs::metadata(entry.path()) {
                Ok(meta) => meta,
                // A broken link, or a file that was removed after it was listed.
                Err(e) if e.kind() == Failure::NotFound => continue,
                Err(e) => return Err(e),
            };
            let time = meta.modified().ok();
            let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            all.add(&path.to_string_lossy(), meta.len(), &format!("{time:?}"));
            if all.count() > most {
                return Ok(None);
            }
        }
    }
    Ok(Some(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_file_is_another_state() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let state = || of(dir.path(), 3).unwrap().map(|all| all.text());
        write("zarr.json", "{}");
        write("v/c/0", "1");
        let first = state();
        assert_eq!(first, state());
        write("v/c/0", "12");
        let second = state();
        assert_ne!(first, second);
        write("v/c/1", "");
        assert!(state().is_some_and(|third| second != Some(third)));
        write("v/c/2", "");
        assert_eq!(state(), None);
    }
}
