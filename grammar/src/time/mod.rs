//! Text of time values in CF-like variables, for `ncdump -t` and `-i`.
//!
//! A time variable has a `units` attribute `<unit> since <base>`. Its `calendar` attribute selects the length of years and months. The base
//! may name a time zone; times are printed in UTC. The arithmetic uses hours as `f64`, step by step in the order of the C tool, so that the
//! last printed microsecond agrees. Units of less than a second, which the C tool lacks, are counted in nanoseconds. Every conversion takes
//! constant time for any value.

mod calendar;
mod moment;
mod reference;
mod scan;
mod text;
mod timeline;
mod units;

#[cfg(test)]
mod tests;

pub use calendar::Calendar;
pub use moment::Moment;

use std::cmp::Ordering;
use std::fmt;

use netcdf_core::model::convert::convert;
use netcdf_core::model::{Atomic, Values, Variable};
use netcdf_core::notes::Note;

use calendar::Date;
pub use scan::until_nul;
use timeline::{Fine, Timeline};
use units::SinceText;

/// The byte between date and time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// A blank (`ncdump -t`).
    Blank,
    /// The letter `T` of ISO 8601 (`ncdump -i`).
    T,
}

/// The result of [`TimeUnits::format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Formatted {
    /// The quoted text was appended.
    Time,
    /// The value is a NaN or an infinity, and no text was appended: callers print `NaN`, `Infinity` or `-Infinity` without quotes.
    NotFinite,
    /// The value is more than 2^31 - 1 days (5.8 million years) from 1970, and no text was appended: callers print the number.
    OutOfRange,
}

/// The value of a time variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Count {
    /// A whole number, which may have more digits than an `f64`.
    Whole(i128),
    /// A double.
    Real(f64),
    /// A float.
    Single(f32),
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(x) => x.fmt(f),
            Self::Real(x) => x.fmt(f),
            Self::Single(x) => x.fmt(f),
        }
    }
}

impl Count {
    /// Returns the nearest double.
    #[must_use]
    pub fn real(self) -> f64 {
        match self {
            Self::Whole(x) => x as f64,
            Self::Real(x) => x,
            Self::Single(x) => x.into(),
        }
    }

    /// Returns the approximate spacing of the number type, or `None` for whole numbers.
    fn spacing(self) -> Option<f64> {
        match self {
            Self::Whole(_) => None,
            Self::Real(x) => Some(x.abs() * f64::EPSILON),
            Self::Single(x) => Some(f64::from(x.abs() * f32::EPSILON)),
        }
    }

    /// Returns the value times `factor`, rounded to the nearest whole number, or `None` if it is beyond all dates.
    fn times(self, factor: i64) -> Option<i128> {
        match self {
            Self::Whole(x) => x.checked_mul(i128::from(factor)),
            Self::Single(x) => Self::Real(x.into()).times(factor),
            Self::Real(x) => {
                let whole = x.floor();
                let rest = calendar::truncate(((x - whole) * factor as f64).round());
                if !x.is_finite() || whole.abs() >= LIMIT {
                    return None;
                }
                #[expect(clippy::cast_possible_truncation, reason = "it has been bounded")]
                let whole = whole as i128;
                whole
                    .checked_mul(i128::from(factor))?
                    .checked_add(i128::from(rest))
            }
        }
    }
}

/// The count limit of all units of less than a second.
const LIMIT: f64 = 1e30;

/// The parsed `units` and `calendar` attributes of a time variable.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeUnits {
    calendar: Calendar,
    timeline: Timeline,
    /// Exact times of values, for units of fixed length.
    clock: Option<Fine>,
    /// Words after the reference time.
    ignored: Vec<u8>,
}

/// An unreadable reference time: the text after `since`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadReference(Vec<u8>);

impl UnreadReference {
    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    /// Returns the note for a variable with values printed as numbers.
    #[must_use]
    pub fn note(&self, var: &str) -> Note {
        let text = self.text();
        Note {
            object: var.to_owned(),
            what: format!("printed as numbers: reference time not understood: {text:?}"),
            remedy: None,
        }
    }
}

impl TimeUnits {
    /// Parses a `units` attribute, and the `calendar` attribute if it has type char or string. A text ends at its first NUL. For an
    /// attribute of several strings, pass the first one.
    ///
    /// Returns `None` if the variable is not a time variable: no `<unit> since <text>`, an unknown unit, or years in a calendar without
    /// years.
    ///
    /// # Errors
    /// Returns the text after `since` if it is not a reference time that exists in the calendar.
    #[must_use]
    pub fn parse(
        units: &[u8],
        calendar: Option<&[u8]>,
    ) -> Option<std::result::Result<Self, UnreadReference>> {
        let calendar = calendar.map_or(Calendar::Mixed, Calendar::from_attribute);
        let since = SinceText::split(units, calendar)?;
        let Some(reference) = since.reference(calendar) else {
            return Some(Err(UnreadReference(since.text.to_vec())));
        };
        Some(Ok(Self {
            calendar,
            timeline: Timeline::new(calendar, since.unit, reference.date),
            clock: since
                .unit
                .nanoseconds()
                .map(|unit| Fine::new(calendar, &reference.date, unit)),
            ignored: reference.ignored.to_vec(),
        }))
    }

