#![no_main]
//! Stores of Zarr, version 3.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::zarr_v3(input));
