//! The attributes of `ncdump -s`: how the dataset is stored.

use std::borrow::Cow;

use netcdf_core::filter::visible;
use netcdf_core::format::{kind_row, traits};
use netcdf_core::model::special::Special;
use netcdf_core::model::strings::OF_VARIABLE;
use netcdf_core::model::{
    DataType, Endianness, Fill, FilterSpec, Group, Storage, StorageLayout, Variable,
};

use super::{SpecialAttributes, Writer};
use crate::escape::{TextStyle, quote_text, trim_nuls};

/// Registered numbers of the filters that have their own attributes.
const DEFLATE: u32 = 1;
const SHUFFLE: u32 = 2;
const FLETCHER32: u32 = 3;

impl Writer<'_, '_> {
    /// The storage attributes of a variable; none for kinds that leave no choice.
    pub(super) fn variable_specials(&mut self, var: &Variable, name: &[u8]) {
        if !traits(self.schema.kind).settings {
            return;
        }
        let storage = &var.storage;
        // ncgen makes an attribute of it, after the existing ones.
        self.max_string(var, name);
        self.layout(storage, name);
        let all = self.options.special == SpecialAttributes::Filters;
        let filters = self.shown(&storage.filters);
        if !all {
            self.own_filters(&filters, name);
        }
        let rest = |f: &&FilterSpec| all || ![DEFLATE, SHUFFLE, FLETCHER32].contains(&f.id);
        let rest: Vec<_> = filters.iter().filter(rest).map(filter).collect();
        if !rest.is_empty() {
            self.text_special(name, Special::Filter, rest.join("|").as_bytes());
        }
        if let Some(codecs) = &storage.codecs {
            self.text_special(name, Special::Codecs, codecs);
        }
        self.endianness(var, name);
        match storage.fill {
            Fill::Fill => {}
            Fill::NoFill => self.text_special(name, Special::NoFill, b"true"),
        }
    }

    /// The filters to show; where it matters, those that HDF5 has, with the parameters that a user would give.
    fn shown<'f>(&self, filters: &'f [FilterSpec]) -> Cow<'f, [FilterSpec]> {
        match traits(self.schema.kind).shows_given {
            false => filters.into(),
            true => filters.iter().filter_map(visible).collect(),
        }
    }

    fn layout(&mut self, storage: &Storage, name: &[u8]) {
        let word: &[u8] = match &storage.layout {
            None => return,
            Some(StorageLayout::Contiguous) => b"contiguous",
            Some(StorageLayout::Compact) => b"compact",
            Some(StorageLayout::Chunked(_)) => b"chunked",
            Some(StorageLayout::Virtual) => b"virtual",
            Some(StorageLayout::Unknown) => b"unknown",
        };
        self.text_special(name, Special::Storage, word);
        if let Some(StorageLayout::Chunked(sizes)) = &storage.layout
            && !sizes.is_empty()
        {
            let sizes: Vec<_> = sizes.iter().map(u64::to_string).collect();
            self.special(name, Special::ChunkSizes, sizes.join(", ").as_bytes());
        }
        if let Some(sizes) = &storage.shard {
            let sizes: Vec<_> = sizes.iter().map(u64::to_string).collect();
            self.special(name, Special::ShardSizes, sizes.join(", ").as_bytes());
        }
    }

    /// Bytes of the strings of a variable, if no attribute gives them and they differ from the default.
    fn max_string(&mut self, var: &Variable, name: &[u8]) {
        let Some(size) = var.storage.max_string else {
            return;
        };
        let told = kind_row(self.schema.kind).is_some_and(|row| row.no_default_size);
        let known = var.attribute(OF_VARIABLE).is_some();
        if !known && (told || self.schema.default_string_size().ok() != Some(size)) {
            self.setting(name, OF_VARIABLE, size.to_string().as_bytes());
        }
    }

    fn own_filters(&mut self, filters: &[FilterSpec], name: &[u8]) {
        let find = |id| filters.iter().find(|f| f.id == id);
        if find(FLETCHER32).is_some() {
            self.text_special(name, Special::Fletcher32, b"true");
        }
        if find(SHUFFLE).is_some() {
            self.text_special(name, Special::Shuffle, b"true");
        }
        if let Some(deflate) = find(DEFLATE) {
            let level = deflate.params.first().copied().unwrap_or(0);
            self.special(name, Special::DeflateLevel, level.to_string().as_bytes());
        }
    }

    fn endianness(&mut self, var: &Variable, name: &[u8]) {
        let single = match var.ty {
            DataType::Atomic(a) => a.size() == Some(1),
            DataType::User(_) => var.ty.fixed_size(self.schema) == Some(1),
        };
        match var.storage.endianness.filter(|_| !single) {
            None => {}
            Some(Endianness::Little) => self.text_special(name, Special::Endianness, b"little"),
            Some(Endianness::Big) => self.text_special(name, Special::Endianness, b"big"),
        }
    }

    /// Attributes of the file; for all kinds of files, the format.
    pub(super) fn dataset_specials(&mut self, root: &Group) {
        let known = self.set.reader.provenance();
        let mut stored = root.attributes.iter();
        let stored = stored.find(|a| a.name.is(Special::NcProperties.name()));
        let stored = stored.and_then(|a| a.values.as_text()).map(trim_nuls);
        if let Some(properties) = known.properties.as_deref().or(stored) {
            self.text_special(&[], Special::NcProperties, properties);
        }
        if let Some(version) = known.superblock {
            let version = version.to_string();
            self.special(&[], Special::SuperblockVersion, version.as_bytes());
        }
        if let Some(is) = known.is_netcdf4 {
            let digit: &[u8] = if is { b"1" } else { b"0" };
            self.special(&[], Special::IsNetcdf4, digit);
        }
        let kind = self.schema.kind.name();
        self.text_special(&[], Special::Format, kind.as_bytes());
    }

    fn text_special(&mut self, owner: &[u8], special: Special, text: &[u8]) {
        let mut quoted = vec![];
        quote_text(text, TextStyle::STRING, &mut quoted);
        self.special(owner, special, &quoted);
    }

    fn special(&mut self, owner: &[u8], special: Special, value: &[u8]) {
        self.setting(owner, special.name(), value);
    }

    fn setting(&mut self, owner: &[u8], setting: &str, value: &[u8]) {
        self.out.line(b"\t\t");
        self.out.bytes(owner);
        self.out.bytes(b":");
        self.out.bytes(setting.as_bytes());
        self.out.bytes(b" = ");
        self.out.bytes(value);
        self.out.bytes(b" ;\n");
    }
}

/// A filter as `id,parameter,parameter`.
fn filter(filter: &FilterSpec) -> String {
    let numbers = std::iter::once(&filter.id).chain(&filter.params);
    numbers.map(u32::to_string).collect::<Vec<_>>().join(",")
}
