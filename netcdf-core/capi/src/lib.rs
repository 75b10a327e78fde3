//! netCDF's C interface: a shared library that programs load in place of `libnetcdf.so`.
//!
//! Programs are compiled with Unidata's headers. All functions rest on `netcdf_core::api`. `functions.txt` lists the exported names, and
//! `docs/c-api.md` describes the differences from netCDF-C.
//!
//! | module | contents |
//! |---|---|
//! | `error_number`, `texts`, `failure` | error numbers, their texts, and the numbers of the core's errors |
//! | `border` | the border to C: views of arguments, allocator, exported symbols, `fork` |
//! | `elements` | selected elements, and a cache for small reads |
//! | `layout` | the layouts of types in the memory of C programs |
//! | `dataset`, `handles` | open datasets and their ids |
//! | `threads`, `plugins` | the number of threads, HDF5 plugins |
//! | `values`, `memory` | values in the memory of C programs |
//! | `lifetime`, `inquire`, `read` | the functions by topic |
//! | `library`, `refused`, `version2` | settings, functions that write, functions of netCDF version 2 |
#![deny(unsafe_code)]

mod border;
mod dataset;
mod elements;
mod error_number;
mod failure;
mod handles;
mod inquire;
mod layout;
mod library;
mod lifetime;
mod memory;
mod plugins;
mod read;
mod refused;
mod texts;
mod threads;
mod values;
mod version2;

#[cfg(feature = "calls")]
pub use border::calls;
