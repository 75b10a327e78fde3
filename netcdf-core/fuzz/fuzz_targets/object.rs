#![no_main]
//! Object headers and all that they say.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::object(input));
