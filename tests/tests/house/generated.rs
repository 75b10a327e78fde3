//! Man pages and completions match the command lines. `UPDATE=1` regenerates them.

use std::path::Path;

use netcdf_tools_tests::completions::completions;
use netcdf_tools_tests::files::root;
use netcdf_tools_tests::manual::settings::{OUTPUT_FILES, OUTPUTS, PLUGIN_FILES, PLUGINS};
use netcdf_tools_tests::manual::{Extra, page};

const NCDUMP: Extra = Extra {
    status: &[
        (
            "1, with data that cannot be read",
            "the rest is printed: a missing filter, a damaged chunk, or notes with --strict",
        ),
        (
            "0, 1, 2 with --diff",
            "0: no differences, 1: differences, 2: an error",
        ),
        (
            "0, 1, 2 with --require",
            "0: the dataset follows the rules, 1: it does not, 2: an error",
        ),
        (
            "1, with --sum --check",
            "a dataset does not have its digest, or cannot be read",
        ),
        ("1, with --filters", "a filter is missing"),
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
        "--diff [-h] [-v VAR,…] [--tolerance ABS[,REL]] [--ignore NAME,…] [--compare-layout] [--json] <FILE> <FILE2>",
    ],
    environment: &[PLUGINS],
    files: &[PLUGIN_FILES],
    notes: &[
        "CDL goes to standard output: the header (dimensions, variables, attributes), then the data. The text can be edited and \
         turned back into a dataset with ncgen.",
        "ncdump omits data that is damaged or needs a missing filter. A comment replaces the data, standard error names the \
         variable and the reason, and the exit status is 1. All other data is printed.",
        "Options of the C tool keep their letters and meanings; all other options have long names only.",
    ],
    examples: &[
        (
            "ncdump -h x.nc",
            "Print the header: what is in the dataset.",
        ),
        (
            "ncdump -v lat,lon -f c x.nc",
            "Print two variables, each value with its indices.",
        ),
        ("ncdump -t -v time x.nc", "Print times as dates."),
        (
            "ncdump -p exact x.nc | ncgen -o copy.nc",
            "A copy by way of text, to the last bit.",
        ),
        (
            "zcat x.nc.gz | ncdump -k -",
            "Print the kind of a dataset that comes through a pipe.",
        ),
        ("ncdump -x x.nc > x.ncml", "Describe the dataset in NcML."),
        (
            "ncdump --filters x.nc",
            "Say which filters the data went through, and which of them are missing here.",
        ),
        (
            "ncdump --diff --tolerance 0,1e-6 a.nc b.nc",
            "Compare two datasets; numbers may differ by a millionth.",
        ),
        (
            "ncdump --require cmip7 x.nc",
            "Check the layout of a file for CMIP7.",
        ),
        (
            "ncdump --json -v time x.nc | jq .variables.time",
            "Print a variable as JSON.",
        ),
        (
            "ncdump --sum x.nc > sums; ncdump --sum --check sums",
            "Print digests, and compare them later.",
        ),
    ],
};

