#![no_main]
//! The decoder of lz4.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(32004, input));
