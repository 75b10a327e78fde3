#![no_main]
//! The decoder of blosc.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(32001, input));
