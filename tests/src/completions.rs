//! Completions for shells, made from the definition of a command line.
//!
//! The generator completes options and fixed values. Shell functions complete filters, and variables of the dataset on the command
//! line. Names from datasets are untrusted: only names without characters of shells are completed.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::Shell;
use netcdf_core::filter::{FilterTable, names};
use netcdf_core::format::kind_words;

/// Functions of the completions for each shell. `@FILTERS@` stands for the names of filters.
const BASH: &str = include_str!("completions/functions.bash");
const ZSH: &str = include_str!("completions/functions.zsh");
const FISH: &str = include_str!("completions/functions.fish");

/// Returns the possible values of an option, if the name of its value lists them or stands for a kind.
fn words(arg: &Arg) -> Vec<&'static str> {
    let Some([name]) = arg.get_value_names() else {
        return vec![];
    };
    match name.as_str() {
        "KIND" => kind_words(),
        "c|f" => vec!["c", "f"],
        "b|c|f77|java" => vec!["b", "c", "f77", "java"],
        "F|p|m" => vec!["F", "p", "m"],
        "yes|no" => vec!["yes", "no"],
        "RULES" if arg.get_id() == "cloud" => vec!["cmip7", "paged", "cmip7,paged"],
        _ => vec![],
    }
}

/// The values that functions complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Variables,
    Filters,
}

impl Value {
    fn of(arg: &Arg) -> Option<Self> {
        match arg.get_value_names()?.first()?.as_str() {
            "VAR,…" | "VAR,..." => Some(Self::Variables),
            "FILTER" => Some(Self::Filters),
            _ => None,
        }
    }

    /// The name of the function.
    fn function(self) -> &'static str {
        match self {
            Self::Variables => "_netcdf_variables",
            Self::Filters => "_netcdf_filters",
        }
    }
}

/// The command with the words that shells complete. The real parser accepts more: synonyms, old numbers, other letter case.
fn completed(command: &Command) -> Command {
    command.clone().mut_args(|arg| {
        let words = words(&arg);
        match words.is_empty() {
            true => arg,
            false => arg.value_parser(PossibleValuesParser::new(words)),
        }
    })
}

/// Options with values after a `=` in the same word, and the possible values.
fn with_equals(command: &Command) -> Vec<(String, Vec<String>)> {
    let args = command.get_arguments();
    let args = args.filter(|arg| arg.is_require_equals_set());
    args.filter_map(|arg| {
        let values = arg.get_possible_values();
        let values = values.iter().map(|value| value.get_name().to_owned());
        Some((arg.get_long()?.to_owned(), values.collect()))
    })
    .collect()
}

/// Options with values that functions complete.
fn with_functions(command: &Command) -> Vec<(char, Value)> {
    let args = command.get_arguments();
    args.filter_map(|arg| Some((arg.get_short()?, Value::of(arg)?)))
        .collect()
}

/// The completions of a tool: path under `completions/`, and text.
///
/// # Panics
/// Never: completions are text.
#[must_use]
pub fn completions(command: &Command) -> Vec<(String, String)> {
    let name = command.get_name().to_owned();
    let command = completed(command);
    let shells = [
        (Shell::Bash, format!("bash/{name}")),
        (Shell::Zsh, format!("zsh/_{name}")),
        (Shell::Fish, format!("fish/{name}.fish")),
    ];
    let one = |(shell, path): (Shell, String)| {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut command.clone(), name.clone(), &mut text);
        let text = String::from_utf8(text).expect("completions are text");
        let text = match shell {
            Shell::Bash => bash(&command, &text),
            Shell::Zsh => zsh(&command, &text),
            _ => fish(&command, &text),
        };
        (path, text)
    };
    shells.into_iter().map(one).collect()
}

/// The functions for a shell, with the filters that need no plugin.
fn functions(text: &str) -> String {
    let built_in = FilterTable::default();
    let filters = names::all().iter().filter(|row| built_in.has(row.id));
    let filters: Vec<_> = filters.map(|row| row.name).collect();
    text.replace("@FILTERS@", &filters.join(" "))
}

/// Puts a function before the generated one.
fn bash(command: &Command, text: &str) -> String {
    let name = command.get_name();
    let mut cases = String::new();
    for (flag, value) in with_functions(command) {
        cases += &format!("        -{flag}) {}; return ;;\n", value.function());
    }
    for (long, values) in with_equals(command) {
        let values = values.join(" ");
        cases += &format!("        --{long}=) _netcdf_words {values}; return ;;\n");
        // Without a `=`, the next word is no value.
        cases += &format!("        --{long}) COMPREPLY=(); return ;;\n");
    }
    if cases.is_empty() {
        return text.to_owned();
    }
    let before = format!(
        "\n{}\n_{name}_values() {{\n    _netcdf_option \"$2\"\n    case \"$option\" in\n{cases}    esac\n    _{name} \"$@\"\n}}\n\nif [[",
        functions(BASH)
    );
    let own = text.replace(
        &format!("complete -F _{name} "),
        &format!("complete -F _{name}_values "),
    );
    match own.rsplit_once("\nif [[") {
        Some((start, end)) => format!("{start}{before}{end}"),
        None => own,
    }
}

/// Replaces the actions of values, and lets values follow a `=` only. Options are also completed after operands.
fn zsh(command: &Command, text: &str) -> String {
    let mut text = text.replace("\n'*::", "\n'*:");
    for (long, _) in with_equals(command) {
        text = text.replace(&format!("--{long}=["), &format!("--{long}=-["));
    }
    let found = with_functions(command);
    let lines = text.lines().map(|line| {
        // Options that exclude each other are in brackets before the option.
        let is = |flag: &char| {
            let before = line
                .split_once(&format!("-{flag}+["))
                .map(|(start, _)| start);
            before.is_some_and(|start| start.starts_with('\'') && start.ends_with(['\'', '*', ')']))
        };
        let value = found.iter().find(|(flag, _)| is(flag));
        match (value, line.rsplit_once(":_default'")) {
            (Some((_, value)), Some((start, end))) => {
                format!("{start}:{}'{end}\n", value.function())
            }
            _ => format!("{line}\n"),
        }
    });
    let lines: String = lines.collect();
    if found.is_empty() {
        return lines;
    }
    match lines.split_once("\n\n") {
        Some((head, rest)) => format!("{head}\n\n{}\n{rest}", functions(ZSH)),
        None => lines,
    }
}

/// Adds the values of functions, and lets values follow a `=` only.
fn fish(command: &Command, text: &str) -> String {
    let name = command.get_name();
    let (found, equals) = (with_functions(command), with_equals(command));
    let lines = text.lines().map(|line| {
        let is = |flag: &char| line.starts_with(&format!("complete -c {name} -s {flag} "));
        let long = |long: &str| line.starts_with(&format!("complete -c {name} -l {long} "));
        if let Some((_, value)) = found.iter().find(|(flag, _)| is(flag)) {
            return format!("{line} -f -a '({})'\n", value.function());
        }
        match equals.iter().any(|(option, _)| long(option)) {
            true => format!("{}\n", line.replacen("' -r -f", "' -f", 1)),
            false => format!("{line}\n"),
        }
    });
    let lines: String = lines.collect();
    match found.is_empty() {
        true => lines,
        false => format!("{}\n{lines}", functions(FISH)),
    }
}
