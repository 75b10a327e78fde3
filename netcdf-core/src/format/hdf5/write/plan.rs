//! The intended contents of a file, before anything has an address.

use crate::error::Result;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message::fill::FillMessage;
use crate::model::FilterSpec;

/// The objects of a file; the first is the root group.
#[derive(Debug, Clone, Default)]
pub struct FilePlan {
    /// Objects, in the order of their headers in the file.
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
    /// Its links, in creation order.
    pub links: Vec<HardLink>,
    /// Its attributes, in creation order.
    pub attributes: Vec<PlannedAttribute>,
}

/// A hard link.
#[derive(Debug, Clone)]
pub struct HardLink {
    /// Its name: ASCII or UTF-8, as stored.
    pub name: Vec<u8>,
    /// Its target.
    pub to: ObjectId,
}

/// A dataset.
#[derive(Debug, Clone)]
pub struct PlannedDataset {
    /// Type of its elements.
    pub ty: PlannedType,
    /// Its shape, with the lengths that it has when the file is finished
    /// ([`FileWriter::set_extent`](super::FileWriter::set_extent)).
    pub shape: PlannedShape,
    /// Maximum lengths, `None` for unlimited; no list if all dimensions are fixed.
    pub max: Option<Vec<Option<u64>>>,
    /// The value of elements that were never written. A value with heap data is in `fill_heap`.
    pub fill: FillMessage,
    /// The fill value again if it refers to the heap; stored in place of its bytes.
    pub fill_heap: Option<Payload>,
    /// Where its data is.
    pub place: PlannedData,
    /// Filters in the order of writing, each optional or not.
    pub filters: Vec<(FilterSpec, bool)>,
    /// Its attributes, in creation order.
    pub attributes: Vec<PlannedAttribute>,
}

/// Where the data of a dataset is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedData {
    /// In the object header; all data must be put before the file is finished.
    Compact,
    /// In one piece, allocated with the first data.
    Contiguous,
    /// In chunks of this shape (elements per dimension).
    Chunked(Vec<u64>),
}

/// A type of elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedType {
    /// Described where it is used.
    Here(Datatype),
    /// A committed type: its object, and its description.
    Committed(ObjectId, Datatype),
}

impl PlannedType {
    /// Its description.
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
    /// No elements, and no shape.
    Null,
    /// One element.
    Scalar,
    /// Lengths in elements.
    Simple(Vec<u64>),
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct PlannedAttribute {
    /// Its name, as stored.
    pub name: Vec<u8>,
    /// Type of its elements.
    pub ty: PlannedType,
    /// Its shape.
    pub shape: PlannedShape,
    /// Its elements.
    pub data: Payload,
}

/// Elements in stored form, and the parts of them that depend on the addresses of objects.
#[derive(Debug, Clone, Default)]
pub struct Payload {
    /// The bytes; zero where a reference to an object or to the heap goes.
    pub bytes: Vec<u8>,
    /// Object references: the byte (of 8) where each goes, and the object.
    pub references: Vec<(usize, ObjectId)>,
    /// Heap objects (strings, lists): the byte (of 16) where the reference goes, the number of
    /// elements, and their stored form.
    pub heap: Vec<(usize, u32, Payload)>,
}

/// Bytes that refer to nothing.
impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }
}
