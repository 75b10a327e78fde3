//! Kinds of dataset: data model and storage in one word, as `-k` names them.

/// The kind of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// CDF-1.
    Classic,
    /// CDF-2.
    Offset64,
    /// CDF-5.
    Cdf5,
    /// netCDF-4 on HDF5.
    Netcdf4,
    /// netCDF-4 on HDF5, restricted to the classic model.
    Netcdf4Classic,
}

/// What of the data model a kind has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Six types, one unlimited dimension, no groups.
    Classic,
    /// The eleven numeric and text types, one unlimited dimension, no groups.
    Cdf5,
    /// Everything.
    Enhanced,
}

/// What `-k` takes beside the names that [`Kind::name`] gives: short names, aliases of the C
/// tools, and their old numbers.
const ALIASES: &[(Kind, &[&str])] = &[
    (Kind::Classic, &["nc3", "1"]),
    (Kind::Offset64, &["nc6", "64-bit-offset", "2"]),
    (
        Kind::Cdf5,
        &["nc5", "cdf-5", "64-bit-data", "64-bit data", "5"],
    ),
    (
        Kind::Netcdf4,
        &[
            "nc4", "netCDF4", "netcdf-4", "netcdf4", "hdf5", "enhanced", "3",
        ],
    ),
    (
        Kind::Netcdf4Classic,
        &[
            "nc7",
            "netCDF-4-classic",
            "netCDF-4_classic",
            "netCDF4_classic",
            "hdf5-nc3",
            "enhanced-nc3",
            "4",
        ],
    ),
];

impl Kind {
    /// The kind that `-k` names: a canonical name, an alias or a number.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let named = |(kind, names): &&(Self, &[&str])| kind.name() == name || names.contains(&name);
        ALIASES.iter().find(named).map(|(kind, _)| *kind)
    }

    /// What `ncdump -k` prints and the `_Format` attribute says.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Offset64 => "64-bit offset",
            Self::Cdf5 => "cdf5",
            Self::Netcdf4 => "netCDF-4",
            Self::Netcdf4Classic => "netCDF-4 classic model",
        }
    }

    /// The data model.
    #[must_use]
    pub fn model(self) -> Model {
        match self {
            Self::Classic | Self::Offset64 | Self::Netcdf4Classic => Model::Classic,
            Self::Cdf5 => Model::Cdf5,
            Self::Netcdf4 => Model::Enhanced,
        }
    }

    /// True for CDF-1, CDF-2 and CDF-5.
    #[must_use]
    pub fn is_cdf(self) -> bool {
        match self {
            Self::Classic | Self::Offset64 | Self::Cdf5 => true,
            Self::Netcdf4 | Self::Netcdf4Classic => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_to_kinds() {
        for (kind, aliases) in ALIASES {
            assert_eq!(Kind::from_name(kind.name()), Some(*kind));
            for alias in *aliases {
                assert_eq!(Kind::from_name(alias), Some(*kind), "{alias}");
            }
        }
        assert_eq!(Kind::from_name("3"), Some(Kind::Netcdf4));
        assert_eq!(Kind::from_name("CDF5"), None);
    }
}
