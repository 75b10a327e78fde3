//! Outputs that are changed in place: new records of `--append`, and new attributes and names of `--in-place`.

use std::path::Path;
use std::sync::Arc;

use netcdf_core::chunk::{Placement, Reader, Update};
use netcdf_core::copy;
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::{self, DirectoryUpdateRules};
use netcdf_core::io::Container;
use netcdf_core::io::file::{LockedFile, WriteAccess};
use netcdf_core::io::locator::{InputAccess, Location, OutputForm};
use netcdf_core::io::patched::{PatchedFile, visible_state};
use netcdf_core::io::trial_file::TrialFile;
use netcdf_core::model::FillMode;
use netcdf_core::notes::Note;

use crate::in_place;
use crate::inputs::CopyPair;
use crate::prepare::PreparedCopy;
use crate::request::{CopyRequest, InPlaceRequest};
use crate::request_match::defines_the_same;

/// Makes the copy in place. Returns false if the output must be written anew.
///
/// # Errors
/// Returns [`ErrorKind::Busy`] if another program has the output open for writing, and I/O errors.
pub(crate) fn changed(
    prepared: &PreparedCopy<'_>,
    request: &CopyRequest,
    copy: &CopyPair,
) -> Result<bool> {
    // The checks and the report of a copy need the whole output.
    if request.checks.verify || request.reported().is_some() {
        return Ok(false);
    }
    let is_file = copy.output.form == OutputForm::File;
    match (prepared.records, request.in_place()) {
        (Some(_), _) => appended(prepared, request, copy),
        (None, Some(options)) if is_file && may_redefine(request, options) => {
            redefined(prepared, (request, options), copy)
        }
        (None, _) => Ok(false),
    }
}

/// Returns the number of bytes that change if the copy only changes attributes and names in place. Nothing is written.
///
/// # Errors
/// Returns errors of reading the output.
pub(crate) fn changed_bytes(
    prepared: &PreparedCopy<'_>,
    request: &CopyRequest,
    copy: &CopyPair,
) -> Result<Option<u64>> {
    let possible = |options| may_redefine(request, options) && !request.checks.verify;
    if !request.in_place().is_some_and(possible) || copy.output.form != OutputForm::File {
        return Ok(None);
    }
    let at = Location::of_path(&copy.output.path);
    let Container::Source(source) = InputAccess::default().input(&at, &mut std::io::empty())?
    else {
        return Ok(None);
    };
    let env = prepared.set.env;
    let file = Arc::new(PatchedFile::open(
        Box::new(TrialFile::new(visible_state(&source)?)),
        &env.notes,
    )?);
    let Some(mut update) = format::update(&file, env)? else {
        return Ok(None);
    };
    let placement = copy::redefine(prepared.set, &prepared.plan, &mut *update)?;
    let bytes = file.pending().patched;
    update.abandon()?;
    Ok((placement == Placement::InPlace).then_some(bytes))
}

/// Returns whether a request only changes attributes and names.
fn may_redefine(request: &CopyRequest, options: InPlaceRequest) -> bool {
    let edit = &request.edit;
    let edits = !edit.renames.is_empty() || !edit.attributes.is_empty();
    edits && !request.storage.requests_any() && !options.force && !options.if_smaller
}

/// Opens the output for changes in place. Returns `None` if it must be written anew.
fn opened(
    prepared: &PreparedCopy<'_>,
    request: &CopyRequest,
    copy: &CopyPair,
) -> Result<Option<Box<dyn Update>>> {
    let (env, sync) = (prepared.set.env, !request.process.no_sync);
    let path = &copy.output.path;
    match copy.output.form {
        OutputForm::File => file_update(path, sync, env),
        OutputForm::Directory => {
            let rules = DirectoryUpdateRules {
                sync,
                without_locks: false,
            };
            let opened = format::update_directory(path, rules, env)?;
            Ok(opened.map(|opened| opened.update))
        }
        OutputForm::Zip { .. } | OutputForm::References | OutputForm::ParquetReferences { .. } => {
            Ok(None)
        }
    }
}

