#![no_main]
//! The decoder of zfp.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(32013, input));
