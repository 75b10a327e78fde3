//! The end of a run: prints errors and returns the exit status.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind as Kind};
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::tool::{self, Io, Status, release};

use crate::commit;
use crate::diagnostic::nearest;

/// Returns whether an answer ends with the version: help, versions, and errors about missing arguments and values.
fn has_version(e: &clap::Error) -> bool {
    let value = e.get(ContextKind::InvalidValue);
    let empty = matches!(value, Some(ContextValue::String(value)) if value.is_empty());
    let asked = [
        Kind::DisplayHelp,
        Kind::DisplayHelpOnMissingArgumentOrSubcommand,
        Kind::DisplayVersion,
        Kind::MissingRequiredArgument,
    ];
    empty || asked.contains(&e.kind())
}

/// Prints the result of a run (help, version, usage error or another error) and returns the status. Usages and versions end with
/// [`release::line`].
pub fn status<T: From<Status>>(tool: &str, ended: anyhow::Result<T>, io: &mut Io) -> T {
    ended.unwrap_or_else(|e| T::from(told(tool, e, io)))
}

fn told(tool: &str, e: anyhow::Error, io: &mut Io) -> Status {
    let e = match e.downcast::<clap::Error>() {
        Ok(e) => return misuse(tool, e, io),
        Err(e) => e,
    };
    match e.downcast::<Error>() {
        Ok(e) => tool::report(tool, &e, io),
        Err(e) => tool::report(tool, &Error::new(ErrorKind::Argument, format!("{e:#}")), io),
    }
}

/// Prints the help, the version, or a usage error.
fn misuse(tool: &str, mut e: clap::Error, io: &mut Io) -> Status {
    remove_unlikely_suggestions(&mut e);
    let mut text = e.render().to_string();
    if e.kind() == Kind::DisplayVersion {
        text = commit::version(text.trim_end()) + "\n";
    }
    if has_version(&e) {
        text.push_str(&release::line(tool).unwrap_or_default());
    }
    match (e.use_stderr(), text.strip_prefix("error: ")) {
        (true, Some(rest)) => tool::usage(tool, &format!("{tool}: {rest}"), true, io),
        (wrong, _) => tool::usage(tool, &text, wrong, io),
    }
}

/// Removes the hint to pass an option as a file, and suggestions that differ too much from the given name.
fn remove_unlikely_suggestions(e: &mut clap::Error) {
    let passed = |tip: &StyledStr| tip.to_string().starts_with("to pass '");
    if let Some(ContextValue::StyledStrs(tips)) = e.get(ContextKind::Suggested)
        && tips.iter().any(passed)
    {
        e.remove(ContextKind::Suggested);
    }
    for (given, tip) in [
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        (ContextKind::InvalidValue, ContextKind::SuggestedValue),
    ] {
        if is_far(e, given, tip) {
            e.remove(tip);
            // The usage line contains the suggestion.
            e.remove(ContextKind::Usage);
        }
    }
}

/// Returns whether a suggestion is an unlikely misspelling.
fn is_far(e: &clap::Error, given: ContextKind, tip: ContextKind) -> bool {
    let word = |text: &str| text.trim_start_matches('-').to_owned();
    let suggested: Vec<_> = match e.get(tip) {
        Some(ContextValue::String(text)) => vec![word(text)],
        Some(ContextValue::Strings(texts)) => texts.iter().map(|text| word(text)).collect(),
        Some(_) | None => return false,
    };
    let Some(ContextValue::String(given)) = e.get(given) else {
        return false;
    };
    let given = word(given);
    let starts = suggested.iter().any(|name| name.starts_with(&given));
    !starts && nearest(&given, suggested.iter().map(String::as_str)).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    fn ended(e: impl Into<anyhow::Error>) -> Status {
        let mut io = Io {
            stdin: Box::new(std::io::empty()),
            stdout: Box::new(std::io::sink()),
            stderr: Box::new(std::io::sink()),
            terminal: false,
            screen: false,
        };
        status("ncdump", Err(e.into()), &mut io)
    }

    #[test]
    fn each_sort_has_its_status() {
        let command = || clap::Command::new("ncdump").version("1");
        let asked = |arg: &str| command().try_get_matches_from(["ncdump", arg]).unwrap_err();
        assert_eq!(ended(asked("--version")), Status::Success);
        assert_eq!(ended(asked("--nosuch")), Status::Usage);
        assert_eq!(
            ended(Error::new(ErrorKind::Corrupt, "odd")),
            Status::Failure
        );
        let other = Err::<(), _>(std::fmt::Error).context("while writing");
        assert_eq!(ended(other.unwrap_err()), Status::Failure);
    }

    /// Returns the message for an unknown option similar to `--trace`.
    fn message(option: &str) -> String {
        let command = clap::Command::new("ncdump");
        let command = command.arg(clap::Arg::new("trace").long("trace"));
        let command = command.arg(clap::Arg::new("file"));
        let mut e = command
            .try_get_matches_from(["ncdump", option])
            .unwrap_err();
        remove_unlikely_suggestions(&mut e);
        e.render().to_string()
    }

    #[test]
    fn tips_are_likely() {
        assert!(message("--trce").contains("tip: a similar argument exists: '--trace'"));
        for option in ["-q", "--rename", "--ace", "--nosuch"] {
            let text = message(option);
            assert!(!text.contains("tip") && !text.contains("--trace"), "{text}");
        }
    }
}
