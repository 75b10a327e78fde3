//! The features that a dataset requires of its kind of file.

use netcdf_core::format::traits;
use netcdf_core::model::kind::Model;
use netcdf_core::model::{Atomic, Kind};

use crate::diagnostic::Anchor;

/// A feature that not every kind of file has, and where the text first uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// What it is, as in "a group" or "type ubyte".
    pub what: String,
    /// Where the statement begins.
    pub anchor: Anchor,
    /// Its position.
    pub offset: u64,
}

/// The first construct of each sort that goes beyond the classic model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Something that only the netCDF-4 model has.
    pub enhanced: Option<Need>,
    /// A type that CDF-5 adds to the classic types.
    pub cdf5: Option<Need>,
    /// Storage settings that only netCDF-4 files have.
    pub storage: Option<Need>,
    /// Any special attribute but `_Format`.
    pub special: Option<Need>,
    /// String attributes that are stored as text: the first one, and their number.
    pub(super) texts: Option<(Need, usize)>,
}

impl Needs {
    /// The first construct that `kind` does not have.
    #[must_use]
    pub fn conflict(&self, kind: Kind) -> Option<&Need> {
        let model = match kind.model {
            Model::Classic => self.enhanced.as_ref().or(self.cdf5.as_ref()),
            Model::Cdf5 => self.enhanced.as_ref(),
            Model::Enhanced => None,
        };
        model.or(self.storage.as_ref().filter(|_| !traits(kind).settings))
    }

    /// The kind for a dataset without a requested kind: the oldest that has all features.
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

    /// Notes a use of `ty`.
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
