//! All options in all modes of the tools: a mode refuses options without effect.
//!
//! The command line definitions provide the options, and the tables `MODES` provide the effects. The test fails for an option without an
//! entry.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use netcdf_grammar::modes::ModeTable;

/// A tool with a command line for each mode.
struct Tool {
    name: &'static str,
    command: Command,
    table: ModeTable,
    parse: fn(Vec<OsString>) -> Result<(), clap::Error>,
    /// The name of a mode, its options, and operands.
    modes: &'static [(
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
    )],
    /// Groups of mutually exclusive options of the C tool.
    exclusive: &'static [&'static str],
}

fn tools() -> [Tool; 4] {
    [
        Tool {
            name: "ncdump",
            command: ncdump::cli::command(),
            table: ncdump::modes::MODES,
            parse: |args| ncdump::cli::parse(args).map(drop),
            modes: &[
                ("dump", &[], &["a.nc"]),
                ("kind", &["-k"], &["a.nc"]),
                ("extended", &["-K"], &["a.nc"]),
                ("ncml", &["-x"], &["a.nc"]),
                ("json", &["--json"], &["a.nc"]),
                ("filters", &["--filters"], &["a.nc"]),
                ("sum", &["--sum"], &["a.nc"]),
                ("stats", &["--stats"], &["a.nc"]),
                ("layout", &["--layout"], &["a.nc"]),
                ("require", &["--require=cloud"], &["a.nc"]),
                ("diff", &["--diff"], &["a.nc", "b.nc"]),
                ("csv", &["--csv", "-v", "v"], &["a.nc"]),
            ],
            exclusive: &[],
        },
        Tool {
            name: "ncgen",
            command: ncgen::cli::command(),
            table: ncgen::modes::MODES,
            parse: |args| ncgen::cli::parse("ncgen", args).map(drop),
            modes: &[
                ("check", &[], &["a.cdl"]),
                ("binary", &["-o", "a.nc"], &["a.cdl"]),
                ("program", &["-l", "c"], &["a.cdl"]),
            ],
            exclusive: &["bnlcf"],
        },
        Tool {
            name: "nccopy",
            command: nccopy::cli::command(),
            table: nccopy::modes::MODES,
            parse: |args| nccopy::cli::parse(args).map(drop),
            modes: &[
                ("copy", &[], &["a.nc", "b.nc"]),
                ("in_place", &["--in-place"], &["a.nc", "b.nc"]),
                ("recover", &["--recover=old"], &["a.nc"]),
                ("append", &["--append"], &["a.nc", "b.nc"]),
                ("add_variables", &["--add-variables"], &["a.nc", "b.nc"]),
                ("references", &["-k", "kerchunk"], &["a.nc", "b.json"]),
                ("plan", &["--plan", "p"], &["a.nc", "b.nc"]),
                ("part", &["--part", "0"], &["p"]),
                ("next", &["--next"], &["p"]),
                ("finish", &["--finish"], &["p"]),
                ("status", &["--status"], &["p"]),
                ("clean", &["--clean"], &["p"]),
                ("emit", &["--emit", "slurm"], &["p"]),
            ],
            exclusive: &["vV", "gG"],
        },
        Tool {
            name: "zdump",
            command: zdump::cli::command(),
            table: zdump::modes::MODES,
            parse: |args| zdump::cli::parse(args).map(drop),
            modes: &[
                ("tree", &["tree"], &["s"]),
                ("keys", &["keys"], &["s"]),
                ("cat", &["cat"], &["s", "k"]),
                ("chunk", &["chunk"], &["s", "v"]),
                ("codecs", &["codecs"], &["s"]),
                ("check", &["check"], &["s"]),
                ("stat", &["stat"], &["s"]),
                ("map", &["map"], &["s", "v"]),
                ("image", &["map", "-ox"], &["s", "v"]),
                ("diff", &["diff"], &["a", "b"]),
            ],
            exclusive: &[],
        },
    ]
}

/// Values of options that do not accept `1`.
const VALUES: &[(&str, &str)] = &[
    ("kind", "nc4"),
    ("chunks", "x/1"),
    ("shards", "x/1"),
    ("language", "b"),
    ("select", "x,1"),
    ("rename", "a,b"),
    ("attribute", "@a=1"),
    ("one_part", "0"),
    ("enums", "flags"),
    ("history_time", "0"),
    ("split", "vars"),
    ("url_prefix", "a=b"),
];

