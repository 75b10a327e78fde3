//! The format table: detects formats, opens and creates datasets.

use std::sync::Arc;

use super::{Format, OpenUpdate, Traits, classic, hdf4, netcdf4, zarr};
use crate::chunk::{Reader, Update, Writer};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::head::Headed;
use crate::io::patched::{self, ATTEMPTS, FoundState, PatchedFile, is_unreadable};
use crate::io::patched_store::PatchedStore;
use crate::io::prefetch::PrefetchStore;
use crate::io::{Container, Output, Source, Store, foreign_format, invalid_entries};
use crate::model::kind::StorageFormat;
use crate::model::{CreateOptions, GroupId, Kind, Schema};
use crate::notes::Note;

/// The formats, in probing order.
pub static FORMATS: &[Format] = &[classic::FORMAT, hdf4::FORMAT, netcdf4::FORMAT, zarr::FORMAT];

/// Returns the kind of a dataset without opening the dataset.
///
/// # Errors
/// Returns [`ErrorKind::UnknownFormat`] if no format recognizes the dataset, or read errors.
pub fn probe(container: &Container) -> Result<Kind> {
    let container = match container {
        Container::Source(source) => Container::Source(Arc::new(Headed::new(Arc::clone(source)))),
        Container::Store(store) => Container::Store(ahead(store).0),
    };
    match (find(&container), &container) {
        (Err(e), Container::Source(source)) if is_unreadable(&e) => {
            let FoundState::Replaced(state, _) = patched::find_state(source)? else {
                return Err(e);
            };
            let container = Container::Source(state);
            (find(&container)?.kind)(&container)
        }
        (format, _) => (format?.kind)(&container),
    }
}

/// Opens a dataset of any format.
///
/// # Errors
/// Returns errors of [`probe`] and of the format.
pub fn open(container: Container, env: &Env) -> Result<Box<dyn Reader>> {
    match container {
        Container::Source(source) => open_file(source, env),
        Container::Store(store) => {
            let (keeping, ahead) = ahead(&store);
            let container = Container::Store(keeping);
            let opened = (find(&container)?.open)(container, env);
            if let Some(ahead) = ahead {
                ahead.forget();
            }
            invalid_entries::add_notes(&store.invalid_entries(false)?, store.name(), &env.notes);
            opened
        }
    }
}

/// Opens a file. A second look at its length and first bytes shows whether a program changed it meanwhile.
fn open_file(mut source: Arc<dyn Source>, env: &Env) -> Result<Box<dyn Reader>> {
    for _ in 0..ATTEMPTS {
        let headed = Arc::new(Headed::new(Arc::clone(&source)));
        let opened = open_state(&source, &headed, env);
        let is_whole = opened.as_ref().is_ok_and(|state| state.is_whole);
        match headed.second_look(is_whole)? {
            None => {
                let OpenedState { reader, note, .. } = opened?;
                note.into_iter().for_each(|note| env.notes.remark(note));
                return Ok(reader);
            }
            Some(now) => source = now,
        }
    }
    let what = "another program changes the file all the time";
    Err(Error::new(ErrorKind::Busy, what).of(source.name()))
}

/// An opened file.
struct OpenedState {
    reader: Box<dyn Reader>,
    /// Whether the file has the length that its metadata requires.
    is_whole: bool,
    note: Option<Note>,
}

/// Opens a file, or its state before an unfinished change.
fn open_state(source: &Arc<dyn Source>, headed: &Arc<Headed>, env: &Env) -> Result<OpenedState> {
    let opened = open_source(Arc::clone(headed) as Arc<dyn Source>, env);
    let len = opened.as_ref().map(|reader| reader.file_len());
    let is_whole = len.as_ref().is_ok_and(|len| *len == Some(source.len()));
    let looks = match &len {
        Ok(len) => len.is_some() && !is_whole,
        Err(e) => is_unreadable(e),
    };
    let state = |reader, note| OpenedState {
        reader,
        is_whole,
        note,
    };
    if !looks {
        return opened.map(|reader| state(reader, None));
    }
    match patched::find_state(source)? {
        FoundState::Plain => opened.map(|reader| state(reader, None)),
        FoundState::Ignored(note) => opened.map(|reader| state(reader, Some(note))),
        FoundState::Replaced(source, note) => Ok(state(open_source(source, env)?, note)),
    }
}

fn open_source(source: Arc<dyn Source>, env: &Env) -> Result<Box<dyn Reader>> {
    let container = Container::Source(source);
    find(&container).and_then(|format| (format.open)(container, env))
}

/// Returns whether files of a kind may be changed in place.
#[must_use]
pub fn can_update(kind: Kind) -> bool {
    let update = row(kind).and_then(|format| format.update);
    matches!(update, Some(OpenUpdate::File(_)))
}

/// Returns whether stores of a kind may be changed in place.
#[must_use]
pub(super) fn can_update_store(kind: Kind) -> bool {
    let update = row(kind).and_then(|format| format.update);
    matches!(update, Some(OpenUpdate::Store(_)))
}

