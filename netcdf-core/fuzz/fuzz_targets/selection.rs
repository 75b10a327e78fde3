#![no_main]
//! Selections of elements of a dataspace.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::selection(input));
