//! CDL, the text form of a netCDF dataset.

pub mod ast;
pub mod constant;
mod data_list;
pub(crate) mod lower;
pub mod parse;
mod read;
pub mod split;
pub mod values;
pub mod write;

pub use data_list::{DataList, Form};
pub use lower::{AssignedAttribute, AttributeOwner, Need, Needs, assign};
pub use read::{Cdl, CdlError, ReadOptions, read};
