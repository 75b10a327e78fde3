#![no_main]
//! Chunk indexes: the index of a single chunk.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::chunk_index(1, input));
