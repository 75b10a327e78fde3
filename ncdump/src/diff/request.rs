//! The options of a comparison.

use std::path::{Path, PathBuf};

use netcdf_core::diff::Tolerance;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::locator::Location;
use netcdf_core::shown::ShownAddress;
use netcdf_grammar::left_out::LeftOut;
use netcdf_grammar::selection::names;

use crate::cli::Cli;

/// What is compared, and how the result is printed.
pub(super) struct Request {
    pub(super) inputs: [PathBuf; 2],
    pub(super) tolerance: Tolerance,
    pub(super) layout: bool,
    pub(super) values: bool,
    pub(super) json: bool,
    /// Names of variables, as given.
    pub(super) variables: Option<Vec<Vec<u8>>>,
    /// Names of groups, as given.
    pub(super) groups: Option<Vec<Vec<u8>>>,
    pub(super) left_out: LeftOut,
    pub(super) allow_external: bool,
    pub(super) trace: bool,
}

impl Request {
    /// # Errors
    /// [`ErrorKind::Argument`] for a wrong value of an option.
    pub(super) fn new(cli: &Cli) -> Result<Self> {
        let lacking = || Error::new(ErrorKind::Argument, "--diff: needs two datasets");
        let (other, more) = cli.others.split_first().ok_or_else(lacking)?;
        if let Some(third) = more.first() {
            let e = Error::new(ErrorKind::Argument, "--diff compares two datasets");
            return Err(e.of(ShownAddress::of(third).text()));
        }
        let inputs = [cli.input.clone(), other.clone()];
        if inputs.iter().all(|path| is_standard(path)) {
            let what = "--diff: only one dataset can be standard input";
            return Err(Error::new(ErrorKind::Argument, what));
        }
        Ok(Self {
            inputs,
            tolerance: cli
                .tolerance
                .as_deref()
                .map_or(Ok(Tolerance::default()), tolerance)?,
            layout: cli.compare_layout,
            values: !cli.header,
            json: cli.json,
            variables: cli.variables.as_deref().map(|list| names([list])),
            groups: cli.groups.as_deref().map(|list| names([list])),
            left_out: LeftOut::new(&names(cli.ignore.as_deref())),
            allow_external: cli.allow_external,
            trace: cli.trace,
        })
    }
}

fn is_standard(path: &Path) -> bool {
    Location::new(path).is_ok_and(|at| at.is_standard())
}

/// `ABS[,REL]`: finite numbers that are not negative.
fn tolerance(text: &str) -> Result<Tolerance> {
    let wrong = || {
        let what = format!("--tolerance: `{text}` is not ABS[,REL], such as 1e-6 or 0,1e-5");
        Error::new(ErrorKind::Argument, what)
    };
    let number = |text: &str| {
        let number = text.trim().parse::<f64>().ok();
        number
            .filter(|n| n.is_finite() && *n >= 0.0)
            .ok_or_else(wrong)
    };
    let (absolute, relative) = match text.split_once(',') {
        Some((absolute, relative)) => (number(absolute)?, number(relative)?),
        None => (number(text)?, 0.0),
    };
    Ok(Tolerance { absolute, relative })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances() {
        let of = |text| tolerance(text).ok().map(|t| (t.absolute, t.relative));
        assert_eq!(of("1e-6"), Some((1e-6, 0.0)));
        assert_eq!(of("0,0.5"), Some((0.0, 0.5)));
        for wrong in ["", "x", "-1", "1,", "1,-2", "inf", "nan", "1,2,3"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