    /// Returns the note about ignored words after the reference time of a variable, such as the name of a time zone.
    #[must_use]
    pub fn note(&self, var: &str) -> Option<Note> {
        let ignored = String::from_utf8_lossy(&self.ignored);
        (!ignored.is_empty()).then(|| Note {
            object: var.to_owned(),
            what: format!("ignored after the reference time, which is read as UTC: {ignored:?}"),
            remedy: None,
        })
    }

    /// Parses a time from the command line: `YYYY-MM[-DD[ HH[:MM[:SS]]]]`, with a blank, a `T` or a `_` before the time of day, and an
    /// optional final `Z`. Returns `None` for any other text, for a day that the calendar lacks, and in the calendar `none`.
    #[must_use]
    pub fn moment(&self, text: &[u8]) -> Option<Moment> {
        let text = Some(text).filter(|_| self.calendar != Calendar::None);
        Moment::parse(text?, self)
    }

    /// Compares a value with a time. A value within a month or day equals the month or day. Returns `None` for NaN.
    #[must_use]
    pub fn order(&self, value: Count, moment: &Moment) -> Option<Ordering> {
        moment.order(value, self)
    }

    /// Returns nanoseconds between a value and a time, 0 within a month or day. Returns `None` if the value is out of range or not finite.
    #[must_use]
    pub fn distance(&self, value: Count, moment: &Moment) -> Option<u128> {
        moment.distance(value, self)
    }

    /// Returns the calendar.
    #[must_use]
    pub fn calendar(&self) -> Calendar {
        self.calendar
    }

    /// Returns nanoseconds from 1970-01-01 in the calendar to a value, rounded. Returns `None` for units without a fixed length, and out of
    /// range.
    #[must_use]
    pub fn instant(&self, value: Count) -> Option<i128> {
        self.clock.as_ref()?.instant(value)
    }

    /// Returns nanoseconds from 1970-01-01 in the calendar to the reference time, and nanoseconds in a unit. Returns `None` for units
    /// without a fixed length.
    #[must_use]
    pub fn scale(&self) -> Option<(i128, i64)> {
        self.clock.as_ref().map(Fine::scale)
    }

    /// Returns the date and time of a value, rounded down to a second. Returns `None` for NaN, and out of range.
    #[must_use]
    pub fn fields(&self, value: Count) -> Option<TimeFields> {
        let date = self.date(value)?;
        let second = calendar::truncate((date.hour + calendar::SLACK_HOURS) * 3600.0);
        Some(TimeFields {
            year: date.year,
            month: date.month,
            day: date.day,
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
        })
    }

    fn date(&self, value: Count) -> Option<Date> {
        let finite = Some(value).filter(|value| value.real().is_finite());
        self.timeline.date(finite?)
    }

    /// Appends `value` as quoted text: `"YYYY-MM-DD[sHH[:MM[:SS | :S.ffffff]]]"`, where `s` is the separator and trailing zero parts are
    /// omitted; `"MM-DD..."` in the calendar `none`.
    pub fn format(&self, value: Count, separator: Separator, out: &mut Vec<u8>) -> Formatted {
        if !value.real().is_finite() {
            return Formatted::NotFinite;
        }
        let Some(date) = self.timeline.date(value) else {
            return Formatted::OutOfRange;
        };
        out.push(b'"');
        if self.calendar != Calendar::None {
            text::push_year(date.year, out);
        }
        text::push_date_and_time(&date, separator, out);
        out.push(b'"');
        Formatted::Time
    }
}

/// The date and time of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeFields {
    /// The year.
    pub year: i64,
    /// The month from 1.
    pub month: i64,
    /// The day from 1.
    pub day: i64,
    /// The hour.
    pub hour: i64,
    /// The minute.
    pub minute: i64,
    /// The second.
    pub second: i64,
}

/// Returns numbers in their own type; `None` for text and user-defined types.
#[must_use]
pub fn counts(values: Values) -> Option<Vec<Count>> {
    Some(match values {
        Values::UInt64(v) => v.into_iter().map(|x| Count::Whole(x.into())).collect(),
        Values::Float(v) => v.into_iter().map(Count::Single).collect(),
        Values::Double(v) => v.into_iter().map(Count::Real).collect(),
        values => match convert(&values, Atomic::Int64).ok()? {
            Values::Int64(v) => v.into_iter().map(|x| Count::Whole(x.into())).collect(),
            _ => return None,
        },
    })
}

/// Returns the text of an attribute: characters, or the first string.
#[must_use]
pub fn attribute_text<'a>(var: &'a Variable, name: &str) -> Option<&'a [u8]> {
    match &var.attribute(name)?.values {
        Values::Char(text) => Some(text),
        Values::String(strings) => strings.first()?.as_deref(),
        Values::Byte(_) | Values::Short(_) | Values::Int(_) | Values::Int64(_) => None,
        Values::UByte(_) | Values::UShort(_) | Values::UInt(_) | Values::UInt64(_) => None,
        Values::Float(_) | Values::Double(_) | Values::Enum(..) => None,
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => None,
    }
}
