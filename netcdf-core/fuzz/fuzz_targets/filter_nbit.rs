#![no_main]
//! The decoder of nbit.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(5, input));
