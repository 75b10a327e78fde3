//! Moves all files of one directory into another directory.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

use super::disk::Disk;

/// Moves the files below `from` to the same relative paths below `to`, and replaces existing files. Files directly in `from` with names in
/// `last` are moved last, in that order. With a `disk`, the directories are synced.
///
/// # Errors
/// Returns system errors. Moved files stay moved.
pub(in crate::io) fn adopt(
    from: &Path,
    to: &Path,
    last: &[&str],
    disk: Option<&Disk>,
) -> Result<()> {
    let mut named = BTreeSet::new();
    let mut left = vec![PathBuf::new()];
    while let Some(folder) = left.pop() {
        let mut files = vec![];
        for entry in fs::read_dir(from.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let is_last = |name: &&str| folder.as_os_str().is_empty() && path == Path::new(name);
            if entry.file_type()?.is_dir() {
                left.push(path);
            } else if !last.iter().any(is_last) {
                files.push(path);
            }
        }
        if files.is_empty() {
            continue;
        }
        make_below(to, &folder)?;
        for file in files {
            fs::rename(from.join(&file), to.join(&file))?;
        }
        with_folders_above(&folder, &mut named);
    }
    if let Some(disk) = disk {
        // Sync a directory after its subdirectories.
        named
            .iter()
            .rev()
            .try_for_each(|folder| disk.folder(&to.join(folder)))?;
    }
    for name in last {
        if from.join(name).is_file() {
            fs::rename(from.join(name), to.join(name))?;
        }
    }
    disk.map_or(Ok(()), |disk| disk.folder(to))
}

/// Creates the directory `folder` below `root`, but not `root`: another process may have renamed `root`.
fn make_below(root: &Path, folder: &Path) -> Result<()> {
    let mut path = root.to_owned();
    for name in folder {
        path.push(name);
        match fs::create_dir(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(e),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Adds a directory and its parents.
fn with_folders_above(folder: &Path, all: &mut BTreeSet<PathBuf>) {
    for folder in folder.ancestors() {
        if folder.as_os_str() == OsStr::new("") || !all.insert(folder.to_owned()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(root: &Path) -> Vec<(String, String)> {
        let (mut found, mut left) = (vec![], vec![root.to_owned()]);
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => left.push(path),
                    false => {
                        let name = path.strip_prefix(root).unwrap().display().to_string();
                        found.push((name, fs::read_to_string(&path).unwrap()));
                    }
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn files_move_and_replace_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        for (root, name) in [
            (&from, "a/b/1"),
            (&from, "z.json"),
            (&from, "k"),
            (&to, "a/b/1"),
            (&to, "a/c/2"),
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, root.file_name().unwrap().to_str().unwrap()).unwrap();
        }
        let synced = std::sync::Arc::new(std::sync::Mutex::new(vec![]));
        let seen = std::sync::Arc::clone(&synced);
        let base = to.clone();
        let disk = Disk::of(move |path, _| {
            let name = path.strip_prefix(&base).unwrap().display().to_string();
            seen.lock()
                .unwrap()
                .push((name, base.join("z.json").exists()));
            Ok(())
        });
        adopt(&from, &to, &["z.json"], Some(&disk)).unwrap();
        let want = [
            ("a/b/1", "from"),
            ("a/c/2", "to"),
            ("k", "from"),
            ("z.json", "from"),
        ];
        assert_eq!(
            files(&to),
            want.map(|(name, of)| (name.to_owned(), of.to_owned()))
        );
        assert!(files(&from).is_empty());
        let synced = synced.lock().unwrap().clone();
        let want = [("a/b", false), ("a", false), ("", true)];
        assert_eq!(synced, want.map(|(name, last)| (name.to_owned(), last)));
    }
}
