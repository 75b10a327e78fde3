//! Selections of indices of dimensions, as `--select` takes them: `dim[,min[,max[,stride]]]`, with the rules of NCO.
//!
//! A whole number is an index from 0, from the end if it is negative; a number with a point or an exponent is a value of the
//! coordinate, and so is a time such as `2001-01-31`. Both limits are included. A single limit is one index, or the value that is
//! nearest; a comma after it means all from there on, one before it all up to there. If the first index is behind the second one, the
//! selection goes on at the beginning of the dimension. Several selections of a dimension are taken together, in the order of the
//! dimension.

mod coordinate;
mod resolve;
mod runs;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;

use netcdf_core::error::{Error, ErrorKind, Result};

pub use resolve::{resolve, view};

/// A limit of a selection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Limit {
    /// An index from 0, or from the end.
    Index(i64),
    /// A value of the coordinate.
    Value(f64),
    /// A time, as it is written.
    Time(Vec<u8>),
}

/// What is taken between the limits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Span {
    /// One index, or the one with the nearest value.
    One(Limit),
    /// All from one to the other, which are included.
    Range(Option<Limit>, Option<Limit>),
}

/// A selection of indices of a dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperslab {
    /// The name of the dimension, or the end of its path, as it is written.
    pub(crate) dim: Vec<u8>,
    pub(crate) span: Span,
    /// Of the indices between the limits, every one, or every second and so on.
    pub(crate) stride: u64,
    /// All of it, for messages.
    pub(crate) text: String,
}

impl Hyperslab {
    /// Reads a selection.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for limits that are neither numbers nor times or of two sorts, for a stride of 0, and for more words.
    pub fn parse(text: &OsStr) -> Result<Self> {
        let shown = text.to_string_lossy().into_owned();
        let wrong = |what: &str| {
            let e = Error::new(ErrorKind::Argument, format!("{what}: {shown}"));
            e.with_remedy("a selection is DIMENSION[,MINIMUM[,MAXIMUM[,STRIDE]]]")
        };
        let mut words = split(text.as_encoded_bytes());
        let dim = words.next().unwrap_or_default();
        if dim.is_empty() {
            return Err(wrong("a selection without a dimension"));
        }
        let (first, second, stride) = (words.next(), words.next(), words.next());
        if words.next().is_some() {
            return Err(wrong("a selection of more than four words"));
        }
        let limit = |word: Option<Vec<u8>>| match word {
            Some(word) if !word.is_empty() => Limit::parse(&word).map(Some).ok_or(word),
            Some(_) | None => Ok(None),
        };
        let unknown = |word: Vec<u8>| {
            let word = String::from_utf8_lossy(&word).into_owned();
            wrong(&format!("{word:?} is neither a number nor a time"))
        };
        let alone = second.is_none();
        let first = limit(first).map_err(unknown)?;
        let second = limit(second).map_err(unknown)?;
        if let (Some(first), Some(second)) = (&first, &second)
            && matches!(first, Limit::Index(_)) != matches!(second, Limit::Index(_))
        {
            return Err(wrong("one limit is an index and the other one a value"));
        }
        let span = match first {
            Some(first) if alone => Span::One(first),
            first => Span::Range(first, second),
        };
        let stride = match stride.filter(|word| !word.is_empty()) {
            None => Some(1),
            Some(word) => std::str::from_utf8(&word)
                .ok()
                .and_then(|word| word.parse().ok()),
        };
        let stride = stride.filter(|stride| *stride > 0);
        Ok(Self {
            dim,
            span,
            stride: stride.ok_or_else(|| wrong("a stride is a whole number from 1 on"))?,
            text: shown,
        })
    }
}

impl Limit {
    fn parse(word: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(word).ok()?;
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            return text.parse().ok().map(Self::Index);
        }
        let number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        if let Some(value) = text
            .parse::<f64>()
            .ok()
            .filter(|value| number && value.is_finite())
        {
            return Some(Self::Value(value));
        }
        let time = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains(['-', ':']);
        time.then(|| Self::Time(word.to_vec()))
    }
}

/// The words between commas; in a name, a comma or a backslash behind a backslash is part of it.
fn split(text: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let mut left = Some(text);
    let mut first = true;
    std::iter::from_fn(move || {
        let text = left?;
        let mut escaped = false;
        let end = text.iter().position(|&byte| {
            let ends = byte == b',' && !escaped;
            escaped = first && byte == b'\\' && !escaped;
            ends
        });
        first = false;
        left = end.and_then(|end| text.get(end + 1..));
        Some(
            text.get(..end.unwrap_or(text.len()))
                .unwrap_or_default()
                .to_vec(),
        )
    })
}
