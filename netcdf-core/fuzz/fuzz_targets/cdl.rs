#![no_main]
//! CDL.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::cdl(input));
