#![no_main]
//! The decoder of szip.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(4, input));
