//! The nccopy tool.
#![forbid(unsafe_code)]
