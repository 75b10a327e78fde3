//! CDL, the text form of datasets.

pub mod write;
