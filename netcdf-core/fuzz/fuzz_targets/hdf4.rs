#![no_main]
//! Whole HDF4 files.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::hdf4(input));
