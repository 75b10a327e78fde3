//! The modes of ncdump, and the modes in which each option has an effect.
//!
//! A new option needs an entry here.

use netcdf_grammar::modes::{ModeTable, ToolMode};

/// Modes of our own that print selected variables and groups.
const SELECTED: &[&str] = &[
    "json", "filters", "sum", "stats", "layout", "require", "diff", "csv",
];

/// All modes: settings of the process, which affect every opened dataset.
const ALL: &[&str] = &[
    "dump", "kind", "extended", "ncml", "json", "filters", "sum", "stats", "layout", "require",
    "diff", "csv",
];

const JSON: &[&str] = &["json"];

/// Modes that read several inputs as one dataset.
const JOINS: &[&str] = &[
    "dump", "kind", "extended", "ncml", "json", "filters", "sum", "stats", "layout", "diff", "csv",
];

/// The modes, and the modes that use each option.
pub const MODES: ModeTable = ModeTable {
    modes: &[
        of_c("dump", ""),
        of_c("kind", "'-k'"),
        of_c("extended", "'-K'"),
        of_c("ncml", "'-x'"),
        own("json", "'--json'"),
        own("filters", "'--filters'"),
        own("sum", "'--sum'"),
        own("stats", "'--stats'"),
        ToolMode {
            with: &["require"],
            ..own("layout", "'--layout'")
        },
        own("require", "'--require'"),
        own("diff", "'--diff'"),
        own("csv", "'--csv'"),
    ],
    options: &[
        // Options of the C tool, in modes of our own.
        ("coordinates", &["json", "filters"]),
        ("header", &["json", "diff"]),
        ("variables", SELECTED),
        ("groups", SELECTED),
        ("brief", &[]),
        ("full", &[]),
        ("line_length", &[]),
        ("name", JSON),
        ("precision", &["csv"]),
        ("digits", &["csv"]),
        ("special", JSON),
        ("all_filters", JSON),
        ("times", &["csv"]),
        ("iso_times", &["csv"]),
        ("extra", &[]),
        ("cache", JSON),
        ("log_level", JSON),
        // Options of our own.
        (
            "select",
            &["dump", "ncml", "json", "sum", "stats", "diff", "csv"],
        ),
        ("tolerance", &["diff"]),
        ("ignore", &["diff"]),
        ("compare_layout", &["diff"]),
        ("check", &["sum"]),
        ("unpack", &["stats"]),
        (
            "json",
            &[
                "dump", "json", "kind", "extended", "filters", "sum", "stats", "layout", "diff",
            ],
        ),
        // Joins.
        ("join", JOINS),
        ("order", JOINS),
        ("overlap", JOINS),
        ("statics", JOINS),
        ("conflicts", JOINS),
        ("open_files", JOINS),
        ("join_new", JOINS),
        ("merge", JOINS),
        ("labels", JOINS),
        ("each", JOINS),
        ("inputs", JOINS),
        ("lacking", JOINS),
        ("time_units", JOINS),
        ("repack", JOINS),
        // The process.
        ("strict", ALL),
        ("prefer_plugins", ALL),
        ("isolate_plugins", ALL),
        ("plugin_timeout", ALL),
        ("threads", ALL),
        ("requests", ALL),
        ("timeout", ALL),
        ("io_stats", ALL),
        ("allow_external", ALL),
        ("fill_missing", ALL),
        ("trace", ALL),
    ],
};

const fn of_c(name: &'static str, shown: &'static str) -> ToolMode {
    ToolMode {
        of_c: true,
        ..own(name, shown)
    }
}

const fn own(name: &'static str, shown: &'static str) -> ToolMode {
    ToolMode {
        name,
        shown,
        of_c: false,
        with: &[],
    }
}
