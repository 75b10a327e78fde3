//! The modes of zdump, which are its commands, and the modes in which each option has an effect.
//!
//! A new option needs an entry here. `--compat` is not a mode: it has the command line of another program.

use netcdf_grammar::modes::{ModeTable, ToolMode};

/// All modes: settings of the process.
const ALL: &[&str] = &[
    "tree", "keys", "cat", "chunk", "codecs", "check", "stat", "map", "image", "diff",
];

/// The modes, and the modes that use each option.
pub const MODES: ModeTable = ModeTable {
    modes: &[
        mode("tree", "'tree'"),
        mode("keys", "'keys'"),
        mode("cat", "'cat'"),
        mode("chunk", "'chunk'"),
        mode("codecs", "'codecs'"),
        mode("check", "'check'"),
        mode("stat", "'stat'"),
        mode("map", "'map'"),
        mode("image", "'map -o'"),
        mode("diff", "'diff'"),
    ],
    options: &[
        ("depth", &["tree"]),
        ("raw", &["cat", "diff"]),
        ("hex", &["cat"]),
        ("all", &["chunk"]),
        ("at", &["chunk"]),
        ("times", &["chunk"]),
        ("stage", &["chunk"]),
        ("missing", &["codecs"]),
        ("deep", &["check"]),
        ("complete", &["check"]),
        ("quiet", &["check"]),
        ("output", &["map", "image"]),
        ("decode", &["map", "image"]),
        (
            "json",
            &[
                "tree", "keys", "cat", "chunk", "codecs", "check", "stat", "map", "diff",
            ],
        ),
        (
            "prefer_plugins",
            &[
                "tree", "chunk", "codecs", "check", "stat", "map", "image", "diff",
            ],
        ),
        ("allow_external", ALL),
        ("trace", ALL),
        ("threads", ALL),
        ("requests", ALL),
        ("timeout", ALL),
        ("io_stats", ALL),
    ],
};

const fn mode(name: &'static str, shown: &'static str) -> ToolMode {
    ToolMode {
        name,
        shown,
        of_c: false,
        with: &[],
    }
}
