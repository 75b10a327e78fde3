#![no_main]
//! Names of datasets and of keys.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::names(input));
