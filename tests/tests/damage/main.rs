//! Damaged and hostile files. One test checks the memory peak of the process.
#![forbid(unsafe_code)]

mod damaged;
mod damaged_hdf4;
mod damaged_hdf5;
mod damaged_tools;
mod hostile_cdl;
