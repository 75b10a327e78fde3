//! The ncgen tool.
#![forbid(unsafe_code)]
fn main() {}
