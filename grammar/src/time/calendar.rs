//! Calendars: conversion between dates and hours since 1970.

/// Maximum distance of dates from 1970-01-01 in days: far beyond any data, and small enough for exact arithmetic.
pub(super) const DAY_LIMIT: f64 = 2_147_483_647.0;
/// Tolerance for rounding errors in hours: half a microsecond.
pub(super) const SLACK_HOURS: f64 = 0.5e-6 / 60.0 / 60.0;
const EPOCH_YEAR: i64 = 1970;
const MONTH_STARTS: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// The calendar of a time variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calendar {
    /// `gregorian`, `standard`, and unknown names: Julian before 1582-10-15, then Gregorian.
    Mixed,
    /// `proleptic_gregorian`.
    Proleptic,
    /// `noleap`, `no_leap`, `365_day`.
    NoLeap,
    /// `allleap`, `all_leap`, `366_day`.
    AllLeap,
    /// `360_day`: twelve months of 30 days.
    Day360,
    /// `julian`.
    Julian,
    /// `none`: days of an unnumbered year.
    None,
}

/// Names in the lookup order of abbreviations.
const NAMES: [(&[u8], Calendar); 12] = [
    (b"gregorian", Calendar::Mixed),
    (b"standard", Calendar::Mixed),
    (b"proleptic_gregorian", Calendar::Proleptic),
    (b"noleap", Calendar::NoLeap),
    (b"no_leap", Calendar::NoLeap),
    (b"365_day", Calendar::NoLeap),
    (b"allleap", Calendar::AllLeap),
    (b"all_leap", Calendar::AllLeap),
    (b"366_day", Calendar::AllLeap),
    (b"360_day", Calendar::Day360),
    (b"julian", Calendar::Julian),
    (b"none", Calendar::None),
];

impl Calendar {
    /// Returns the usual name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mixed => "standard",
            Self::Proleptic => "proleptic_gregorian",
            Self::NoLeap => "noleap",
            Self::AllLeap => "all_leap",
            Self::Day360 => "360_day",
            Self::Julian => "julian",
            Self::None => "none",
        }
    }

    /// Returns the calendar of a `calendar` attribute. The text, up to its first NUL, is a name or a prefix of a name, in any letter case.
    /// Any other text is the mixed calendar.
    #[must_use]
    pub fn from_attribute(text: &[u8]) -> Self {
        let text = super::scan::until_nul(text);
        let named = |(name, _): &&(&[u8], Self)| {
            name.get(..text.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(text))
        };
        NAMES
            .iter()
            .find(named)
            .map_or(Self::Mixed, |(_, calendar)| *calendar)
    }

    /// Returns whether the date exists in the calendar.
    pub(super) fn has_day(self, date: &Date) -> bool {
        let day = (date.year, date.month, date.day);
        match self == Self::Mixed && day < (1582, 10, 15) {
            true => day < (1582, 10, 5) && CalendarRule::Julian.has_day(date),
            false => self.late_rule().has_day(date),
        }
    }

    /// Returns the rule of the calendar; for the mixed calendar, the rule since 1582-10-15.
    pub(super) fn late_rule(self) -> CalendarRule {
        match self {
            Self::Mixed | Self::Proleptic => CalendarRule::Gregorian,
            Self::NoLeap => CalendarRule::NoLeap,
            Self::AllLeap => CalendarRule::AllLeap,
            Self::Day360 => CalendarRule::Day360,
            Self::Julian => CalendarRule::Julian,
            Self::None => CalendarRule::Climate,
        }
    }
}

/// A date: year, month 1 to 12, day from 1, and hours since midnight. In the base of units, month and day may be out of range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Date {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: f64,
}

/// A uniform rule for the lengths of years and months.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CalendarRule {
    Gregorian,
    Julian,
    NoLeap,
    AllLeap,
    Day360,
    /// An unnumbered year of 365 days.
    Climate,
}

