//! `map`: draws the chunk grid of an array: stored chunks, chunks with only fill values, and chunk sizes.

mod draw;
mod scale;
mod survey;
mod svg;
#[cfg(test)]
mod tests;

use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file::{FileTarget, overlap};
use netcdf_core::io::locator::Location;
use netcdf_core::io::target::Target;
use netcdf_core::notes::Note;
use netcdf_core::tool::Io;

use crate::array::{OpenArray, find};
use crate::cli::MapArgs;
use crate::out::CommandOut;
use crate::session::Session;
use crate::verdict::Verdict;
use netcdf_core::format::zarr::survey::no_store;
use scale::ChunkMap;

/// Runs the command.
///
/// # Errors
/// Returns errors of the store, of an output inside the store, and write errors.
pub(crate) fn run(args: &MapArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let file = args
        .output
        .as_deref()
        .filter(|file| *file != Path::new("-"));
    let to_stdout = args.output.is_some() && file.is_none();
    let store = session.store(&args.store.store, io)?;
    if let Some(file) = file {
        outside(file, &args.store.store)?;
    }
    let survey = session.survey(&store)?;
    let node = find(&survey, &store, &args.var)?;
    let opened = OpenArray::new(&store, &session.env, node).ok_or_else(|| no_store(&store))?;
    let map = survey::look(&opened, args.decode)?;
    if let Some(file) = file {
        write(file, svg::image(&opened, &map).as_bytes())?;
    }
    let mut out = CommandOut::new(session.json, io, ("map", store.name()))?;
    if to_stdout {
        out.bytes(svg::image(&opened, &map).as_bytes())?;
    } else if session.json {
        draw::records(&mut out, &opened, &map)?;
    } else if file.is_none() {
        draw::text(&mut out, &opened, &map)?;
    }
    out.end()?;
    Ok(verdict(&opened, &map))
}

/// Checks whether all stored chunks could be decoded. Adds a note otherwise.
fn verdict(opened: &OpenArray<'_>, map: &ChunkMap) -> Verdict {
    let Some((e, count)) = &map.wrong else {
        return Verdict::Sound;
    };
    opened.env.notes.say(Note {
        object: opened.path.clone(),
        what: format!("{count} of the stored chunks and shards cannot be decoded; the first: {e}"),
        remedy: None,
    });
    Verdict::Problems
}

/// Checks that an output is outside the store.
fn outside(file: &Path, store: &Path) -> Result<()> {
    let store = Location::new(store)?;
    if store.is_standard() || !overlap(store.path(), file) {
        return Ok(());
    }
    let what = "the image would be written into the store or replace it";
    let e = Error::new(ErrorKind::Argument, what).of(&file.to_string_lossy());
    Err(e.with_remedy("name a file outside the store; zdump never writes to a store"))
}

/// Writes a temporary file, then renames it.
fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    let mut target = Box::new(FileTarget::create(file, true)?);
    target.write_at(0, bytes)?;
    target.commit()
}
