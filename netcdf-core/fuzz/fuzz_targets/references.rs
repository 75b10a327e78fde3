#![no_main]
//! References to chunks of other files.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::references(input));
