//! The end of a run: turns errors of all sorts into messages and a status.

use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::tool::{self, Io, Status, release};

use clap::error::{ContextKind, ContextValue, ErrorKind as Kind};

/// Whether an answer ends with the version: help, versions, and errors about missing arguments and values.
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

/// The status of a run. Prints what ended it: the help or version, a mistake in the command line, or any other error. Usages and versions
/// end with [`release::line`].
pub fn status<T: From<Status>>(tool: &str, ended: anyhow::Result<T>, io: &mut Io) -> T {
    ended.unwrap_or_else(|e| T::from(told(tool, e, io)))
}

fn told(tool: &str, e: anyhow::Error, io: &mut Io) -> Status {
    let e = match e.downcast::<clap::Error>() {
        Ok(e) => {
            let mut text = e.render().to_string();
            if has_version(&e) {
                text.push_str(&release::line(tool).unwrap_or_default());
            }
            return tool::usage(tool, &text, e.use_stderr(), io);
        }
        Err(e) => e,
    };
    match e.downcast::<Error>() {
        Ok(e) => tool::report(tool, &e, io),
        Err(e) => tool::report(tool, &Error::new(ErrorKind::Argument, format!("{e:#}")), io),
    }
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
}
