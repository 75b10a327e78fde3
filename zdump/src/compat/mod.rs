//! `--compat`: the command line and the output of netCDF-C's test program `zmapio`. All stored chunks are shown in the same type,
//! independent of the metadata.
//!
//! Differences from `zmapio` avoid harm and data loss: `-x clear` is refused, `-F` only accepts formats for one number, texts are neither
//! truncated nor read beyond their ends, and `zarr.json` is metadata. docs/zdump.md has the list.

mod args;
mod format;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::sync::Arc;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::zarr::Dtype;
use netcdf_core::io::Store;
use netcdf_core::model::Endianness;
use netcdf_core::shown::ShownText;
use netcdf_core::tool::{self, Io, Status};

use crate::cli::NAME;
use crate::key;
use crate::out::CommandOut;
use crate::session::Session;
use netcdf_core::format::zarr::survey::{Role, StoreSurvey, split};

use args::{PrintOptions, USAGE};

/// Maximum levels of keys.
const DEPTH: usize = 256;

/// Runs the tool like netCDF-C's `zmapio`. `args` follow `--compat`.
pub(crate) fn run(args: &[OsString], io: &mut Io) -> Status {
    let options = match args::parse(args) {
        Ok(Some(options)) => options,
        Ok(None) => return usage(USAGE, io),
        Err(what) => return usage(&format!("{NAME}: {what}\n{USAGE}"), io),
    };
    for (said, text) in [
        (options.given.ty.is_some(), "Default type: ubyte\n"),
        (options.given.action, "Default action: objdump\n"),
    ] {
        if !said {
            // If standard error is closed, the message is lost.
            let _ = write!(io.stderr, "{text}");
        }
    }
    match dump(&options, io) {
        Ok(()) => Status::Success,
        Err(e) => tool::report(NAME, &e, io),
    }
}

/// Prints the usage message. The exit status is 1, as in `zmapio`.
fn usage(text: &str, io: &mut Io) -> Status {
    // If standard error is closed, the message is lost.
    let _ = write!(io.stderr, "{text}");
    Status::Failure
}

/// Prints the objects of a store.
fn dump(options: &PrintOptions, io: &mut Io) -> Result<()> {
    tool::catch_limits()?;
    let session = Session::plain(options.given.trace);
    let store = session.store(&options.store, io)?;
    let survey = StoreSurvey::read(&store, &session.env)?;
    if options.given.debug {
        // If standard error is closed, the message is lost.
        let _ = writeln!(io.stderr, "stack:");
        each(&store, &mut |n, key| {
            let _ = writeln!(io.stderr, "[{n}] /{}", ShownText::new(key));
            Ok(())
        })?;
    }
    let mut out = CommandOut::new(false, io, ("compat", store.name()))?;
    let shown = ShownStore {
        store: &store,
        survey: &survey,
        options,
    };
    each(&store, &mut |n, key| {
        session.env.cancel.check()?;
        object(&shown, n, key, &mut out)
    })?;
    out.end()
}

/// Visits all keys and groups of a store with a number: depth first, names in byte order.
fn each(store: &Arc<dyn Store>, visit: &mut dyn FnMut(u64, &str) -> Result<()>) -> Result<()> {
    let level = |prefix: &str| store.children(prefix).map(Vec::into_iter);
    let mut levels = vec![(String::new(), level("")?)];
    let mut number = 0;
    while let Some((prefix, names)) = levels.last_mut() {
        let Some(name) = names.next() else {
            levels.pop();
            continue;
        };
        let key = format!("{prefix}{}", name.trim_end_matches('/'));
        visit(number, &key)?;
        number += 1;
        if key::size(store, &key)?.is_none() {
            if levels.len() >= DEPTH {
                let e = Error::new(
                    ErrorKind::Limit,
                    "more levels of keys than the limit allows",
                );
                return Err(e.in_object(&key).of(store.name()));
            }
            let prefix = key + "/";
            let names = level(&prefix)?;
            levels.push((prefix, names));
        }
    }
    Ok(())
}

/// The key kinds of `zmapio`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    Metadata,
    Chunk,
    /// A key without printed contents.
    Hidden,
}

fn kind(key: &str, options: &PrintOptions) -> KeyKind {
    match split(key).1 {
        ".zmetadata" if options.given.no_consolidated => KeyKind::Hidden,
        "zarr.json" => KeyKind::Metadata,
        name if name.starts_with('.') => KeyKind::Metadata,
        _ => KeyKind::Chunk,
    }
}

/// A store with its display options.
struct ShownStore<'a> {
    store: &'a Arc<dyn Store>,
    survey: &'a StoreSurvey,
    options: &'a PrintOptions,
}

/// Prints a line if the key has bytes.
fn object(shown: &ShownStore<'_>, number: u64, key: &str, out: &mut CommandOut<'_>) -> Result<()> {
    let options = shown.options;
    let Some(size) = key::size(shown.store, key)? else {
        return Ok(());
    };
    let kind = kind(key, options);
    let count = match kind {
        KeyKind::Chunk => size.div_ceil(options.ty.size),
        KeyKind::Metadata | KeyKind::Hidden => size,
    };
    out.bytes(format!("[{number}] /{key} : ({count})").as_bytes())?;
    if kind == KeyKind::Chunk && size > 0 && !options.ty.is_text() {
        out.bytes(format!(" ({})", options.ty.name).as_bytes())?;
    }
    out.bytes(b" |")?;
    if size > 0 {
        contents(shown, kind, key, out)?;
    }
    out.bytes(b"|\n")
}

/// Prints the contents of a key.
fn contents(
    shown: &ShownStore<'_>,
    kind: KeyKind,
    key: &str,
    out: &mut CommandOut<'_>,
) -> Result<()> {
    let &ShownStore {
        store,
        survey,
        options,
    } = shown;
    match kind {
        KeyKind::Hidden => Ok(()),
        KeyKind::Metadata => out.bytes(&key::bytes(store, key)?),
        KeyKind::Chunk if options.given.metadata_only => out.bytes(b"..."),
        KeyKind::Chunk => {
            let big = is_big_endian(survey, key);
            let bytes = key::bytes(store, key)?;
            let write = &mut |text: &[u8]| out.bytes(text);
            options.printer.print(&bytes, big, write)
        }
    }
}

/// Checks whether the numbers of the array above a key are big-endian. The rest of the type has no effect.
fn is_big_endian(survey: &StoreSurvey, key: &str) -> bool {
    let node = match survey.role(key) {
        Role::Chunk(node, _) | Role::Shard(node, _) => Some(node),
        Role::Other(node) => node,
        Role::Metadata => None,
    };
    let array = node.and_then(|n| survey.nodes.get(n)?.array());
    array.is_some_and(|array| {
        let stored = &array.described.stored;
        let text = matches!(stored.dtype, Dtype::Char | Dtype::Bytes(_));
        stored.order == Some(Endianness::Big) && !text
    })
}
