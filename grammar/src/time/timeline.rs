//! Conversion of values to dates: a unit counted from a base date.

use super::Count;
use super::calendar::{Calendar, CalendarRule, DAY_LIMIT, Date, SLACK_HOURS, truncate};
use super::units::Unit;

/// The month limit, beyond all printable times.
const MONTH_LIMIT: f64 = 1e10;
/// Tolerance for month counts, which are truncated: a count just below a whole number counts as whole.
const MONTH_SLACK: f64 = 1e-10;
/// Hours from 1970 to 1979, the same in the Julian and the Gregorian calendar.
const HOURS_TO_1979: f64 = 3287.0 * 24.0;

/// The first instant of the Gregorian calendar, in the Julian and in the Gregorian calendar.
pub(super) const SWITCH_JULIAN: Date = switch_on_day(5);
pub(super) const SWITCH_GREGORIAN: Date = switch_on_day(15);

const fn switch_on_day(day: i64) -> Date {
    Date {
        year: 1582,
        month: 10,
        day,
        hour: 0.0,
    }
}

/// The conversion rule of values to dates.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Timeline {
    /// Units of a fixed length in one rule.
    Regular {
        unit: Unit,
        rule: CalendarRule,
        origin: f64,
    },
    /// Units of a fixed length across the change from the Julian to the Gregorian calendar.
    Mixed { unit: Unit, mixed: Mixed },
    /// Parts of seconds, in any calendar.
    Fine(Fine),
    /// Months, or multiples of months.
    Months {
        months: f64,
        rule: CalendarRule,
        base: Date,
    },
}

impl Timeline {
    pub(super) fn new(calendar: Calendar, unit: Unit, base: Date) -> Self {
        let rule = match calendar {
            // Only units of fixed length are affected by the days skipped in 1582.
            Calendar::Mixed if is_early(&base) => CalendarRule::Julian,
            calendar => calendar.late_rule(),
        };
        let months = match unit {
            Unit::Month => 1.0,
            Unit::Season => 3.0,
            Unit::Year => 12.0,
            Unit::Nanosecond => return Self::Fine(Fine::new(calendar, &base, 1)),
            Unit::Microsecond => return Self::Fine(Fine::new(calendar, &base, 1_000)),
            Unit::Millisecond => return Self::Fine(Fine::new(calendar, &base, 1_000_000)),
            Unit::Second | Unit::Minute | Unit::Hour | Unit::Day | Unit::Week => {
                return Self::fixed(calendar, unit, rule, &base);
            }
        };
        Self::Months { months, rule, base }
    }

    fn fixed(calendar: Calendar, unit: Unit, rule: CalendarRule, base: &Date) -> Self {
        if calendar == Calendar::Mixed {
            let mixed = Mixed::new(base);
            return Self::Mixed { unit, mixed };
        }
        let origin = rule.hours(base);
        Self::Regular { unit, rule, origin }
    }

    /// Returns the date of a finite value, or `None` if it is out of range.
    pub(super) fn date(&self, count: Count) -> Option<Date> {
        let value = count.real();
        match self {
            Self::Regular { unit, rule, origin } => rule.date(origin + to_hours(value, *unit)),
            Self::Mixed { unit, mixed } => mixed.date(to_hours(value, *unit)),
            Self::Fine(fine) => fine.date(count),
            Self::Months { months, rule, base } => add_months(*rule, base, value, months * value),
        }
    }
}

fn to_hours(value: f64, unit: Unit) -> f64 {
    match unit {
        Unit::Second => value / 3600.0,
        Unit::Minute => value / 60.0,
        Unit::Day => 24.0 * value,
        Unit::Week => 168.0 * value,
        Unit::Hour | Unit::Month | Unit::Season | Unit::Year => value,
        Unit::Nanosecond | Unit::Microsecond | Unit::Millisecond => value,
    }
}

/// Returns the first day of the month `months` after `base`; the base itself only for the value 0.
fn add_months(rule: CalendarRule, base: &Date, value: f64, months: f64) -> Option<Date> {
    let start = rule.date(rule.hours(base))?;
    if value == 0.0 {
        let as_written = (1..=12).contains(&base.month)
            && (1..=31).contains(&base.day)
            && (0.0..24.0).contains(&base.hour);
        return Some(if as_written { *base } else { start });
    }
    let slack = if value < 0.0 {
        -MONTH_SLACK
    } else {
        MONTH_SLACK
    };
    if months.abs() >= MONTH_LIMIT {
        return None;
    }
    let count = truncate(months + slack) + start.month - 1;
    let first = Date {
        year: start.year + count.div_euclid(12),
        month: count.rem_euclid(12) + 1,
        day: 1,
        hour: 0.0,
    };
    rule.date(rule.hours(&first))
}

/// The mixed calendar relative to a base date. Hours are counted from 1979, as in the C tool, so that the last microsecond rounds the same
/// way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mixed {
    /// Whether the base precedes the change of calendar.
    early: bool,
    /// The base in its own calendar.
    origin: f64,
    /// Hours from the base to the change.
    reach: f64,
}

