#![no_main]
//! Codecs of Zarr.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::codecs(input));