const NCCOPY: Extra = Extra {
    status: &[
        (
            "1, with several inputs",
            "at least one input was not copied",
        ),
        (
            "75",
            "with --part, --next, --finish and --clean: another process uses the plan, other parts are not done, or the system had an error that may pass; run the same command again",
        ),
    ],
    uses: &[
        "--next [--lease SECONDS] <DIR>",
        "--status [--json] <DIR>",
        "--clean <DIR>",
        "--emit <ENGINE> <DIR>",
        "--dry-run[=json] [OPTIONS] <INPUT>... <OUTPUT>",
    ],
    environment: &[
        PLUGINS,
        OUTPUTS,
        &[(
            "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX",
            "the part for --part auto",
        )],
    ],
    files: &[
        PLUGIN_FILES,
        OUTPUT_FILES,
        &[("DIR/plan.json", "the plan of --plan DIR (docs/machines.md)")],
    ],
    notes: &[
        "The output has the kind of the input, unless an option says otherwise: -F makes netCDF-4 files; -d, -s and -c turn \
         classic files into netCDF-4 classic model files. Anything that the kind of the output cannot hold is an error before \
         anything is written; nothing is cut off.",
        "Names of variables in -c and -F are paths from the root group: v, /g/v. In -F, * stands for any characters, ? for one, \
         [a-z] for one of a set, none of them for a /; * alone means all variables of all groups. A name takes precedence over a \
         pattern, and a backslash makes the next character an ordinary one.",
        "A variable named with -F gets exactly these filters, whatever the input has and -d asks for. From all other variables, \
         -F none removes all filters, and -d all but a checksum.",
        "Several datasets are copied one by one. If one fails, the others are still copied; the failed ones are listed at the \
         end, and the exit status is 1.",
    ],
    examples: &[
        ("nccopy -k cdf5 x.nc y.nc", "Convert a dataset to CDF-5."),
        (
            "nccopy -V time,temperature x.nc small.nc",
            "Keep two variables and what they need.",
        ),
        (
            "nccopy -u x.nc fixed.nc",
            "Make unlimited dimensions fixed.",
        ),
        ("nccopy - y.nc < x.nc", "Copy from a pipe."),
        ("nccopy -d1 -s x.nc y.nc", "Compress all variables."),
        (
            "nccopy -F '*,shuffle|zstd,5' -F 'lat&lon,none' x.nc y.nc",
            "Compress all variables but two with Zstandard.",
        ),
        (
            "nccopy -c time/1000,lat/40,lon/40 --memory 1G slow.nc fast.nc",
            "Change the shape of the chunks.",
        ),
        (
            "nccopy -F '*,zstd,3' --report in/*.nc out/",
            "Compress many files, and report the savings.",
        ),
        (
            "nccopy -d5 -c / --dry-run x.nc y.nc",
            "See what would be done.",
        ),
        (
            "nccopy --in-place -F '*,zstd,3' --verify data/",
            "Compress all files of a directory in place.",
        ),
        (
            "nccopy --plan plan --parts 8 -k zarr3 x.nc x.zarr; nccopy --next plan; nccopy --finish plan",
            "Copy in parts, on one or more machines.",
        ),
    ],
};

const NCGEN: Extra = Extra {
    status: &[],
    uses: &[
        "[-H] [--strict] [OPTIONS] <INPUT>",
        "-o <FILE> [-k KIND] [OPTIONS] <INPUT>",
        "-b|-n [-k KIND] [OPTIONS] <INPUT>",
        "-l c|f77|java|-c|-f [-k KIND] [-M NAME] [-o FILE] <INPUT>",
    ],
    environment: &[PLUGINS, OUTPUTS],
    files: &[PLUGIN_FILES, OUTPUT_FILES],
    notes: &[
        "Data is read as a stream, so memory use does not grow with it. One run reports up to 20 errors, each with its line, its \
         column and what was expected there.",
    ],
    examples: &[
        (
            "ncgen -b x.cdl",
            "Make a dataset named after the text in x.cdl, of the oldest kind that can hold it.",
        ),
        ("ncgen -k cdf5 -o x.nc x.cdl", "Make a CDF-5 file."),
        (
            "ncdump x.nc | sed s/celcius/celsius/ | ncgen -o y.nc",
            "Correct a dataset by way of text.",
        ),
        ("ncgen x.cdl", "Check the syntax of CDL; no file is made."),
        (
            "ncgen -lc -k nc4 x.cdl > x.c",
            "Print a C program that makes the dataset.",
        ),
        (
            "ncdump --json x.nc | ncgen -k zarr3 -o x.zarr",
            "Make a Zarr store from JSON.",
        ),
    ],
};

