//! The man page of ncdump.

use super::settings::{PLUGIN_FILES, PLUGINS};
use super::{Entries, Extra, STOPPED, details};

/// Details of options, by their ids.
const DETAILS: Entries = &[
    ("input", "A store in a bucket is s3://BUCKET/KEY."),
    ("others", "The exit status is the worst one."),
    (
        "variables",
        "Names match variables in any group. In patterns, * matches any characters, ? one character, and [a-z] one character of a set. A \
         backslash makes the next character literal.",
    ),
    ("groups", "/ is the root group."),
    ("kind", "For several files, each line is FILE: kind."),
    (
        "extended_kind",
        "For several files, each line is FILE: storage.",
    ),
    (
        "diff",
        "Values, attributes, types and dimensions are compared (docs/diff.md).",
    ),
    (
        "stats",
        "Histograms have equal bins between minimum and maximum (docs/stats.md).",
    ),
    (
        "csv",
        "Columns are coordinates or indices, auxiliary coordinates, and the variables. -t and -i print dates (docs/csv.md).",
    ),
    (
        "json",
        "Numbers have as many digits as are needed to read the same values back (docs/json.md).",
    ),
    (
        "layout",
        "docs/cloud.md describes the table and the problems.",
    ),
    ("require", "docs/cloud.md describes the rules."),
    (
        "sum",
        "docs/sum.md describes the digests, so that other programs can compute them.",
    ),
    ("strict", "The exit status is 1 if anything is skipped."),
    (
        "precision",
        "C_format is an attribute with a format for the values of a variable.",
    ),
];

/// The man page.
pub const NCDUMP: Extra = Extra {
    status: &[
        (
            "0",
            "success, including a closed output pipe (EPIPE). With --diff: no differences. With --require: no violations. With --filters: \
             no missing filters. With --sum --check: all digests match",
        ),
        (
            "1",
            "failure: standard error names the cause, the location and a remedy. This includes data that cannot be read, because a \
             filter is missing or a chunk is damaged; all other data is printed. With --strict: a note was printed. With --diff: \
             differences. With --require: violations. With --filters: a missing filter. With --sum --check: a digest does not match, or \
             a dataset cannot be read",
        ),
        (
            "2",
            "wrong command line. With --diff, --layout and --require: any error, so that 1 only means differences or violations",
        ),
        STOPPED,
    ],
    uses: &[
        "-h [-v VAR,…] [-g GROUP,…] [OPTIONS] <FILE>",
        "-k [--json] <FILE>...",
        "-K [--json] <FILE>...",
        "-x [OPTIONS] <FILE>",
        "--json [-h] [-c] [-v VAR,…] [-g GROUP,…] [-s] [-F] [-n NAME] [OPTIONS] <FILE>",
        "--filters [-v VAR,…] [--json] <FILE>...",
        "--sum [-v VAR,…] [--select DIM,…] [--json] <FILE>...",
        "--sum --check <LIST>...",
        "--stats [-v VAR,…] [--unpack] [--select DIM,…] [--json] <FILE>...",
        "--layout [--require RULES] [-v VAR,…] [--json] <FILE>...",
        "--require RULES [-v VAR,…] <FILE>...",
        "--csv -v VAR,… [-t|-i] [--select DIM,…] <FILE>",
        "--join[=DIM] [OPTIONS] <FILE>...",
        "--diff [-h] [-v VAR,…] [--tolerance ABS[,REL]] [--ignore NAME,…] [--compare-layout] [--json] <FILE> <FILE2>",
    ],
    environment: &[PLUGINS],
    files: &[PLUGIN_FILES],
    details: &[DETAILS, details::SHARED],
    notes: &[
        "CDL is printed to standard output: the header (dimensions, variables, attributes), then the data. ncgen turns the text, edited \
         or not, back into a dataset.",
        "ncdump skips data that is damaged or needs a missing filter. A comment replaces the data, standard error names the variable and \
         the reason, and the exit status is 1. All other data is printed.",
        "Options of the C tool keep their letters and meanings; all other options have long names only.",
    ],
    first_examples: &::ncdump::cli::EXAMPLES,
    examples: &[
        (
            "ncdump -v lat,lon -f c in.nc",
            "Print two variables, each value with its indices",
        ),
        (
            "ncdump -p exact in.nc | ncgen -o out.nc",
            "Copy through CDL without loss",
        ),
        (
            "zcat in.nc.gz | ncdump -k -",
            "Print the kind of a dataset from a pipe",
        ),
        ("ncdump -x in.nc > in.ncml", "Describe the dataset in NcML"),
        (
            "ncdump --filters in.nc",
            "Print the filters of each variable, and missing filters",
        ),
        (
            "ncdump --diff --tolerance 0,1e-6 in.nc other.nc",
            "Compare two datasets; numbers may differ by a millionth",
        ),
        (
            "nccopy --cloud in.nc out.nc && ncdump --require cloud out.nc",
            "Optimize the layout for remote readers, and check it",
        ),
        ("ncdump --json -v time in.nc", "Print a variable as JSON"),
        (
            "ncdump --sum in.nc > sums; ncdump --sum --check sums",
            "Print digests, and verify them later",
        ),
    ],
};
