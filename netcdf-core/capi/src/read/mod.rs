//! Reads values of variables and attributes.

mod any;
mod attributes;
mod numbers;
mod request;
mod strings;

pub(crate) use attributes::get_attribute;
