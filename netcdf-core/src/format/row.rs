//! A row of the format table: the functions and properties of a format.

use std::sync::Arc;

use crate::chunk::{Reader, Update, Writer};
use crate::env::Env;
use crate::error::Result;
use crate::io::patched::PatchedFile;
use crate::io::patched_store::PatchedStore;
use crate::io::{Container, Output};
use crate::model::{Attribute, CreateOptions, Kind, Schema};
use crate::notes::Note;

/// Creates a dataset.
pub type Create = fn(Output, Schema, CreateOptions, &Env) -> Result<Box<dyn Writer>>;

/// The dataset that is changed in place; `None` for a dataset that can only be written anew.
type OpenedUpdate = Result<Option<Box<dyn Update>>>;

/// Opens a dataset for changes in place.
#[derive(Clone, Copy)]
pub enum OpenUpdate {
    /// Opens a file.
    File(fn(Arc<PatchedFile>, &Env) -> OpenedUpdate),
    /// Opens a store in a directory.
    Store(fn(&Arc<PatchedStore>, &Env) -> OpenedUpdate),
}

/// A row of the format table.
pub struct Format {
    /// The name in messages.
    pub name: &'static str,
    /// Checks whether a dataset is in this format, by the first bytes or the keys.
    pub probe: fn(&Container) -> Result<bool>,
    /// Returns the kind of a dataset that [`Format::probe`] recognized, without opening the dataset.
    pub kind: fn(&Container) -> Result<Kind>,
    /// Opens a dataset that [`Format::probe`] recognized.
    pub open: fn(Container, &Env) -> Result<Box<dyn Reader>>,
    /// The writable kinds; empty for a read-only format.
    pub kinds: &'static [KindRow],
    /// Creates a dataset of `schema.kind`, which is one of [`Format::kinds`].
    pub create: Create,
    /// Opens a dataset that [`Format::probe`] recognized for changes in place; `None` if all datasets of the format are written anew.
    pub update: Option<OpenUpdate>,
    /// The properties of datasets.
    pub traits: Traits,
    /// The default kind of a copy.
    pub copied_as: fn(Kind) -> Kind,
    /// Rejects a schema that the data model allows, but datasets of `schema.kind` cannot store.
    pub holds: fn(&Schema) -> Result<()>,
    /// The strings that the format can store.
    pub strings: Strings,
    /// Checks whether an attribute may read back as another attribute, because datasets of the kind store both alike.
    pub reads_back: fn(&Attribute, &Attribute, Kind) -> bool,
}

/// Properties of a format's datasets, for code that does not depend on the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// File name extensions that only this format has, without the dot.
    pub extensions: &'static [&'static str],
    /// Whether a dataset is a set of keys, not a file.
    pub keys: bool,
    /// Whether variables have storage settings: chunks, filters, byte order, fill mode.
    pub settings: bool,
    /// Whether chunks may be longer than a fixed dimension.
    pub overhang: bool,
    /// Whether `ncdump -s` shows filter parameters in the user's form, not in the stored form.
    pub shows_given: bool,
    /// Whether strings may be stored with a fixed size.
    pub sized_strings: bool,
    /// Whether the format can store the enhanced model. A dataset with a smaller model is then restricted by choice.
    pub enhanced: bool,
    /// Whether a dataset defines its user-defined types.
    pub defines_types: bool,
    /// Whether the unlimited dimension comes first in all variables, and data is stored in records.
    pub records: bool,
    /// Whether all elements are stored, so that fill values do not matter to readers.
    pub stores_all: bool,
    /// Whether strings and lists are stored apart from the elements that refer to them.
    pub heap: bool,
    /// Whether all variables are stored in chunks.
    pub all_chunked: bool,
    /// Whether a dataset records the writing software, in a reserved attribute named [`PROPERTIES`].
    pub properties: bool,
}

/// The attribute that records the writing software.
pub const PROPERTIES: &str = "_NCProperties";

/// The strings that a format can store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strings {
    /// Whether NIL differs from an empty string.
    pub nil: bool,
    /// Whether a string may contain zero bytes.
    pub zeros: bool,
}

impl Strings {
    /// Strings of C: a zero byte ends the string.
    pub const C: Self = Self {
        nil: true,
        zeros: false,
    };
    /// Strings stored as length and bytes.
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
    /// The names that `-k` accepts besides [`Kind::name`]: short names, aliases of the C tools, and old numbers.
    pub names: &'static [&'static str],
    /// The name that shells complete.
    pub word: &'static str,
    /// The usual name: [`Kind::name`] if it is unique.
    pub label: &'static str,
    /// Mode flags for `nc_create`: names without `NC_`.
    pub mode: &'static [&'static str],
    /// The `mode` word in URLs with which programs create the kind; `None` if paths are enough.
    pub url: Option<&'static str>,
    /// Whether programs can create it with netCDF-C.
    pub in_c: bool,
    /// The maximum dimension length.
    pub longest: u64,
    /// Whether several chunks can be stored together.
    pub shards: bool,
    /// Whether string sizes have no default. Strings are then stored without a fixed size.
    pub no_default_size: bool,
    /// The smallest record count that the kind cannot store.
    pub records_below: u64,
    /// Whether the dataset has netCDF metadata, such as the list of unlimited dimensions.
    pub own_metadata: bool,
    /// The meaning of a fill value without an attribute.
    pub bare_fill: BareFill,
}

/// The meaning of a fill value without an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareFill {
    /// No meaning outside the format.
    Nothing,
    /// Elements equal to the fill value are missing.
    Missing,
    /// The fill value is the value of unwritten elements.
    Unwritten,
}

impl KindRow {
    /// Default values for most rows, without names.
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

/// Returns the note for NIL strings that become empty in a format without NIL.
#[must_use]
pub fn nil(object: &str, format: &str) -> Note {
    Note {
        object: object.to_owned(),
        what: format!("NIL becomes an empty string: {format} datasets have no NIL"),
        remedy: None,
    }
}
