#![no_main]
//! The mappings of virtual datasets.

libfuzzer_sys::fuzz_target!(|input: &[u8]| netcdf_core_fuzz::virtual_dataset(input));
