#![no_main]
//! The decoder of deflate.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(1, input));
