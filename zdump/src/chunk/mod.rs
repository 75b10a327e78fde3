//! `chunk`: the decoded values of chunks, and the result of each codec.

mod index;
mod print;
mod rows;
mod shard;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::Values;
use netcdf_core::notes::Note;
use netcdf_core::tool::Io;

use crate::array::{ChunkPlace, FoundChunk, OpenArray, PartiallyDecoded, Times, find};
use crate::cli::ChunkArgs;
use crate::out::CommandOut;
use crate::session::Session;
use crate::verdict::Verdict;
use netcdf_core::format::zarr::survey::no_store;
use print::ChunkPrinter;

/// Runs the command.
///
/// # Errors
/// Returns errors of the store, and of arguments that do not fit the array. For a single chunk, returns errors of its codecs.
pub(crate) fn run(args: &ChunkArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let store = session.store(&args.store.store, io)?;
    let survey = session.survey(&store)?;
    let node = find(&survey, &store, &args.var)?;
    let opened = OpenArray::new(&store, &session.env, node);
    let mut opened = opened.ok_or_else(|| no_store(&store))?;
    if args.times {
        let notes = (opened.path.as_str(), &*session.env.notes);
        opened.times = Times::of(node, &opened.array.described.stored, notes);
    }
    stage_exists(&opened, args.stage)?;
    let wanted = index::wanted(args, &opened).map_err(|e| opened.in_array(e))?;
    let mut printer = ChunkPrinter {
        opened: &opened,
        out: CommandOut::new(session.json, io, ("chunk", store.name()))?,
        stage: args.stage,
        shard: None,
    };
    let done = match wanted {
        Some(place) => one(&mut printer, &place),
        None => all(&mut printer),
    };
    printer.out.end()?;
    done
}

/// Checks that the array has at least `stage` decoding steps.
fn stage_exists(opened: &OpenArray<'_>, stage: Option<usize>) -> Result<()> {
    let codecs = opened.codecs();
    match stage {
        Some(stage) if stage > codecs.len() => {
            let names = match codecs.is_empty() {
                true => String::new(),
                false => format!(": {}", codecs.join(", ")),
            };
            let what = format!(
                "no stage {stage}: the array has {} codecs{names}",
                codecs.len()
            );
            Err(opened.in_array(Error::new(ErrorKind::Argument, what)))
        }
        Some(_) | None => Ok(()),
    }
}

/// Prints one chunk, stored or missing.
fn one(printer: &mut ChunkPrinter<'_, '_>, place: &[u64]) -> Result<Verdict> {
    let opened = printer.opened;
    let found = opened.locate(place)?;
    printer.shard_of(place)?;
    let Some(found) = found else {
        printer.missing(place)?;
        return Ok(Verdict::Sound);
    };
    match look(opened, &found, printer.stage) {
        Ok(looked) => printer.chunk(&found, &looked)?,
        Err(e) => {
            printer.head(&found, None)?;
            return Err(e);
        }
    }
    Ok(Verdict::Sound)
}

/// Prints all stored chunks.
fn all(printer: &mut ChunkPrinter<'_, '_>) -> Result<Verdict> {
    let opened = printer.opened;
    let (stage, mut wrong, mut count) = (printer.stage, 0u64, 0u64);
    let work = |place: FoundChunk| match place {
        Ok(place) => {
            opened.env.cancel.check()?;
            let looked = look(opened, &place, stage);
            Ok((Some(place), looked))
        }
        Err(lost) => Ok((None, Err(lost.error))),
    };
    let bytes = |place: &ChunkPlace| opened.memory(place);
    opened.each_stored(bytes, work, |(place, looked)| {
        count += 1;
        if let Some(place) = &place {
            printer.shard_in(&place.key, &place.place)?;
        }
        match (place, looked) {
            (Some(place), Ok(looked)) => printer.chunk(&place, &looked),
            (place, Err(e)) => {
                wrong += 1;
                printer.problem(place.as_ref(), &e)
            }
            (None, Ok(_)) => Ok(()),
        }
    })?;
    if count == 0 {
        printer.nothing()?;
    }
    if wrong == 0 {
        return Ok(Verdict::Sound);
    }
    opened.env.notes.say(Note {
        object: opened.path.clone(),
        what: format!("{wrong} of {count} stored chunks or shards cannot be decoded"),
        remedy: None,
    });
    Ok(Verdict::Problems)
}

/// Reads a stored chunk and decodes the printed part: up to a stage, otherwise to values, which replace the bytes.
fn look(
    opened: &OpenArray<'_>,
    place: &ChunkPlace,
    stage: Option<usize>,
) -> Result<(PartiallyDecoded, Option<Values>)> {
    let bytes = opened.fetch(place)?;
    let stages = stage.unwrap_or_else(|| opened.codecs().len());
    let mut undone = opened.undo(place, bytes, stages)?;
    let values = match stage {
        Some(_) => None,
        None => Some(opened.values(place, std::mem::take(&mut undone.bytes))?),
    };
    Ok((undone, values))
}
