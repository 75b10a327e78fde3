//! Short usages in the form of the C tools: a line for each option with a letter.

use std::fmt::Write as _;

use clap::{Arg, Command};
use netcdf_core::tool::release;

/// Returns the usage of a tool without long options, ending with [`release::line`].
#[must_use]
pub fn of(tool: &str, mut command: Command) -> String {
    let mut text = command.render_usage().to_string();
    text.push('\n');
    for arg in command.get_arguments() {
        if let Some(letter) = arg.get_short().filter(|_| !arg.is_hide_set()) {
            let option = format!("[-{letter}{}]", value(arg));
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {option:18} {}", summary(arg));
        }
    }
    let _ = writeln!(text, "  {:18} Print help with all options", "[--help]");
    text.push_str(&release::line(tool).unwrap_or_default());
    text
}

/// Returns the value name of an option after a blank.
fn value(arg: &Arg) -> String {
    let name = arg.get_value_names().and_then(|names| names.first());
    match arg.get_action().takes_values() {
        true => name.map_or(String::new(), |name| format!(" {name}")),
        false => String::new(),
    }
}

/// Returns the first part of an option's help.
fn summary(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let ends = [": ", ". ", "; ", " (", " ["];
    // Do not cut at the colon of `With -s: …`.
    let find = |end: &str| {
        help.match_indices(end)
            .map(|(at, _)| at)
            .find(|at| *at > 10)
    };
    let end = ends.into_iter().filter_map(find).min();
    help.get(..end.unwrap_or(help.len()))
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ArgAction;

    #[test]
    fn options_with_letters_have_lines() {
        let x = Arg::new("x")
            .short('x')
            .action(ArgAction::SetTrue)
            .help("Print NcML instead of CDL (NcML 2.2)");
        let v = Arg::new("v").short('v').value_name("VAR,...").help("Data");
        let long = Arg::new("long").long("long").help("No letter");
        let text = of("t", Command::new("t").args([x, v, long]));
        let lines: Vec<_> = text.lines().skip(1).collect();
        let want = [
            "  [-x]               Print NcML instead of CDL",
            "  [-v VAR,...]       Data",
            "  [-h]               Print help",
        ];
        assert_eq!(lines[..2], want[..2]);
        assert!(!text.contains("No letter"));
    }
}
