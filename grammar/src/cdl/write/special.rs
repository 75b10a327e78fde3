//! The storage attributes of `ncdump -s`.

use std::borrow::Cow;

use netcdf_core::chunk::Provenance;
use netcdf_core::filter::codec::ids::GZIP;
use netcdf_core::filter::visible;
use netcdf_core::format::{kind_row, traits};
use netcdf_core::model::special::Special;
use netcdf_core::model::strings::OF_VARIABLE;
use netcdf_core::model::{
    DataType, Endianness, FillMode, FilterSpec, Schema, Storage, StorageLayout, Variable,
};

use super::{CdlWriter, SpecialAttributes};
use crate::escape::{TextStyle, quote_text, trim_nuls};

/// Registered numbers of filters with their own attributes.
const DEFLATE: u32 = 1;
const SHUFFLE: u32 = 2;
const FLETCHER32: u32 = 3;
/// Filters with their own attributes, in the order of ncgen.
const OWN: [u32; 3] = [FLETCHER32, SHUFFLE, DEFLATE];

/// A special attribute with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpecialAttribute {
    /// The name.
    pub(crate) name: &'static str,
    /// The value.
    pub(crate) value: SpecialValue,
}

/// The value of a special attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SpecialValue {
    /// A text.
    Text(Vec<u8>),
    /// Numbers.
    Numbers(Vec<u64>),
}

impl CdlWriter<'_, '_> {
    /// Writes the storage attributes of a variable.
    pub(super) fn variable_specials(&mut self, var: &Variable, name: &[u8]) {
        let all = self.options.special == SpecialAttributes::Filters;
        for special in of_variable(self.schema, var, all) {
            self.special(name, &special);
        }
    }

    /// Writes the attributes of the file.
    pub(super) fn dataset_specials(&mut self) {
        for special in of_dataset(self.schema, &self.set.reader.provenance()) {
            self.special(&[], &special);
        }
    }

    fn special(&mut self, owner: &[u8], special: &SpecialAttribute) {
        self.line(b"\t\t");
        self.out.bytes(owner);
        self.out.bytes(b":");
        self.out.bytes(special.name.as_bytes());
        self.out.bytes(b" = ");
        match &special.value {
            SpecialValue::Text(text) => quote_text(text, TextStyle::STRING, &mut self.out.text),
            SpecialValue::Numbers(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
                self.out.bytes(numbers.join(", ").as_bytes());
            }
        }
        self.out.bytes(b" ;\n");
    }
}

/// Returns the storage attributes of a variable, an empty list for kinds without storage settings. One `_Filter` has all filters if `all`
/// is set, or if only one attribute keeps the filter order.
pub(crate) fn of_variable(schema: &Schema, var: &Variable, all: bool) -> Vec<SpecialAttribute> {
    let mut specials = Specials::default();
    if !traits(schema.kind).settings {
        return specials.0;
    }
    // ncgen converts this to an attribute after the existing ones.
    specials.max_string(schema, var);
    specials.layout(&var.storage);
    // ncgen rejects filters of scalars, which only Zarr supports; `_Codecs` shows these filters.
    let filters = match var.dims.is_empty() {
        true => Cow::default(),
        false => shown(schema, &var.storage.filters),
    };
    let all = all || needs_one_attribute(&filters);
    if !all {
        specials.own_filters(&filters);
    }
    let rest = |f: &&FilterSpec| all || !OWN.contains(&f.id);
    let rest: Vec<_> = filters.iter().filter(rest).map(filter).collect();
    if !rest.is_empty() {
        specials.text(Special::Filter, rest.join("|").as_bytes());
    }
    if let Some(codecs) = &var.storage.codecs {
        specials.text(Special::Codecs, codecs);
    }
    specials.endianness(schema, var);
    match var.storage.fill {
        FillMode::Fill => {}
        FillMode::NoFill => specials.text(Special::NoFill, b"true"),
    }
    specials.0
}

/// Returns the attributes of the file. All kinds have the format; the remaining attributes are optional.
pub(crate) fn of_dataset(schema: &Schema, known: &Provenance) -> Vec<SpecialAttribute> {
    let mut specials = Specials::default();
    let mut stored = schema.root().attributes.iter();
    let stored = stored.find(|a| a.name.is(Special::NcProperties.name()));
    let stored = stored.and_then(|a| a.values.as_text()).map(trim_nuls);
    if let Some(properties) = known.properties.as_deref().or(stored) {
        specials.text(Special::NcProperties, properties);
    }
    if let Some(version) = known.superblock {
        specials.numbers(Special::SuperblockVersion, &[version.into()]);
    }
    if let Some(is) = known.is_netcdf4 {
        specials.numbers(Special::IsNetcdf4, &[is.into()]);
    }
    specials.text(Special::Format, schema.kind.name().as_bytes());
    specials.0
}

