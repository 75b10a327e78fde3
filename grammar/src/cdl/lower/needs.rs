//! The features that determine the kind of a dataset.

use netcdf_core::format::traits;
use netcdf_core::model::kind::Model;
use netcdf_core::model::{Atomic, Kind};

use crate::diagnostic::Anchor;

/// A feature that some kinds lack, with its first use in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The feature, as in "a group" or "type ubyte".
    pub what: String,
    /// The start of the statement.
    pub anchor: Anchor,
    /// The offset of the feature.
    pub offset: u64,
}

/// The first use of each class of features beyond the classic model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// A feature of the netCDF-4 model.
    pub enhanced: Option<Need>,
    /// A type that CDF-5 adds to the classic types.
    pub cdf5: Option<Need>,
    /// Storage settings of netCDF-4 files.
    pub storage: Option<Need>,
    /// Any special attribute except `_Format`.
    pub special: Option<Need>,
    /// The first string attribute stored as text, and the number of these attributes.
    pub(super) texts: Option<(Need, usize)>,
}

impl Needs {
    /// Returns the first feature that `kind` lacks.
    #[must_use]
    pub fn conflict(&self, kind: Kind) -> Option<&Need> {
        let model = match kind.model {
            Model::Classic => self.enhanced.as_ref().or(self.cdf5.as_ref()),
            Model::Cdf5 => self.enhanced.as_ref(),
            Model::Enhanced => None,
        };
        model.or(self.storage.as_ref().filter(|_| !traits(kind).settings))
    }

    /// Returns the kind of a dataset without a requested kind: the oldest kind with all features.
    #[must_use]
    pub fn kind(&self) -> Kind {
        if self.enhanced.is_some() || self.special.is_some() {
            Kind::NETCDF4
        } else if self.cdf5.is_some() {
            Kind::CDF5
        } else {
            Kind::CLASSIC
        }
    }

    /// Records the use of `ty`.
    pub(super) fn atomic(&mut self, ty: Atomic, need: impl FnOnce(String) -> Need) {
        if ty.is_classic() {
            return;
        }
        let slot = if ty == Atomic::String {
            &mut self.enhanced
        } else {
            &mut self.cdf5
        };
        slot.get_or_insert_with(|| need(format!("type {}", ty.name())));
    }
}
