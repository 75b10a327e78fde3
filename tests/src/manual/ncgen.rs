//! The man page of ncgen.

use super::settings::{OUTPUT_FILES, OUTPUTS, PLUGIN_FILES, PLUGINS};
use super::{Entries, Extra, STOPPED, SUCCESS, USAGE, details};

/// Details of options, by their ids.
const DETAILS: Entries = &[
    (
        "kind",
        "By default, the mode in a URL decides, then the name of the output (zarr3 if it ends in .zarr or .zip), then the attribute \
         _Format in the text. Otherwise, the output has the oldest kind that can store the dataset.",
    ),
    (
        "file",
        "A URL can also name a store: file://PATH#mode=nczarr,file or s3://BUCKET/KEY.",
    ),
    (
        "whole",
        "The program writes larger variables, and variables with unlimited dimensions, row by row.",
    ),
    (
        "cloud",
        "In netCDF-4 files, this includes the chunk indexes of variables with lengths that are known before their data \
         (docs/cloud.md).",
    ),
    ("strict", "A text with warnings has no output."),
];

/// The man page.
pub const NCGEN: Extra = Extra {
    status: &[
        SUCCESS,
        (
            "1",
            "failure: standard error lists the errors, each with its line and column. No output is written",
        ),
        USAGE,
        STOPPED,
    ],
    uses: &[
        "[-H] [--strict] [OPTIONS] <INPUT>",
        "-o <FILE> [-k KIND] [OPTIONS] <INPUT>",
        "-b|-n [-k KIND] [OPTIONS] <INPUT>",
        "-l c|f77|java|-c|-f [-k KIND] [-M NAME] [-o FILE] <INPUT>",
    ],
    environment: &[PLUGINS, OUTPUTS],
    files: &[PLUGIN_FILES, OUTPUT_FILES],
    details: &[DETAILS, details::SHARED, details::WRITING],
    notes: &[
        "Text that begins with { is read as JSON, as ncdump --json prints it. All other text is CDL.",
        "Without -o, -b, -n or a kind, ncgen only checks the text, including the data.",
        "The output appears under its name only when it is complete. Until then, the output is a file without a name in the same \
         directory. File systems without unnamed files, such as NFS, have a temporary file .NAME.??????.tmp instead, which a killed run \
         leaves behind. You can remove this file; the next run with the same output also removes it.",
        "ncgen reads data as a stream, so memory use does not grow with the data. One run reports up to 20 errors, each with its line, \
         its column and the expected text.",
    ],
    first_examples: &::ncgen::cli::EXAMPLES,
    examples: &[
        (
            "ncgen -b in.cdl",
            "Write a dataset named after the text, with the oldest kind that supports its contents",
        ),
        ("ncgen -k cdf5 -o out.nc in.cdl", "Write a CDF-5 file"),
        (
            "ncdump in.nc | sed s/celcius/celsius/ | ncgen -o out.nc",
            "Correct a dataset through CDL",
        ),
        (
            "ncgen -lc -k nc4 in.cdl > in.c",
            "Print a C program that creates the dataset",
        ),
        (
            "ncdump --json in.nc | ncgen -k zarr3 -o out.zarr",
            "Create a Zarr store from JSON",
        ),
    ],
};
