//! Companions of the schema: facts about dimensions, variables and attributes that the reader needs only while opening a file.

use std::collections::HashMap;

use super::FileObject;
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::dataspace::Dataspace;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message::attribute::AttributeMessage as Stored;
use crate::format::hdf5::message::fill::FillMessage;
use crate::format::hdf5::message::filters::PipelineFilter;
use crate::model::recent_values::RecentValues;
use crate::model::{DimId, GroupId, Name, VarId};

/// Facts about a dimension beyond the schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundDimension {
    /// netCDF's id.
    pub number: i64,
    /// The scale; `None` for an invented dimension.
    pub scale: Option<FileObject>,
}

/// Facts about a variable beyond the schema.
#[derive(Debug)]
pub(super) struct FoundVariable {
    /// The file number.
    pub file: u32,
    /// The dataset.
    pub dataset: Hdf5Dataset,
    /// The dimension, if the variable is a scale.
    pub scale: Option<DimId>,
    /// netCDF's ids of the dimensions.
    pub coordinates: Option<Vec<i64>>,
    /// The scales of the dimensions.
    pub scales: Option<Vec<Option<u64>>>,
    /// For a virtual dataset, the number of sources of each mapping, see [`super::virtual_extent::SourcesExtent`].
    pub counted: Vec<u64>,
    /// Whether the C library skips the variable.
    pub skipped_by_c: bool,
}

/// Parts of recent datasets.
#[derive(Debug, Default)]
pub(super) struct RecentParts {
    datatypes: RecentValues<Datatype>,
    dataspaces: RecentValues<Dataspace>,
    fills: RecentValues<FillMessage>,
    filters: RecentValues<Vec<PipelineFilter>>,
}

impl RecentParts {
    /// Returns the dataset. Equal parts of recent datasets share memory.
    pub(super) fn share(&mut self, dataset: Hdf5Dataset) -> Hdf5Dataset {
        Hdf5Dataset {
            datatype: self.datatypes.share(dataset.datatype),
            dataspace: self.dataspaces.share(dataset.dataspace),
            fill: self.fills.share(dataset.fill),
            filters: self.filters.share(dataset.filters),
            ..dataset
        }
    }
}

/// The owner of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttributeOwner {
    /// A group.
    Group(GroupId),
    /// A variable.
    Var(VarId),
}

/// An attribute with a type that can only be resolved once all types are known.
pub(super) struct PendingAttribute {
    pub owner: AttributeOwner,
    /// The index in the owner's attribute list.
    pub place: usize,
    pub file: u32,
    pub stored: Stored,
}

/// The scales without a length, by dataset.
#[derive(Debug, Default)]
pub(super) struct UnsizedScales(pub HashMap<FileObject, Vec<UnsizedScale>>);

/// A link to a scale without a length.
#[derive(Debug)]
pub(super) struct UnsizedScale {
    pub group: GroupId,
    pub name: Name,
    /// netCDF's stored id of the dimension.
    pub number: Option<i64>,
    /// The dimension, after a variable gave it a length.
    pub dim: Option<DimId>,
}
