//! Reads values of variables and attributes.

mod any;
mod area;
mod attributes;
mod cast;
mod numbers;
mod strings;

pub(crate) use attributes::get_attribute;
