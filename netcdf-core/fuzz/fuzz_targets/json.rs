#![no_main]
//! JSON.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::json(input));
