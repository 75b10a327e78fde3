//! The datasets in a directory.

use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format;
use netcdf_core::io::dir;
use netcdf_core::io::locator::{Access, Location};
use netcdf_core::notes::Note;

use crate::batch;

/// What is in a directory and below it.
#[derive(Default)]
pub struct DirectoryWalk {
    /// The datasets, sorted.
    pub datasets: Vec<PathBuf>,
    /// Files that are not datasets.
    others: usize,
    links: usize,
}

impl DirectoryWalk {
    /// Walks a directory in the order of names. Skips names that begin with a dot, and does not follow links.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a directory without datasets; those of listing.
    pub fn of(root: &Path) -> Result<Self> {
        let mut walk = Self::default();
        let mut left = vec![root.to_owned()];
        while let Some(folder) = left.pop() {
            let below = walk.folder(&folder)?;
            left.extend(below.into_iter().rev());
        }
        if walk.datasets.is_empty() {
            let what = "no datasets in this directory";
            return Err(Error::new(ErrorKind::Argument, what).of(&root.to_string_lossy()));
        }
        walk.datasets.sort_unstable();
        Ok(walk)
    }

    /// Takes the entries of one directory; returns the directories in it.
    fn folder(&mut self, folder: &Path) -> Result<Vec<PathBuf>> {
        let failed = |e| Error::io("cannot list", &folder.to_string_lossy(), e);
        let mut below = vec![];
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let (path, ty) = (entry.path(), entry.file_type().map_err(failed)?);
            if ty.is_symlink() {
                self.links += 1;
            } else if ty.is_dir() && !dir::is_store(&path) {
                below.push(path);
            } else if ty.is_dir() || (ty.is_file() && is_dataset(&path)) {
                self.datasets.push(path);
            } else {
                self.others += 1;
            }
        }
        below.sort_unstable();
        Ok(below)
    }

    /// What was passed over.
    pub fn note(&self, root: &Path) -> Option<Note> {
        let mut parts = vec![];
        for (count, one, many) in [
            (
                self.others,
                "file that is not a dataset",
                "files that are not datasets",
            ),
            (self.links, "symbolic link", "symbolic links"),
        ] {
            match count {
                0 => {}
                1 => parts.push(format!("1 {one}")),
                n => parts.push(format!("{n} {many}")),
            }
        }
        (!parts.is_empty()).then(|| Note {
            object: root.to_string_lossy().into_owned(),
            what: format!("passed over: {}", parts.join(" and ")),
            remedy: None,
        })
    }
}

/// Whether a file is a dataset, by its name or its content.
fn is_dataset(path: &Path) -> bool {
    let opened = || Access::default().input(&Location::of_path(path), &mut std::io::empty());
    let named = batch::is_dataset(path) && path.extension().is_none_or(|e| e != "zip");
    named || opened().is_ok_and(|found| format::probe(&found).is_ok())
}
