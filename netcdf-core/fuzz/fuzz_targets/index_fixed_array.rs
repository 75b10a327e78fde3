#![no_main]
//! Chunk indexes: the fixed array.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::chunk_index(3, input));
