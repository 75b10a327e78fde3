//! Selections of indices of dimensions, as `--select` takes them: `dim[,min[,max[,stride]]]`, with the rules of NCO. A variable of one
//! dimension can stand for the dimension, with the values of the variable as the coordinate.
//!
//! A whole number is an index from 0, from the end if it is negative; a number with a point or an exponent is a value of the
//! coordinate, and so is a time such as `2001-01-31`. Both limits are included: a month or day as the second limit ends with the month
//! or day. A single limit selects an index, the nearest value, or a month or day. A comma after a limit selects all values from the limit
//! on, a comma before a limit all values up to the limit. If the first index is behind the second one, the
//! selection goes on at the beginning of the dimension. Several selections of a dimension are taken together, in the order of the
//! dimension.

mod circle;
mod coordinate;
mod decimal;
mod resolve;
mod runs;
mod values;

#[cfg(test)]
mod tests;

use netcdf_core::chunk::view::IndexRun;
use netcdf_core::error::{Error, ErrorKind, Result};

use crate::escape::words::{plain, split_once};

use decimal::UserDecimal;

pub use resolve::{resolve, selected, view};

/// A limit of a selection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Limit {
    /// An index from 0, or from the end.
    Index(i64),
    /// A value of the coordinate.
    Value(UserDecimal),
    /// A time, as it is written.
    Time(Vec<u8>),
}

/// What is taken between the limits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum IndexSpan {
    /// One index, or the one with the nearest value.
    One(Limit),
    /// All from one to the other, which are included.
    Range(Option<Limit>, Option<Limit>),
    /// Indices from a plan.
    Runs(Vec<IndexRun>),
}

/// The selected indices of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedIndices {
    /// The path of the dimension.
    pub dim: String,
    /// The indices in the order of the output.
    pub runs: Vec<IndexRun>,
}

/// A selection of indices of a dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperslab {
    /// The name of the dimension or of a variable over it, or the end of a path, without escapes.
    pub(crate) dim: Vec<u8>,
    pub(crate) span: IndexSpan,
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
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |what: &str| {
            let e = Error::new(ErrorKind::Argument, format!("{what}: {text}"));
            e.with_remedy("a selection is DIMENSION[,MINIMUM[,MAXIMUM[,STRIDE]]]")
        };
        let (dim, rest) = match split_once(text, ',') {
            Some((dim, rest)) => (dim, Some(rest)),
            None => (text, None),
        };
        let mut words = rest.into_iter().flat_map(|rest| rest.split(','));
        if dim.is_empty() {
            return Err(wrong("a selection without a dimension"));
        }
        let (first, second, stride) = (words.next(), words.next(), words.next());
        if words.next().is_some() {
            return Err(wrong("a selection of more than four words"));
        }
        let limit = |word: Option<&str>| match word {
            Some(word) if !word.is_empty() => Limit::parse(word)
                .map(Some)
                .ok_or_else(|| wrong(&format!("{word:?} is neither a number nor a time"))),
            Some(_) | None => Ok(None),
        };
        let alone = second.is_none();
        let first = limit(first)?;
        let second = limit(second)?;
        if let (Some(first), Some(second)) = (&first, &second)
            && matches!(first, Limit::Index(_)) != matches!(second, Limit::Index(_))
        {
            return Err(wrong("one limit is an index and the other one a value"));
        }
        let span = match first {
            Some(first) if alone => IndexSpan::One(first),
            first => IndexSpan::Range(first, second),
        };
        let stride = match stride.filter(|word| !word.is_empty()) {
            None => Some(1),
            Some(word) => word.parse().ok(),
        };
        let stride = stride.filter(|stride| *stride > 0);
        Ok(Self {
            dim: plain(dim),
            span,
            stride: stride.ok_or_else(|| wrong("a stride is a whole number from 1 on"))?,
            text: text.to_owned(),
        })
    }

    /// Creates a selection from the indices of a plan.
    #[must_use]
    pub fn of_indices(indices: SelectedIndices) -> Self {
        let SelectedIndices { dim, runs } = indices;
        Self {
            dim: dim.clone().into_bytes(),
            span: IndexSpan::Runs(runs),
            stride: 1,
            text: dim,
        }
    }

    /// The name of the dimension with escapes.
    fn dim_text(&self) -> &str {
        split_once(&self.text, ',').map_or(&self.text, |(dim, _)| dim)
    }
}

impl Limit {
    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            return text.parse().ok().map(Self::Index);
        }
        if let Some(value) = UserDecimal::parse(text) {
            return Some(Self::Value(value));
        }
        let time = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains(['-', ':']);
        time.then(|| Self::Time(text.as_bytes().to_vec()))
    }
}

/// A selection as an option.
fn option_text(selection: &Hyperslab) -> String {
    format!("--select {}", selection.text)
}
