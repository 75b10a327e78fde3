//! Selections along dimensions, as in `--select`: `dim[,min[,max[,stride]]]`, with the rules of NCO. A one-dimensional variable can replace
//! the dimension; its values are then the coordinate.
//!
//! A whole number is an index from 0, or from the end if it is negative. A number with a point or an exponent is a coordinate value, and so
//! is a time such as `2001-01-31`. Both limits are inclusive: a month or day as the second limit ends with the month or day. A single limit
//! selects an index, the nearest value, or a month or day. A comma after a limit selects all values from the limit, a comma before a limit
//! all values up to the limit. If the first index is greater than the second one, the selection wraps around the end of the dimension.
//! Several selections of a dimension are merged, in the order of the dimension.

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
    /// A coordinate value.
    Value(UserDecimal),
    /// A time in its original text.
    Time(Vec<u8>),
}

/// The selected indices.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum IndexSpan {
    /// One index, or the index with the nearest value.
    One(Limit),
    /// All indices between the limits, inclusive.
    Range(Option<Limit>, Option<Limit>),
    /// Indices from a plan.
    Runs(Vec<IndexRun>),
}

/// The selected indices of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedIndices {
    /// The path of the dimension.
    pub dim: String,
    /// The indices in output order.
    pub runs: Vec<IndexRun>,
}

/// A selection of indices of a dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperslab {
    /// The name of the dimension or of a variable over it, or the end of a path, without escapes.
    pub(crate) dim: Vec<u8>,
    pub(crate) span: IndexSpan,
    /// The step between selected indices.
    pub(crate) stride: u64,
    /// The complete text, for messages.
    pub(crate) text: String,
}

impl Hyperslab {
    /// Parses a selection.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for limits that are neither numbers nor times, for two limits of different kinds, for a stride of 0,
    /// and for excess words.
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
            stride: stride.ok_or_else(|| wrong("a stride must be a whole number of at least 1"))?,
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

    /// Returns the name of the dimension with escapes.
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

/// Formats a selection as an option.
fn option_text(selection: &Hyperslab) -> String {
    format!("--select {}", selection.text)
}
