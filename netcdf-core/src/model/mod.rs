//! The data model of netCDF: schema, types, names and values, without I/O and formats.

pub(crate) mod atomic;
pub(crate) mod attribute;
pub mod cf;
pub mod convert;
mod default_fill;
pub(crate) mod element;
pub(crate) mod ids;
pub mod kind;
pub mod name;
pub(crate) mod options;
pub mod quantize;
pub(crate) mod recent_values;
pub mod region;
pub(crate) mod schema;
mod shared_vec;
mod sizes;
pub mod special;
pub(crate) mod storage;
pub mod strings;
pub(crate) mod types;
mod user_types;
pub(crate) mod values;

pub use atomic::Atomic;
pub use attribute::Attribute;
pub use element::StoredElement;
pub use ids::{DimId, GroupId, TypeId, VarId};
pub use kind::{Kind, Zarr, ZarrVersion};
pub use name::Name;
pub use options::{CreateOptions, FileSpace, ZarrOptions};
pub use quantize::Quantize;
pub use region::Region;
pub use schema::{Dimension, Group, Schema, Variable};
pub use shared_vec::SharedVec;
pub use storage::{Endianness, FillMode, FilterSpec, Storage, StorageLayout};
pub use types::{DataType, Field, TypeKind, UserType};
pub use values::Values;
