//! Requested parts of a dataset.

use netcdf_grammar::hyperslab::Hyperslab;
use netcdf_grammar::split::SplitPart;

/// The copied variables, groups and indices.
#[derive(Debug, Clone)]
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

impl SelectRequest {
    /// Returns the selection of a part.
    pub fn of_part(&self, part: Option<&SplitPart>) -> Self {
        let mut select = self.clone();
        let Some(part) = part else {
            return select;
        };
        select
            .hyperslabs
            .extend(part.indices.clone().map(Hyperslab::of_indices));
        if let Some(variable) = &part.variable {
            select.variables = NameChoice::Only(vec![variable.clone().into_bytes()]);
            select.coordinates = true;
        }
        select
    }
}

/// A choice of objects by name. An empty list of names chooses all objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameChoice {
    /// All objects.
    All,
    /// All definitions, but only the data of these objects.
    Data(Vec<Vec<u8>>),
    /// Only these objects.
    Only(Vec<Vec<u8>>),
}
