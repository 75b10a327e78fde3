//! Formats: HDF4, HDF5, classic headers, filters, round trips.
#![forbid(unsafe_code)]

mod damaged_chunks;
mod filters;
mod hdf4;
mod hdf5_writer;
mod malformed;
mod opening;
mod roundtrip;
