//! Paths of inputs and outputs: resolved paths, and the relations between two paths.

use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::id::FileId;
use super::names::folder;
use super::obstacle;
use super::place::{self, PathEnd};
use crate::error::Result;

/// Checks whether an output at `path` is written in place, without a named temporary file: a pipe, a device, or an open file of the
/// process.
#[must_use]
pub fn in_place(path: &Path) -> bool {
    match place::resolve(path) {
        Ok(PathEnd::Path(real)) => {
            std::fs::metadata(real).is_ok_and(|m| !m.is_file() && !m.is_dir())
        }
        Ok(PathEnd::Descriptor(_)) => true,
        Err(_) => false,
    }
}

/// Returns the path of an output. `-` is standard output.
#[must_use]
pub fn or_stdout(path: &Path) -> PathBuf {
    match path.as_os_str() == "-" {
        true => PathBuf::from("/dev/stdout"),
        false => path.to_owned(),
    }
}

/// The resolved path of an output, the same for all paths that lead to the same file. The file may be missing.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    let to = match place::resolve(path) {
        Ok(PathEnd::Path(to) | PathEnd::Descriptor(to)) => to,
        Err(_) => path.to_owned(),
    };
    match (std::fs::canonicalize(folder(&to)), to.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        (Ok(_) | Err(_), _) => to,
    }
}

/// The directory for temporary files of an output: the output's directory, unless the output is written in place or no file can be created
/// in the directory.
#[must_use]
pub fn beside(output: &Path) -> Option<PathBuf> {
    let usable = !in_place(output) && obstacle::may_create(folder(output));
    output.parent().filter(|_| usable).map(Path::to_path_buf)
}

/// Checks whether `output` and `input` are the same, or one is inside the other. Writing the output would then damage the input, or put the
/// output inside it.
#[must_use]
pub fn overlap(input: &Path, output: &Path) -> bool {
    let input = input_path(input);
    same_file(input, output) || within(input, output) || within(output, input)
}

/// The path of an input. `-` is standard input, which may be a file.
#[must_use]
pub fn input_path(input: &Path) -> &Path {
    match input == Path::new("-") {
        true => Path::new("/dev/stdin"),
        false => input,
    }
}

/// Checks whether `path` is below the directory `folder`. The last part of `path` may be missing.
#[must_use]
pub fn within(path: &Path, folder: &Path) -> bool {
    let real = std::fs::canonicalize(path).or_else(|_| {
        let above = std::fs::canonicalize(super::names::folder(path))?;
        Ok::<_, std::io::Error>(above.join(path.file_name().unwrap_or_default()))
    });
    let folder = std::fs::canonicalize(folder);
    real.is_ok_and(|real| folder.is_ok_and(|folder| real != folder && real.starts_with(folder)))
}

/// The number of names (hard links) of the file at `path`, or 1 if unknown.
#[must_use]
pub fn names(path: &Path) -> u64 {
    #[cfg(unix)]
    let names =
        std::fs::metadata(path).map_or(1, |meta| std::os::unix::fs::MetadataExt::nlink(&meta));
    #[cfg(not(unix))]
    let names = path.exists().into();
    names
}

/// Checks whether two paths lead to the same file, through any links.
#[must_use]
pub fn same_file(a: &Path, b: &Path) -> bool {
    FileId::of_path(a).is_some_and(|id| FileId::of_path(b) == Some(id))
}

/// Syncs the name `path`, if its directory exists.
///
/// # Errors
/// The error states that the output is complete.
pub fn sync_name(path: &Path) -> Result<()> {
    let above = folder(path);
    match above.is_dir() {
        true => Disk::default().folder_above(above, &path.to_string_lossy()),
        false => Ok(()),
    }
}
