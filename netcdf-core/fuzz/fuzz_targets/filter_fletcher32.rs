#![no_main]
//! The decoder of fletcher32.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(3, input));
