#![no_main]
//! Zip files.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::zip(input));