/// Adds a note about a file that cannot be changed in place.
fn written_anew(path: &Path, why: &str, env: &Env) {
    env.notes.remark(Note {
        object: path.to_string_lossy().into_owned(),
        what: format!("the whole file is written to a new file, because {why}"),
        remedy: None,
    });
}

/// Opens a file for changes in place.
fn file_update(path: &Path, sync: bool, env: &Env) -> Result<Option<Box<dyn Update>>> {
    let raw = match LockedFile::open(path, sync) {
        Ok(WriteAccess::Exclusive(raw)) => raw,
        Ok(WriteAccess::Readers) => {
            written_anew(path, "other programs have it open (it is locked)", env);
            return Ok(None);
        }
        Ok(WriteAccess::Unlocked(_)) => {
            written_anew(path, "there are no file locks", env);
            return Ok(None);
        }
        Err(e) if e.kind() == ErrorKind::Busy => return Err(e),
        // A new file can replace a file that cannot be written.
        Err(_) => return Ok(None),
    };
    let file = Arc::new(PatchedFile::open(Box::new(raw), &env.notes)?);
    format::update(&file, env)
}

/// Appends the records of `--append`.
fn appended(prepared: &PreparedCopy<'_>, request: &CopyRequest, copy: &CopyPair) -> Result<bool> {
    let Some(records) = prepared.records else {
        return Ok(false);
    };
    match opened(prepared, request, copy)? {
        Some(mut update) => {
            let placed = copy::append(prepared.set, records, &mut *update);
            let placed = placed.map_err(|e| unwritable(e, &copy.output.path))?;
            Ok(placed == Placement::InPlace)
        }
        None => Ok(false),
    }
}

/// Names the output in the error of a filter that cannot encode new records.
fn unwritable(e: Error, output: &Path) -> Error {
    match (e.kind(), e.resource()) {
        (ErrorKind::Unsupported, None) => e.of(&output.to_string_lossy()).with_remedy(
            "join the output and the inputs to a new dataset with --join and other filters, as in -F none",
        ),
        (_, _) => e,
    }
}

/// Changes attributes and names.
fn redefined(
    prepared: &PreparedCopy<'_>,
    (request, options): (&CopyRequest, InPlaceRequest),
    copy: &CopyPair,
) -> Result<bool> {
    let env = prepared.set.env;
    let mtime = options.keep_mtime.then(|| in_place::modified(&copy.local));
    let Some(mut update) = opened(prepared, request, copy)? else {
        return Ok(false);
    };
    check_definitions(prepared, &*update)?;
    if copy::redefine(prepared.set, &prepared.plan, &mut *update)? != Placement::InPlace {
        update.abandon()?;
        return Ok(false);
    }
    env.cancel.check()?;
    env.notes.check()?;
    update.commit(FillMode::NoFill)?;
    drop(update);
    in_place::keep_mtime(copy, mtime.flatten(), &env.notes);
    Ok(true)
}

/// Checks that the output still has the definitions of the input, which may have changed before the output was locked.
fn check_definitions(prepared: &PreparedCopy<'_>, update: &dyn Update) -> Result<()> {
    let [planned, now] = [prepared.stored.reader, update.reader()].map(Reader::schema);
    match defines_the_same(planned.clone(), now.clone()) {
        true => Ok(()),
        false => {
            let what = "the definitions changed since the file was opened";
            let e = Error::new(ErrorKind::Changed, what);
            Err(e.with_remedy("repeat the command"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_filters_name_the_output() {
        let error = |kind| unwritable(Error::new(kind, "scaleoffset"), Path::new("out.h5"));
        let e = error(ErrorKind::Unsupported);
        assert_eq!(e.resource(), Some("out.h5"));
        assert!(e.remedy().is_some_and(|remedy| remedy.contains("--join")));
        let named = Error::new(ErrorKind::Unsupported, "scaleoffset").of("in.h5");
        assert_eq!(unwritable(named, Path::new("out.h5")).remedy(), None);
        assert_eq!(error(ErrorKind::Corrupt).resource(), None);
    }
}
