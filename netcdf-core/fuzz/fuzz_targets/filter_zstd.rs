#![no_main]
//! The decoder of zstd.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(32015, input));
