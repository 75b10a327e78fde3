//! Values of options.

use netcdf_core::diff::Tolerance;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_grammar::cdl::write::{Annotation, Language};
use netcdf_grammar::number::{Precision, whole_number};

use crate::request::Digits;

fn wrong(what: String) -> Error {
    Error::new(ErrorKind::Argument, what)
}

/// Returns the values of `-b` and `-f`, and whether `-f` follows `-b`.
pub(super) fn annotation(
    (rows, values): (Option<&str>, Option<&str>),
    full_last: bool,
) -> Result<Annotation> {
    let read = |option: &str, value: Option<&str>| match value {
        None => Ok(None),
        Some(value) => language(option, value).map(Some),
    };
    let rows = read("-b", rows)?;
    let values = read("-f", values)?;
    let language = if full_last { values } else { rows.or(values) };
    Ok(Annotation {
        rows: rows.is_some(),
        values: values.is_some(),
        language: language.unwrap_or_default(),
    })
}

/// Only the first letter is significant.
fn language(option: &str, value: &str) -> Result<Language> {
    match value.bytes().next() {
        Some(b'c' | b'C') => Ok(Language::C),
        Some(b'f' | b'F') => Ok(Language::Fortran),
        Some(_) | None => Err(wrong(format!(
            "invalid value for {option} option: {value} (expected c or f)"
        ))),
    }
}

/// Parses a number like C's `strtol`: decimal, octal or hexadecimal.
pub(super) fn line_length(value: Option<&str>) -> Result<usize> {
    const LEAST: usize = 10;
    let Some(value) = value else { return Ok(80) };
    let (digits, radix) = match whole_number::trimmed(value).strip_prefix('0') {
        Some(rest) if rest.starts_with(['x', 'X']) => (rest.get(1..).unwrap_or_default(), 16),
        Some(rest) if !rest.is_empty() => (rest, 8),
        Some(_) | None => (whole_number::trimmed(value), 10),
    };
    let length = usize::from_str_radix(digits, radix).ok();
    length.filter(|&n| n >= LEAST).ok_or_else(|| {
        wrong(format!(
            "unreasonably small line length specified: {value} (expected at least {LEAST})"
        ))
    })
}

/// Returns the values of `-d` and `-p`.
pub(super) fn digits(old: Option<&str>, precision: Option<&str>) -> Result<Digits> {
    let mut digits = Digits::default();
    if let Some(value) = old {
        digits = read_digits(value)?;
        (digits.float_first, digits.double_first) = (false, false);
    }
    match precision {
        None => Ok(digits),
        Some("exact") => Ok(Digits {
            float: Precision::Exact,
            double: Precision::Exact,
            float_first: true,
            double_first: true,
        }),
        Some(value) => read_digits(value),
    }
}

/// Parses `FLOAT`, `FLOAT,DOUBLE` or `,DOUBLE`.
fn read_digits(value: &str) -> Result<Digits> {
    let mut digits = Digits::default();
    let (float, double) = match value.split_once(',') {
        Some((float, double)) => (float, Some(double)),
        None => (value, None),
    };
    if !float.is_empty() {
        digits.float = count("float", float)?;
        digits.float_first = true;
    }
    if let Some(double) = double {
        digits.double = count("double", double)?;
        digits.double_first = true;
    }
    Ok(digits)
}

fn count(what: &str, value: &str) -> Result<Precision> {
    let count = whole_number::trimmed(value).parse::<u8>().ok();
    match count.filter(|n| (1..=20).contains(n)) {
        Some(n) => Ok(Precision::Digits(n)),
        None => Err(wrong(format!(
            "unreasonable value for {what} significant digits: {value} (expected 1 to 20)"
        ))),
    }
}

pub(super) fn fill_type(extra: &[String]) -> Result<bool> {
    let mut found = false;
    for value in extra {
        match value.bytes().next() {
            Some(b'f' | b'F') => found = true,
            Some(b'p' | b'P' | b'm' | b'M') => {}
            Some(_) | None => {
                return Err(wrong(format!("invalid value for -X option: {value}")));
            }
        }
    }
    Ok(found)
}

/// Parses `ABS[,REL]`: finite numbers that are not negative.
pub(super) fn tolerance(text: &str) -> Result<Tolerance> {
    let wrong = || {
        wrong(format!(
            "--tolerance: `{text}` is not ABS[,REL], such as 1e-6 or 0,1e-5"
        ))
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
