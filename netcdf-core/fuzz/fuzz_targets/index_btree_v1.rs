#![no_main]
//! Chunk indexes: the B-tree of version 1.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::chunk_index(0, input));