/// Options that need another option.
const COMPANIONS: &[(&str, &[&str])] = &[
    ("coordinates", &["-V", "x"]),
    ("history_time", &["--history"]),
    ("order", &["--join"]),
    ("overlap", &["--join"]),
    ("statics", &["--join"]),
    ("lacking", &["--join"]),
    ("conflicts", &["--join"]),
    ("time_units", &["--join"]),
    ("repack", &["--join"]),
    ("inputs", &["--join"]),
    ("open_files", &["--join"]),
    ("labels", &["--join-new", "n"]),
    ("each", &["--join-new", "n"]),
];

/// Companions that exist in one tool only.
const ONLY_NCCOPY: &[&str] = &["coordinates", "history_time"];

/// Returns the options of a tool and its commands, without duplicates.
fn options(command: &Command) -> Vec<Arg> {
    let mut built = command.clone();
    built.build();
    let below = built
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .flat_map(Command::get_arguments);
    let mut seen = BTreeSet::new();
    let all = built.get_arguments().chain(below);
    all.filter(|arg| !arg.is_positional() && !about_itself(arg))
        .filter(|arg| arg.get_id() != "compat")
        .filter(|arg| seen.insert(arg.get_id().to_string()))
        .cloned()
        .collect()
}

fn about_itself(arg: &Arg) -> bool {
    matches!(
        arg.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    )
}

/// Returns the flag of an option, without a value.
fn flag(arg: &Arg) -> String {
    match (arg.get_short(), arg.get_long()) {
        (Some(letter), _) => format!("-{letter}"),
        (None, Some(name)) => format!("--{name}"),
        (None, None) => panic!("{} is no option", arg.get_id()),
    }
}

/// Returns the option with a value, if it takes one.
fn words(arg: &Arg) -> Vec<String> {
    let needs_value = arg.get_num_args().is_some_and(|n| n.min_values() > 0);
    let mut words = vec![flag(arg)];
    if needs_value && arg.get_action().takes_values() {
        let id = arg.get_id().as_str();
        let value = VALUES.iter().find(|(name, _)| *name == id);
        let possible = arg.get_possible_values();
        let possible = possible.first().map(|value| value.get_name().to_owned());
        words.push(value.map_or_else(
            || possible.unwrap_or_else(|| "1".to_owned()),
            |(_, value)| (*value).to_owned(),
        ));
    }
    words
}

/// Returns the options of the C tool, which are the letters; `zdump` has no C tool.
fn is_of_c(tool: &Tool, arg: &Arg) -> bool {
    tool.name != "zdump" && arg.get_short().is_some()
}

fn parsed(tool: &Tool, words: &[String]) -> Result<(), clap::Error> {
    let name = std::iter::once(tool.name.into());
    (tool.parse)(name.chain(words.iter().map(OsString::from)).collect())
}