const ZDUMP: Extra = Extra {
    status: &[
        (
            "1, with check, codecs --missing and diff",
            "findings: errors in the store, missing codecs, differences",
        ),
        ("3", "the argument of check is not a Zarr store"),
    ],
    uses: &[],
    environment: &[
        PLUGINS,
        &[("NO_COLOR", "if it is not empty, print no colours")],
    ],
    files: &[PLUGIN_FILES],
    notes: &[
        "Commands print text for people, or with --json one line of JSON per item; docs/zdump.md describes both. Colours and \
         characters beyond ASCII are printed only on a terminal, and not if NO_COLOR is set in the environment.",
        "With --compat as the first argument, zdump takes the options of zmapio, a test program of netCDF-C, and prints the same \
         output: -h (no chunks), -t TYPE[/LENGTH], -d (keys first, on standard error), -x objdump, -F FORMAT (of one number), -Xm \
         (without .zmetadata), -T LEVEL. It never writes: -x clear is refused.",
    ],
    examples: &[
        (
            "zdump s.zarr",
            "Show groups and arrays, and how much of them is stored.",
        ),
        (
            "zdump keys s.zarr '**/.zattrs'",
            "List the keys of all attributes, with their sizes.",
        ),
        (
            "zdump cat s.zarr v/.zarray",
            "Print the metadata of an array.",
        ),
        (
            "zdump chunk s.zarr v 0,3",
            "Print the values of a chunk, and what each codec made of it.",
        ),
        (
            "zdump codecs --missing s.zarr",
            "Say which codecs have to be installed before the store can be read.",
        ),
        (
            "zdump check --deep s.zarr",
            "Look for everything that is wrong.",
        ),
        ("zdump diff a.zarr b.zip", "Say how two stores differ."),
        (
            "zdump --compat -t int s.zarr",
            "Print all keys and their contents, as zmapio does.",
        ),
    ],
};

fn check(path: &Path, text: &str, wrong: &mut Vec<String>) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file of the repository");
    }
    match std::fs::read_to_string(path) {
        Ok(found) if found == text => {}
        Ok(_) | Err(_) => wrong.push(path.display().to_string()),
    }
}

fn check_tool(command: &clap::Command, extra: Extra) {
    let mut wrong = Vec::new();
    let name = command.get_name();
    let man = root().join(format!("docs/man/{name}.1"));
    check(&man, &page(command, extra), &mut wrong);
    for (path, text) in completions(command) {
        check(&root().join("completions").join(path), &text, &mut wrong);
    }
    assert!(
        wrong.is_empty(),
        "run again with UPDATE=1; not up to date: {wrong:?}"
    );
}

#[test]
fn ncdump_is_documented() {
    check_tool(&ncdump::cli::command(), NCDUMP);
}

#[test]
fn ncgen_is_documented() {
    check_tool(&ncgen::cli::command(), NCGEN);
}

#[test]
fn nccopy_is_documented() {
    check_tool(&nccopy::cli::command(), NCCOPY);
}

#[test]
fn zdump_is_documented() {
    check_tool(&zdump::cli::command(), ZDUMP);
}

#[test]
fn man_pages_have_all_sections() {
    let sections = [
        "SYNOPSIS",
        "EXIT STATUS",
        "ENVIRONMENT",
        "FILES",
        "EXAMPLES",
    ];
    for (command, extra) in [
        (ncdump::cli::command(), NCDUMP),
        (ncgen::cli::command(), NCGEN),
        (nccopy::cli::command(), NCCOPY),
        (zdump::cli::command(), ZDUMP),
    ] {
        let page = page(&command, extra).replace('\\', "");
        for section in sections {
            let found = page.contains(&format!(".SH {section}"))
                || page.contains(&format!(".SH \"{section}\""));
            assert!(found, "{}: {section}", command.get_name());
        }
    }
}

/// Each mode of a tool has a line in the synopsis.
#[test]
fn man_pages_have_a_synopsis_for_each_use() {
    let uses = |command: &clap::Command, extra: Extra| {
        let page = page(command, extra)
            .replace('\\', "")
            .replace("fB", "")
            .replace("fR", "")
            .replace("fI", "");
        let (_, rest) = page.split_once("SYNOPSIS\n").expect("a synopsis");
        let (synopsis, _) = rest.split_once("\n.SH ").expect("another section");
        let lines: Vec<_> = synopsis.lines().map(str::to_owned).collect();
        lines
    };
    for (command, extra, modes) in [
        (ncdump::cli::command(), NCDUMP, ncdump::modes::MODES),
        (nccopy::cli::command(), NCCOPY, nccopy::modes::MODES),
    ] {
        let lines = uses(&command, extra);
        for mode in modes.modes.iter().filter(|mode| !mode.shown.is_empty()) {
            let start = format!("{} {}", command.get_name(), mode.shown.trim_matches('\''));
            let mut found = lines.iter().filter(|line| line.starts_with(&start));
            assert!(found.next().is_some(), "{start} is not in {lines:#?}");
        }
    }
}

