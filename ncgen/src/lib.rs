//! The ncgen tool.
#![forbid(unsafe_code)]
