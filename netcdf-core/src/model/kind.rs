//! Dataset kinds: a data model with a storage format.

use super::Atomic;

/// The kind of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    /// The data model.
    pub model: Model,
    /// The storage format.
    pub storage: StorageFormat,
}

/// A data model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Model {
    /// Six types, one unlimited dimension, no groups.
    Classic,
    /// The eleven numeric and text types, one unlimited dimension, no groups.
    Cdf5,
    /// The full netCDF-4 model.
    Enhanced,
}

/// A storage format, with its variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StorageFormat {
    /// A classic file.
    Cdf(Cdf),
    /// An HDF5 file.
    Hdf5,
    /// A Zarr store.
    Zarr(Zarr),
    /// A format without write support, by its name in the table of formats.
    ReadOnly(&'static str),
}

/// A version of the classic file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cdf {
    /// CDF-1.
    V1,
    /// CDF-2, with offsets of 64 bits.
    V2,
    /// CDF-5, with 64-bit numbers.
    V5,
}

/// A Zarr convention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Zarr {
    /// The version of the Zarr format.
    pub version: ZarrVersion,
    /// Whether the store lacks netCDF's own metadata (`_nczarr_*`).
    pub pure: bool,
}

impl Zarr {
    /// Returns whether netCDF-C is the reference reader: version 2 with netCDF's own metadata. No release of netCDF-C reads version 3.
    #[must_use]
    pub fn is_of_netcdf_c(self) -> bool {
        !self.pure && self.version == ZarrVersion::V2
    }
}

/// A version of the Zarr format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ZarrVersion {
    /// Version 2: `.zgroup`, `.zarray`, `.zattrs`.
    V2,
    /// Version 3: `zarr.json`.
    V3,
}

/// The filters that a format supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filterable {
    /// No filters.
    Nothing,
    /// HDF5 filters, applied to chunks in the order of netCDF-C. Scalars and strings have no filters.
    Chunks,
    /// Codecs in definition order, including codecs without an HDF5 filter. Codecs also apply to scalars, and to strings, which have a
    /// fixed size.
    Arrays,
}

impl StorageFormat {
    /// Returns the filters that variables of this kind support.
    #[must_use]
    pub fn filterable(self) -> Filterable {
        match self {
            Self::Cdf(_) | Self::ReadOnly(_) => Filterable::Nothing,
            Self::Hdf5 => Filterable::Chunks,
            Self::Zarr(_) => Filterable::Arrays,
        }
    }

    /// Returns whether unwritten elements of a variable without a fill value read as zeros within the stored extent. Beyond the extent they
    /// read as netCDF's fill value.
    #[must_use]
    pub fn zeros_within(self) -> bool {
        self == Self::Hdf5
    }
}

impl Model {
    /// Returns whether variables and attributes can have this type.
    #[must_use]
    pub fn has(self, ty: Atomic) -> bool {
        match self {
            Self::Classic => ty.is_classic(),
            Self::Cdf5 => ty != Atomic::String,
            Self::Enhanced => true,
        }
    }
}

impl Kind {
    /// CDF-1.
    pub const CLASSIC: Self = Self::new(Model::Classic, StorageFormat::Cdf(Cdf::V1));
    /// CDF-2.
    pub const OFFSET64: Self = Self::new(Model::Classic, StorageFormat::Cdf(Cdf::V2));
    /// CDF-5.
    pub const CDF5: Self = Self::new(Model::Cdf5, StorageFormat::Cdf(Cdf::V5));
    /// netCDF-4 on HDF5.
    pub const NETCDF4: Self = Self::new(Model::Enhanced, StorageFormat::Hdf5);
    /// netCDF-4 on HDF5, restricted to the classic model.
    pub const NETCDF4_CLASSIC: Self = Self::new(Model::Classic, StorageFormat::Hdf5);
    /// NCZarr, version 2.
    pub const NCZARR: Self = Self::version(ZarrVersion::V2, false);
    /// Zarr without netCDF's own metadata, version 2.
    pub const PURE_ZARR: Self = Self::version(ZarrVersion::V2, true);
    /// NCZarr, version 3.
    pub const NCZARR3: Self = Self::version(ZarrVersion::V3, false);
    /// Zarr without netCDF's own metadata, version 3.
    pub const PURE_ZARR3: Self = Self::version(ZarrVersion::V3, true);

    const fn new(model: Model, storage: StorageFormat) -> Self {
        Self { model, storage }
    }

    const fn version(version: ZarrVersion, pure: bool) -> Self {
        Self::zarr(Zarr { version, pure })
    }

    /// Returns a kind of Zarr.
    #[must_use]
    pub const fn zarr(zarr: Zarr) -> Self {
        Self::new(Model::Enhanced, StorageFormat::Zarr(zarr))
    }

    /// Returns the name that `ncdump -k` prints and the `_Format` attribute stores. As in netCDF-C, formats of the netCDF-4 interface have
    /// the name of the data model.
    #[must_use]
    pub fn name(self) -> &'static str {
        match (self.storage, self.model) {
            (StorageFormat::Cdf(Cdf::V1), _) => "classic",
            (StorageFormat::Cdf(Cdf::V2), _) => "64-bit offset",
            (StorageFormat::Cdf(Cdf::V5), _) => "cdf5",
            (_, Model::Enhanced | Model::Cdf5) => "netCDF-4",
            (_, Model::Classic) => "netCDF-4 classic model",
        }
    }

    /// Returns whether datasets can have groups, user-defined types and strings.
    #[must_use]
    pub fn is_enhanced(self) -> bool {
        self.model == Model::Enhanced
    }

    /// Returns the Zarr convention of a Zarr kind.
    #[must_use]
    pub fn as_zarr(self) -> Option<Zarr> {
        match self.storage {
            StorageFormat::Zarr(zarr) => Some(zarr),
            StorageFormat::Cdf(_) | StorageFormat::Hdf5 | StorageFormat::ReadOnly(_) => None,
        }
    }
}
