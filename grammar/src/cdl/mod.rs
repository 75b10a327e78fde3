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

pub use data_list::{DataList, TextForm};
pub use lower::{AssignedAttribute, AssignmentOwner, Need, Needs, assign};
pub use read::{CdlDataset, CdlError, ReadOptions, read};
