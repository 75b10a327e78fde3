//! The formats: each tells where its data is and how it is encoded; the engine does the rest.

pub mod classic;
pub mod hdf4;
pub mod hdf5;
mod kinds;
mod lost;
pub mod netcdf4;
#[cfg(test)]
mod opening;
mod outputs;
mod recent;
pub(crate) mod reserved;
pub mod zarr;

pub use kinds::{
    BareFill, KindRow, bare_fill, has_own_metadata, kind_label, kind_named, kind_row, kind_words,
};
pub use lost::{nil, tell_of_strings};
pub use outputs::{BETWEEN_STAGES, begin_between, end_of_store, output, part_of_store};

use std::sync::Arc;

use crate::chunk::{Reader, Writer};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::ahead::Ahead;
use crate::io::head::Headed;
use crate::io::{Container, Output, Source, Store, odd, other};
use crate::model::kind::StorageFormat;
use crate::model::{Attribute, CreateOptions, GroupId, Kind, Schema};

/// Starts a dataset.
pub type Create = fn(Output, Schema, CreateOptions, &Env) -> Result<Box<dyn Writer>>;

/// A row of the table of formats.
pub struct Format {
    /// Name for messages.
    pub name: &'static str,
    /// Whether a dataset is in this format, by its first bytes or its keys.
    pub probe: fn(&Container) -> Result<bool>,
    /// The kind of a dataset that [`Format::probe`] recognized, without opening it.
    pub kind: fn(&Container) -> Result<Kind>,
    /// Opens a dataset that [`Format::probe`] recognized.
    pub open: fn(Container, &Env) -> Result<Box<dyn Reader>>,
    /// The kinds that are written; none for a format that is only read.
    pub kinds: &'static [KindRow],
    /// Starts a dataset of `schema.kind`, which is one of [`Format::kinds`].
    pub create: Create,
    /// What datasets can have.
    pub traits: Traits,
    /// The kind of a copy if none is asked for.
    pub copied_as: fn(Kind) -> Kind,
    /// Refuses what a dataset of `schema.kind` cannot hold, although its data model has it.
    pub holds: fn(&Schema) -> Result<()>,
    /// Which strings it can store.
    pub strings: Strings,
    /// Whether an attribute may read back as another one from a dataset of a kind, because both are stored alike.
    pub reads_back: fn(&Attribute, &Attribute, Kind) -> bool,
}

/// What datasets of a format can have, for those who need not know the format itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// Extensions of its datasets that no other format has, without the point.
    pub extensions: &'static [&'static str],
    /// Whether a dataset is a set of keys, not a file.
    pub keys: bool,
    /// Whether variables have settings of storage: chunks, filters, byte order, fill mode.
    pub settings: bool,
    /// Whether chunks may be longer than a fixed dimension.
    pub overhang: bool,
    /// Whether `ncdump -s` shows filters with the parameters that a user gives, not with the stored ones.
    pub shows_given: bool,
    /// Whether strings may be stored with a fixed size.
    pub sized_strings: bool,
    /// Whether it can store the enhanced model: a dataset of a smaller one is then restricted by choice.
    pub enhanced: bool,
    /// Whether a dataset defines its user-defined types.
    pub defines_types: bool,
    /// Whether the unlimited dimension comes first in all variables, whose data is stored in records.
    pub records: bool,
    /// Whether all elements are stored, so that fill values do not matter to readers.
    pub stores_all: bool,
    /// Whether all variables are stored in chunks.
    pub all_chunked: bool,
    /// Whether a dataset records the software that wrote it, in a reserved attribute with the name of [`PROPERTIES`].
    pub properties: bool,
}

/// The attribute that records the software that wrote a dataset.
pub const PROPERTIES: &str = "_NCProperties";

/// The strings that a format can store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strings {
    /// Whether NIL differs from an empty string.
    pub nil: bool,
    /// Whether a string may have zero bytes inside.
    pub zeros: bool,
}

impl Strings {
    /// As in C: strings end at their first zero byte.
    pub const C: Self = Self {
        nil: true,
        zeros: false,
    };
    /// A length and bytes.
    pub const COUNTED: Self = Self {
        nil: false,
        zeros: true,
    };
}

/// The formats, in the order in which they are tried.
pub static FORMATS: &[Format] = &[classic::FORMAT, hdf4::FORMAT, netcdf4::FORMAT, zarr::FORMAT];

/// The kind of a dataset, without opening it.
///
/// # Errors
/// [`ErrorKind::UnknownFormat`] if no format knows it; those of reading.
pub fn probe(container: &Container) -> Result<Kind> {
    let container = match container {
        Container::Source(source) => Container::Source(Arc::new(Headed::new(Arc::clone(source)))),
        Container::Store(store) => Container::Store(ahead(store).0),
    };
    (find(&container)?.kind)(&container)
}

/// Opens a dataset of any format.
///
/// # Errors
/// As [`probe`], and those of the format.
pub fn open(container: Container, env: &Env) -> Result<Box<dyn Reader>> {
    match container {
        Container::Source(source) => {
            let headed = Arc::new(Headed::new(source));
            let container = Container::Source(Arc::clone(&headed) as Arc<dyn Source>);
            let opened = find(&container).and_then(|format| (format.open)(container, env));
            headed.forget();
            opened
        }
        Container::Store(store) => {
            let (keeping, ahead) = ahead(&store);
            let container = Container::Store(keeping);
            let opened = (find(&container)?.open)(container, env);
            if let Some(ahead) = ahead {
                ahead.forget();
            }
            odd::tell(&store.odd(false)?, store.name(), &env.notes);
            opened
        }
    }
}

/// The store, which keeps what is asked for ahead if it has latency.
fn ahead(store: &Arc<dyn Store>) -> (Arc<dyn Store>, Option<Arc<Ahead>>) {
    if !store.latency() {
        return (Arc::clone(store), None);
    }
    let ahead = Arc::new(Ahead::new(Arc::clone(store)));
    (Arc::clone(&ahead) as Arc<dyn Store>, Some(ahead))
}

/// Starts a dataset of the kind that its schema names.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if no format writes the kind; those of [`Schema::check`] and of the format.
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

/// Checks that datasets of a kind can be written.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if they cannot.
pub fn check_writes(kind: Kind) -> Result<()> {
    writing(kind).map(|_| ())
}

/// The row of the format that stores a kind.
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

/// The kind of a copy of a dataset if none is asked for: one that is written.
#[must_use]
pub fn copied_as(kind: Kind) -> Kind {
    row(kind).map_or(kind, |format| (format.copied_as)(kind))
}

/// What datasets of a kind can have.
#[must_use]
pub fn traits(kind: Kind) -> &'static Traits {
    row(kind).map_or(&netcdf4::FORMAT.traits, |format| &format.traits)
}

/// The format that writes a kind.
///
/// # Errors
/// As [`check_writes`].
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
        Container::Source(source) => other::refusal(&**source, "a netCDF file"),
        Container::Store(store) => {
            let what = "not a netCDF file: unknown file format";
            Error::new(ErrorKind::UnknownFormat, what).of(store.name())
        }
    }
}
