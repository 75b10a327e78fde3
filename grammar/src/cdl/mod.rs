//! CDL, the text form of a dataset.

pub mod constant;
pub mod values;
