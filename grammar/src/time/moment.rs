//! Times on the command line, and their comparison with values.

use std::cmp::Ordering;

use super::calendar::{Date, SLACK_HOURS};
use super::timeline::{Fine, NANOSECONDS_PER_DAY};
use super::{Count, TimeUnits};

/// An instant, a day or a month in some calendar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The start.
    date: Date,
    extent: Extent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Instant,
    Day,
    Month,
}

impl Moment {
    /// Parses `YYYY-MM[-DD[THH[:MM[:SS]]][Z]]`, with a blank, a `T` or a `_` before the time of day. Returns `None` for any other text, and
    /// for a day that the calendar lacks.
    pub(super) fn parse(text: &[u8], units: &TimeUnits) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let text = text.strip_suffix('Z').unwrap_or(text);
        let (date, time) = match text.split_once(['T', ' ', '_']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let (sign, digits) = match date.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, date),
        };
        let mut fields = digits.split('-');
        let (year, month) = (whole(fields.next()?)?, part(fields.next()?)?);
        let day = fields.next().map(part);
        let complete = fields.next().is_none();
        let date = Date {
            year: sign * year,
            month,
            day: day.unwrap_or(Some(1))?,
            hour: time.map_or(Some(0.0), hours)?,
        };
        let extent = match (day, time) {
            (_, Some(_)) => Extent::Instant,
            (Some(_), None) => Extent::Day,
            (None, None) => Extent::Month,
        };
        (complete && units.calendar.has_day(&date)).then_some(Self { date, extent })
    }

    /// Returns whether the time is an instant, as opposed to a day or a month.
    #[must_use]
    pub fn is_instant(&self) -> bool {
        self.extent == Extent::Instant
    }

    /// Compares a value with this time.
    pub(super) fn order(&self, value: Count, units: &TimeUnits) -> Option<Ordering> {
        let far = value.real().partial_cmp(&0.0)?;
        Some(match &units.clock {
            Some(clock) => match clock.instant(value) {
                Some(instant) => self.order_of_instant(instant, clock.slack(value), clock),
                None => far,
            },
            None => units
                .date(value)
                .map_or(far, |date| self.order_of_date(&date)),
        })
    }

    fn order_of_instant(&self, instant: i128, slack: i128, clock: &Fine) -> Ordering {
        let (from, until) = self.range(clock);
        if instant < from - slack {
            return Ordering::Less;
        }
        let after = match self.extent {
            Extent::Instant => instant > until + slack,
            Extent::Day | Extent::Month => instant >= until - slack,
        };
        match after {
            true => Ordering::Greater,
            false => Ordering::Equal,
        }
    }

    /// Returns the first nanosecond since 1970, and the first nanosecond after a day or month.
    fn range(&self, clock: &Fine) -> (i128, i128) {
        let from = clock.since_1970(&self.date);
        let until = match self.extent {
            Extent::Instant => from,
            Extent::Day => from + NANOSECONDS_PER_DAY,
            Extent::Month => clock.since_1970(&next_month(&self.date)),
        };
        (from, until)
    }

    /// Compares a date of the same calendar with this time, with a tolerance of half a microsecond.
    fn order_of_date(&self, date: &Date) -> Ordering {
        let hours = date.hour - self.date.hour;
        let in_day = match hours.abs() <= SLACK_HOURS {
            true => Ordering::Equal,
            false => hours.total_cmp(&0.0),
        };
        let month = (date.year, date.month).cmp(&(self.date.year, self.date.month));
        let day = month.then(date.day.cmp(&self.date.day));
        match self.extent {
            Extent::Month => month,
            Extent::Day => day,
            Extent::Instant => day.then(in_day),
        }
    }

    /// Returns nanoseconds between a value and this time.
    pub(super) fn distance(&self, value: Count, units: &TimeUnits) -> Option<u128> {
        let (clock, instant) = match &units.clock {
            Some(clock) => (clock.clone(), clock.instant(value)?),
            None => {
                let clock = Fine::new(units.calendar, &self.date, 1);
                let instant = clock.since_1970(&units.date(value)?);
                (clock, instant)
            }
        };
        let (from, until) = self.range(&clock);
        Some(match instant < from {
            true => from.abs_diff(instant),
            false => instant.max(until).abs_diff(until),
        })
    }
}

/// Returns the first day of the next month.
fn next_month(date: &Date) -> Date {
    let (year, month) = match date.month {
        12 => (date.year + 1, 1),
        month => (date.year, month + 1),
    };
    Date {
        year,
        month,
        day: 1,
        hour: 0.0,
    }
}

/// Parses a whole number without a sign.
fn whole(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// Parses a month, a day, an hour or a minute: `2001-012` may be December or the twelfth day of the year.
fn part(text: &str) -> Option<i64> {
    whole(text).filter(|_| text.len() <= 2)
}

/// Parses the hours of a time of day.
fn hours(text: &str) -> Option<f64> {
    let mut fields = text.split(':');
    let hour = part(fields.next()?).filter(|hour| *hour < 24)?;
    let minute = fields
        .next()
        .map_or(Some(0), part)
        .filter(|minute| *minute < 60)?;
    let second = fields.next().map_or(Some(0.0), seconds)?;
    let complete = fields.next().is_none() && (0.0..60.0).contains(&second);
    complete.then_some(hour as f64 + minute as f64 / 60.0 + second / 3600.0)
}

/// Parses seconds with a fraction.
fn seconds(text: &str) -> Option<f64> {
    part(text.split('.').next()?)?;
    text.parse().ok()
}
