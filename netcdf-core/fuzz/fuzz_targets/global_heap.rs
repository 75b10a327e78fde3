#![no_main]
//! Global heaps.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::global_heap(input));
