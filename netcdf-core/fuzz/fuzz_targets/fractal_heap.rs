#![no_main]
//! Fractal heaps.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::fractal_heap(input));
