#![no_main]
//! Local heaps.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::local_heap(input));
