#![no_main]
//! Journals of unfinished changes.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::journal(input));
