//! HDF5 plugins. They run in helper processes, because libhdf5 may be in the process of the library: a plugin would call its functions, which
//! do not know our types.

use std::path::PathBuf;

use netcdf_core::cancel::Cancel;
use netcdf_core::filter::FilterTable;
use netcdf_core::filter::plugin::{Isolation, Plugins};

use crate::border::library_file;

/// The environment variable for the helper program.
const HELPER: &str = "NETCDF_PLUGIN_HELPER";
/// The helper program in the directory of the library: one of the tools under another name.
const NAME: &str = "netcdf-plugin-helper";

/// Returns the built-in filters, and the plugins of the environment.
pub(crate) fn filters() -> FilterTable {
    let plugins = Plugins::from_environment(false).isolated(Isolation {
        program: helper(),
        patience: Isolation::PATIENCE,
        cancel: Cancel::default(),
    });
    FilterTable::with_plugins(plugins)
}

fn helper() -> PathBuf {
    let beside = || library_file().map(|file| file.with_file_name(NAME));
    let named = std::env::var_os(HELPER).map(PathBuf::from);
    named.or_else(beside).unwrap_or_else(|| PathBuf::from(NAME))
}
