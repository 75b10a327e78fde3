#![no_main]
//! Indexes of shards.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::shard_index(input));
