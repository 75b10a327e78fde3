//! Requested parts of a dataset.

use netcdf_grammar::hyperslab::Hyperslab;

/// The copied variables, groups and indices.
#[derive(Debug)]
pub struct SelectRequest {
    /// Whether unlimited dimensions become fixed.
    pub fix_unlimited: bool,
    /// Names of dimensions that become unlimited.
    pub unlimited: Vec<Vec<u8>>,
    /// The variables.
    pub variables: NameChoice,
    /// Whether to also copy the variables that locate the selected variables.
    pub coordinates: bool,
    /// The groups.
    pub groups: NameChoice,
    /// The parts of dimensions.
    pub hyperslabs: Vec<Hyperslab>,
}

/// A choice of objects by name. An empty list of names chooses all objects.
#[derive(Debug, PartialEq, Eq)]
pub enum NameChoice {
    /// All objects.
    All,
    /// All definitions, but only the data of these objects.
    Data(Vec<Vec<u8>>),
    /// Only these objects.
    Only(Vec<Vec<u8>>),
}
