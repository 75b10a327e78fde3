//! The `units` attribute of a time variable: `<unit> since <base>`.

use super::calendar::{Calendar, Date};
use super::scan::TextScan;

/// Most bytes of a unit word that are read.
const UNIT_LIMIT: usize = 63;
/// Most bytes of the date, and of the time of day, that are read.
const BASE_LIMIT: usize = 47;
/// Years beyond this are out of range of every printed time anyway.
const YEAR_LIMIT: i64 = 1_000_000_000;

/// The unit that values count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Season,
    Year,
}

/// A unit, a prefix of its names, and other names; letter case does not matter.
type UnitNames = (Unit, &'static [u8], &'static [&'static [u8]]);

const UNIT_NAMES: [UnitNames; 11] = [
    (Unit::Nanosecond, b"nanosec", &[b"ns", b"nsec", b"nsecs"]),
    (
        Unit::Microsecond,
        b"microsec",
        &[b"us", b"usec", b"usecs", "µs".as_bytes(), "μs".as_bytes()],
    ),
    (Unit::Millisecond, b"millisec", &[b"ms", b"msec", b"msecs"]),
    (Unit::Second, b"sec", &[b"s"]),
    (Unit::Minute, b"min", &[b"mn"]),
    (Unit::Hour, b"hour", &[b"hr"]),
    (Unit::Day, b"day", &[b"dy"]),
    (Unit::Week, b"week", &[b"wk"]),
    (Unit::Month, b"month", &[b"mo"]),
    (Unit::Season, b"season", &[]),
    (Unit::Year, b"year", &[b"yr"]),
];

impl Unit {
    fn from_word(word: &[u8]) -> Option<Self> {
        let named = |prefix: &[u8], others: &[&[u8]]| {
            word.get(..prefix.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
                || others.iter().any(|other| word.eq_ignore_ascii_case(other))
        };
        let found = UNIT_NAMES.iter().find(|(_, p, others)| named(p, others));
        found.map(|(unit, _, _)| *unit)
    }
}

/// The bytes before the first NUL.
#[must_use]
pub fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Parses `<unit> since <base>`; `None` if the text has another form.
pub(super) fn parse(units: &[u8], calendar: Calendar) -> Option<(Unit, Date)> {
    let mut scan = TextScan::new(until_nul(units));
    let word = scan.word(UNIT_LIMIT)?;
    scan.skip_space();
    scan.literal(b"since")?;
    scan.skip_space();
    let (base, rest) = base_text(scan)?;
    let unit = Unit::from_word(word)?;
    if calendar == Calendar::None && unit == Unit::Year {
        return None;
    }
    Some((unit, parse_base(base.as_deref(), rest, calendar)))
}

/// The date and the time of day, joined by a blank in place of a blank or a `T`, and the text after them. The inner `None`
/// stands for a base that starts with `T`, which has its own default.
fn base_text(mut scan: TextScan<'_>) -> Option<(Option<Vec<u8>>, TextScan<'_>)> {
    let start = scan;
    let mut date = scan.word(BASE_LIMIT)?;
    if let Some(at) = date.iter().position(|byte| *byte == b'T') {
        if at == 0 {
            return Some((None, scan));
        }
        date = date.get(..at)?;
        scan = start;
        scan.advance(at.saturating_add(1));
    }
    let time = scan.word(BASE_LIMIT).unwrap_or_default();
    Some((Some([date, b" ", time].concat()), scan))
}

fn parse_base(text: Option<&[u8]>, rest: TextScan<'_>, calendar: Calendar) -> Date {
    let mut date = Date {
        year: 0,
        month: 1,
        day: 1,
        hour: 0.0,
    };
    let climate = calendar == Calendar::None;
    let default: &[u8] = if climate { b"1" } else { b"1979" };
    let mut scan = TextScan::new(text.unwrap_or(default));
    // Reading stops at the first missing or wrong field, and keeps those before it. The rest after a date without a year
    // (`1970-01-01` in the calendar `none`) is not a time zone.
    if read_date(&mut scan, climate, &mut date).is_some() && !(climate && is_signed(scan)) {
        let time = scan;
        if !is_signed(time) {
            read_time(&mut scan, &mut date);
        }
        // The zone comes right after the time, or in the next word.
        scan.skip_space();
        let zone = if scan.is_at_end() { rest } else { scan };
        date.hour -= zone_hours(zone).unwrap_or(0.0);
    }
    date
}

fn is_signed(mut scan: TextScan<'_>) -> bool {
    scan.skip_space();
    scan.literal(b"+").is_some() || scan.literal(b"-").is_some()
}

/// How many hours a time zone is ahead of UTC: `+5`, `-05:30`, `+0530`. `None` for anything else, including `Z` and `UTC`: then
/// the time is in UTC.
fn zone_hours(mut scan: TextScan<'_>) -> Option<f64> {
    scan.skip_space();
    let sign = match scan.literal(b"-") {
        Some(()) => -1.0,
        None => scan.literal(b"+").map(|()| 1.0)?,
    };
    let digits = scan.digits()?;
    let first = TextScan::new(digits).integer()?;
    let (hours, minutes) = match digits.len() {
        1 | 2 if scan.literal(b":").is_some() => (first, TextScan::new(scan.digits()?).integer()?),
        1 | 2 => (first, 0),
        3 | 4 => (first / 100, first % 100),
        _ => return None,
    };
    let minutes = u8::try_from(minutes).ok().filter(|m| *m <= 59)?;
    let hours = u8::try_from(hours).ok().filter(|h| *h <= 24)?;
    Some(sign * (f64::from(hours) + f64::from(minutes) / 60.0))
}

fn read_date(scan: &mut TextScan<'_>, climate: bool, date: &mut Date) -> Option<()> {
    if !climate {
        date.year = scan.integer()?.clamp(-YEAR_LIMIT, YEAR_LIMIT);
        scan.literal(b"-")?;
    }
    date.month = scan.integer()?;
    scan.literal(b"-")?;
    date.day = scan.integer()?.clamp(-YEAR_LIMIT, YEAR_LIMIT);
    Some(())
}

fn read_time(scan: &mut TextScan<'_>, date: &mut Date) -> Option<()> {
    let hour = u8::try_from(scan.integer()?).ok()?;
    date.hour = (hour <= 23).then(|| f64::from(hour))?;
    scan.literal(b":")?;
    let minute = u8::try_from(scan.integer()?).ok()?;
    date.hour += (minute <= 59).then(|| f64::from(minute) / 60.0)?;
    scan.literal(b":")?;
    let second = scan.number()?;
    date.hour += (0.0..=60.0).contains(&second).then_some(second / 3600.0)?;
    Some(())
}
