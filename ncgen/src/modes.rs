//! The modes of ncgen, and the modes in which each option has an effect.
//!
//! A new option needs an entry here.

use netcdf_grammar::modes::{ModeTable, ToolMode};

const BINARY: &[&str] = &["binary"];

/// All modes: settings of the process, and treatment of warnings.
const ALL: &[&str] = &["check", "binary", "program"];

/// The modes, and the modes that use each option. Options of the C tool are accepted in all modes.
pub const MODES: ModeTable = ModeTable {
    modes: &[
        mode("check", "a check of the text (give -o, -b, -n or a kind)"),
        mode("binary", "a netCDF output"),
        mode("program", "a program as output"),
    ],
    options: &[
        ("binary", &[]),
        ("cdf", &[]),
        ("language", &[]),
        ("c", &[]),
        ("f77", &[]),
        ("file", &[]),
        ("name", &[]),
        ("main", &[]),
        ("kind", &[]),
        ("classic", &[]),
        ("netcdf4", &[]),
        ("cdf5", &[]),
        ("offset64", &[]),
        ("netcdf4_classic", &[]),
        ("header_only", &[]),
        ("no_fill", &[]),
        ("one", &[]),
        ("diskless", &[]),
        ("whole", &[]),
        ("buffer", &[]),
        ("debug", &[]),
        ("debug_level", &[]),
        ("log_level", &[]),
        ("usage", &[]),
        // The output.
        ("consolidated", BINARY),
        ("zip_prefix", BINARY),
        ("no_zip_prefix", BINARY),
        ("overwrite", BINARY),
        ("keep_links", BINARY),
        ("allow_large", BINARY),
        ("cloud", BINARY),
        // The process.
        ("strict", ALL),
        ("quiet", ALL),
        ("no_sync", ALL),
        ("prefer_plugins", ALL),
        ("isolate_plugins", ALL),
        ("plugin_timeout", ALL),
        ("threads", ALL),
        ("requests", ALL),
        ("timeout", ALL),
        ("io_stats", ALL),
        ("trace", ALL),
    ],
};

const fn mode(name: &'static str, shown: &'static str) -> ToolMode {
    ToolMode {
        name,
        shown,
        of_c: true,
        with: &[],
    }
}
