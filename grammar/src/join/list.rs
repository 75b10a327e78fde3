//! The list of inputs: paths, URLs, patterns of names, and directories.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format;
use netcdf_core::io::dir;
use netcdf_core::io::file::FileId;
use netcdf_core::io::locator::{InputAccess, Location};
use netcdf_core::shown::ShownAddress;

use crate::pattern::PathGlob;

/// The maximum number of inputs.
const MOST: usize = 1_000_000;
/// The maximum size of a list of names in bytes.
const LIST: u64 = 1 << 30;

/// Returns the datasets that names of inputs stand for. `list` is a file with further names.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for an input that is listed twice, for pipes, and for names without datasets; and errors of reading the
/// list.
pub(super) fn listed(
    named: &[PathBuf],
    list: Option<&Path>,
    stdin: &mut dyn Read,
) -> Result<Vec<PathBuf>> {
    let mut all = vec![];
    for input in named {
        match is_local(input) {
            true => all.extend(local(input)?),
            false => all.push(input.clone()),
        }
    }
    if let Some(list) = list {
        for name in names(list, stdin)? {
            check_regular(&name)?;
            all.push(name);
        }
    }
    if all.len() > MOST {
        let what = format!("more than {MOST} inputs");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    check_once(&all)?;
    Ok(all)
}

/// Reads a list of names: one in each line, or separated by zero bytes if the list has zero bytes.
fn names(list: &Path, stdin: &mut dyn Read) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io("cannot read the list of inputs", &shown(list), e);
    let mut text = vec![];
    let limited = |from: &mut dyn Read, text: &mut Vec<u8>| from.take(LIST).read_to_end(text);
    match list.as_os_str() == "-" {
        true => limited(stdin, &mut text).map_err(failed)?,
        false => limited(&mut File::open(list).map_err(failed)?, &mut text).map_err(failed)?,
    };
    let separator = if text.contains(&0) { 0 } else { b'\n' };
    let lines = text.split(|byte| *byte == separator);
    let lines = lines.map(|line| match separator {
        b'\n' => line.strip_suffix(b"\r").unwrap_or(line),
        _ => line,
    });
    lines.filter(|line| !line.is_empty()).map(path_of).collect()
}

/// Returns the path with these bytes.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

/// Returns the path with these bytes, which must be UTF-8.
#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Result<PathBuf> {
    let wrong = |_| Error::new(ErrorKind::Argument, "a path that is not UTF-8");
    std::str::from_utf8(bytes).map(PathBuf::from).map_err(wrong)
}

/// Checks that a local path from a list or a pattern is a dataset or missing, not a pipe or a directory of datasets.
fn check_regular(path: &Path) -> Result<()> {
    let Ok(meta) = std::fs::metadata(path) else {
        return Ok(());
    };
    match meta.is_file() || (meta.is_dir() && dir::is_store(path)) {
        true => Ok(()),
        false => Err(irregular(path)),
    }
}

fn irregular(path: &Path) -> Error {
    let what = "not a regular file or a store; inputs of a join are opened several times";
    Error::new(ErrorKind::Argument, what).of(&shown(path))
}

/// Returns whether a name is a path, not a URL or standard input.
fn is_local(input: &Path) -> bool {
    let at = Location::new(input);
    at.is_ok_and(|at| at.remote().is_none() && at.path() == input)
}

/// Returns the datasets of a path.
fn local(input: &Path) -> Result<Vec<PathBuf>> {
    let wrong = |what: &str| Error::new(ErrorKind::Argument, what.to_owned()).of(&shown(input));
    if input.as_os_str() == "-" {
        let e = wrong("standard input cannot be joined, because inputs are opened several times");
        return Err(e.with_remedy("write it to a file first"));
    }
    let Ok(meta) = std::fs::metadata(input) else {
        return pattern(input);
    };
    if meta.is_dir() && !dir::is_store(input) {
        return directory(input);
    }
    match meta.is_dir() || meta.is_file() {
        true => Ok(vec![input.to_owned()]),
        false => Err(irregular(input)),
    }
}

/// Returns the datasets of a directory, sorted by name.
fn directory(input: &Path) -> Result<Vec<PathBuf>> {
    let mut found = entries(input)?;
    found.retain(|path| is_dataset(path));
    match found.is_empty() {
        false => Ok(found),
        true => {
            let what = "no datasets in this directory";
            Err(Error::new(ErrorKind::Argument, what).of(&shown(input)))
        }
    }
}

/// Returns the paths in a directory, without hidden names.
fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io("cannot list", &shown(directory), e);
    let mut found = vec![];
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            found.push(entry.path());
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Returns whether the content of a path is a dataset. An unreadable file counts as a dataset: its join reports the error.
fn is_dataset(path: &Path) -> bool {
    let Ok(meta) = std::fs::metadata(path) else {
        return false;
    };
    if meta.is_dir() {
        return dir::is_store(path);
    }
    let open = || {
        let input =
            InputAccess::default().input(&Location::of_path(path), &mut std::io::empty())?;
        format::probe(&input)
    };
    meta.is_file() && open().map_or_else(|e| e.kind() != ErrorKind::UnknownFormat, |_| true)
}

/// Returns the paths that match a pattern in the last component of a path.
fn pattern(input: &Path) -> Result<Vec<PathBuf>> {
    let name = input.file_name().and_then(|name| name.to_str());
    let glob = name.and_then(PathGlob::new);
    let Some(glob) = glob else {
        return Ok(vec![input.to_owned()]);
    };
    let directory = match input.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("."),
    };
    let matches = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| glob.matches(&format!("/{name}")))
    };
    let mut found = entries(directory)?;
    found.retain(matches);
    if !input.starts_with(".") {
        let short = |path: PathBuf| path.strip_prefix(".").map_or(path.clone(), Path::to_owned);
        found = found.into_iter().map(short).collect();
    }
    if found.is_empty() {
        let what = "no file has a name of this pattern";
        return Err(Error::new(ErrorKind::Argument, what).of(&shown(input)));
    }
    found.iter().try_for_each(|path| check_regular(path))?;
    Ok(found)
}

/// Checks that no input is listed twice, under any name.
fn check_once(inputs: &[PathBuf]) -> Result<()> {
    let mut ids: HashMap<FileId, &Path> = HashMap::new();
    let mut names: HashMap<&Path, &Path> = HashMap::new();
    for input in inputs {
        let same = names.insert(input, input);
        let id = id_of(input).and_then(|id| ids.insert(id, input));
        if let Some(other) = same.or(id) {
            let what = match other == input {
                true => "the input is listed twice".to_owned(),
                false => format!("the same file as the input {}", shown(other)),
            };
            return Err(Error::new(ErrorKind::Argument, what).of(&shown(input)));
        }
    }
    Ok(())
}

/// Returns the identity of a local file, also for a `file:` URL.
fn id_of(input: &Path) -> Option<FileId> {
    let at = Location::new(input).ok()?;
    match at.remote() {
        None => FileId::of_path(at.path()),
        Some(_) => None,
    }
}

fn shown(path: &Path) -> String {
    ShownAddress::of(path).into_text()
}
