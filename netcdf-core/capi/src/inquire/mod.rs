//! Inquiry functions.

mod attributes;
mod compounds;
mod dimensions;
mod enums;
mod filters;
mod format;
mod groups;
mod special;
mod storage;
mod types;
mod variables;

pub(crate) use attributes::{attribute, attribute_name, inquire_attribute, name_bytes};
pub(crate) use special::{SpecialValue, special};
