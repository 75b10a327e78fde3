//! A copy in parts, which other programs run side by side on any machines: `--plan`, `--part`, `--finish` and what belongs to them.
//!
//! `--plan` decides once what all parts share, and writes it into a folder (`folder`, docs/machines.md). `--part` opens the input, checks
//! that nothing has changed, and stores its boxes in a segment (`netcdf_core::copy::parts`). A done-file, which is put if there is none,
//! says what the segment holds. `--finish` joins the segments. Of Zarr stores, parts put chunks in their places instead: in a directory
//! beside the output, or on an object store (`claimed`). Of two stages, parts of the first put pieces of chunks into a store in the folder,
//! which the second reads. Nothing depends on clocks or on who runs what.

mod choice;
mod claimed;
mod clean;
mod emit;
mod estimate;
mod files;
mod finish;
mod folder;
mod hold;
mod make;
mod plan;
mod record;
mod status;
mod stored;

pub use choice::PartChoice;
pub use emit::Engine;

use std::ffi::OsString;
use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file::FileSource;
use netcdf_core::tool::{self, Io, Status};

use crate::cli::Cli;
use crate::words::quoted;
use folder::Folder;

/// Parts of a plan at most: each has a done-file, and is looked at in the end.
pub const MOST_PARTS: u64 = 10_000_000;

/// Runs the option of a copy in parts that the command line has; `args` is the whole of it.
///
/// # Errors
/// Those of the options.
pub fn run(cli: &Cli, args: &[OsString], io: &mut Io) -> Result<Status> {
    match started(cli, args, io).map_err(|e| named(e, cli)) {
        // Another process is in the way, or the system is short of something.
        Err(e) if e.kind() == ErrorKind::Busy || e.is_too_many_files() => {
            tool::report("nccopy", &e, io);
            Ok(Status::TryAgain)
        }
        ended => ended,
    }
}

/// The placeholder for the plan directory in remedies.
const PLACEHOLDER: &str = "FOLDER";

/// Puts the plan directory of the command line into the remedy.
fn named(e: Error, cli: &Cli) -> Error {
    let folder = cli.parts.plan.as_ref().or(cli.paths.first());
    match folder {
        Some(folder) => in_folder(e, folder),
        None => e,
    }
}

/// Puts a plan directory into the remedy.
fn in_folder(e: Error, folder: &Path) -> Error {
    e.naming(PLACEHOLDER, &quoted(&folder.to_string_lossy()))
}

fn started(cli: &Cli, args: &[OsString], io: &mut Io) -> Result<Status> {
    let parts = &cli.parts;
    if let Some(folder) = &parts.plan {
        return plan::run(cli, (args, folder), io);
    }
    if let [one] = cli.paths.as_slice()
        && parts.clean
        && !one.join("plan.json").is_file()
    {
        return Folder::remove_begun(one).map(|()| Status::Success);
    }
    let folder = folder(cli)?;
    if let Some(engine) = parts.emit {
        return emit::run(cli, &folder, engine, io);
    }
    match &parts.part {
        Some(choice) => make::run(cli, &folder, choice, io),
        None if parts.next => make::next(cli, &folder, io),
        None if parts.finish => finish::run(cli, &folder, io),
        None if parts.status => status::run(cli, &folder, io),
        None => clean::run(cli, &folder, io),
    }
}

/// The folder of a plan that the command line names.
fn folder(cli: &Cli) -> Result<Folder> {
    match cli.paths.as_slice() {
        [one] => Folder::open(one),
        _ => {
            let what = "expected one path, the folder of a plan";
            Err(Error::new(ErrorKind::Argument, what))
        }
    }
}

/// Opens a file in the folder of a plan.
fn source(path: &Path) -> Result<FileSource> {
    // A pipe would wait for its writer.
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(wrong(
            path,
            "not a file, but a directory, a pipe or a device",
        ));
    }
    FileSource::open(path)
}

/// An error about a folder, or what lies there.
fn wrong(path: &Path, what: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Argument, what).of(&path.to_string_lossy())
}
