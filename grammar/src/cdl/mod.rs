//! CDL, the text form of a netCDF dataset.

pub mod constant;
pub mod values;
pub mod write;
