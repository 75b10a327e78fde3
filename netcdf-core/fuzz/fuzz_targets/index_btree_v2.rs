#![no_main]
//! Chunk indexes: the B-tree of version 2.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::chunk_index(5, input));
