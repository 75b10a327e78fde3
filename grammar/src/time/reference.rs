//! The reference time of a `units` attribute: a date, a time of day and a time zone.
//!
//! | part | accepted forms |
//! |---|---|
//! | date | `Y-M-D`, `Y-M`, `Y`, `YYYY/M/D`; in the calendar `none` also `M-D`; months and days have one or two digits |
//! | separator | blanks, `T`, `_`, `,`; `:` without blanks before it |
//! | time | `H`, `H:M`, `H:M:S`, with a fraction of the second; only after a complete date |
//! | zone | `Z`, `UTC`, `GMT`, `+H`, `+HH:MM`, `+HHMM`, `+HMM` |
//!
//! Blanks may precede each number, as in `scanf`. Words after a complete date are ignored. Any other text makes the whole reference time
//! unreadable, because a date without its time would be a wrong time.

use super::calendar::{Calendar, Date};
use super::scan::{TextScan, is_space};

/// The year limit, beyond all printable times.
const YEAR_LIMIT: i64 = 1_000_000_000;
/// Minimum digits of a number that may be a year or a date without separators (`20000101`).
const PACKED_DIGITS: usize = 6;
/// Maximum digits of a month, a day, an hour, a minute or a second: `2000-012` may be December or the twelfth day of the year.
const PART_DIGITS: usize = 2;
/// Minimum digits of a year before slashes: in `1/2/2000` the year is last.
const SLASH_YEAR_DIGITS: usize = 4;

/// A reference time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TimeReference<'a> {
    /// The time in UTC. The hour may be negative, or 24 and more.
    pub(super) date: Date,
    /// Ignored words, such as names of time zones.
    pub(super) ignored: &'a [u8],
}

/// Parses a reference time. Returns `None` if any part of the time is unreadable.
pub(super) fn reference(text: &[u8], calendar: Calendar) -> Option<TimeReference<'_>> {
    let mut scan = TextScan::new(text);
    let (mut date, complete) = read_date(&mut scan, calendar)?;
    if !calendar.has_day(&date) {
        return None;
    }
    let mut time = false;
    let mut after = scan;
    if complete && skip_separator(&mut after) {
        date.hour = read_time(&mut after)?;
        scan = after;
        time = true;
    }
    let mut zone = 0.0;
    if complete {
        zone = read_zone(&mut scan, time)?;
        date.hour -= zone;
    }
    // `UTC+3` is ahead of UTC in common use, and behind UTC in POSIX. `+3 UTC` may mean both, too.
    if skip_utc(&mut scan) && complete && (zone != 0.0 || read_zone(&mut scan, time)? != 0.0) {
        return None;
    }
    let ignored = scan.rest().trim_ascii();
    let harmless = ignored.is_empty() || (complete && is_harmless(ignored, time));
    harmless.then_some(TimeReference { date, ignored })
}

/// Parses the numbers of a date, and returns whether the date is complete.
fn read_date(scan: &mut TextScan<'_>, calendar: Calendar) -> Option<(Date, bool)> {
    scan.skip_space();
    let digits = scan.digit_count();
    let mut fields = vec![scan.integer()?];
    let separator: &[u8] = match scan.literal(b"/") {
        Some(()) if digits < SLASH_YEAR_DIGITS => return None,
        Some(()) => b"/",
        None => b"-",
    };
    if separator == b"/" {
        fields.push(read_part(scan)?);
    }
    while fields.len() < 3 && scan.literal(separator).is_some() {
        fields.push(read_part(scan)?);
    }
    let (year, month, day) = match (fields.as_slice(), calendar) {
        (&[month, day], Calendar::None) if digits <= PART_DIGITS => (0, month, Some(day)),
        (&[_, _], Calendar::None) => return None,
        (&[_, month, day], Calendar::None) => (0, month, Some(day)),
        (&[year, month, day], _) => (year, month, Some(day)),
        (&[year, month], _) if digits < PACKED_DIGITS => (year, month, None),
        (&[_], Calendar::None) => return None,
        (&[year], _) if digits < PACKED_DIGITS => (year, 1, None),
        _ => return None,
    };
    let date = Date {
        year: year.clamp(-YEAR_LIMIT, YEAR_LIMIT),
        month,
        day: day.unwrap_or(1),
        hour: 0.0,
    };
    Some((date, day.is_some()))
}

/// Parses a month or a day.
fn read_part(scan: &mut TextScan<'_>) -> Option<i64> {
    scan.skip_space();
    let short = scan.digit_count() <= PART_DIGITS;
    scan.integer().filter(|_| short)
}

/// Skips the separator between date and time. Returns whether a time follows.
fn skip_separator(scan: &mut TextScan<'_>) -> bool {
    let start = scan.rest().len();
    scan.skip_space();
    let blanks = scan.rest().len() < start;
    // ` :30` is no time, because the hour may be missing.
    let separators: &[&[u8]] = match blanks {
        true => &[b"T", b"t", b"_", b","],
        false => &[b"T", b"t", b"_", b",", b":"],
    };
    for separator in separators {
        if scan.literal(separator).is_some() {
            break;
        }
    }
    scan.skip_space();
    let digit = scan.rest().first().is_some_and(u8::is_ascii_digit);
    digit && scan.rest().len() < start
}