impl CalendarRule {
    /// Returns hours since 1970-01-01, or since January 1st for [`CalendarRule::Climate`]. An invalid month counts as January; a day
    /// outside its month continues into the neighbouring months.
    pub(super) fn hours(self, date: &Date) -> f64 {
        to_f64(self.days(date)) * 24.0 + date.hour
    }

    /// Returns days from 1970-01-01 to the day of `date`, like [`CalendarRule::hours`].
    pub(super) fn days(self, date: &Date) -> i64 {
        let month = if (1..=12).contains(&date.month) {
            date.month
        } else {
            1
        };
        let year = self.year_start(date.year);
        year + self.month_start(date.year, month) + date.day - 1
    }

    /// Returns whether the day of a date exists.
    pub(super) fn has_day(self, date: &Date) -> bool {
        // Distant days would overflow.
        let near = (1..=12).contains(&date.month) && (1..=31).contains(&date.day);
        let same = |day: Date| (day.month, day.day) == (date.month, date.day);
        near && same(self.on_day(self.days(date), 0.0))
    }

    /// Returns the date at `hours`, the inverse of [`CalendarRule::hours`], or `None` if it is out of range.
    pub(super) fn date(self, hours: f64) -> Option<Date> {
        let mut days = (hours / 24.0).floor();
        let mut hour = hours - days * 24.0;
        // The division rounds, and the text shows a time just before midnight as midnight.
        if hour + SLACK_HOURS >= 24.0 {
            days += 1.0;
            hour = 0.0;
        }
        if days.abs() >= DAY_LIMIT {
            return None;
        }
        Some(self.on_day(truncate(days), hour.max(0.0)))
    }

    /// Returns the date of a day counted from 1970-01-01.
    pub(super) fn on_day(self, days: i64, hour: f64) -> Date {
        let (year, day_of_year) = self.year_and_day(days);
        let (month, day) = self.month_and_day(year, day_of_year);
        Date {
            year,
            month,
            day,
            hour,
        }
    }

    fn is_leap(self, year: i64) -> bool {
        match self {
            Self::Gregorian => year % 4 == 0 && (year % 100 != 0 || year % 400 == 0),
            Self::Julian => year % 4 == 0,
            Self::AllLeap => true,
            Self::NoLeap | Self::Day360 | Self::Climate => false,
        }
    }

    /// Returns days from the epoch to the start of `year`.
    fn year_start(self, year: i64) -> i64 {
        if self == Self::Climate {
            return 0;
        }
        self.days_before(year) - self.days_before(EPOCH_YEAR)
    }

    /// Returns days from the start of the year 0 to the start of `year`.
    fn days_before(self, year: i64) -> i64 {
        let last = year - 1;
        let fours = last.div_euclid(4);
        match self {
            Self::Gregorian => 365 * year + fours - last.div_euclid(100) + last.div_euclid(400),
            Self::Julian => 365 * year + fours,
            Self::NoLeap | Self::Climate => 365 * year,
            Self::AllLeap => 366 * year,
            Self::Day360 => 360 * year,
        }
    }

    /// Returns the year of the day `day` of the epoch, and the day of the year, from 0.
    fn year_and_day(self, day: i64) -> (i64, i64) {
        if self == Self::Climate {
            return (0, day.rem_euclid(365));
        }
        // The mean year length gives the year or a neighbour.
        let (years, days) = match self {
            Self::Gregorian => (400, 146_097),
            Self::Julian => (4, 1461),
            Self::NoLeap | Self::Climate => (1, 365),
            Self::AllLeap => (1, 366),
            Self::Day360 => (1, 360),
        };
        let guess = EPOCH_YEAR + (day * years).div_euclid(days);
        let year = if self.year_start(guess) > day {
            guess - 1
        } else if self.year_start(guess + 1) <= day {
            guess + 1
        } else {
            guess
        };
        (year, day - self.year_start(year))
    }

