//! Differences between two datasets.

use crate::model::{Values, VarId};

/// One of two datasets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetSide {
    /// The dataset that is named first.
    First,
    /// The dataset that is named second.
    Second,
}

impl DatasetSide {
    /// The first and the second dataset, in this order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];
}

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    /// A group; the root group represents the dataset.
    Group,
    /// A dimension.
    Dimension,
    /// A user-defined type.
    Type,
    /// A variable.
    Variable,
    /// An attribute, or a special attribute.
    Attribute,
}

impl ObjectKind {
    /// Returns the kind in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Dimension => "dimension",
            Self::Type => "type",
            Self::Variable => "variable",
            Self::Attribute => "attribute",
        }
    }
}

/// A difference between two datasets.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The kind of the object.
    pub kind: ObjectKind,
    /// The path of the object, or of the owner of an attribute.
    pub path: String,
    /// The name of the attribute.
    pub attribute: Option<String>,
    /// The difference.
    pub finding: DifferenceKind,
}

/// The kind and details of a difference. Pairs are in the order of the datasets.
#[derive(Debug, Clone, PartialEq)]
pub enum DifferenceKind {
    /// Only one dataset has the object.
    Only(DatasetSide),
    /// Dimension lengths.
    Length([u64; 2]),
    /// Type names of a variable, and whether its values were compared nevertheless.
    Type([String; 2], bool),
    /// Dimension names of a variable, and whether its values were compared nevertheless.
    Dimensions([Vec<String>; 2], bool),
    /// Different shapes of a variable with equal dimension names.
    Shape([Vec<u64>; 2]),
    /// A property of a user-defined type: its name, and its form in each dataset.
    Part(String, [Option<String>; 2]),
    /// An attribute.
    Attribute(Box<AttributeValues>),
    /// Values of a variable.
    Values(Box<DifferentValues>),
    /// A storage property: its form in each dataset.
    Storage([Option<String>; 2]),
    /// The definition order of common objects in a group: the kind and the names.
    Order(ObjectKind, [Vec<String>; 2]),
}

/// Different values of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeValues {
    /// The type names.
    pub types: [String; 2],
    /// True if only the types differ: the numbers or texts are equal.
    pub equal: bool,
    /// The values.
    pub values: [Values; 2],
}

/// Different values of a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferentValues {
    /// Number of elements that differ.
    pub differing: u64,
    /// Number of elements that were compared.
    pub compared: u64,
    /// The common shape of the variables, if their shapes differ.
    pub common: Option<Vec<u64>>,
    /// Number of differing elements without a numeric distance: a NaN or an infinite number compared with another value, and all values
    /// that are no numbers.
    pub without_size: u64,
    /// The first element that differs.
    pub first: DifferentElement,
    /// The element with the largest absolute difference.
    pub absolute: Option<Farthest>,
    /// The element with the largest relative difference.
    pub relative: Option<Farthest>,
}

/// The element with the largest difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Farthest {
    /// The absolute difference, or the difference relative to the larger magnitude.
    pub by: f64,
    /// The element.
    pub element: DifferentElement,
}

/// An element that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferentElement {
    /// The index per dimension, counted from 0.
    pub index: Vec<u64>,
    /// The values: one per dataset.
    pub values: [Values; 2],
    /// The first differing field, for compounds.
    pub field: Option<String>,
    /// The coordinates, along dimensions with a coordinate variable in the first dataset.
    pub coordinates: Vec<ElementCoordinate>,
}

/// The coordinate of an element along a dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementCoordinate {
    /// The coordinate variable, in the first dataset.
    pub var: VarId,
    /// The dimension's name.
    pub name: String,
    /// One value.
    pub value: Values,
}
