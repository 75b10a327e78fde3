//! The options of the command line.

use std::io::Write;
use std::path::Path;

use netcdf_core::chunk::{Dataset, Reader};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::filter::Table;
use netcdf_core::model::{Schema, VarId};
use netcdf_core::notes::Notes;
use netcdf_grammar::cdl::write::{
    self, Annotation, Language, Options, Selection, SpecialAttributes,
};
use netcdf_grammar::json;
use netcdf_grammar::number::{Precision, whole};
use netcdf_grammar::selection::names;

use crate::cli::Cli;
use crate::csv::CellForms;
use crate::forms::DumpForms;
use crate::several::Heading;
use crate::{csv, filters, listing, ncml, select};
use netcdf_grammar::time::Separator;

/// What is printed.
pub(crate) enum Job {
    /// The kind (`-k`).
    Kind,
    /// Storage and mode (`-K`).
    ExtendedKind,
    /// CDL.
    Cdl(Request),
    /// NcML (`-x`).
    Ncml(Request),
    /// JSON (`--json`).
    Json(Request),
    /// The table of filters (`--filters`).
    Filters(Request),
    /// Digests (`--sum`).
    Sum(Request),
    /// The check of digests (`--sum --check`).
    Check,
    /// Statistics (`--stats`).
    Statistics(Request),
    /// Comma-separated values (`--csv`).
    Csv(Request),
}

/// How CDL or NcML is printed.
pub(crate) struct Request {
    pub(crate) header: bool,
    pub(crate) coordinates: bool,
    /// Names of variables, as given.
    pub(crate) variables: Option<Vec<Vec<u8>>>,
    /// Names of groups, as given.
    groups: Option<Vec<Vec<u8>>>,
    annotation: Annotation,
    line_length: usize,
    pub(crate) digits: Digits,
    special: SpecialAttributes,
    fill_type: bool,
    times: Option<Separator>,
    /// Whether the table of filters is JSON.
    as_json: bool,
}

/// Digits of floating-point values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Digits {
    pub(crate) float: Precision,
    pub(crate) double: Precision,
    /// Whether `C_format` is ignored for float.
    pub(crate) float_first: bool,
    /// Whether `C_format` is ignored for double.
    pub(crate) double_first: bool,
}

impl Default for Digits {
    fn default() -> Self {
        Self {
            float: Precision::Digits(7),
            double: Precision::Digits(15),
            float_first: false,
            double_first: false,
        }
    }
}

impl Job {
    /// # Errors
    /// [`ErrorKind::Argument`] for a wrong value of an option.
    pub(crate) fn new(cli: &Cli) -> Result<Self> {
        let request = Request::new(cli)?;
        Ok(if cli.check {
            Self::Check
        } else if cli.sum {
            Self::Sum(request)
        } else if cli.stats {
            Self::Statistics(request)
        } else if cli.csv {
            Self::Csv(request)
        } else if cli.kind {
            Self::Kind
        } else if cli.extended_kind {
            Self::ExtendedKind
        } else if cli.filters {
            Self::Filters(request)
        } else if cli.ncml {
            Self::Ncml(request)
        } else if cli.json {
            Self::Json(request)
        } else {
            Self::Cdl(request)
        })
    }
}

impl Request {
    /// # Errors
    /// [`ErrorKind::Argument`] for a wrong value of an option.
    pub(crate) fn new(cli: &Cli) -> Result<Self> {
        let special = match (cli.special, cli.all_filters) {
            (false, _) => SpecialAttributes::Hidden,
            (true, false) => SpecialAttributes::Shown,
            (true, true) => SpecialAttributes::Filters,
        };
        let times = if cli.iso_times {
            Some(Separator::T)
        } else {
            cli.times.then_some(Separator::Blank)
        };
        Ok(Self {
            header: cli.header,
            coordinates: cli.coordinates,
            variables: cli.variables.as_deref().map(|list| names([list])),
            groups: cli.groups.as_deref().map(|list| names([list])),
            annotation: annotation(cli)?,
            line_length: line_length(cli.line_length.as_deref())?,
            digits: digits(cli)?,
            special,
            fill_type: fill_type(&cli.extra)?,
            times,
            as_json: cli.json,
        })
    }

    /// Writes a dataset as CDL; the reasons why data was left out go to `omitted`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for names that are not in the dataset; errors of reading and writing.
    pub(crate) fn write(
        &self,
        set: &Dataset<'_>,
        name: &[u8],
        omitted: &mut Vec<Error>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let schema = set.reader.schema();
        let forms = DumpForms::new(schema, self.digits, (self.times, &set.env.notes));
        let selection = self.selection(schema)?;
        let options = Options {
            name: name.to_vec(),
            data: (!self.header).then_some(selection),
            annotation: self.annotation,
            line_length: self.line_length,
            float: self.digits.float,
            double: self.digits.double,
            special: self.special,
            fill_type: self.fill_type,
            forms: Some(&forms),
            damaged: !omitted.is_empty(),
        };
        write::write(set, &options, omitted, out)
    }

