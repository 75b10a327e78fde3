//! The dataset API: the functions of netCDF-C for every supported format.
//!
//! ```
//! use netcdf_core::api::{Dataset, Length, Select};
//! use netcdf_core::model::{Atomic, GroupId, Kind};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! let path = dir.path().join("weather.nc");
//! let mut data = Dataset::create(&path, Kind::NETCDF4)?;
//! let time = data.define_dim(GroupId::ROOT, "time", Length::Unlimited)?;
//! let x = data.define_dim(GroupId::ROOT, "x", Length::Fixed(3))?;
//! let t = data.define_var(GroupId::ROOT, "t", Atomic::Float, &[time, x])?;
//! data.put_attribute(t, "units", "K")?;
//! data.define_deflate(t, true, Some(4))?;
//! data.write(t, &Select::region(&[0, 0], &[2, 3]), &[280, 281, 282, 283, 284, 285])?;
//! data.close()?;
//!
//! let data = Dataset::open(&path)?;
//! let t = data.var_id(GroupId::ROOT, "t")?;
//! assert_eq!(data.shape(t)?, [2, 3]);
//! assert_eq!(data.get_text(t, "units")?, "K");
//! assert_eq!(data.read::<f64>(t, &Select::region(&[1, 0], &[1, 2]))?, [283.0, 284.0]);
//! # Ok::<(), netcdf_core::Error>(())
//! ```
//!
//! [`Dataset::open_for_writing`] opens an existing dataset for changes. Classic files are changed in place at the cost of the change, safely
//! against kills and power failures ([`InPlace`], `docs/update.md`). For all other changes, [`Dataset::sync`] and [`Dataset::close`] write a
//! new dataset next to the old one and rename the complete dataset. Unchanged chunks are copied without decoding. Until then, written data
//! is in a temporary file, not in memory.
//!
//! ```
//! # use netcdf_core::api::{Dataset, Length, Select};
//! # use netcdf_core::model::{Atomic, GroupId, Kind};
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path().join("a.nc");
//! # let mut data = Dataset::create(&path, Kind::CLASSIC)?;
//! # let x = data.define_dim(GroupId::ROOT, "x", Length::Fixed(3))?;
//! # data.define_var(GroupId::ROOT, "t", Atomic::Short, &[x])?;
//! # data.close()?;
//! let mut data = Dataset::open_for_writing(&path)?;
//! let t = data.var_id(GroupId::ROOT, "t")?;
//! data.write_one(t, &[1], 7)?;
//! data.redefine()?;
//! data.put_attribute(GroupId::ROOT, "title", "changed")?;
//! data.rename_var(t, "temperature")?;
//! data.close()?;
//! assert_eq!(Dataset::open(&path)?.read_one::<i64>(t, &[1])?, 7);
//! # Ok::<(), netcdf_core::Error>(())
//! ```
//!
//! Datasets of the classic model (CDF-1, CDF-2, CDF-5 and `Netcdf4Classic`) are in *define mode* or in *data mode*: see
//! [`Dataset::redefine`] and [`Dataset::end_definition`]. Datasets of all other kinds switch modes automatically. `docs/api.md` lists the
//! functions of netCDF-C with their counterparts.

mod attributes;
mod copy;
mod dataset;
mod define;
mod element;
mod inquire;
mod location;
mod mode;
mod numbers;
mod original;

mod expected_state;
mod free_ranges;
mod read;
mod redefine;
mod save;
mod select;
mod staged;
mod storage;
mod values;
mod write;

pub use dataset::{Dataset, Options, delete};
pub use element::{Char, Element, Text};
pub use mode::DatasetMode;
pub use original::InPlace;
pub use select::Select;

use crate::model::{GroupId, VarId};

/// The library version (`nc_inq_libvers`).
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Approximate size in bytes of an element batch for conversion.
const BAND: u64 = 1 << 20;

/// The length of a new dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Length {
    /// A fixed length in elements, at least 1.
    Fixed(u64),
    /// Unlimited (`NC_UNLIMITED`).
    Unlimited,
}

impl From<u64> for Length {
    fn from(len: u64) -> Self {
        Self::Fixed(len)
    }
}

/// The owner of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A group; [`GroupId::ROOT`] owns the global attributes (`NC_GLOBAL`).
    Group(GroupId),
    /// A variable.
    Variable(VarId),
}

impl From<GroupId> for Owner {
    fn from(id: GroupId) -> Self {
        Self::Group(id)
    }
}

impl From<VarId> for Owner {
    fn from(id: VarId) -> Self {
        Self::Variable(id)
    }
}

#[cfg(test)]
mod record_cost_tests;
#[cfg(test)]
mod tests;
