#![no_main]
//! The decoder of HDF4's szip.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(netcdf_core::filter::hdf4::ids::SZIP, input));
