//! The ncdump tool.
#![forbid(unsafe_code)]
fn main() {}
