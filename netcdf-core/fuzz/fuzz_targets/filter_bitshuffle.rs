#![no_main]
//! The decoder of bitshuffle.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(32008, input));
