//! UTC dates of the system clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
/// The first day of 1970 was a Thursday.
const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const DAY: u64 = 86400;
/// Days in 400 years.
const CYCLE: u64 = 146_097;

/// A time in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockTime(pub u64);

/// Year, month from 1 on, and day of the month.
struct Day(u64, u64, u64);

impl ClockTime {
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self(since.as_ref().map_or(0, Duration::as_secs))
    }

    /// Returns `Sat Nov 28 09:05:00 2026`, as NCO and CDO write it.
    pub(crate) fn date(self) -> String {
        let Day(year, month, day) = self.day();
        let text = |list: &[&'static str], n: u64| {
            let n = usize::try_from(n).ok();
            n.and_then(|n| list.get(n).copied()).unwrap_or_default()
        };
        let month = text(&MONTHS, month - 1);
        let weekday = text(&DAYS, self.0 / DAY % 7);
        format!("{weekday} {month} {day:02} {} {year}", self.time())
    }

    /// Returns `2026-11-28T09:05:00Z`.
    pub(crate) fn iso(self) -> String {
        let Day(year, month, day) = self.day();
        format!("{year:04}-{month:02}-{day:02}T{}Z", self.time())
    }

    fn time(self) -> String {
        let s = self.0 % DAY;
        format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    }

    /// Returns the calendar date. The computation uses years that begin in March.
    fn day(self) -> Day {
        // From 0000-03-01 on.
        let days = self.0 / DAY + 719_468;
        let (cycle, day) = (days / CYCLE, days % CYCLE);
        let year = (day - day / 1460 + day / 36_524 - day / (CYCLE - 1)) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let date = day - (153 * month + 2) / 5 + 1;
        let (month, later) = match month < 10 {
            true => (month + 3, 0),
            false => (month - 9, 1),
        };
        Day(cycle * 400 + year + later, month, date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date, iso) in [
            (0, "Thu Jan 01 00:00:00 1970", "1970-01-01T00:00:00Z"),
            (
                951_827_696,
                "Tue Feb 29 12:34:56 2000",
                "2000-02-29T12:34:56Z",
            ),
            (
                1_795_824_300,
                "Sat Nov 28 00:05:00 2026",
                "2026-11-28T00:05:00Z",
            ),
            (
                4_107_542_399,
                "Sun Feb 28 23:59:59 2100",
                "2100-02-28T23:59:59Z",
            ),
            (
                4_107_542_400,
                "Mon Mar 01 00:00:00 2100",
                "2100-03-01T00:00:00Z",
            ),
        ] {
            assert_eq!(ClockTime(seconds).date(), date);
            assert_eq!(ClockTime(seconds).iso(), iso);
        }
    }
}
