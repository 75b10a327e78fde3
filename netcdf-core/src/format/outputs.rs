//! Creates the outputs that users name.

use std::path::Path;
use std::sync::Arc;

use super::table::create;
use super::zarr::survey;
use crate::cancel::Cancel;
use crate::env::Env;
use crate::error::Result;
use crate::io::address::Address;
use crate::io::dir::shared::{self, PlanMark, SharedDirectoryTarget};
use crate::io::dir::{DirTarget, Foreign, Replace};
use crate::io::file::{FileTarget, Replacement};
use crate::io::locator::{Destination, OutputForm};
use crate::io::references::{JsonTarget, ParquetTarget};
use crate::io::sums::RunningSums;
use crate::io::target::StoreTarget;
use crate::io::trace::Trace;
use crate::io::zip::ZipTarget;
use crate::io::{Output, Store, references, remote};
use crate::model::{CreateOptions, Kind, Schema};
use crate::notes::Note;

/// The kind of the intermediate store of a two-stage copy.
pub const BETWEEN_STAGES: Kind = Kind::NCZARR3;

/// Creates an output. With `sync`, the data is synchronized to disk before the output becomes visible. A cancelled run does not publish the
/// output. A note lists foreign files that are removed together with a replaced store.
///
/// # Errors
/// Returns errors of [`FileTarget::create_as`] and [`DirTarget::create`].
pub fn output(to: &Destination, sync: bool, env: &Env, trace: &Trace) -> Result<Output> {
    if let Some(address) = &to.remote {
        return elsewhere(to, address, env, trace);
    }
    let cancel = &env.cancel;
    let store: Box<dyn StoreTarget> = match to.form {
        OutputForm::File => {
            let target = file(to, sync, env)?.cancelled_by(cancel);
            return Ok(Output::from(Box::new(target)));
        }
        OutputForm::Directory => Box::new(directory(to, sync, env)?),
        OutputForm::References => {
            let target = file(to, sync, env)?.cancelled_by(cancel);
            Box::new(JsonTarget::new(Box::new(target)))
        }
        OutputForm::ParquetReferences { record_size } => {
            let target = parquet_directory(to, sync, env)?;
            Box::new(ParquetTarget::new(Box::new(target), record_size))
        }
        OutputForm::Zip { .. } => {
            let target = file(to, sync, env)?.cancelled_by(cancel);
            Box::new(ZipTarget::new(Box::new(target), &to.zip_prefix()))
        }
    };
    Ok(Output::Store(trace.target(store)))
}

/// Creates a file.
fn file(to: &Destination, sync: bool, env: &Env) -> Result<FileTarget> {
    let how = Replacement {
        keep_links: to.keep_links,
        at_most: to.at_most,
        notes: Some(&env.notes),
    };
    FileTarget::create_as(&to.path, sync, how)
}

/// Creates a remote output.
fn elsewhere(to: &Destination, address: &Address, env: &Env, trace: &Trace) -> Result<Output> {
    let run = env.run();
    let store: Box<dyn StoreTarget> = match to.form {
        OutputForm::File => return Ok(remote::target(address, &run)?.into()),
        OutputForm::Directory => remote::store_target(address, to.overwrite, &run)?,
        OutputForm::References => Box::new(JsonTarget::new(remote::target(address, &run)?)),
        OutputForm::ParquetReferences { record_size } => {
            let target = remote::store_target(address, to.overwrite, &run)?;
            Box::new(ParquetTarget::new(target, record_size))
        }
        OutputForm::Zip { .. } => {
            let target = remote::target(address, &run)?;
            Box::new(ZipTarget::new(target, &to.zip_prefix()))
        }
    };
    Ok(Output::Store(trace.target(store)))
}

/// Opens the directory `place` of a store that several processes write concurrently, and returns the checksums of the written keys. `mark`
/// is the marker of the store's plan.
///
/// # Errors
/// Returns the errors of [`SharedDirectoryTarget::create`].
pub fn part_of_store(
    place: &Path,
    mark: Option<&PlanMark>,
    sync: bool,
    env: &Env,
) -> Result<(Output, RunningSums)> {
    let (target, sums) = SharedDirectoryTarget::create(place, sync, &env.cancel)?;
    let target = match mark {
        Some(mark) => target.of_plan(mark),
        None => target,
    };
    Ok((Output::Store(Box::new(target)), sums))
}

/// Creates the directory `place` for the intermediate store of a two-stage copy, and writes the metadata. Processes write chunks with
/// [`part_of_store`].
///
/// # Errors
/// Returns the errors of [`shared::begin`] and [`super::create`].
pub fn begin_between(schema: Schema, place: &Path, sync: bool, env: &Env) -> Result<()> {
    shared::begin(place)?;
    let (target, _) = part_of_store(place, None, sync, env)?;
    create(target, schema, CreateOptions::default(), env)?.finish()
}

/// Opens the store of a plan for the last part; the finished store becomes the output. The caller removes the replaced output.
///
/// # Errors
/// Returns the errors of [`SharedDirectoryTarget::create`] and [`SharedDirectoryTarget::becoming`].
pub fn end_of_store(
    (place, mark): (&Path, &PlanMark),
    to: &Destination,
    sync: bool,
    env: &Env,
) -> Result<Output> {
    let (target, _) = SharedDirectoryTarget::create(place, sync, &env.cancel)?;
    let target = target.of_plan(mark).becoming(&to.path, replace(to))?;
    Ok(Output::Store(Box::new(target)))
}

/// Returns the rules for replacing an existing path with a store.
fn replace(to: &Destination) -> Replace {
    Replace {
        foreign: survey::foreign,
        overwrite: to.overwrite,
    }
}

/// Creates a directory of parquet files.
fn parquet_directory(to: &Destination, sync: bool, env: &Env) -> Result<DirTarget> {
    let replace = Replace {
        foreign: foreign_to_parquet,
        overwrite: to.overwrite,
    };
    DirTarget::create(&to.path, sync, replace, &env.cancel)
}

/// Returns the files in a directory of parquet files that do not belong to the references.
fn foreign_to_parquet(store: &Arc<dyn Store>, cancel: &Cancel) -> Result<Foreign> {
    let mut found = Foreign::default();
    store.walk("", &mut |key, _| {
        cancel.check()?;
        if !references::is_parquet_key(key) {
            found.add(key.to_owned());
        }
        Ok(())
    })?;
    Ok(found)
}

fn directory(to: &Destination, sync: bool, env: &Env) -> Result<DirTarget> {
    let target = DirTarget::create(&to.path, sync, replace(to), &env.cancel)?;
    let goes = target.goes();
    if !goes.is_empty() {
        env.notes.say(Note {
            object: to.path.to_string_lossy().into_owned(),
            what: format!("files that are not part of the store are also removed: {goes}"),
            remedy: None,
        });
    }
    Ok(target)
}
