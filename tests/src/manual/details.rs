//! Details of options that several tools have, by the ids of the options.

use super::Entries;

/// Details of options for reading, and of the process.
pub const SHARED: Entries = &[
    (
        "select",
        "Negative indices count from the end. Both limits are included, and an empty limit is open: x,,,10 is every tenth element. A \
         month or day as the second limit includes the whole month or day, and time,2001-06 selects a whole month. If the first \
         longitude is larger than the second, the range crosses the end of the coordinate. The option can be repeated: ranges of one \
         dimension are joined (docs/select.md).",
    ),
    (
        "allow_external",
        "These are external links of HDF5, sources of virtual datasets, raw data files, and symbolic links in Zarr stores.",
    ),
    ("join", "docs/join.md describes joins."),
    ("isolate_plugins", "The error names the plugin."),
    ("requests", "The maximum for local files is 64."),
    ("timeout", "The maximum is 86400."),
];

/// Details of options for writing.
pub const WRITING: Entries = &[
    (
        "consolidated",
        "The key is .zmetadata in version 2, and zarr.json of the root group in version 3. NCZARR_CONSOLIDATED=1 has the same effect.",
    ),
    (
        "overwrite",
        "In a bucket, this option is required to replace objects below the key (docs/remote.md).",
    ),
    (
        "keep_links",
        "By default, the output replaces the given name only, and a note reports the other links.",
    ),
];
