#![no_main]
//! The decoder of HDF4's nbit.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::filter(netcdf_core::filter::hdf4::ids::NBIT, input));
