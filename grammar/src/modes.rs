//! The modes of a tool, and the options that each mode uses.
//!
//! A mode is one use of a tool, for example `ncdump -k` or `nccopy --clean`. An option without effect in all modes of the command line is a
//! usage error, because users would expect an effect. Options of the C tool have letters; all other options have long names only. Modes of
//! the C tool accept all options of the C tool, as the C tool does.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

/// A mode of a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolMode {
    /// The name in the table.
    pub name: &'static str,
    /// The mode in messages, after "with" and "needs"; empty for the default mode.
    pub shown: &'static str,
    /// Whether the C tool has the mode.
    pub of_c: bool,
    /// Modes that can be combined with this one.
    pub with: &'static [&'static str],
}

/// An option id and the modes that use the option. Modes of the C tool need no entry for options of the C tool.
pub type OptionUse = (&'static str, &'static [&'static str]);

/// The modes of a tool, and the uses of all options except options that select a mode.
#[derive(Debug, Clone, Copy)]
pub struct ModeTable {
    /// The modes.
    pub modes: &'static [ToolMode],
    /// The options.
    pub options: &'static [OptionUse],
}

impl ModeTable {
    /// Returns whether an option has an effect in a mode.
    #[must_use]
    pub fn has_effect(&self, (option, of_c): (&str, bool), mode: &str) -> bool {
        let known = self.mode(mode);
        let used = || {
            let mut uses = self.options.iter().filter(|(id, _)| *id == option);
            uses.any(|(_, modes)| modes.contains(&mode))
        };
        (of_c && known.is_some_and(|mode| mode.of_c)) || used()
    }

    /// Checks a command line with these modes.
    ///
    /// # Errors
    /// Returns a usage error for mutually exclusive modes, and for options without effect.
    pub fn check(
        &self,
        command: &Command,
        matches: &ArgMatches,
        modes: &[&str],
    ) -> Result<(), clap::Error> {
        let mistake = self.excluded(modes).or_else(|| {
            let idle = self.idle(command, matches, modes);
            (!idle.is_empty()).then(|| self.message(&idle, modes))
        });
        match mistake {
            None => Ok(()),
            Some(what) => {
                let kind = clap::error::ErrorKind::ArgumentConflict;
                Err(command.clone().error(kind, what))
            }
        }
    }

    fn mode(&self, name: &str) -> Option<&ToolMode> {
        self.modes.iter().find(|mode| mode.name == name)
    }

    /// Returns the message about two mutually exclusive modes.
    fn excluded(&self, modes: &[&str]) -> Option<String> {
        let modes: Vec<&ToolMode> = modes.iter().filter_map(|name| self.mode(name)).collect();
        let fit = |a: &ToolMode, b: &ToolMode| {
            let listed = a.with.contains(&b.name) || b.with.contains(&a.name);
            (a.of_c && b.of_c) || listed || a.name == b.name
        };
        modes.iter().find_map(|a| {
            let b = modes.iter().find(|b| !fit(a, b))?;
            Some(format!("{} cannot be used with {}", a.shown, b.shown))
        })
    }

    /// Returns the given options without effect in all given modes.
    fn idle<'c>(
        &self,
        command: &'c Command,
        matches: &ArgMatches,
        modes: &[&str],
    ) -> Vec<(&'c clap::Arg, &'static [&'static str])> {
        let given = self.options.iter().filter_map(|(id, uses)| {
            let arg = command.get_arguments().find(|arg| arg.get_id() == *id)?;
            let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
            is_given.then_some((arg, *uses))
        });
        let used = |arg: &clap::Arg| {
            let option = (arg.get_id().as_str(), arg.get_short().is_some());
            modes.iter().any(|mode| self.has_effect(option, mode))
        };
        given.filter(|(arg, _)| !used(arg)).collect()
    }

    /// Returns the message about options without effect.
    fn message(&self, idle: &[(&clap::Arg, &'static [&'static str])], modes: &[&str]) -> String {
        let shown: Vec<&str> = modes
            .iter()
            .filter_map(|name| self.mode(name))
            .map(|mode| mode.shown)
            .filter(|shown| !shown.is_empty())
            .collect();
        let names: Vec<String> = idle.iter().map(|(arg, _)| flag(arg)).collect();
        let need = if names.len() == 1 { "needs" } else { "need" };
        let names = names.join(", ");
        if !shown.is_empty() {
            return format!("{names} cannot be used with {}", shown.join(" and "));
        }
        let uses = idle.iter().flat_map(|(_, modes)| modes.iter());
        let mut needed: Vec<&str> = vec![];
        for mode in uses.filter_map(|name| self.mode(name)) {
            if !needed.contains(&mode.shown) {
                needed.push(mode.shown);
            }
        }
        format!("{names} {need} {}", needed.join(" or "))
    }
}

/// Returns the option in messages.
fn flag(arg: &clap::Arg) -> String {
    match (arg.get_short(), arg.get_long()) {
        (Some(letter), _) => format!("'-{letter}'"),
        (None, Some(name)) => format!("'--{name}'"),
        (None, None) => format!("<{}>", arg.get_id()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction};

    const TABLE: ModeTable = ModeTable {
        modes: &[
            mode("copy", "", true),
            mode("kind", "'-k'", true),
            mode("clean", "'--clean'", false),
        ],
        options: &[("deep", &["clean"]), ("size", &["copy"]), ("level", &[])],
    };

    const fn mode(name: &'static str, shown: &'static str, of_c: bool) -> ToolMode {
        ToolMode {
            name,
            shown,
            of_c,
            with: &[],
        }
    }

    fn checked(args: &[&str], modes: &[&str]) -> Result<(), String> {
        let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
        let level = Arg::new("level").short('l').action(ArgAction::SetTrue);
        let command = Command::new("tool").args([flag("deep"), flag("size"), level]);
        let args = [&["tool"], args].concat();
        let matches = command.clone().try_get_matches_from(args).unwrap();
        let checked = TABLE.check(&command, &matches, modes);
        checked.map_err(|e| e.to_string())
    }

    #[test]
    fn options_without_effect_are_named_with_their_modes() {
        for (args, modes, says) in [
            (
                &["--size"][..],
                &["clean"][..],
                "'--size' cannot be used with '--clean'",
            ),
            (
                &["-l", "--size"],
                &["clean"],
                "'--size', '-l' cannot be used with '--clean'",
            ),
            (&["--deep"], &["copy"], "'--deep' needs '--clean'"),
            (&["--size"], &["kind"], "'--size' cannot be used with '-k'"),
            (
                &[],
                &["kind", "clean"],
                "'-k' cannot be used with '--clean'",
            ),
        ] {
            let said = checked(args, modes).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
        for (args, modes) in [
            (&["-l"][..], &["kind"][..]),
            (&["-l", "--size"], &["copy"]),
            (&["--deep"], &["clean"]),
            (&[], &["copy", "kind"]),
        ] {
            assert_eq!(checked(args, modes), Ok(()), "{args:?}");
        }
    }
}
