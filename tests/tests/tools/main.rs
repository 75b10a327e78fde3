//! `ncdump` and `ncgen`, and options that all tools share.
#![forbid(unsafe_code)]

mod csv;
mod diff;
mod edits;
mod expected;
mod layout;
mod multi_call;
mod ncdump;
mod ncdump_hdf5;
mod ncgen;
mod other_files;
mod several_files;
mod shown;
mod threads;
mod words;
