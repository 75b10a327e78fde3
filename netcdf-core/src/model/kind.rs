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

impl Kind {
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
