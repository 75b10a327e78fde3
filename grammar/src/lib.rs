//! Text forms of netCDF: CDL, numbers, escapes, filter and chunk specifications.
#![forbid(unsafe_code)]
