//! The netCDF data model, its file formats and the engine that moves data between them.
#![deny(unsafe_code)]
