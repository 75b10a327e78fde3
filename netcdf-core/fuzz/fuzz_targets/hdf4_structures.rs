#![no_main]
//! Structures of HDF4 files.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::hdf4_structures(input));