/// Returns the command line of a mode with more options. Commands come first.
fn line(mode: (&[&str], &[&str]), options: &[String]) -> Vec<String> {
    let text = |list: &[&str]| {
        list.iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    [text(mode.0), options.to_vec(), text(mode.1)].concat()
}

/// Checks whether a command line has mutually exclusive options.
fn exclude_each_other(tool: &Tool, line: &[String]) -> bool {
    let flags = line.iter().filter_map(|word| word.strip_prefix('-'));
    let letters: BTreeSet<char> = flags.filter_map(|flag| flag.chars().next()).collect();
    let several = |group: &&str| group.chars().filter(|c| letters.contains(c)).count() > 1;
    tool.exclusive.iter().any(several)
}

#[test]
fn every_option_has_an_entry_in_the_mode_table() {
    for tool in tools() {
        let name = tool.name;
        let options = options(&tool.command);
        let known: BTreeSet<_> = tool.table.options.iter().map(|(id, _)| *id).collect();
        assert_eq!(known.len(), tool.table.options.len(), "{name}: twice");
        let modes: BTreeSet<_> = tool.table.modes.iter().map(|mode| mode.name).collect();
        let lines: BTreeSet<_> = tool.modes.iter().map(|(mode, _, _)| *mode).collect();
        assert_eq!(modes, lines, "{name}: a command line for each mode");
        let selects = |arg: &Arg| {
            let flag = flag(arg);
            let mut first = tool.modes.iter().filter_map(|(_, args, _)| args.first());
            first.any(|word| word.split('=').next() == Some(&flag))
        };
        for arg in &options {
            let id = arg.get_id().as_str();
            assert!(
                known.contains(id) || selects(arg),
                "{name} {}: add (\"{id}\", &[…]) with the modes that use this option to {name}/src/modes.rs, or a mode and a command \
                 line in this test if the option selects one",
                flag(arg)
            );
        }
        for (id, uses) in tool.table.options {
            let about = tool.command.get_arguments().any(|arg| arg.get_id() == *id);
            let found = options.iter().any(|arg| arg.get_id() == *id);
            assert!(
                found || about,
                "{name}/src/modes.rs: no option has the id {id}"
            );
            for mode in *uses {
                assert!(
                    modes.contains(mode),
                    "{name}/src/modes.rs: {id}: no mode is called {mode}"
                );
            }
        }
    }
}

#[test]
fn options_without_effect_are_refused_and_all_others_accepted() {
    let (mut accepted, mut refused) = (0, 0);
    for tool in tools() {
        for arg in options(&tool.command) {
            let (id, flag) = (arg.get_id().as_str(), flag(&arg));
            let listed = tool.table.options.iter().any(|(name, _)| *name == id);
            for &(mode, args, operands) in tool.modes {
                if !listed || args.iter().any(|word| word.starts_with(&flag)) {
                    continue;
                }
                let companions = COMPANIONS.iter().filter(|(name, _)| *name == id);
                // The options of a join need no other join with --append and --add-variables.
                let joined = args.contains(&"--append") || args.contains(&"--add-variables");
                let companions = companions.flat_map(|(_, words)| *words);
                let companions = companions
                    .filter(|word| !joined || !["--join", "--join-new", "n"].contains(*word));
                let mut given = words(&arg);
                let effect = tool.table.has_effect((id, is_of_c(&tool, &arg)), mode);
                if tool.name == "nccopy" || !ONLY_NCCOPY.contains(&id) {
                    given.extend(companions.map(|word| (*word).to_owned()));
                }
                let line = line((args, operands), &given);
                if exclude_each_other(&tool, &line) {
                    continue;
                }
                let shown = format!("{} {}", tool.name, line.join(" "));
                match (parsed(&tool, &line), effect) {
                    (Ok(()), true) => accepted += 1,
                    (Err(e), false) => {
                        let said = e.to_string();
                        assert!(
                            e.exit_code() == 2 && said.contains(&flag),
                            "{shown}: {said}"
                        );
                        refused += 1;
                    }
                    (Ok(()), false) => panic!("{shown}: accepted, but {mode} does not use {flag}"),
                    (Err(e), true) => panic!("{shown}: {e}"),
                }
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(
        accepted > 500 && refused > 500,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn modes_exclude_each_other_unless_both_are_of_the_c_tool() {
    for tool in tools() {
        // Several options select a mode of ncgen. Commands select a mode of zdump.
        if !["ncdump", "nccopy"].contains(&tool.name) {
            continue;
        }
        for &(a, first, operands) in tool.modes {
            for &(b, second, _) in tool.modes {
                let form = [a, b].contains(&"json");
                if form || first.is_empty() || second.is_empty() || first == second {
                    continue;
                }
                let mode = |name| tool.table.modes.iter().find(|mode| mode.name == name);
                let (a, b) = (mode(a).expect("a mode"), mode(b).expect("a mode"));
                let fit =
                    (a.of_c && b.of_c) || a.with.contains(&b.name) || b.with.contains(&a.name);
                let second: Vec<String> = second.iter().map(|word| (*word).to_owned()).collect();
                let line = line((first, operands), &second);
                let done = parsed(&tool, &line);
                assert_eq!(done.is_ok(), fit, "{} {}", tool.name, line.join(" "));
            }
        }
    }
}

/// All combinations of C tool options are accepted, with and without effect.
#[test]
fn options_of_the_c_tools_can_be_combined() {
    let mut pairs = 0;
    for tool in tools() {
        let options = options(&tool.command);
        let of_c: Vec<&Arg> = options.iter().filter(|arg| is_of_c(&tool, arg)).collect();
        let modes = tool.modes.iter().filter(|(name, _, _)| {
            let mode = tool.table.modes.iter().find(|mode| mode.name == *name);
            mode.is_some_and(|mode| mode.of_c)
        });
        for &(_, args, operands) in modes {
            for (n, a) in of_c.iter().enumerate() {
                for b in of_c.iter().skip(n) {
                    let given: Vec<String> = [words(a), words(b)].concat();
                    let line = line((args, operands), &given);
                    if exclude_each_other(&tool, &line) {
                        continue;
                    }
                    let done = parsed(&tool, &line);
                    let shown = format!("{} {}", tool.name, line.join(" "));
                    let help = done
                        .as_ref()
                        .is_err_and(|e| e.kind() == ErrorKind::DisplayHelp);
                    assert!(done.is_ok() || help, "{shown}: {done:?}");
                    pairs += 1;
                }
            }
        }
    }
    println!("{pairs} pairs");
    assert!(pairs > 1000, "{pairs} pairs");
}
