//! Times of CF-like variables as text, for `ncdump -t` and `-i`.
//!
//! A variable is a time variable when its `units` attribute reads `<unit> since <base>`; its `calendar` attribute chooses the
//! length of years and months. The base may name a time zone; times are printed in UTC. The arithmetic is done in hours held as
//! `f64`, step by step in the order the C tool has always used, so that the last printed microsecond agrees. Units of less than
//! a second, which the C tool does not have, are counted in nanoseconds. Every conversion takes constant time, whatever the
//! value.

mod calendar;
mod moment;
mod scan;
mod text;
mod timeline;
mod units;

#[cfg(test)]
mod tests;

pub use calendar::Calendar;
pub use moment::Moment;

use std::cmp::Ordering;

use calendar::Date;
use timeline::Timeline;
pub use units::until_nul;

/// The byte between date and time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// A blank (`ncdump -t`).
    Blank,
    /// The letter `T` of ISO 8601 (`ncdump -i`).
    T,
}

/// What [`TimeUnits::format`] did with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Formatted {
    /// The quoted text was appended.
    Time,
    /// The value is a NaN or an infinity, nothing was appended: it is shown as `NaN`,
    /// `Infinity` or `-Infinity` without quotes.
    NotFinite,
    /// The value lies more than 2^31 - 1 days (5.8 million years) from 1970, nothing was appended:
    /// it is shown as the plain number it is.
    OutOfRange,
}

/// The value of a time variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Count {
    /// A whole number, which may have more digits than an `f64`.
    Whole(i128),
    /// Any number.
    Real(f64),
}

impl Count {
    fn real(self) -> f64 {
        match self {
            Self::Whole(x) => x as f64,
            Self::Real(x) => x,
        }
    }

    /// The value times `factor`, to the nearest whole number; `None` if it is beyond all dates.
    fn times(self, factor: i64) -> Option<i128> {
        match self {
            Self::Whole(x) => x.checked_mul(i128::from(factor)),
            Self::Real(x) => {
                let whole = x.floor();
                let rest = calendar::truncate(((x - whole) * factor as f64).round());
                if whole.abs() >= LIMIT {
                    return None;
                }
                #[expect(clippy::cast_possible_truncation, reason = "it has been bounded")]
                let whole = whole as i128;
                Some(whole * i128::from(factor) + i128::from(rest))
            }
        }
    }
}

/// Counts beyond this are out of range in all units of less than a second.
const LIMIT: f64 = 1e30;

/// The parsed `units` and `calendar` attributes of a time variable.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeUnits {
    climate: bool,
    timeline: Timeline,
}

impl TimeUnits {
    /// Parses a `units` attribute, and the `calendar` attribute when there is one of type char or
    /// string. For string attributes it is the first string that counts; a text ends at its first
    /// NUL.
    ///
    /// Returns `None` when the variable is not a time variable: no `<unit> since <base>`, an
    /// unknown unit, or years in a calendar without years. A base that is not a date is not an
    /// error: the fields that can be read count, the others take their defaults (0000-01-01).
    #[must_use]
    pub fn parse(units: &[u8], calendar: Option<&[u8]>) -> Option<Self> {
        let calendar = calendar.map_or(Calendar::Mixed, Calendar::from_attribute);
        let (unit, base) = units::parse(units, calendar)?;
        Some(Self {
            climate: calendar == Calendar::None,
            timeline: Timeline::new(calendar, unit, base),
        })
    }

    /// Reads a time that a user writes: `YYYY-MM[-DD[ HH[:MM[:SS]]]]`, with a blank or a `T` before the time of day, and perhaps a `Z`
    /// at the end. `None` for another text, for a day that the calendar does not have, and for all in the calendar `none`.
    #[must_use]
    pub fn moment(&self, text: &[u8]) -> Option<Moment> {
        let text = Some(text).filter(|_| !self.climate);
        Moment::parse(text?, &self.timeline)
    }

    /// Where a value stands to a time: before, at or after it. `None` if it is out of range or not finite.
    #[must_use]
    pub fn order(&self, value: Count, moment: &Moment) -> Option<Ordering> {
        Some(moment.compare(&self.date(value)?))
    }

    /// Hours from a time to that of a value. `None` as for [`TimeUnits::order`].
    #[must_use]
    pub fn hours_to(&self, value: Count, moment: &Moment) -> Option<f64> {
        Some(moment.hours_to(&self.date(value)?, &self.timeline))
    }

    fn date(&self, value: Count) -> Option<Date> {
        let finite = Some(value).filter(|value| value.real().is_finite());
        self.timeline.date(finite?)
    }

    /// Appends `value` as quoted text: `"YYYY-MM-DD[sHH[:MM[:SS | :S.ffffff]]]"` where `s` is the
    /// separator and trailing zero parts are left out; `"MM-DD..."` in the calendar `none`.
    pub fn format(&self, value: Count, separator: Separator, out: &mut Vec<u8>) -> Formatted {
        if !value.real().is_finite() {
            return Formatted::NotFinite;
        }
        let Some(date) = self.timeline.date(value) else {
            return Formatted::OutOfRange;
        };
        out.push(b'"');
        if !self.climate {
            text::push_year(date.year, out);
        }
        text::push_date_and_time(&date, separator, out);
        out.push(b'"');
        Formatted::Time
    }
}
