//! The planned contents of a file, before addresses are assigned.

use crate::error::Result;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message::fill::FillMessage;
use crate::model::FilterSpec;

/// The objects of a file; the first is the root group.
#[derive(Debug, Clone, Default)]
pub struct FilePlan {
    /// Objects in header order.
    pub objects: Vec<PlannedObject>,
}

/// Generated datasets after the objects of a plan. The writer keeps one dataset in memory at a time, because a file may have 100,000.
#[derive(Clone, Copy)]
pub struct MadeDatasets<'a> {
    /// The number of datasets.
    pub count: usize,
    /// Generates the dataset with a number. Errors name the object.
    pub make: &'a dyn Fn(usize) -> Result<PlannedDataset>,
}

/// Index of an object: first [`FilePlan::objects`], then [`MadeDatasets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// The root group.
    pub const ROOT: Self = Self(0);
}

/// An object with a header.
#[derive(Debug, Clone)]
pub enum PlannedObject {
    /// A group.
    Group(PlannedGroup),
    /// A dataset.
    Dataset(Box<PlannedDataset>),
    /// A committed datatype.
    Datatype(Datatype),
}

/// A group.
#[derive(Debug, Clone, Default)]
pub struct PlannedGroup {
    /// The links, in creation order.
    pub links: Vec<HardLink>,
    /// The attributes, in creation order.
    pub attributes: Vec<PlannedAttribute>,
}

/// A hard link.
#[derive(Debug, Clone)]
pub struct HardLink {
    /// The link name: ASCII or UTF-8, as stored.
    pub name: Vec<u8>,
    /// The link target.
    pub to: ObjectId,
}

/// A dataset.
#[derive(Debug, Clone)]
pub struct PlannedDataset {
    /// The element type.
    pub ty: PlannedType,
    /// The shape, with the lengths at the end of writing; see [`FileWriter::set_extent`](super::FileWriter::set_extent).
    pub shape: PlannedShape,
    /// Maximum lengths, `None` for unlimited. No list if all dimensions are fixed.
    pub max: Option<Vec<Option<u64>>>,
    /// The value of unwritten elements. A value with heap data is in `fill_heap`.
    pub fill: FillMessage,
    /// The fill value with heap references, stored in place of the plain bytes.
    pub fill_heap: Option<Payload>,
    /// The data layout.
    pub place: PlannedData,
    /// Filters in writing order, with a flag for optional filters.
    pub filters: Vec<(FilterSpec, bool)>,
    /// The attributes, in creation order.
    pub attributes: Vec<PlannedAttribute>,
}

/// The data layout of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedData {
    /// Compact: in the object header. All data must be written before the file is finished.
    Compact,
    /// Contiguous, allocated with the first data.
    Contiguous,
    /// Chunked, with this chunk shape (elements per dimension).
    Chunked(Vec<u64>),
}

/// An element type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedType {
    /// An uncommitted type, described in each use.
    Here(Datatype),
    /// A committed type: its object and description.
    Committed(ObjectId, Datatype),
}

impl PlannedType {
    /// The type description.
    #[must_use]
    pub fn datatype(&self) -> &Datatype {
        match self {
            Self::Here(datatype) | Self::Committed(_, datatype) => datatype,
        }
    }
}

/// The shape of an attribute or dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedShape {
    /// A null dataspace, without elements and dimensions.
    Null,
    /// One element.
    Scalar,
    /// Dimension lengths in elements.
    Simple(Vec<u64>),
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct PlannedAttribute {
    /// The attribute name, as stored.
    pub name: Vec<u8>,
    /// The element type.
    pub ty: PlannedType,
    /// The shape.
    pub shape: PlannedShape,
    /// The elements.
    pub data: Payload,
}

/// Elements in stored form, with references to objects and heap data.
#[derive(Debug, Clone, Default)]
pub struct Payload {
    /// The bytes, with zeros for object and heap references.
    pub bytes: Vec<u8>,
    /// Object references: the offset of the 8 bytes, and the object.
    pub references: Vec<(usize, ObjectId)>,
    /// Heap objects (strings, sequences): the offset of the 16 byte reference, the number of elements, and their stored form.
    pub heap: Vec<(usize, u32, Payload)>,
}

/// Bytes without references.
impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }
}
