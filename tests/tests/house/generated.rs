//! Man pages and completions match the command lines. `UPDATE=1` regenerates them.

use std::path::Path;

use netcdf_tools_tests::completions::completions;
use netcdf_tools_tests::files::root;
use netcdf_tools_tests::manual::nccopy::NCCOPY;
use netcdf_tools_tests::manual::ncdump::NCDUMP;
use netcdf_tools_tests::manual::ncgen::NCGEN;
use netcdf_tools_tests::manual::zdump::ZDUMP;
use netcdf_tools_tests::manual::{Extra, page};

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

/// Packages have man pages. Pages of the repository may be missing where a tool is installed.
#[test]
fn help_names_no_files_of_the_repository() {
    for mut command in [
        ncdump::cli::command(),
        ncgen::cli::command(),
        nccopy::cli::command(),
        zdump::cli::command(),
    ] {
        let help = command.render_long_help().to_string();
        assert!(!help.contains(".md"), "{}: {help}", command.get_name());
    }
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

/// The synopsis has a line for each mode of a tool.
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

/// `-h`, `-v` and `-V` have the meaning of the C tools. Help and version have long names only.
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

/// `.ci/completions` runs the completions in the shells.
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
