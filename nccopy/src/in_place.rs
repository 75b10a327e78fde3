//! `--in-place`: copies that replace their inputs.

use std::collections::HashSet;
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use netcdf_core::chunk::Reader;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format;
use netcdf_core::io::locator::{Destination, InputAccess, Location, OutputRequest};
use netcdf_core::io::patched::visible_state;
use netcdf_core::io::source::read_range;
use netcdf_core::io::{Container, file};
use netcdf_core::json::Json;
use netcdf_core::notes::{Note, Notes};

use crate::inputs::{CopyPair, ListedCopies, OutputRules};
use crate::walk::{DirectoryWalk, is_folder};

/// Returns the datasets that `paths` name, each once. A directory that is not a store stands for its datasets.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for a directory without datasets, for anything that is not a file, and for a kind of another storage
/// form. Returns errors of listing directories.
pub(crate) fn copies(paths: &[PathBuf], rules: OutputRules<'_>) -> Result<ListedCopies> {
    let mut seen = HashSet::new();
    let (mut copies, mut notes) = (vec![], vec![]);
    let mut add = |input: PathBuf, local: PathBuf| {
        if seen.insert(file::real(&local)) {
            let output = Destination::in_place(&local, keeping(&local, rules.asked))?;
            copies.push(CopyPair {
                input,
                local,
                remote: None,
                output,
                makes_folder: false,
                part: None,
            });
        }
        Ok(())
    };
    for named in paths {
        let at = Location::new(named)?;
        let local = at.path().to_owned();
        if at.remote().is_none() {
            file::recover(&local);
        }
        if at.is_standard() || at.remote().is_some() || file::in_place(&local) {
            let what = "not a file that a copy could replace";
            return Err(Error::new(ErrorKind::Argument, what).of(&named.to_string_lossy()));
        }
        if !is_folder(&local) {
            add(named.clone(), local)?;
            continue;
        }
        let walk = DirectoryWalk::of(&local, rules.recursive)?;
        notes.extend(walk.note(&local));
        for path in walk.datasets {
            add(path.clone(), path)?;
        }
    }
    Ok((copies, notes))
}

/// Returns `asked`, plus consolidated metadata if the store at `path` has it.
fn keeping(path: &Path, asked: OutputRequest) -> OutputRequest {
    let input = || InputAccess::default().input(&Location::of_path(path), &mut std::io::empty());
    let stored = || is_consolidated(&input()?);
    // Read errors are ignored: opening the store later reports them.
    let consolidated = asked.consolidated || stored().unwrap_or(false);
    OutputRequest {
        consolidated,
        ..asked
    }
}

/// Checks whether a dataset is a store with consolidated metadata.
///
/// # Errors
/// Returns errors of reading the metadata.
pub(crate) fn is_consolidated(input: &Container) -> Result<bool> {
    let Container::Store(store) = input else {
        return Ok(false);
    };
    let within = |bytes: Vec<u8>| {
        let json = Json::parse(&bytes);
        json.is_ok_and(|json| !matches!(json.get("consolidated_metadata"), None | Some(Json::Null)))
    };
    Ok(store.size(".zmetadata")?.is_some() || store.get("zarr.json")?.is_some_and(within))
}

/// Checks that a file can be replaced without loss. A file with hard links fails, because the other links would keep the old content. A
/// file with a user block fails, because a copy would not have it.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`], and errors of reading the first bytes.
pub(crate) fn check(copy: &CopyPair, input: &Container) -> Result<()> {
    let Container::Source(source) = input else {
        return Ok(());
    };
    let names = file::names(&copy.local);
    if names > 1 {
        let what = format!(
            "the file has {names} names (hard links), and the other names would keep the old content"
        );
        return Err(refused(copy, what));
    }
    let source = visible_state(source)?;
    let first = read_range(&*source, &(0..source.len().min(4)))?;
    match first.starts_with(b"CDF") || first.starts_with(b"\x89HDF") || first.starts_with(b"PK") {
        true => Ok(()),
        false => {
            let what =
                "the dataset is preceded by other data (a user block), which a copy would lose";
            Err(refused(copy, what.to_owned()))
        }
    }
}

/// Checks that the dataset's kind can be written.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`].
pub(crate) fn check_kind(copy: &CopyPair, reader: &dyn Reader) -> Result<()> {
    let kind = reader.schema().kind;
    // The destination determines the Zarr kind.
    match format::traits(kind).keys || format::copied_as(kind) == kind {
        true => Ok(()),
        false => {
            let name = reader.provenance().model;
            let what = format!("nccopy reads {name} files, but cannot write them");
            Err(refused(copy, what))
        }
    }
}

/// Checks that the dataset does not refer to other files: a copy would contain their data.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`].
pub(crate) fn check_whole(copy: &CopyPair, reader: &dyn Reader) -> Result<()> {
    match reader.bytes().is_spread() {
        false => Ok(()),
        true => {
            let what = "the data is in several files (external files or a virtual dataset); the copy would store all data in this file";
            Err(refused(copy, what.to_owned()))
        }
    }
}

/// Returns the modification time of a file.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}

/// Restores the modification time of the input. A failure adds a note.
pub(crate) fn keep_mtime(copy: &CopyPair, before: Option<SystemTime>, notes: &Notes) {
    let Some(before) = before else {
        return;
    };
    let set = File::open(&copy.local)
        .and_then(|file| file.set_times(FileTimes::new().set_modified(before)));
    if let Err(e) = set {
        notes.remark(Note {
            object: copy.local.to_string_lossy().into_owned(),
            what: format!("modification time not restored: {e}"),
            remedy: None,
        });
    }
}

fn refused(copy: &CopyPair, what: String) -> Error {
    let e = Error::new(ErrorKind::Unsupported, what).of(&copy.input.to_string_lossy());
    e.with_remedy("copy it under another name")
}
