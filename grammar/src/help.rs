//! The two forms of a tool's help: `-h` prints everyday options, `--help` prints all options and examples.
//!
//! In a long help, clap prints each description below its option. Both forms are short helps here, which have two columns.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::iter;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, Error};

/// An example: a command line, and its purpose.
pub type Example = (&'static str, &'static str);

/// Adds examples and the name of the man page to the end of `--help`.
#[must_use]
pub fn with_examples(command: Command, examples: &[Example]) -> Command {
    let mut text = "Examples:".to_owned();
    for (line, purpose) in examples {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {line}\n      {purpose}");
    }
    let _ = write!(text, "\n\nMan page: {}(1)", command.get_name());
    command.after_help(text)
}

/// The command without the options that `-h` omits.
#[must_use]
pub fn everyday(command: &Command) -> Command {
    let short = command.clone().mut_args(|arg| {
        let is_everyday = arg.get_help_heading().is_none();
        arg.hide_short_help(!is_everyday)
    });
    short.after_help("--help prints all options, with examples.")
}

/// Parses a command line.
///
/// # Errors
/// Returns mistakes in the command line, and the requested help or version.
pub fn matches(command: &Command, args: Vec<OsString>) -> Result<ArgMatches, Error> {
    let mut short = everyday(command);
    match short.try_get_matches_from_mut(args.clone()) {
        Err(e) if e.kind() == ErrorKind::DisplayHelp && !is_short(short, &e) => {
            command.clone().try_get_matches_from(args)
        }
        parsed => parsed,
    }
}

/// Checks whether a help is the short one of the tool or of a subcommand.
fn is_short(mut short: Command, help: &Error) -> bool {
    short.build();
    let text = help.to_string();
    let of_tool = short.render_help().to_string();
    let of_commands = short.get_subcommands_mut();
    let mut helps = of_commands.map(|command| command.render_help().to_string());
    iter::once(of_tool).any(|help| help == text) || helps.any(|help| help == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction};

    fn command() -> Command {
        let set = |name| Arg::new(name).long(name).action(ArgAction::SetTrue);
        let every = set("every").help("Everyday");
        let rare = set("rare").help("Rare").help_heading("Other").global(true);
        let command = Command::new("t").args([every, rare]);
        let command = command.subcommand(Command::new("sub").arg(set("own").help("Own")));
        with_examples(command, &[("t --rare", "Do it")])
    }

    fn help(args: &[&str]) -> String {
        let args = iter::once("t").chain(args.iter().copied());
        let args = args.map(OsString::from).collect();
        matches(&command(), args).unwrap_err().to_string()
    }

    #[test]
    fn the_short_help_has_everyday_options() {
        let text = help(&["-h"]);
        assert!(
            text.contains("--every") && !text.contains("--rare"),
            "{text}"
        );
        assert!(!text.contains("Examples"), "{text}");
    }

    #[test]
    fn the_long_help_has_all_options_in_columns() {
        let text = help(&["--help"]);
        let end =
            "Other:\n      --rare  Rare\n\nExamples:\n  t --rare\n      Do it\n\nMan page: t(1)\n";
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains("--help prints"), "{text}");
    }

    #[test]
    fn commands_have_both_forms() {
        assert!(!help(&["sub", "-h"]).contains("--rare"));
        for args in [["sub", "--help"], ["help", "sub"]] {
            let text = help(&args);
            assert!(
                text.contains("--rare  Rare") && text.contains("--own"),
                "{text}"
            );
        }
    }
}
