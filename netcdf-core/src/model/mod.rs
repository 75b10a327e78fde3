//! What a netCDF dataset is: schema, types, names, values. No I/O, no format.

pub mod cf;
pub mod convert;
pub mod element;
pub mod ids;
pub mod kind;
pub mod name;
pub mod options;
pub mod quantize;
pub mod region;
pub mod schema;
pub mod special;
pub mod storage;
pub mod strings;
pub mod types;
pub mod values;

pub use element::Element;
pub use ids::{DimId, GroupId, TypeId, VarId};
pub use kind::{Kind, Zarr, ZarrVersion};
pub use name::Name;
pub use options::{CreateOptions, FileSpace, ZarrOptions};
pub use quantize::Quantize;
pub use region::Region;
pub use schema::{Attribute, Dimension, Group, Schema, Variable};
pub use storage::{Endianness, Fill, FilterSpec, Storage, StorageLayout};
pub use types::{Atomic, DataType, Field, TypeKind, UserType};
pub use values::Values;