/// Checks whether ncgen keeps the filter order of a netCDF-4 file only with one `_Filter` attribute. In Zarr, `_Codecs` keeps the order.
fn needs_one_attribute(filters: &[FilterSpec]) -> bool {
    let ids = |filters: &[FilterSpec]| filters.iter().map(|f| f.id).collect::<Vec<_>>();
    let stored = ids(filters);
    let defined = |order: &[u32]| {
        let mut storage = Storage::default();
        for &id in order {
            let params = vec![];
            storage.set_filter(FilterSpec { id, params });
        }
        ids(&storage.filters) == stored
    };
    let own = OWN.into_iter().filter(|id| stored.contains(id));
    let rest = stored.iter().copied().filter(|id| !OWN.contains(id));
    !defined(&own.chain(rest).collect::<Vec<_>>()) && defined(&stored)
}

/// Returns the filters to print, with user parameters. If the kind requires it, only HDF5 filters.
fn shown<'f>(schema: &Schema, filters: &'f [FilterSpec]) -> Cow<'f, [FilterSpec]> {
    let in_hdf5 = |f: &FilterSpec| visible(f).or_else(|| as_deflate(f));
    match traits(schema.kind).shows_given {
        false => filters.into(),
        true => filters.iter().filter_map(in_hdf5).collect(),
    }
}

/// Converts Zarr's `gzip`, which is deflate in another container.
fn as_deflate(filter: &FilterSpec) -> Option<FilterSpec> {
    (filter.id == GZIP).then(|| FilterSpec {
        id: DEFLATE,
        params: filter.params.clone(),
    })
}

/// Special attributes under construction.
#[derive(Default)]
struct Specials(Vec<SpecialAttribute>);

impl Specials {
    fn layout(&mut self, storage: &Storage) {
        let word: &[u8] = match &storage.layout {
            None => return,
            Some(StorageLayout::Contiguous) => b"contiguous",
            Some(StorageLayout::Compact) => b"compact",
            Some(StorageLayout::Chunked(_)) => b"chunked",
            Some(StorageLayout::Virtual) => b"virtual",
            Some(StorageLayout::Unknown) => b"unknown",
        };
        self.text(Special::Storage, word);
        if let Some(StorageLayout::Chunked(sizes)) = &storage.layout
            && !sizes.is_empty()
        {
            self.numbers(Special::ChunkSizes, sizes);
        }
        if let Some(sizes) = &storage.shard {
            self.numbers(Special::ShardSizes, sizes);
        }
    }

    /// Adds the string size of a variable, if it differs from the default and no attribute sets it.
    fn max_string(&mut self, schema: &Schema, var: &Variable) {
        let Some(size) = var.storage.max_string else {
            return;
        };
        let told = kind_row(schema.kind).is_some_and(|row| row.no_default_size);
        let known = var.attribute(OF_VARIABLE).is_some();
        if !known && (told || schema.default_string_size().ok() != Some(size)) {
            self.0.push(SpecialAttribute {
                name: OF_VARIABLE,
                value: SpecialValue::Numbers(vec![size]),
            });
        }
    }

    fn own_filters(&mut self, filters: &[FilterSpec]) {
        let find = |id| filters.iter().find(|f| f.id == id);
        if find(FLETCHER32).is_some() {
            self.text(Special::Fletcher32, b"true");
        }
        if find(SHUFFLE).is_some() {
            self.text(Special::Shuffle, b"true");
        }
        if let Some(deflate) = find(DEFLATE) {
            let level = deflate.params.first().copied().unwrap_or(0);
            self.numbers(Special::DeflateLevel, &[level.into()]);
        }
    }

    fn endianness(&mut self, schema: &Schema, var: &Variable) {
        let single = match var.ty {
            DataType::Atomic(a) => a.size() == Some(1),
            DataType::User(_) => var.ty.fixed_size(schema) == Some(1),
        };
        match var.storage.endianness.filter(|_| !single) {
            None => {}
            Some(Endianness::Little) => self.text(Special::Endianness, b"little"),
            Some(Endianness::Big) => self.text(Special::Endianness, b"big"),
        }
    }

    fn text(&mut self, special: Special, text: &[u8]) {
        self.push(special, SpecialValue::Text(text.to_vec()));
    }

    fn numbers(&mut self, special: Special, numbers: &[u64]) {
        self.push(special, SpecialValue::Numbers(numbers.to_vec()));
    }

    fn push(&mut self, special: Special, value: SpecialValue) {
        let name = special.name();
        self.0.push(SpecialAttribute { name, value });
    }
}

/// Formats a filter as `id,parameter,parameter`.
fn filter(filter: &FilterSpec) -> String {
    let numbers = std::iter::once(&filter.id).chain(&filter.params);
    numbers.map(u32::to_string).collect::<Vec<_>>().join(",")
}
