//! What is found.

use crate::model::{Values, VarId};

/// One of two datasets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetSide {
    /// The one that is named first.
    First,
    /// The other one.
    Second,
}

impl DatasetSide {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];
}

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    /// A group; the root stands for the dataset.
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
    /// The kind in a word.
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
    /// What differs.
    pub finding: DifferenceKind,
}

/// What differs. Pairs are in the order of the datasets.
#[derive(Debug, Clone, PartialEq)]
pub enum DifferenceKind {
    /// Only one dataset has the object.
    Only(DatasetSide),
    /// Lengths of a dimension.
    Length([u64; 2]),
    /// Names of types of a variable, and whether its values were compared nevertheless.
    Type([String; 2], bool),
    /// Names of dimensions of a variable, and whether its values were compared nevertheless.
    Dimensions([Vec<String>; 2], bool),
    /// Shapes of a variable whose dimensions have the same names.
    Shape([Vec<u64>; 2]),
    /// A part of a user-defined type: its name, and what each dataset has.
    Part(String, [Option<String>; 2]),
    /// An attribute.
    Attribute(Box<AttributeValues>),
    /// Values of a variable.
    Values(Box<DifferentValues>),
    /// A property of the storage: what each dataset has.
    Storage([Option<String>; 2]),
    /// The order of definition of objects of a kind that both have in a group: their names.
    Order(ObjectKind, [Vec<String>; 2]),
}

/// What attributes differ in.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeValues {
    /// Names of the types.
    pub types: [String; 2],
    /// Whether only the types differ: the numbers or texts are equal.
    pub equal: bool,
    /// The values.
    pub values: [Values; 2],
}

/// The values of a variable that differ.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferentValues {
    /// Elements that differ.
    pub differing: u64,
    /// Elements that were compared.
    pub compared: u64,
    /// The shape of what both variables have, if their shapes differ.
    pub common: Option<Vec<u64>>,
    /// Elements among those that differ whose distance has no size: a NaN or an infinite number beside another value,
    /// texts and other values that are no numbers.
    pub without_size: u64,
    /// The first element that differs.
    pub first: DifferentElement,
    /// The element with the largest absolute difference.
    pub absolute: Option<Farthest>,
    /// The element with the largest relative difference.
    pub relative: Option<Farthest>,
}

/// The element that differs most.
#[derive(Debug, Clone, PartialEq)]
pub struct Farthest {
    /// By how much: absolute, or as a part of the larger magnitude.
    pub by: f64,
    /// The element.
    pub element: DifferentElement,
}

/// An element that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferentElement {
    /// Its index, counted from 0, per dimension.
    pub index: Vec<u64>,
    /// Its values: one each.
    pub values: [Values; 2],
    /// The first field that differs, for compounds.
    pub field: Option<String>,
    /// Its coordinates, as far as the first dataset has coordinate variables.
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
