#![no_main]
//! The decoder of bzip2.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(307, input));
