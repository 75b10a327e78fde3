//! A row of the table of formats: the functions of a format, and facts about its datasets.

use crate::chunk::{Reader, Writer};
use crate::env::Env;
use crate::error::Result;
use crate::io::{Container, Output};
use crate::model::{Attribute, CreateOptions, Kind, Schema};
use crate::notes::Note;

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
    /// The properties of datasets.
    pub traits: Traits,
    /// The default kind of a copy.
    pub copied_as: fn(Kind) -> Kind,
    /// Rejects a schema that a dataset of `schema.kind` cannot hold, although the data model allows the schema.
    pub holds: fn(&Schema) -> Result<()>,
    /// Which strings it can store.
    pub strings: Strings,
    /// Whether an attribute may read back as another one from a dataset of a kind, because both are stored alike.
    pub reads_back: fn(&Attribute, &Attribute, Kind) -> bool,
}

/// Properties of datasets of a format, for code that does not know the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// Extensions of the datasets that are unique to the format, without the point.
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
    /// Whether the unlimited dimension comes first in all variables, with data in records.
    pub records: bool,
    /// Whether all elements are stored, so that fill values do not matter to readers.
    pub stores_all: bool,
    /// Whether strings and lists are stored apart from the elements that refer to them.
    pub heap: bool,
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

/// A kind of a format.
#[derive(Debug, Clone, Copy)]
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// The names that `-k` takes, apart from [`Kind::name`]: short names, aliases of the C tools, and their old numbers.
    pub names: &'static [&'static str],
    /// The one of all names that shells complete.
    pub word: &'static str,
    /// The usual name: [`Kind::name`], if no other kind has this name.
    pub label: &'static str,
    /// Flags for the mode of `nc_create`: names without `NC_`.
    pub mode: &'static [&'static str],
    /// The word for the mode of a URL that a program needs to create it; `None` if paths will do.
    pub url: Option<&'static str>,
    /// Whether programs can create it with netCDF-C.
    pub in_c: bool,
    /// Longest dimension, in elements.
    pub longest: u64,
    /// Whether several chunks can be stored together.
    pub shards: bool,
    /// Whether sizes of strings have no default: strings are then stored without a fixed size.
    pub no_default_size: bool,
    /// A number of records that is too large to be counted, and so are all larger ones.
    pub records_below: u64,
    /// Whether the dataset has netCDF metadata, such as the list of unlimited dimensions.
    pub own_metadata: bool,
    /// The meaning of a fill value outside of the attributes.
    pub bare_fill: BareFill,
}

/// The meaning of a fill value without an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareFill {
    /// No meaning outside of the format.
    Nothing,
    /// That elements which equal it are missing.
    Missing,
    /// The value of unwritten elements.
    Unwritten,
}

impl KindRow {
    /// The values of most rows, without names.
    pub const COMMON: Self = Self {
        kind: Kind::NETCDF4,
        names: &[],
        word: "",
        label: "",
        mode: &[],
        url: None,
        in_c: true,
        longest: i64::MAX as u64,
        shards: false,
        no_default_size: false,
        records_below: u64::MAX,
        own_metadata: true,
        bare_fill: BareFill::Nothing,
    };
}

/// The note that NIL strings of an object become empty ones in a format without NIL.
#[must_use]
pub fn nil(object: &str, format: &str) -> Note {
    Note {
        object: object.to_owned(),
        what: format!("NIL becomes an empty string: {format} datasets have no NIL"),
        remedy: None,
    }
}
