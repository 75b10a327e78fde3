#![no_main]
//! Object headers and their messages.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::object(input));