impl Mixed {
    fn new(base: &Date) -> Self {
        let early = is_early(base);
        let (rule, switch) = if early {
            (CalendarRule::Julian, SWITCH_JULIAN)
        } else {
            (CalendarRule::Gregorian, SWITCH_GREGORIAN)
        };
        let origin = since_1979(rule, base);
        let reach = since_1979(rule, &switch) - origin;
        Self {
            early,
            origin,
            reach,
        }
    }

    fn date(&self, hours: f64) -> Option<Date> {
        let before = hours + SLACK_HOURS < self.reach;
        let rule = if before {
            CalendarRule::Julian
        } else {
            CalendarRule::Gregorian
        };
        let since = if before == self.early {
            self.origin + hours
        } else if before {
            since_1979(rule, &SWITCH_JULIAN) + (hours - self.reach)
        } else {
            since_1979(rule, &SWITCH_GREGORIAN) + (hours - self.reach)
        };
        rule.date(HOURS_TO_1979 + since)
    }
}

/// Returns whether a date is in the Julian part of the mixed calendar.
fn is_early(date: &Date) -> bool {
    (date.year, date.month, date.day) < (1582, 10, 15)
}

pub(super) const NANOSECONDS_PER_DAY: i128 = 86_400_000_000_000;

/// Nanosecond counts since 1970-01-01, for units of less than a second, which `f64` hours cannot resolve, and for comparisons of values
/// with limits in any unit of fixed length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fine {
    /// Whether the calendar changes from Julian to Gregorian.
    mixed: bool,
    /// The rule of the calendar; for a mixed calendar, the Gregorian rule.
    rule: CalendarRule,
    /// Nanoseconds from 1970-01-01 to the base.
    pub(super) origin: i128,
    /// Nanoseconds in a unit.
    unit: i64,
}

impl Fine {
    pub(super) fn new(calendar: Calendar, base: &Date, unit: i64) -> Self {
        let mut fine = Self {
            mixed: calendar == Calendar::Mixed,
            rule: calendar.late_rule(),
            origin: 0,
            unit,
        };
        fine.origin = fine.since_1970(base);
        fine
    }

    /// Returns nanoseconds from 1970-01-01 to the base, and nanoseconds in a unit.
    pub(super) fn scale(&self) -> (i128, i64) {
        (self.origin, self.unit)
    }

    /// Returns nanoseconds from 1970-01-01 to a date.
    pub(super) fn since_1970(&self, date: &Date) -> i128 {
        let days = match self.mixed && is_early(date) {
            true => CalendarRule::Julian.days(date) + julian_lag(),
            false => self.rule.days(date),
        };
        let in_day = truncate((date.hour * 3600e9).round());
        i128::from(days) * NANOSECONDS_PER_DAY + i128::from(in_day)
    }

    /// Returns nanoseconds from 1970-01-01 to a value, or `None` if it is far out of range.
    pub(super) fn instant(&self, count: Count) -> Option<i128> {
        self.origin.checked_add(count.times(self.unit)?)
    }

    /// Returns the tolerance of a comparison in nanoseconds: half the spacing of the number type. Units of a second and more get at least
    /// half a microsecond, because programs round fractions.
    pub(super) fn slack(&self, count: Count) -> i128 {
        let Some(spacing) = count.spacing() else {
            return 0;
        };
        let half = truncate((spacing / 2.0 * self.unit as f64).round());
        let rounding = if self.unit < 1_000_000_000 { 0 } else { 500 };
        i128::from(half.max(rounding))
    }

    fn date(&self, count: Count) -> Option<Date> {
        let nanoseconds = self.instant(count)?;
        // Round to the printed microseconds here, so that no time rounds up to the next day later.
        let rounded = nanoseconds.checked_add(500)?.div_euclid(1000) * 1000;
        let day = i64::try_from(rounded.div_euclid(NANOSECONDS_PER_DAY)).ok()?;
        if day.unsigned_abs() >= truncate(DAY_LIMIT).unsigned_abs() {
            return None;
        }
        let in_day = i64::try_from(rounded.rem_euclid(NANOSECONDS_PER_DAY)).ok()?;
        let hour = in_day as f64 / 3600e9;
        if self.mixed && day < CalendarRule::Gregorian.days(&SWITCH_GREGORIAN) {
            return Some(CalendarRule::Julian.on_day(day - julian_lag(), hour));
        }
        Some(self.rule.on_day(day, hour))
    }
}

/// Returns the difference in days between the Gregorian and the Julian count of a day.
fn julian_lag() -> i64 {
    CalendarRule::Gregorian.days(&SWITCH_GREGORIAN) - CalendarRule::Julian.days(&SWITCH_JULIAN)
}

fn since_1979(rule: CalendarRule, date: &Date) -> f64 {
    rule.hours(date) - HOURS_TO_1979
}
