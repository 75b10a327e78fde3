//! The datasets in a directory.

use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result, list_names};
use netcdf_core::format;
use netcdf_core::io::dir;
use netcdf_core::io::locator::{Access, Location};
use netcdf_core::notes::Note;

use crate::batch;

/// Whether a path is a directory that stands for the datasets in it.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir() && !dir::is_store(path)
}

/// What is in a directory and, if asked for, below it.
#[derive(Debug, Default)]
pub struct DirectoryWalk {
    /// The datasets in the order of their names.
    pub datasets: Vec<PathBuf>,
    skipped: Skipped,
}

/// What a walk skipped.
#[derive(Debug, Default)]
struct Skipped {
    /// Files that are not datasets.
    others: usize,
    /// Those of them that have a dataset's extension.
    misnamed: Vec<String>,
    /// Symbolic links that lead to no file.
    links: usize,
    /// Names that begin with a dot.
    hidden: usize,
    /// Directories that only `--recursive` takes.
    folders: usize,
}

impl DirectoryWalk {
    /// Finds datasets by their content. A Zarr store is one dataset. Symbolic links are followed to files only, and names that begin with
    /// a dot are skipped. Sub-directories are walked if the walk is `recursive`.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a directory without datasets; those of listing.
    pub fn of(root: &Path, recursive: bool) -> Result<Self> {
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

    /// Takes the entries of one directory; returns the directories in it.
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
            _ => e.with_remedy("add --recursive to take the datasets in its sub-directories"),
        }
    }

    /// A note that counts what was skipped.
    pub fn note(&self, root: &Path) -> Option<Note> {
        let what = self.skipped.text()?;
        Some(Note {
            object: root.to_string_lossy().into_owned(),
            what: format!("skipped {what}"),
            remedy: (self.skipped.folders > 0)
                .then(|| "add --recursive to take sub-directories".to_owned()),
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

    /// `2 files that are not datasets (among them a.nc), 1 symbolic link that leads to no file`.
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
                "symbolic link that leads to no file",
                "symbolic links that lead to no file",
            ),
            count(self.hidden, "hidden name", "hidden names"),
            count(self.folders, "sub-directory", "sub-directories"),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn misnamed(&self) -> String {
        let mut names = self.misnamed.clone();
        names.sort_unstable();
        match names.is_empty() {
            true => String::new(),
            false => format!(" (among them {})", list_names(&names)),
        }
    }
}

/// Whether a file is a dataset by its content. A file that cannot be read counts as one: its copy reports the error.
fn is_dataset(path: &Path) -> bool {
    let opened = Access::default().input(&Location::of_path(path), &mut std::io::empty());
    let known = opened.and_then(|found| format::probe(&found));
    known.map_or_else(|e| e.kind() != ErrorKind::UnknownFormat, |_| true)
}
