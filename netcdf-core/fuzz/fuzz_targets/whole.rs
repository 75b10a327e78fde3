#![no_main]
//! Whole files.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::whole(input));