/// `-h`, `-v` and `-V` mean what they mean in C; help and version have long names only.
#[test]
fn short_flags_are_those_of_the_c_tools() {
    let commands = [
        ncdump::cli::command(),
        ncgen::cli::command(),
        nccopy::cli::command(),
    ];
    for mut command in commands {
        command.build();
        let name = command.get_name().to_owned();
        for argument in command.get_arguments() {
            assert!(
                argument.get_help().is_some(),
                "{} of {name} has no help",
                argument.get_id()
            );
        }
        let of = |id: &str| {
            command
                .get_arguments()
                .find(|a| a.get_id() == id)
                .map(|a| (a.get_short(), a.get_long()))
        };
        assert_eq!(of("help"), Some((None, Some("help"))), "{name}");
        assert_eq!(of("version"), Some((None, Some("version"))), "{name}");
    }
}

#[test]
fn shells_complete_kinds() {
    for command in [ncgen::cli::command(), nccopy::cli::command()] {
        for (path, text) in completions(&command) {
            for kind in ["classic", "64-bit-offset", "netCDF-4", "zarr3"] {
                assert!(text.contains(kind), "{kind} is not in {path}");
            }
        }
    }
    let words = completions(&ncgen::cli::command());
    let (_, bash) = words.first().expect("three shells");
    assert!(
        bash.contains("compgen -W \"classic 64-bit-offset cdf5"),
        "{bash}"
    );
}

/// `.ci/completions` runs them in the shells.
#[test]
fn shells_complete_filters_variables_and_forms() {
    for command in [ncdump::cli::command(), nccopy::cli::command()] {
        for (path, text) in completions(&command) {
            assert!(text.contains("ncdump -x"), "{path}: variables");
            assert!(!text.contains("@FILTERS@"), "{path}: filters");
        }
    }
    for (path, text) in completions(&nccopy::cli::command()) {
        for word in [" deflate ", " zstd", "cmip7,paged", "table"] {
            assert!(text.contains(word), "{path}: {word}");
        }
        let flags = match path.split('/').next() {
            Some("bash") => [
                "-v) _netcdf_variables",
                "-V) _netcdf_variables",
                "-F) _netcdf_filters",
            ],
            Some("zsh") => [
                "VAR,…:_netcdf_variables'",
                "'*-F+[",
                "FILTER:_netcdf_filters'",
            ],
            _ => [
                "-r -f -a '(_netcdf_variables)'",
                "-s F ",
                "-r -f -a '(_netcdf_filters)'",
            ],
        };
        for flag in flags {
            assert!(text.contains(flag), "{path}: {flag}");
        }
    }
}

#[test]
fn man_pages_have_a_date_and_all_options() {
    for (mut command, extra) in [
        (ncdump::cli::command(), NCDUMP),
        (ncgen::cli::command(), NCGEN),
        (nccopy::cli::command(), NCCOPY),
        (zdump::cli::command(), ZDUMP),
    ] {
        let page = page(&command, extra);
        let head = page.lines().next().unwrap_or_default();
        let date = head.split('"').nth(1).unwrap_or_default();
        assert_eq!(date.split('-').map(str::len).collect::<Vec<_>>(), [4, 2, 2]);
        let synopsis = page.split(".SH ").find(|s| s.starts_with("SYNOPSIS"));
        let synopsis = synopsis.expect("a synopsis").replace('\\', "");
        command.build();
        for argument in command.get_arguments() {
            let long = argument
                .get_long()
                .filter(|l| *l != "help" && *l != "version");
            if let Some(long) = long.filter(|_| !argument.is_hide_set()) {
                let name = command.get_name();
                let short = argument.get_short().map(|c| format!("fB-{c}"));
                let found = synopsis.contains(&format!("--{long}"))
                    || short.is_some_and(|s| synopsis.contains(&s));
                assert!(found, "--{long} is not in the synopsis of {name}");
            }
        }
    }
}