/// Opens a file for changes in place. Returns `None` for a file that can only be written anew.
///
/// # Errors
/// Returns the errors of [`open`].
pub fn update(file: &Arc<PatchedFile>, env: &Env) -> Result<Option<Box<dyn Update>>> {
    let container = Container::Source(Arc::clone(file) as Arc<dyn Source>);
    match find(&container)?.update {
        Some(OpenUpdate::File(update)) => update(Arc::clone(file), env),
        Some(OpenUpdate::Store(_)) | None => Ok(None),
    }
}

/// Opens a store in a directory for changes in place. Returns `None` for a store that can only be written anew.
///
/// # Errors
/// Returns the errors of [`open`], and [`ErrorKind::Changed`] if another program interfered with an unfinished change.
pub fn update_store(store: &Arc<PatchedStore>, env: &Env) -> Result<Option<Box<dyn Update>>> {
    match find(&Container::Store(Arc::clone(store.base())))?.update {
        Some(OpenUpdate::Store(update)) => {
            let update = update(store, env);
            let base = store.base();
            invalid_entries::add_notes(&base.invalid_entries(false)?, base.name(), &env.notes);
            update
        }
        Some(OpenUpdate::File(_)) | None => Ok(None),
    }
}

/// Returns the store. A store with latency gets a wrapper that caches prefetched answers.
fn ahead(store: &Arc<dyn Store>) -> (Arc<dyn Store>, Option<Arc<PrefetchStore>>) {
    if !store.latency() {
        return (Arc::clone(store), None);
    }
    let ahead = Arc::new(PrefetchStore::new(Arc::clone(store)));
    (Arc::clone(&ahead) as Arc<dyn Store>, Some(ahead))
}

/// Creates a dataset of the schema's kind.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] if no format writes the kind, or errors of [`Schema::check`] and of the format.
pub fn create(
    output: impl Into<Output>,
    schema: Schema,
    options: CreateOptions,
    env: &Env,
) -> Result<Box<dyn Writer>> {
    schema.check()?;
    check_nesting(&schema, env)?;
    (writing(schema.kind)?.create)(output.into(), schema, options, env)
}

/// Checks that groups are not nested deeper than readers accept.
fn check_nesting(schema: &Schema, env: &Env) -> Result<()> {
    let most = env.limits.groups.saturating_sub(1);
    let mut depths = Vec::with_capacity(schema.groups.len());
    for (id, group) in (0..).map(GroupId).zip(&schema.groups) {
        // A group comes after its parent.
        let around = group.parent.and_then(|parent| depths.get(parent.index()));
        let depth = around.map_or(0, |depth: &u32| depth.saturating_add(1));
        if depth > most {
            let what = format!("groups nested more than {most} deep");
            return Err(Error::new(ErrorKind::Limit, what).in_object(&schema.group_path(id)));
        }
        depths.push(depth);
    }
    Ok(())
}

/// Checks that a kind is writable.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for a read-only kind.
pub fn check_writes(kind: Kind) -> Result<()> {
    writing(kind).map(|_| ())
}

/// Returns the format row for a kind.
fn row(kind: Kind) -> Option<&'static Format> {
    let name = match kind.storage {
        StorageFormat::ReadOnly(name) => Some(name),
        StorageFormat::Cdf(_) | StorageFormat::Hdf5 | StorageFormat::Zarr(_) => None,
    };
    let stores = |format: &&Format| {
        name == Some(format.name) || format.kinds.iter().any(|row| row.kind == kind)
    };
    FORMATS.iter().find(stores)
}

/// Returns the default output kind for a copy of a dataset.
#[must_use]
pub fn copied_as(kind: Kind) -> Kind {
    row(kind).map_or(kind, |format| (format.copied_as)(kind))
}

/// Returns the traits of datasets of a kind.
#[must_use]
pub fn traits(kind: Kind) -> &'static Traits {
    row(kind).map_or(&netcdf4::FORMAT.traits, |format| &format.traits)
}

/// Returns the format that writes a kind.
///
/// # Errors
/// Returns the errors of [`check_writes`].
pub fn writing(kind: Kind) -> Result<&'static Format> {
    let format = FORMATS
        .iter()
        .find(|f| f.kinds.iter().any(|row| row.kind == kind));
    format.ok_or_else(|| {
        let what = format!("{} files can be read but not written", kind.name());
        Error::new(ErrorKind::Unsupported, what)
    })
}

fn find(container: &Container) -> Result<&'static Format> {
    for format in FORMATS {
        if (format.probe)(container)? {
            return Ok(format);
        }
    }
    Err(unknown(container))
}

fn unknown(container: &Container) -> Error {
    match container {
        Container::Source(source) => foreign_format::refusal(&**source, "a netCDF file"),
        Container::Store(store) => {
            let what = "not a netCDF file: unknown file format";
            Error::new(ErrorKind::UnknownFormat, what).of(store.name())
        }
    }
}
