//! Which files a plan copies, and which part copies which.

use std::path::{Path, PathBuf};

use netcdf_core::arithmetic::Amount;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::Source as _;
use netcdf_core::io::file::FileSource;
use netcdf_core::io::locator::{Asked, Location};
use netcdf_core::io::{dir, file};
use netcdf_core::notes::Note;

use super::rows::{self, FileRow};
use crate::batch;
use crate::cli::Cli;
use crate::inputs::{self, Copy};
use crate::walk::DirectoryWalk;

/// The copies of a plan of many files, and notes on what was passed over; `None` if the command line asks for one copy. An input that is
/// a directory stands for all datasets in it and below it, which keep their places below the output.
///
/// # Errors
/// [`ErrorKind::Argument`] for files that are not copied as a run without a plan would copy them.
pub fn listed(cli: &Cli) -> Result<Option<(Vec<Copy>, Vec<Note>)>> {
    let (named, output) = cli.paths();
    let asked = cli.zarr.asked(cli.kind.kind());
    let is_folder = |path: &PathBuf| path.is_dir() && !dir::is_store(path);
    let slash = output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if named.len() == 1 && !named.iter().any(is_folder) && !slash {
        return Ok(None);
    }
    let (mut copies, mut notes) = (vec![], vec![]);
    for path in named {
        if !is_folder(path) {
            let suffix = cli.suffix.as_deref();
            let name = batch::name(Location::new(path)?.path(), asked, suffix)?;
            copies.push(copy(path, &output.join(name), asked)?);
            continue;
        }
        let walk = DirectoryWalk::of(path)?;
        notes.extend(walk.note(path));
        for dataset in &walk.datasets {
            copies.push(copy(dataset, &below(cli, dataset, (path, output))?, asked)?);
        }
    }
    inputs::check(&copies)?;
    Ok(Some((copies, notes)))
}

/// The output for a dataset below a directory.
fn below(cli: &Cli, dataset: &Path, (root, output): (&Path, &Path)) -> Result<PathBuf> {
    let asked = cli.zarr.asked(cli.kind.kind());
    let name = batch::name(dataset, asked, cli.suffix.as_deref())?;
    let inside = dataset.strip_prefix(root).unwrap_or(dataset);
    let folder = inside.parent().unwrap_or(Path::new(""));
    Ok(output.join(folder).join(name))
}

fn copy(input: &Path, output: &Path, asked: Asked) -> Result<Copy> {
    if input.as_os_str() == "-" || file::in_place(output) {
        let what =
            "--plan: other processes cannot read or write this: give files, stores or addresses";
        return Err(Error::new(ErrorKind::Argument, what).of(&input.to_string_lossy()));
    }
    Copy::of(input, output, asked)
}

/// Writes the lists of a plan into its folder; returns the number of parts, and the bytes of all files. Parts have about as many bytes
/// as `most`, or there are `parts` of them.
///
/// # Errors
/// Those of looking at the files, and of writing.
pub fn plan(folder: &Path, copies: &[Copy], size: Size) -> Result<(u64, u64)> {
    let files = copies.iter().map(row).collect::<Result<Vec<_>>>()?;
    let all = files.iter().map(|file| Amount::of(file.bytes));
    let all = all.sum::<Amount>().get();
    let each = match size {
        Size::Parts(parts) => all.div_ceil(parts.max(1)),
        Size::Bytes(bytes) => bytes,
    };
    let counts = grouped(&files, each.max(1), size);
    rows::write(folder, &files, &counts)?;
    Ok((counts.len() as u64, all))
}

/// How large parts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// At most so many parts.
    Parts(u64),
    /// Parts of so many bytes, roughly.
    Bytes(u64),
}

fn row(copy: &Copy) -> Result<FileRow> {
    let (state, bytes) = match copy.remote.is_none() && copy.local.is_file() {
        true => {
            let source = FileSource::open(&copy.local)?;
            (Some(source.state()), source.len())
        }
        // Stores, and what is elsewhere.
        false => (None, 0),
    };
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(not_utf8);
    Ok(FileRow {
        input: text(&copy.input)?,
        output: text(&copy.output.path)?,
        state,
        bytes,
    })
}

fn not_utf8() -> Error {
    Error::new(ErrorKind::Argument, "--plan: paths must be UTF-8")
}

/// How many files each part copies: files that follow each other, until they have as many bytes.
fn grouped(files: &[FileRow], each: u64, size: Size) -> Vec<usize> {
    let mut counts: Vec<usize> = vec![];
    let (mut part, mut before) = (None, Amount::default());
    for file in files {
        // Where a file of no known size is one of many, files are counted.
        let mine = before.get() / each;
        match (counts.last_mut(), part == Some(mine)) {
            (Some(count), true) => *count += 1,
            (Some(_) | None, _) => counts.push(1),
        }
        part = Some(mine);
        before = before + file.bytes;
    }
    match (size, before.get()) {
        (Size::Parts(parts), 0) => evenly(files.len(), parts),
        _ => counts,
    }
}

/// Files of no known size, in equal numbers.
fn evenly(files: usize, parts: u64) -> Vec<usize> {
    let parts = usize::try_from(parts)
        .unwrap_or(files)
        .clamp(1, files.max(1));
    let end = |n: usize| files * n / parts;
    (0..parts).map(|n| end(n + 1) - end(n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_equal_cost() {
        let files = |sizes: &[u64]| -> Vec<FileRow> {
            let one = |&bytes: &u64| FileRow {
                input: String::new(),
                output: String::new(),
                state: None,
                bytes,
            };
            sizes.iter().map(one).collect()
        };
        let of = |sizes: &[u64], each| grouped(&files(sizes), each, Size::Bytes(each));
        assert_eq!(of(&[5, 5, 5, 5], 10), [2, 2]);
        assert_eq!(of(&[100, 1, 1, 1], 10), [1, 3]);
        assert_eq!(of(&[1, 1, 100, 1, 1], 52), [3, 2]);
        assert_eq!(of(&[], 5), [0; 0]);
        let unknown = grouped(&files(&[0; 7]), 1, Size::Parts(3));
        assert_eq!(unknown, [2, 2, 3]);
        assert_eq!(evenly(2, 5), [1, 1]);
    }
}
