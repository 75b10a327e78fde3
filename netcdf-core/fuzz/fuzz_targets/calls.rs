#![no_main]
//! Calls of the C interface.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::calls(input));
