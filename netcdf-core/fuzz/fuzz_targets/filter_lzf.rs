#![no_main]
//! The decoder of lzf.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(32000, input));
