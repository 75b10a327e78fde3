#![no_main]
//! Chunk indexes: the implicit index.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::chunk_index(2, input));
