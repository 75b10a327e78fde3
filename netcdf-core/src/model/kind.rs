//! Kinds of datasets: data model and storage in one word, as given to `-k`.

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
    /// Zarr, with or without netCDF's own metadata.
    Zarr(Zarr),
}

/// A way to store a dataset as Zarr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Zarr {
    /// The version of the Zarr format.
    pub version: ZarrVersion,
    /// Whether it has no netCDF metadata of its own (`_nczarr_*`).
    pub pure: bool,
}

/// A version of the Zarr format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ZarrVersion {
    /// Version 2: `.zgroup`, `.zarray`, `.zattrs`.
    V2,
    /// Version 3: `zarr.json`.
    V3,
}

/// The data model of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Six types, one unlimited dimension, no groups.
    Classic,
    /// The eleven numeric and text types, one unlimited dimension, no groups.
    Cdf5,
    /// Everything.
    Enhanced,
}

/// The names that `-k` accepts apart from [`Kind::name`]: short names, aliases of the C tools, and their old
/// numbers.
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
    (Kind::NCZARR, &["nczarr"]),
    (Kind::PURE_ZARR, &["zarr"]),
    (Kind::NCZARR3, &["nczarr3"]),
    (Kind::PURE_ZARR3, &["zarr3"]),
];

impl Kind {
    /// NCZarr, version 2.
    pub const NCZARR: Self = Self::zarr(ZarrVersion::V2, false);
    /// Zarr without netCDF's own metadata, version 2.
    pub const PURE_ZARR: Self = Self::zarr(ZarrVersion::V2, true);
    /// NCZarr, version 3.
    pub const NCZARR3: Self = Self::zarr(ZarrVersion::V3, false);
    /// Zarr without netCDF's own metadata, version 3.
    pub const PURE_ZARR3: Self = Self::zarr(ZarrVersion::V3, true);

    /// One word for each kind, for shell completion of `-k`.
    pub const WORDS: [&str; 9] = [
        "classic",
        "64-bit-offset",
        "cdf5",
        "netCDF-4",
        "netCDF-4-classic",
        "nczarr",
        "zarr",
        "nczarr3",
        "zarr3",
    ];

    const fn zarr(version: ZarrVersion, pure: bool) -> Self {
        Self::Zarr(Zarr { version, pure })
    }

    /// The kind given to `-k`: a canonical name, an alias or a number.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let named = |(kind, names): &&(Self, &[&str])| kind.name() == name || names.contains(&name);
        ALIASES.iter().find(named).map(|(kind, _)| *kind)
    }

    /// The name printed by `ncdump -k` and stored in the `_Format` attribute; as in netCDF-C, Zarr has the name
    /// of the data model.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Offset64 => "64-bit offset",
            Self::Cdf5 => "cdf5",
            Self::Netcdf4 | Self::Zarr(_) => "netCDF-4",
            Self::Netcdf4Classic => "netCDF-4 classic model",
        }
    }

    /// The data model.
    #[must_use]
    pub fn model(self) -> Model {
        match self {
            Self::Classic | Self::Offset64 | Self::Netcdf4Classic => Model::Classic,
            Self::Cdf5 => Model::Cdf5,
            Self::Netcdf4 | Self::Zarr(_) => Model::Enhanced,
        }
    }

    /// Whether datasets have groups, user-defined types and strings.
    #[must_use]
    pub fn is_enhanced(self) -> bool {
        self.model() == Model::Enhanced
    }

    /// True for CDF-1, CDF-2 and CDF-5.
    #[must_use]
    pub fn is_cdf(self) -> bool {
        match self {
            Self::Classic | Self::Offset64 | Self::Cdf5 => true,
            Self::Netcdf4 | Self::Netcdf4Classic | Self::Zarr(_) => false,
        }
    }

    /// How it is stored in Zarr, if it is.
    #[must_use]
    pub fn as_zarr(self) -> Option<Zarr> {
        match self {
            Self::Zarr(zarr) => Some(zarr),
            Self::Classic | Self::Offset64 | Self::Cdf5 | Self::Netcdf4 | Self::Netcdf4Classic => {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_for_each_kind() {
        let kinds = Kind::WORDS.map(|word| Kind::from_name(word).unwrap());
        let all: Vec<_> = ALIASES.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds.as_slice(), all);
    }

    #[test]
    fn names_and_numbers_lead_to_kinds() {
        for (kind, aliases) in ALIASES {
            let named = Kind::from_name(kind.name());
            assert_eq!(named, Some(kind.as_zarr().map_or(*kind, |_| Kind::Netcdf4)));
            for alias in *aliases {
                assert_eq!(Kind::from_name(alias), Some(*kind), "{alias}");
            }
        }
        assert_eq!(Kind::from_name("3"), Some(Kind::Netcdf4));
        assert_eq!(Kind::from_name("CDF5"), None);
    }
}
