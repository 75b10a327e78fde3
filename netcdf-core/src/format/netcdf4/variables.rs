//! Datasets as variables and dimensions.

use std::sync::Arc;

use super::FileObject;
use super::attributes::attribute_path;
use super::builder::FileBuilder;
use super::companions::{AttributeOwner, FoundDimension, FoundVariable};
use super::hidden_attributes::{HiddenAttributes, is_reserved};
use super::numbers;
use super::type_reduction::unsupported;
use super::types::Home;
use super::virtual_mappings::Virtual;
use crate::error::Result;
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::datatype::{Datatype, TypeClass, ValueBits};
use crate::format::hdf5::message::fill::FillValue;
use crate::format::hdf5::message::filters::PipelineFilter;
use crate::format::hdf5::message::layout::DataLayout;
use crate::format::hdf5::{ObjectHeader, attributes as hdf5_attributes, dataspace};
use crate::model::{
    DataType, DimId, Dimension, Endianness, FillMode, FilterSpec, GroupId, Storage, StorageLayout,
    Variable,
};

/// Prefix of the stored name of a variable with a dimension's name that is not the dimension's scale.
const NON_COORDINATE: &[u8] = b"_nc4_non_coord_";

impl FileBuilder<'_> {
    /// Adds a dataset.
    ///
    /// # Errors
    /// Returns damage, or [`crate::ErrorKind::Unsupported`] for inexpressible types.
    pub(super) fn dataset(
        &mut self,
        group: GroupId,
        name: &[u8],
        place: FileObject,
        header: &ObjectHeader,
    ) -> Result<()> {
        let file = self.files.get(place.file)?;
        let mut dataset = self.parts.share(Hdf5Dataset::read(&file, header)?);
        let mut counted = vec![];
        let path = self.path(group, name);
        if matches!(dataset.layout, DataLayout::Virtual { .. }) {
            let sources = Virtual::new(Arc::clone(&file), self.nesting.clone());
            let extent = sources.extent(&dataset, &path, self.env)?;
            Arc::make_mut(&mut dataset.dataspace).dims = extent.dims;
            counted = extent.counted;
        }
        let mut hidden = HiddenAttributes::default();
        let mut shown = vec![];
        hdf5_attributes::visit(&file, header, |attribute| match attribute {
            Ok(a) if is_reserved(&a.name) => {
                let noted = hidden.note(&file, &a);
                noted.or_else(|e| self.report_damage(e, || attribute_path(&path, &a.name)))
            }
            Ok(a) => {
                shown.push(a);
                Ok(())
            }
            Err(e) => self.skip_attribute(&path, e),
        })
        .or_else(|e| self.report_damage(e, || path.clone()))?;
        self.marks = self.marks.saturating_add(hidden.count);
        let has_length = !dataset.dataspace.dims.is_empty();
        let scale =
            (hidden.scale && has_length).then(|| self.scale(group, name, place, &dataset, &hidden));
        if hidden.scale && !has_length {
            self.add_unsized_scale(group, name, place, hidden.dim_id);
        }
        if hidden.scale && hidden.only_dimension {
            return Ok(());
        }
        let whole = Arc::clone(&dataset.datatype);
        self.reduce(place.file, &mut dataset.datatype, &path)?;
        let reduced = !Arc::ptr_eq(&whole, &dataset.datatype);
        let before = self.types.invented();
        let var = self.variable(group, name, place.file, &dataset)?;
        let raw = self.env.raw_types && reduced;
        let skipped_by_c = raw || self.types.is_skipped_by_c(before, reduced);
        let id = self.schema.add_var(var);
        self.vars.push(FoundVariable {
            file: place.file,
            dataset,
            scale,
            coordinates: hidden.coordinates,
            scales: hidden.scales,
            counted,
            skipped_by_c,
        });
        self.attributes(AttributeOwner::Var(id))
            .reserve_exact(shown.len());
        for attribute in shown {
            self.attribute(AttributeOwner::Var(id), place.file, attribute)?;
        }
        Ok(())
    }

    /// Adds the dimension of a scale.
    fn scale(
        &mut self,
        group: GroupId,
        name: &[u8],
        place: FileObject,
        dataset: &Hdf5Dataset,
        hidden: &HiddenAttributes,
    ) -> DimId {
        let number = self.dim_number(hidden.dim_id);
        self.dims.push(FoundDimension {
            number,
            scale: Some(place),
        });
        let name = self.names.stored(name);
        let len = dataset.dataspace.dims.first().copied().unwrap_or(0);
        self.schema.add_dim(Dimension {
            name,
            group,
            len,
            // netCDF interprets length 0 as "unlimited".
            unlimited: len == 0 || dataset.dataspace.max.first() == Some(&None),
        })
    }

    fn variable(
        &mut self,
        group: GroupId,
        name: &[u8],
        file: u32,
        dataset: &Hdf5Dataset,
    ) -> Result<Variable> {
        if dataset.dataspace.class == dataspace::DataspaceClass::Null {
            return Err(unsupported("a dataset without elements (null dataspace)"));
        }
        let home = Home {
            file,
            group: Some(group),
        };
        let ty = self
            .types
            .data_type(&mut self.schema, &dataset.datatype, home)?;
        let name = name
            .strip_prefix(NON_COORDINATE)
            .filter(|n| !n.is_empty())
            .unwrap_or(name);
        Ok(Variable {
            name: self.names.stored(name),
            group,
            ty,
            dims: vec![],
            attributes: vec![],
            storage: storage(dataset),
        })
    }
}

