#![no_main]
//! The decoder of scaleoffset.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(6, input));
