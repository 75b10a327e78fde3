#![no_main]
//! Specifications of filters and chunks.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::specs(input));