/// Parses a time of day to hours.
fn read_time(scan: &mut TextScan<'_>) -> Option<f64> {
    let unsigned = |scan: &mut TextScan<'_>| {
        scan.skip_space();
        let sign = matches!(scan.rest().first(), Some(b'+' | b'-'));
        (!sign).then_some(())
    };
    let number = |scan: &mut TextScan<'_>, most: u8| {
        unsigned(scan)?;
        // `0010` may be ten minutes past midnight, or ten o'clock.
        let short = scan.digit_count() <= PART_DIGITS;
        let number = u8::try_from(scan.integer()?).ok()?;
        (short && number <= most).then(|| f64::from(number))
    };
    let mut hours = number(scan, 23)?;
    if scan.literal(b":").is_some() {
        hours += number(scan, 59)? / 60.0;
        if scan.literal(b":").is_some() {
            unsigned(scan)?;
            let short = scan.digit_count() <= PART_DIGITS;
            let second = scan.number().filter(|_| short)?;
            // A leap second is the first instant of the next minute, as in the C tool.
            let exists = (0.0..60.0).contains(&second) || second == 60.0;
            hours += exists.then_some(second / 3600.0)?;
        }
    }
    let ends = match scan.rest().first() {
        Some(byte) => {
            is_space(*byte) || matches!(byte, b'+' | b'-' | b'(') || !byte.is_ascii_punctuation()
        }
        None => true,
    };
    (ends && !is_half_day(scan.rest().trim_ascii())).then_some(hours)
}

/// Returns whether a text begins with `AM` or `PM`.
fn is_half_day(text: &[u8]) -> bool {
    let word = text.split(|byte| is_space(*byte)).next();
    let letters = word
        .unwrap_or_default()
        .iter()
        .filter(|byte| **byte != b'.');
    let letters: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    matches!(letters.as_slice(), b"am" | b"pm")
}

/// Parses the offset of a time zone ahead of UTC in hours: `+5`, `-05:30`, `+0530`, and after a time also `0:00`. Returns 0 without a zone,
/// and `None` for another number.
fn read_zone(scan: &mut TextScan<'_>, time: bool) -> Option<f64> {
    let mut zone = *scan;
    zone.skip_space();
    let sign = match zone.rest().first() {
        Some(b'-') => -1.0,
        Some(b'+') => 1.0,
        Some(byte) if byte.is_ascii_digit() && time => 0.0,
        Some(_) | None => return Some(0.0),
    };
    if sign != 0.0 {
        zone.advance(1);
    }
    if zone.digit_count() == 0 {
        return Some(0.0);
    }
    let hours = zone_hours(&mut zone)?;
    *scan = zone;
    (sign != 0.0 || hours == 0.0).then_some(sign * hours)
}

/// Parses `5`, `05:30`, `0530` or `530`.
fn zone_hours(scan: &mut TextScan<'_>) -> Option<f64> {
    let digits = scan.digits()?;
    let first = TextScan::new(digits).integer()?;
    let (hours, minutes) = match digits.len() {
        1 | 2 if scan.literal(b":").is_some() => (first, zone_minutes(scan)?),
        1 | 2 => (first, 0),
        3 | 4 => (first / 100, first % 100),
        _ => return None,
    };
    let minutes = u8::try_from(minutes).ok().filter(|m| *m <= 59)?;
    let hours = u8::try_from(hours).ok().filter(|h| *h <= 24)?;
    Some(f64::from(hours) + f64::from(minutes) / 60.0)
}

/// Parses the minutes of `05:30`.
fn zone_minutes(scan: &mut TextScan<'_>) -> Option<i64> {
    let digits = scan.digits().filter(|d| d.len() == PART_DIGITS)?;
    TextScan::new(digits).integer()
}

/// Skips a name of UTC. Returns whether it was present.
fn skip_utc(scan: &mut TextScan<'_>) -> bool {
    let mut after = *scan;
    after.skip_space();
    let name = after.letters();
    let found = [&b"Z"[..], b"UTC", b"GMT"]
        .iter()
        .any(|utc| name.eq_ignore_ascii_case(utc));
    let ends = |byte: &u8| is_space(*byte) || matches!(byte, b'+' | b'-');
    let alone = found && after.rest().first().is_none_or(ends);
    if alone {
        *scan = after;
    }
    alone
}

/// Returns whether words after a date cannot be a part of the time: after a time, digits only after letters, as in `EST5EDT`; otherwise no
/// digits.
fn is_harmless(words: &[u8], time: bool) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let offset = |pair: &[u8]| {
        let before = pair.first().is_some_and(u8::is_ascii_alphanumeric);
        is_digit(pair.last()) && !before
    };
    match time {
        true => !is_digit(words.first()) && !words.windows(2).any(offset),
        false => !words.iter().any(u8::is_ascii_digit),
    }
}
