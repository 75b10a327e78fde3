//! Reads values of variables and attributes.

mod any;
mod attributes;
mod numbers;
mod strings;

pub(crate) use attributes::get_attribute;
