//! `cat`: the bytes of a key: metadata as indented JSON, text unchanged, other bytes in hexadecimal digits.

mod form;

use std::sync::Arc;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::zarr::raw::METADATA;
use netcdf_core::io::Store;
use netcdf_core::json::Json;
use netcdf_core::notes::Note;
use netcdf_core::tool::Io;

use crate::cli::CatArgs;
use crate::hex;
use crate::out::CommandOut;
use crate::session::Session;
use crate::verdict::Verdict;
use netcdf_core::format::zarr::survey::{join, split};

use form::BytesForm;

/// Maximum bytes of a key printed as JSON or text. JSON takes about 32 times the memory.
const LARGEST: u64 = 1 << 26;
/// Bytes per read: a whole number of lines of digits.
const BLOCK: u64 = 1 << 20;
/// Bytes in a line of JSON.
const RECORD: usize = 1 << 16;

/// Prints the bytes of a key.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for a missing key, and errors of the store.
pub(crate) fn run(args: &CatArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let store = session.store(&args.store.store, io)?;
    let key = args.key.trim_start_matches('/');
    let of = |e: Error| e.in_object(key).of(store.name());
    let size = store.size(key).map_err(|e| without(&store, key, of(e)))?;
    let size = size.ok_or_else(|| missing(&store, key))?;
    let form = if args.raw || args.hex {
        BytesForm::Bytes
    } else {
        form_of((&store, key), size)?
    };
    let mut out = CommandOut::new(session.json, io, ("cat", store.name()))?;
    let value = (key, size, &form);
    match (session.json, &form) {
        (true, _) => record(&store, value, &mut out)?,
        (false, BytesForm::Json(json)) => {
            form::pretty(json)
                .lines()
                .try_for_each(|line| out.line(line))?;
        }
        (false, BytesForm::Text(text)) => {
            out.bytes(text.as_bytes())?;
            out.bytes(if text.ends_with('\n') { b"" } else { b"\n" })?;
        }
        (false, BytesForm::Bytes) if args.raw => {
            blocks((&store, key), size, &mut |bytes| out.bytes(bytes))?;
        }
        (false, BytesForm::Bytes) => {
            let mut dump = hex::Dump::default();
            blocks((&store, key), size, &mut |bytes| dump.add(bytes, &mut out))?;
            dump.end(&mut out)?;
        }
    }
    out.end()?;
    let asked = args.raw || args.hex;
    if !asked && METADATA.contains(&split(key).1) && !matches!(form, BytesForm::Json(_)) {
        say_no_json((&store, key), session);
    }
    Ok(Verdict::Sound)
}

/// Detects the form of a key's bytes.
fn form_of((store, key): (&Arc<dyn Store>, &str), size: u64) -> Result<BytesForm> {
    if size > LARGEST {
        return Ok(BytesForm::Bytes);
    }
    let of = |e: Error| e.in_object(key).of(store.name());
    let bytes = store.get(key).map_err(of)?;
    let bytes = bytes.ok_or_else(|| missing(store, key))?;
    Ok(BytesForm::of(&bytes, METADATA.contains(&split(key).1)))
}

/// Notes why metadata is not printed as JSON.
fn say_no_json((store, key): (&Arc<dyn Store>, &str), session: &Session) {
    let bytes = store.get(key).ok().flatten().unwrap_or_default();
    let why = Json::parse(&bytes).err();
    let why = why.map_or_else(|| "too large".to_owned(), |e| e.what().to_string());
    session.env.notes.say(Note {
        object: key.to_owned(),
        what: format!("metadata, but {why}"),
        remedy: None,
    });
}

/// Visits the bytes of a key block by block.
fn blocks(
    (store, key): (&Arc<dyn Store>, &str),
    size: u64,
    visit: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut at = 0;
    while at < size {
        let end = at.saturating_add(BLOCK).min(size);
        let of = |e: Error| e.in_object(key).of(store.name());
        let found = store
            .get_ranges(key, std::slice::from_ref(&(at..end)))
            .map_err(of)?;
        let found = found.ok_or_else(|| missing(store, key))?;
        found.iter().try_for_each(|bytes| visit(bytes))?;
        at = end;
    }
    Ok(())
}

/// Prints the record of a key, and the records of its bytes if it is neither JSON nor text.
fn record(
    store: &Arc<dyn Store>,
    (key, size, form): (&str, u64, &BytesForm),
    out: &mut CommandOut<'_>,
) -> Result<()> {
    let (word, value) = match form {
        BytesForm::Json(json) => ("json", json.clone()),
        BytesForm::Text(text) => ("text", Json::text(text)),
        BytesForm::Bytes => ("bytes", Json::Null),
    };
    let members = [
        ("key", Json::text(key)),
        ("size", Json::int(size)),
        ("form", Json::text(word)),
        ("value", value),
    ];
    out.record("value", members)?;
    if !matches!(form, BytesForm::Bytes) {
        return Ok(());
    }
    let mut offset = 0usize;
    blocks((store, key), size, &mut |bytes| {
        bytes.chunks(RECORD).try_for_each(|part| {
            let members = [
                ("offset", Json::int(offset)),
                ("hex", Json::text(&hex::digits(part))),
            ];
            offset = offset.saturating_add(part.len());
            out.record("bytes", members)
        })
    })
}

/// Returns the error for a missing key.
fn missing(store: &Arc<dyn Store>, key: &str) -> Error {
    let e = Error::new(ErrorKind::NotFound, format!("there is no key {key}"));
    e.of(store.name())
        .with_remedy("`zdump keys` lists all keys")
}

/// Returns the error for a path that is only a prefix of keys. The error names the metadata keys with this prefix.
fn without(store: &Arc<dyn Store>, key: &str, e: Error) -> Error {
    if e.kind() != ErrorKind::NoContent {
        return e;
    }
    let keys = METADATA.iter().map(|name| join(key, name));
    let there = |key: &String| matches!(store.size(key), Ok(Some(_)));
    let keys: Vec<_> = keys.filter(there).collect();
    match keys.is_empty() {
        true => e,
        false => e.with_remedy(format!("its metadata is in {}", keys.join(", "))),
    }
}
