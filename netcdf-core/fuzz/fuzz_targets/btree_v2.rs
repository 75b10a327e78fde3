#![no_main]
//! B-trees of version 2.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::btree_v2(input));