    /// Writes a dataset as JSON; the reasons why data was left out go to `omitted`.
    ///
    /// # Errors
    /// As [`Request::write`].
    pub(crate) fn json(
        &self,
        set: &Dataset<'_>,
        name: &[u8],
        omitted: &mut Vec<Error>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let selection = self.selection(set.reader.schema())?;
        let options = json::write::Options {
            name: name.to_vec(),
            data: (!self.header).then_some(selection),
            special: self.special,
        };
        json::write::write(set, &options, omitted, out)
    }

    /// Writes the selected variables as comma-separated values.
    ///
    /// # Errors
    /// As [`csv::write`]; [`ErrorKind::NotFound`] for names that are not in the dataset.
    pub(crate) fn csv(&self, set: Dataset<'_>, out: &mut dyn Write) -> Result<()> {
        let schema = set.reader.schema();
        let vars = self.chosen(schema)?.unwrap_or_default();
        let forms = DumpForms::new(schema, self.digits, (self.times, &set.env.notes));
        let forms = CellForms {
            forms: &forms,
            digits: self.digits,
        };
        csv::write(set, &vars, forms, out)
    }

    /// The table of filters; `missing` receives an error for each variable with a missing filter.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for names that are not in the dataset.
    pub(crate) fn filters(
        &self,
        schema: &Schema,
        (known, heading): (&Table, &Heading),
        missing: &mut Vec<Error>,
    ) -> Result<String> {
        let selection = self.selection(schema)?;
        missing.extend(filters::missing(schema, known, &selection));
        match self.as_json {
            true => listing::filters(schema, known, &selection, heading),
            false => Ok(heading.block() + &filters::table(schema, known, &selection)),
        }
    }

    /// The variables that `-v` and `-g` select; `None` if neither is given.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for names that are not in the dataset.
    pub(crate) fn chosen(&self, schema: &Schema) -> Result<Option<Vec<VarId>>> {
        if self.variables.is_none() && self.groups.is_none() {
            return Ok(None);
        }
        let selection = self.selection(schema)?;
        Ok(Some(select::selected(schema, &selection)))
    }

    /// The metadata of a dataset as NcML.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for names that are not in the dataset, [`ErrorKind::Limit`] for types with too many nested fields.
    pub(crate) fn ncml(&self, reader: &dyn Reader, path: &Path, notes: &Notes) -> Result<Vec<u8>> {
        let selection = self.selection(reader.schema())?;
        ncml::write(reader.schema(), path, self, &selection, notes)
    }

    fn selection(&self, schema: &Schema) -> Result<Selection> {
        let variables = self.variables.as_deref();
        let groups = self.groups.as_deref();
        Ok(Selection {
            groups: groups.map(|g| select::groups(schema, g)).transpose()?,
            variables: variables
                .map(|v| select::variables(schema, v))
                .transpose()?,
            coordinates: self.coordinates,
        })
    }
}

fn wrong(what: String) -> Error {
    Error::new(ErrorKind::Argument, what)
}

fn annotation(cli: &Cli) -> Result<Annotation> {
    let read = |option: &str, value: Option<&str>| match value {
        None => Ok(None),
        Some(value) => language(option, value).map(Some),
    };
    let rows = read("-b", cli.brief.as_deref())?;
    let values = read("-f", cli.full.as_deref())?;
    let language = if cli.full_last {
        values
    } else {
        rows.or(values)
    };
    Ok(Annotation {
        rows: rows.is_some(),
        values: values.is_some(),
        language: language.unwrap_or_default(),
    })
}

/// The first letter counts.
fn language(option: &str, value: &str) -> Result<Language> {
    match value.bytes().next() {
        Some(b'c' | b'C') => Ok(Language::C),
        Some(b'f' | b'F') => Ok(Language::Fortran),
        Some(_) | None => Err(wrong(format!(
            "invalid value for {option} option: {value} (expected c or f)"
        ))),
    }
}

/// A number as C's `strtol` reads it, decimal, octal or hexadecimal.
fn line_length(value: Option<&str>) -> Result<usize> {
    const LEAST: usize = 10;
    let Some(value) = value else { return Ok(80) };
    let (digits, radix) = match whole::trimmed(value).strip_prefix('0') {
        Some(rest) if rest.starts_with(['x', 'X']) => (rest.get(1..).unwrap_or_default(), 16),
        Some(rest) if !rest.is_empty() => (rest, 8),
        Some(_) | None => (whole::trimmed(value), 10),
    };
    let length = usize::from_str_radix(digits, radix).ok();
    length.filter(|&n| n >= LEAST).ok_or_else(|| {
        wrong(format!(
            "unreasonably small line length specified: {value} (expected at least {LEAST})"
        ))
    })
}

fn digits(cli: &Cli) -> Result<Digits> {
    let mut digits = Digits::default();
    if let Some(value) = &cli.digits {
        digits = read_digits(value)?;
        (digits.float_first, digits.double_first) = (false, false);
    }
    match cli.precision.as_deref() {
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

/// `FLOAT`, `FLOAT,DOUBLE` or `,DOUBLE`.
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
    let count = whole::trimmed(value).parse::<u8>().ok();
    match count.filter(|n| (1..=20).contains(n)) {
        Some(n) => Ok(Precision::Digits(n)),
        None => Err(wrong(format!(
            "unreasonable value for {what} significant digits: {value} (expected 1 to 20)"
        ))),
    }
}

fn fill_type(extra: &[String]) -> Result<bool> {
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
