//! The man page of nccopy.

use super::settings::{OUTPUT_FILES, OUTPUTS, PLUGIN_FILES, PLUGINS, TASKS};
use super::{Entries, Extra, STOPPED, USAGE, details};

/// Details of options, by their ids.
const DETAILS: Entries = &[
    (
        "paths",
        "Pipes, devices and standard output are written in place. A Zarr store is a directory, or a zip file if the name ends in .zip. A \
         URL can also name a store: file://PATH#mode=nczarr,file or s3://BUCKET/KEY.",
    ),
    (
        "kind",
        "By default, the mode in a URL decides, then the name of the output: .zarr and .zip are Zarr, of the kind of a Zarr input, else \
         zarr3. Otherwise, the output has the kind of the input, and a Zarr input becomes netCDF-4.",
    ),
    (
        "only_vars",
        "Names match variables in any group. In patterns, * matches any characters, ? one character, and [a-z] one character of a set. A \
         backslash makes the next character literal.",
    ),
    (
        "coordinates",
        "These are coordinate variables, and the variables that attributes such as coordinates, bounds and grid_mapping name (CF \
         conventions).",
    ),
    (
        "rename",
        "A path such as /g/v names one object. Attributes that name variables, such as coordinates and bounds, are updated. The option \
         can be repeated (docs/select.md).",
    ),
    (
        "attribute",
        "A type before the variable sets the type of the values: 'short v@levels=1, 2'. The owner is a list of variables as for -V, or \
         of groups: '/g/@title=\"…\"'. Names refer to the input. The option can be repeated.",
    ),
    (
        "enums",
        "Enum attributes become integers. Kinds with truth values store enums of FALSE = 0 and TRUE = 1 as truth values.",
    ),
    (
        "chunks",
        "dim/ without N is the whole dimension. Names of variables are paths from the root group: v, /g/v. The option can be repeated.",
    ),
    (
        "filters",
        "The form is VAR&VAR,FILTER,PARAMETER,…|FILTER,…. A pattern applies to all matching variables that can have the filter; lossy \
         filters skip coordinates and the variables that describe them. A variable named without a pattern gets exactly these filters. \
         'none' alone removes the filters of all other variables. The option can be repeated (docs/filters.md).",
    ),
    (
        "quantize",
        "N is 1 to 6 digits or 1 to 23 bits for float, and 1 to 15 digits or 1 to 52 bits for double. Patterns skip coordinates and the \
         variables that describe them, and 'var,none' exempts a variable (docs/filters.md).",
    ),
    (
        "cloud",
        "Coordinates and small variables precede other data. Chunks of the input are kept if they have a quarter to four times that \
         size. cmip7: also time and its bounds in one chunk each, and no chunks below --chunk-size. paged: also metadata in pages of \
         SIZE bytes, a power of two [default: the smallest from 64Ki to 8Mi that stores all metadata]. Other options take precedence (docs/cloud.md).",
    ),
    (
        "in_place",
        "All paths are inputs, and a directory stands for its datasets. An input that cannot be copied without loss stays unchanged, and \
         the run fails at the end.",
    ),
    (
        "recursive",
        "The content of a file decides whether the file is a dataset. A Zarr store is one dataset. Symbolic links to files are followed; \
         links to directories and names that begin with a dot are skipped.",
    ),
    (
        "suffix",
        "By default, the extension of the input stays, unless it belongs to another format: with -k zarr3, copies end in .zarr, and \
         copies of Zarr stores with -k nc4 end in .nc.",
    ),
    (
        "dry_run",
        "json prints a line for each input (docs/json.md).",
    ),
    (
        "report",
        "json prints a line for each finished input (docs/json.md).",
    ),
    ("split", "docs/join.md describes the parts."),
    (
        "strict",
        "nccopy does not write a dataset if it would print a note about skipped or changed data.",
    ),
    (
        "allow_large",
        "A large output is an error if the input stores less than a thousandth of its data.",
    ),
    (
        "plan",
        "The directory must be new or empty (docs/machines.md).",
    ),
    (
        "stages",
        "The first stage cuts the input into fragments, and the second stage assembles them. Two stages cost less if the parts of one \
         stage would decode each input chunk many times.",
    ),
    (
        "allow_secrets",
        "This happens on file systems without permissions, such as exFAT and mounted buckets.",
    ),
    (
        "one_part",
        "A part can be repeated any number of times. auto reads SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX.",
    ),
    (
        "lease",
        "With --finish: lease time of the right to finish the plan, in buckets and on file systems without locks. nccopy renews this \
         lease.",
    ),
    ("no_check", "--report needs the comparison."),
    (
        "emit",
        "slurm: a shell script with a job array. dask: a Python script. snakemake: a Snakefile. parallel: a shell script for GNU \
         parallel, on one or several hosts.",
    ),
];

