//! `chunk`: the decoded values of chunks, and what each codec did.

mod bytes;
mod index;
mod print;
mod rows;
mod shard;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::Values;
use netcdf_core::notes::Note;
use netcdf_core::runtime::pool::Item;
use netcdf_core::tool::Io;

use crate::Verdict;
use crate::array::{ChunkPlace, FoundChunk, Opened, Times, find};
use crate::cli::{ChunkArgs, Cli};
use crate::open::Session;
use crate::out::Out;
use netcdf_core::format::zarr::survey::{Survey, no_store};
use print::Printer;

/// The data of a chunk to show.
struct Looked {
    /// Number of stored bytes, and of bytes after each codec that was undone.
    sizes: Vec<u64>,
    what: Contents,
}

enum Contents {
    /// The number of codecs that were undone, and the bytes after that.
    Bytes(usize, Vec<u8>),
    /// The values.
    Values(Values),
}

/// Runs the command.
///
/// # Errors
/// Errors of the store; arguments that do not fit the array; for a single chunk, errors of its codecs.
pub(crate) fn run(
    args: &ChunkArgs,
    (cli, session): (&Cli, &Session),
    io: &mut Io,
) -> Result<Verdict> {
    let store = session.store(&args.store.store, io)?;
    let survey = Survey::read(&store, &session.env)?;
    if !survey.is_store() {
        return Err(no_store(&store));
    }
    let node = find(&survey, &store, &args.var)?;
    let opened = Opened::new(&store, &session.env, node);
    let mut opened = opened.ok_or_else(|| no_store(&store))?;
    if args.times {
        opened.times = Times::of(node, &opened.array.described.stored);
    }
    stage_exists(&opened, args.stage)?;
    let wanted = index::wanted(args, &opened).map_err(|e| opened.said(e))?;
    let mut printer = Printer {
        opened: &opened,
        out: Out::new(cli.json, io, ("chunk", store.name()))?,
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

/// Checks that there are this many codecs to undo.
fn stage_exists(opened: &Opened<'_>, stage: Option<usize>) -> Result<()> {
    let codecs = opened.codecs();
    match stage {
        Some(stage) if stage > codecs.len() => {
            let names = match codecs.is_empty() {
                true => String::new(),
                false => format!(": {}", codecs.join(", ")),
            };
            let what = format!(
                "there is no stage {stage}: there are {} codecs to undo{names}",
                codecs.len()
            );
            Err(opened.said(Error::new(ErrorKind::Argument, what)))
        }
        Some(_) | None => Ok(()),
    }
}

/// Shows one chunk, stored or not.
fn one(printer: &mut Printer<'_, '_>, place: &[u64]) -> Result<Verdict> {
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

/// Shows all stored chunks.
fn all(printer: &mut Printer<'_, '_>) -> Result<Verdict> {
    let opened = printer.opened;
    let (stage, mut wrong, mut count) = (printer.stage, 0u64, 0u64);
    opened.stored(&mut |batch| {
        let items = batch.into_iter().map(|place| {
            let bytes = place.as_ref().map_or(0, |place| opened.memory(place));
            Ok(Item {
                bytes,
                value: place,
            })
        });
        let work = |place: FoundChunk| match place {
            Ok(place) => {
                opened.env.cancel.check()?;
                let looked = look(opened, &place, stage);
                Ok((Some(place), looked))
            }
            Err(lost) => Ok((None, Err(lost.error))),
        };
        opened.env.pool.ordered(items, work, |(place, looked)| {
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
        })
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

/// Reads a stored chunk and decodes as much as is shown.
fn look(opened: &Opened<'_>, place: &ChunkPlace, stage: Option<usize>) -> Result<Looked> {
    let bytes = opened.fetch(place)?;
    if let Some(stage) = stage {
        let undone = opened.undo(place, bytes, stage)?;
        return Ok(Looked {
            sizes: undone.sizes,
            what: Contents::Bytes(stage, undone.bytes),
        });
    }
    let undone = opened.undo(place, bytes, opened.codecs().len())?;
    Ok(Looked {
        what: Contents::Values(opened.values(place, &undone.bytes)?),
        sizes: undone.sizes,
    })
}