    /// Returns days from the start of `year` to the start of `month` (1 to 12).
    fn month_start(self, year: i64, month: i64) -> i64 {
        if self == Self::Day360 {
            return 30 * (month - 1);
        }
        let index = usize::try_from(month - 1).unwrap_or(0);
        let start = MONTH_STARTS.get(index).copied().unwrap_or(0);
        start + i64::from(month > 2 && self.is_leap(year))
    }

    /// Returns month and day, both from 1, of the day `day_of_year` (from 0) of `year`.
    fn month_and_day(self, year: i64, day_of_year: i64) -> (i64, i64) {
        // No month has more than 31 days, so the result is this month or the next.
        let mut month = day_of_year / 31 + 1;
        if month < 12 && self.month_start(year, month + 1) <= day_of_year {
            month += 1;
        }
        (month, day_of_year - self.month_start(year, month) + 1)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "callers have bounded the value, and the cast saturates"
)]
pub(super) fn truncate(value: f64) -> i64 {
    value as i64
}

/// Converts a day count exactly: day counts are far below 2^53.
fn to_f64(days: i64) -> f64 {
    days as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: [CalendarRule; 5] = [
        CalendarRule::Gregorian,
        CalendarRule::Julian,
        CalendarRule::NoLeap,
        CalendarRule::AllLeap,
        CalendarRule::Day360,
    ];

    fn day(rule: CalendarRule, day: i64) -> Date {
        rule.date(to_f64(day) * 24.0).unwrap()
    }

    #[test]
    fn successive_days_follow_each_other() {
        for rule in RULES {
            let mut last = day(rule, -900_001);
            for number in -900_000..200_000 {
                let next = day(rule, number);
                let expected = if next.day > 1 {
                    (last.year, last.month, last.day + 1)
                } else if next.month > 1 {
                    (last.year, last.month + 1, 1)
                } else {
                    (last.year + 1, 1, 1)
                };
                assert_eq!((next.year, next.month, next.day), expected, "{rule:?}");
                assert_eq!(rule.hours(&next), to_f64(number) * 24.0);
                last = next;
            }
        }
    }

    #[test]
    fn far_dates_come_back() {
        for rule in RULES {
            for number in (-2_147_000_000_i64..2_147_000_000).step_by(9_999_991) {
                assert_eq!(rule.hours(&day(rule, number)), to_f64(number) * 24.0);
            }
            assert_eq!(rule.date(24.0 * 2_147_483_647.0), None);
            assert_eq!(rule.date(-1e300), None);
        }
    }

    #[test]
    fn calendar_without_years_repeats() {
        let date = CalendarRule::Climate.date(-24.0).unwrap();
        assert_eq!((date.month, date.day), (12, 31));
        let date = CalendarRule::Climate.date(24.0 * 365.0 * 4.0).unwrap();
        assert_eq!((date.month, date.day), (1, 1));
    }

    #[test]
    fn calendars_are_named_by_beginnings() {
        let cases: [(&[u8], Calendar); 16] = [
            (b"Gregorian", Calendar::Mixed),
            (b"STANDARD", Calendar::Mixed),
            (b"proleptic_gregorian", Calendar::Proleptic),
            (b"p", Calendar::Proleptic),
            (b"n", Calendar::NoLeap),
            (b"no", Calendar::NoLeap),
            (b"no_leap", Calendar::NoLeap),
            (b"non", Calendar::None),
            (b"36", Calendar::NoLeap),
            (b"366", Calendar::AllLeap),
            (b"360_day", Calendar::Day360),
            (b"a", Calendar::AllLeap),
            (b"julian\0 and more", Calendar::Julian),
            (b"julian ", Calendar::Mixed),
            (b"", Calendar::Mixed),
            (b"utc", Calendar::Mixed),
        ];
        for (text, calendar) in cases {
            assert_eq!(Calendar::from_attribute(text), calendar);
        }
    }
}
