//! HDF5 plugins and codec libraries. Loaded libraries stay in the process.
#![forbid(unsafe_code)]

mod codecs;
mod guarded;
mod isolation;
mod loaded;
mod shared;
