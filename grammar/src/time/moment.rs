//! Times that users write, and where values stand to them.

use std::cmp::Ordering;

use super::calendar::{Date, Rule, SLACK_HOURS};
use super::timeline::{Timeline, is_early, julian_lag};

/// A time in some calendar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment(Date);

impl Moment {
    /// Reads `YYYY-MM[-DD[THH[:MM[:SS]]][Z]]`, with a blank or a `T` before the time of day. `None` for another text, and for a day that
    /// the calendar of the timeline does not have.
    pub(super) fn parse(text: &[u8], timeline: &Timeline) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let text = text.strip_suffix('Z').unwrap_or(text);
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let (sign, digits) = match date.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, date),
        };
        let mut fields = digits.split('-').map(whole);
        let (year, month) = (fields.next()??, fields.next()??);
        let day = match fields.next() {
            Some(day) => day?,
            None => 1,
        };
        let complete = fields.next().is_none();
        let hour = time.map_or(Some(0.0), hours)?;
        let date = Date {
            year: sign * year,
            month,
            day,
            hour,
        };
        let exists = (1..=12).contains(&month) && timeline.has_day(&date);
        (complete && exists).then_some(Self(date))
    }

    /// Where a date of the same calendar stands to this time; half a microsecond makes no difference.
    pub(super) fn compare(&self, date: &Date) -> Ordering {
        let key = |date: &Date| (date.year, date.month, date.day);
        let hours = date.hour - self.0.hour;
        let in_day = match hours.abs() <= SLACK_HOURS {
            true => Ordering::Equal,
            false => hours.total_cmp(&0.0),
        };
        key(date).cmp(&key(&self.0)).then(in_day)
    }

    /// Hours from this time to a date of the same calendar.
    pub(super) fn hours_to(&self, date: &Date, timeline: &Timeline) -> f64 {
        timeline.hours(date) - timeline.hours(&self.0)
    }
}

impl Timeline {
    /// The rule of a date.
    fn rule(&self, date: &Date) -> Rule {
        match self {
            Self::Regular { rule, .. } | Self::Months { rule, .. } => *rule,
            Self::Fine(fine) if !fine.mixed => fine.rule,
            Self::Fine(_) | Self::Mixed { .. } if is_early(date) => Rule::Julian,
            Self::Fine(_) | Self::Mixed { .. } => Rule::Gregorian,
        }
    }

    /// Whether the calendar has the day of a date.
    fn has_day(&self, date: &Date) -> bool {
        let rule = self.rule(date);
        let same = rule.on_day(rule.days(date), date.hour);
        (same.year, same.month, same.day) == (date.year, date.month, date.day)
    }

    /// Hours since some day of its calendar.
    fn hours(&self, date: &Date) -> f64 {
        let rule = self.rule(date);
        let mixed =
            matches!(self, Self::Mixed { .. }) || matches!(self, Self::Fine(fine) if fine.mixed);
        let days = rule.days(date)
            + if mixed && rule == Rule::Julian {
                julian_lag()
            } else {
                0
            };
        days as f64 * 24.0 + date.hour
    }
}

/// A whole number without a sign.
fn whole(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// The hours of a time of day.
fn hours(text: &str) -> Option<f64> {
    let mut fields = text.split(':');
    let hour = whole(fields.next()?).filter(|hour| *hour < 24)?;
    let minute = fields
        .next()
        .map_or(Some(0), whole)
        .filter(|minute| *minute < 60)?;
    let second: f64 = match fields.next() {
        Some(text) if text.starts_with(|c: char| c.is_ascii_digit()) => text.parse().ok()?,
        Some(_) => return None,
        None => 0.0,
    };
    let complete = fields.next().is_none() && (0.0..60.0).contains(&second);
    complete.then_some(hour as f64 + minute as f64 / 60.0 + second / 3600.0)
}
