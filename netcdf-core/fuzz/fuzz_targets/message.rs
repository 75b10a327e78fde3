#![no_main]
//! Bodies of messages: datatypes, dataspaces, layouts ...

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::message(input));
