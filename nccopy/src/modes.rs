//! The modes of nccopy, and the modes in which each option has an effect.
//!
//! A new option needs an entry here.

use netcdf_grammar::modes::{ModeTable, ToolMode};

/// Modes that copy or plan a copy.
const COPIES: &[&str] = &["copy", "in_place", "append", "add_variables", "plan"];

/// Modes that copy, plan a copy, or write references.
const OUTPUTS: &[&str] = &[
    "copy",
    "in_place",
    "append",
    "add_variables",
    "plan",
    "references",
];

/// Modes that may change names and dimensions of the output.
const CHANGES: &[&str] = &["copy", "in_place", "plan", "references"];

/// Modes with a copy of the whole input.
const WHOLE: &[&str] = &["copy", "in_place", "plan"];

/// Modes with outputs of other names than the inputs.
const NEW: &[&str] = &["copy", "plan", "references"];

/// Options of references.
const REFERENCES: &[&str] = &["references"];

/// Copies without a plan.
const AT_ONCE: &[&str] = &["copy", "in_place", "append", "add_variables"];

/// Modes that join inputs or merge their variables.
const MERGES: &[&str] = &["copy", "append", "add_variables", "plan", "references"];

/// Modes that join inputs along a dimension.
const JOINS: &[&str] = &["copy", "append", "plan", "references"];

/// Modes that read or write datasets.
const DATASETS: &[&str] = &[
    "copy",
    "in_place",
    "append",
    "add_variables",
    "references",
    "plan",
    "part",
    "next",
    "finish",
];

/// All modes: settings of the process without influence on the output.
const ALL: &[&str] = &[
    "copy",
    "in_place",
    "append",
    "add_variables",
    "references",
    "recover",
    "plan",
    "part",
    "next",
    "finish",
    "status",
    "clean",
    "emit",
];

/// The modes, and the modes that use each option.
pub const MODES: ModeTable = ModeTable {
    modes: &[
        mode("copy", ""),
        mode("in_place", "'--in-place'"),
        mode("append", "'--append'"),
        mode("add_variables", "'--add-variables'"),
        mode("references", "'-k kerchunk'"),
        mode("recover", "'--recover'"),
        mode("plan", "'--plan'"),
        mode("part", "'--part'"),
        mode("next", "'--next'"),
        mode("finish", "'--finish'"),
        mode("status", "'--status'"),
        mode("clean", "'--clean'"),
        mode("emit", "'--emit'"),
    ],
    options: &[
        // The kind.
        ("kind", OUTPUTS),
        ("classic", OUTPUTS),
        ("netcdf4", OUTPUTS),
        ("cdf5", OUTPUTS),
        ("offset64", OUTPUTS),
        ("netcdf4_classic", OUTPUTS),
        // The selection.
        ("fix_unlimited", CHANGES),
        ("data_vars", NEW),
        ("only_vars", NEW),
        ("coordinates", NEW),
        ("data_groups", NEW),
        ("only_groups", NEW),
        ("select", NEW),
        ("rename", CHANGES),
        ("attribute", CHANGES),
        ("enums", WHOLE),
        ("unlimited", WHOLE),
        ("history", OUTPUTS),
        ("history_time", OUTPUTS),
        // The storage.
        ("deflate", COPIES),
        ("shuffle", COPIES),
        ("chunks", COPIES),
        ("shards", COPIES),
        ("filters", COPIES),
        ("quantize", COPIES),
        ("min_chunk", COPIES),
        ("chunk_size", OUTPUTS),
        ("cloud", COPIES),
        ("consolidated", COPIES),
        ("zip_prefix", COPIES),
        ("no_zip_prefix", COPIES),
        ("overwrite", CHANGES),
        // Accepted, without effect.
        ("buffer", COPIES),
        ("cache", COPIES),
        ("cache_chunks", COPIES),
        ("write_diskless", COPIES),
        ("read_diskless", COPIES),
        ("computed_caches", COPIES),
        ("log_level", COPIES),
        // The outputs.
        ("keep_links", NEW),
        ("no_clobber", &["copy", "references"]),
        ("skip_existing", &["copy", "references"]),
        ("suffix", NEW),
        ("recursive", CHANGES),
        ("force", &["in_place"]),
        ("if_smaller", &["in_place"]),
        ("keep_mtime", &["in_place"]),
        ("dry_run", AT_ONCE),
        ("split", &["copy"]),
        (
            "report",
            &[
                "copy",
                "in_place",
                "append",
                "add_variables",
                "references",
                "finish",
            ],
        ),
        (
            "verify",
            &[
                "copy",
                "in_place",
                "append",
                "add_variables",
                "plan",
                "finish",
            ],
        ),
        ("strict", OUTPUTS),
        ("allow_external", OUTPUTS),
        ("fill_missing", OUTPUTS),
        ("allow_large", COPIES),
        // References.
        ("inline", REFERENCES),
        ("skip_unreadable", REFERENCES),
        ("url_prefix", REFERENCES),
        ("record_size", REFERENCES),
        // Copies in parts.
        ("parts", &["plan"]),
        ("part_size", &["plan"]),
        ("stages", &["plan"]),
        ("allow_secrets", &["plan"]),
        ("lease", &["next", "finish"]),
        ("no_check", &["finish"]),
        ("json", &["status"]),
        // Joins.
        ("join", NEW),
        ("order", JOINS),
        ("overlap", JOINS),
        ("statics", MERGES),
        ("conflicts", MERGES),
        ("open_files", MERGES),
        ("join_new", NEW),
        ("merge", NEW),
        ("labels", NEW),
        ("each", NEW),
        ("inputs", MERGES),
        ("lacking", JOINS),
        ("time_units", NEW),
        ("repack", NEW),
        // The process.
        ("prefer_plugins", DATASETS),
        ("isolate_plugins", DATASETS),
        ("plugin_timeout", DATASETS),
        ("memory", ALL),
        ("threads", ALL),
        ("requests", ALL),
        ("timeout", ALL),
        ("io_stats", ALL),
        ("no_sync", ALL),
        ("quiet", ALL),
        ("trace", ALL),
    ],
};

const fn mode(name: &'static str, shown: &'static str) -> ToolMode {
    ToolMode {
        name,
        shown,
        // The C tool copies to another name.
        of_c: shown.is_empty(),
        with: &[],
    }
}
