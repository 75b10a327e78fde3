//! The man page of zdump.

use super::settings::{COLOURS, PLUGIN_FILES, PLUGINS};
use super::{Extra, STOPPED, SUCCESS, USAGE, details};

/// The man page.
pub const ZDUMP: Extra = Extra {
    status: &[
        SUCCESS,
        (
            "1",
            "failure: standard error names the cause. With check: errors in the store. With chunk and map: a chunk that cannot be \
             decoded. With codecs --missing: missing codecs. With diff: differences",
        ),
        USAGE,
        ("3", "with check: the argument is not a Zarr store"),
        STOPPED,
    ],
    uses: &[],
    environment: &[PLUGINS, COLOURS],
    files: &[PLUGIN_FILES],
    details: &[details::SHARED],
    notes: &[
        "zdump reads the storage itself rather than the dataset, so it can show stores that no reader accepts. It never writes to a \
         store. A store is a directory, a zip file or an object prefix, given by path or URL (file://PATH#mode=zarr,zip, \
         s3://BUCKET/KEY), or - for a zip file on standard input. Without a command, zdump runs tree.",
        "Commands print text, or with --json one line of JSON per item (docs/zdump.md). Colours and characters beyond ASCII are printed \
         only on a terminal, and only if NO_COLOR is not set.",
        "With --compat as the first argument, zdump takes the options of zmapio, a test program of netCDF-C, and prints the same \
         output: -h (no chunks), -t TYPE[/LENGTH], -d (keys first, on standard error), -x objdump, -F FORMAT (of one number), -Xm \
         (without .zmetadata), -T LEVEL. -x clear is an error, because zdump never writes.",
    ],
    first_examples: &::zdump::cli::EXAMPLES,
    examples: &[
        (
            "zdump keys in.zarr '**/zarr.json'",
            "List the metadata keys below the root group, with their sizes",
        ),
        (
            "zdump cat in.zarr temperature/zarr.json",
            "Print the metadata of an array",
        ),
        (
            "zdump chunk in.zarr temperature 0,0,0",
            "Print the values of a chunk, and the result of each codec",
        ),
        (
            "zdump codecs --missing in.zarr",
            "Show codecs that must be installed to read the store",
        ),
        ("zdump diff in.zarr other.zip", "Compare two stores"),
        (
            "zdump --compat -t int in.zarr",
            "Print all keys and their contents, as zmapio does",
        ),
    ],
};