fn storage(dataset: &Hdf5Dataset) -> Storage {
    let layout = match &dataset.layout {
        DataLayout::Compact(_) => StorageLayout::Compact,
        DataLayout::Contiguous { .. } => StorageLayout::Contiguous,
        DataLayout::Chunked(c) => StorageLayout::Chunked(c.dims.clone()),
        DataLayout::Virtual { .. } => StorageLayout::Virtual,
    };
    Storage {
        layout: Some(layout),
        prepared: false,
        filters: dataset.filters.iter().map(shown).collect(),
        endianness: endianness(&dataset.datatype),
        fill: match &dataset.fill.value {
            FillValue::User(_) => FillMode::Fill,
            FillValue::Undefined | FillValue::Default => FillMode::NoFill,
        },
        unwritten: None,
        codecs: None,
        quantize: None,
        max_string: None,
        characters: None,
        shard: None,
    }
}

/// The filter id of szip.
const SZIP: u32 = 4;
/// The szip option bits that users set.
const SZIP_OPTIONS: u32 = 4 | 32;

/// Returns a filter in the user's form: szip stores four parameters, users specify two.
fn shown(filter: &PipelineFilter) -> FilterSpec {
    let id = u32::from(filter.id);
    let mut params = filter.params.clone();
    if id == SZIP && params.len() == 4 {
        params.truncate(2);
        params.iter_mut().take(1).for_each(|p| *p &= SZIP_OPTIONS);
    }
    FilterSpec { id, params }
}

/// Returns the byte order of numbers, or `None` for other types.
fn endianness(datatype: &Datatype) -> Option<Endianness> {
    let order = |bits: &ValueBits| Some(bits.order);
    match &datatype.class {
        TypeClass::Integer { bits, .. } | TypeClass::Float { bits, .. } => order(bits),
        TypeClass::Bitfield { bits } => order(bits),
        TypeClass::Time
        | TypeClass::String { .. }
        | TypeClass::Opaque { .. }
        | TypeClass::Compound { .. } => None,
        TypeClass::Reference(_) | TypeClass::Enum { .. } | TypeClass::Vlen { .. } => None,
        TypeClass::VlenString { .. } | TypeClass::Array { .. } | TypeClass::Complex { .. } => None,
    }
}

/// Returns the byte order if elements are stored exactly in the form of the netCDF type, otherwise `None`.
pub(super) fn plain(dataset: &Hdf5Dataset, ty: DataType) -> Option<Endianness> {
    ty.atomic()?.size()?;
    numbers::plain(&dataset.datatype)
}
