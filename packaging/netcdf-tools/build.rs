//! Exports the functions that HDF5 plugins use.

include!("../../netcdf-core/plugins.rs");

fn main() {
    export_to_plugins("bins");
}