/// The man page.
pub const NCCOPY: Extra = Extra {
    status: &[
        ("0", "success, including a closed output pipe (EPIPE)"),
        (
            "1",
            "failure: standard error names the cause, the location and a remedy. With several inputs: at least one input was not copied",
        ),
        USAGE,
        (
            "75",
            "with --plan, --part, --next, --finish and --clean: a temporary failure. Another process uses the plan, other parts are not \
             complete, or reading or writing failed: run the same command again",
        ),
        STOPPED,
    ],
    uses: &[
        "--next [--lease SECONDS] <DIR>",
        "--status [--json] <DIR>",
        "--clean <DIR>",
        "--emit <ENGINE> <DIR>",
        "--dry-run[=json] [OPTIONS] <INPUT>... <OUTPUT>",
    ],
    environment: &[PLUGINS, OUTPUTS, TASKS],
    files: &[
        PLUGIN_FILES,
        OUTPUT_FILES,
        &[(
            "DIR/plan.json",
            "plan written by --plan DIR (docs/machines.md)",
        )],
    ],
    details: &[DETAILS, details::SHARED, details::WRITING],
    notes: &[
        "The output appears under its name only when it is complete. A run that fails, is interrupted or is killed leaves an old output \
         unchanged. Until then, the output is a file without a name in the same directory. File systems without unnamed files, such as \
         NFS, have a temporary file .NAME.??????.tmp instead, which a killed run leaves behind. You can remove this file; the next run \
         with the same output also removes it.",
        "The output has the kind of the input by default. -F creates netCDF-4 files, and -d, -s and -c turn classic files into netCDF-4 \
         classic model files. Data that the output kind cannot store is an error before anything is written.",
        "-F none removes the filters of all variables that -F does not name, and -d replaces all filters of these variables except a \
         checksum.",
        "nccopy copies several datasets in sequence. After a failed dataset, nccopy continues. At the end, nccopy lists the \
         failed datasets.",
    ],
    first_examples: &::nccopy::cli::EXAMPLES,
    examples: &[
        ("nccopy -k cdf5 in.nc out.nc", "Convert a dataset to CDF-5"),
        (
            "nccopy -V time,temperature in.nc out.nc",
            "Copy two variables and their dimensions",
        ),
        ("nccopy -u in.nc out.nc", "Make unlimited dimensions fixed"),
        ("nccopy - out.nc < in.nc", "Copy from a pipe"),
        (
            "nccopy -F '*,shuffle|zstd,5' -F 'lat&lon,none' in.nc out.nc",
            "Compress all variables except two with Zstandard",
        ),
        (
            "nccopy -c time/10,lat/4,lon/4 --memory 1G in.nc out.nc",
            "Change the chunk shape",
        ),
        (
            "nccopy -F '*,zstd,3' --report data/*.nc out/",
            "Compress many files, and report the savings",
        ),
        (
            "nccopy -d5 -c / --dry-run in.nc out.nc",
            "Print the planned work",
        ),
        (
            "nccopy --plan plan --parts 8 -k zarr3 in.nc out.zarr; nccopy --next plan; nccopy --finish plan",
            "Copy in parts, on one or more hosts",
        ),
    ],
};
