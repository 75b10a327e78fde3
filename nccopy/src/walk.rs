//! Finds the datasets in a directory.

use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result, list_names};
use netcdf_core::format;
use netcdf_core::io::dir;
use netcdf_core::io::locator::{InputAccess, Location};
use netcdf_core::notes::Note;

use crate::batch;

/// Checks whether a path is a directory, but not a Zarr store: nccopy then copies its datasets.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir() && !dir::is_store(path)
}

/// The datasets in a directory, with `--recursive` also in its subdirectories.
#[derive(Debug, Default)]
pub(crate) struct DirectoryWalk {
    /// The datasets, sorted by name.
    pub datasets: Vec<PathBuf>,
    skipped: Skipped,
}

/// Counts of skipped entries.
#[derive(Debug, Default)]
struct Skipped {
    /// Files that are not datasets.
    others: usize,
    /// Files with a dataset's extension that are not datasets.
    misnamed: Vec<String>,
    /// Symbolic links to directories, and broken links.
    links: usize,
    /// Names that begin with a dot.
    hidden: usize,
    /// Subdirectories without `--recursive`.
    folders: usize,
}

impl DirectoryWalk {
    /// Detects datasets by their content. A Zarr store is one dataset. Symbolic links are followed to files only. Names that begin with a
    /// dot are skipped. `recursive` includes subdirectories.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a directory without datasets, and I/O errors.
    pub(crate) fn of(root: &Path, recursive: bool) -> Result<Self> {
        let mut walk = Self::default();
        let mut left = vec![root.to_owned()];
        while let Some(folder) = left.pop() {
            let below = walk.folder(&folder)?;
            match recursive {
                true => left.extend(below),
                false => walk.skipped.folders += below.len(),
            }
        }
        walk.datasets.sort_unstable();
        match walk.datasets.is_empty() {
            true => Err(walk.empty(root)),
            false => Ok(walk),
        }
    }

    /// Adds the entries of one directory. Returns its subdirectories.
    fn folder(&mut self, folder: &Path) -> Result<Vec<PathBuf>> {
        let failed = |e| Error::io("cannot list", &folder.to_string_lossy(), e);
        let mut below = vec![];
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                self.skipped.hidden += 1;
                continue;
            }
            let (path, ty) = (entry.path(), entry.file_type().map_err(failed)?);
            let linked = ty.is_symlink() && path.is_file();
            if ty.is_symlink() && !linked {
                self.skipped.links += 1;
            } else if ty.is_dir() && !dir::is_store(&path) {
                below.push(path);
            } else if ty.is_dir() || ((ty.is_file() || linked) && is_dataset(&path)) {
                self.datasets.push(path);
            } else {
                self.skipped.add(&path);
            }
        }
        Ok(below)
    }

    fn empty(&self, root: &Path) -> Error {
        let e = Error::new(ErrorKind::Argument, "no datasets in this directory");
        let e = e.of(&root.to_string_lossy());
        match self.skipped.folders {
            0 => e,
            _ => e.with_remedy("use --recursive to include subdirectories"),
        }
    }

    /// Returns a note with the number of skipped entries.
    pub(crate) fn note(&self, root: &Path) -> Option<Note> {
        let what = self.skipped.text()?;
        Some(Note {
            object: root.to_string_lossy().into_owned(),
            what: format!("skipped {what}"),
            remedy: (self.skipped.folders > 0)
                .then(|| "use --recursive to include subdirectories".to_owned()),
        })
    }
}

impl Skipped {
    /// Adds a file that is not a dataset.
    fn add(&mut self, path: &Path) {
        self.others += 1;
        if let Some(name) = path.file_name().filter(|_| batch::is_dataset(path)) {
            self.misnamed.push(name.to_string_lossy().into_owned());
        }
    }

    /// Returns `2 files that are not datasets (including a.nc), 1 symbolic link to no regular file`.
    fn text(&self) -> Option<String> {
        let count = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {many}")),
        };
        let others = count(
            self.others,
            "file that is not a dataset",
            "files that are not datasets",
        );
        let parts = [
            others.map(|text| text + &self.misnamed()),
            count(
                self.links,
                "symbolic link to no regular file",
                "symbolic links to no regular file",
            ),
            count(self.hidden, "hidden name", "hidden names"),
            count(self.folders, "subdirectory", "subdirectories"),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn misnamed(&self) -> String {
        let mut names = self.misnamed.clone();
        names.sort_unstable();
        match names.is_empty() {
            true => String::new(),
            false => format!(" (including {})", list_names(&names)),
        }
    }
}

/// Checks whether the content of a file is a dataset. An unreadable file counts as a dataset: its copy reports the error.
fn is_dataset(path: &Path) -> bool {
    let opened = InputAccess::default().input(&Location::of_path(path), &mut std::io::empty());
    let known = opened.and_then(|found| format::probe(&found));
    known.map_or_else(|e| e.kind() != ErrorKind::UnknownFormat, |_| true)
}
