#![no_main]
//! The decoder of shuffle.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(2, input));
