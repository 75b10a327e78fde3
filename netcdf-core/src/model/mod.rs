//! What a netCDF dataset is: schema, types, names, values. No I/O, no format.

pub mod atomic;
pub mod attribute;
pub mod cf;
pub mod convert;
mod default_fill;
pub mod element;
pub mod ids;
pub mod kind;
pub mod name;
pub mod options;
pub mod quantize;
pub mod region;
pub mod schema;
mod sizes;
pub mod special;
pub mod storage;
pub mod strings;
pub mod types;
pub mod values;

pub use atomic::Atomic;
pub use attribute::Attribute;
pub use element::Element;
pub use ids::{DimId, GroupId, TypeId, VarId};
pub use kind::{Kind, Zarr, ZarrVersion};
pub use name::Name;
pub use options::{CreateOptions, FileSpace, ZarrOptions};
pub use quantize::Quantize;
pub use region::Region;
pub use schema::{Dimension, Group, Schema, Variable};
pub use storage::{Endianness, Fill, FilterSpec, Storage, StorageLayout};
pub use types::{DataType, Field, TypeKind, UserType};
pub use values::Values;
