//! The `units` attribute of a time variable: `<unit> since <base>`.

use super::calendar::Calendar;
use super::reference::{TimeReference, reference};
use super::scan::{TextScan, until_nul};

/// Maximum length of a unit word in bytes.
const UNIT_LIMIT: usize = 63;

/// The unit of values.
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

/// A unit, a common prefix of names, and further names in any letter case.
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
    (Unit::Hour, b"hour", &[b"h", b"hr", b"hrs"]),
    (Unit::Day, b"day", &[b"d", b"dy"]),
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

    /// Returns nanoseconds in a unit of fixed length.
    pub(super) fn nanoseconds(self) -> Option<i64> {
        const SECOND: i64 = 1_000_000_000;
        Some(match self {
            Self::Nanosecond => 1,
            Self::Microsecond => 1_000,
            Self::Millisecond => 1_000_000,
            Self::Second => SECOND,
            Self::Minute => 60 * SECOND,
            Self::Hour => 3600 * SECOND,
            Self::Day => 24 * 3600 * SECOND,
            Self::Week => 7 * 24 * 3600 * SECOND,
            Self::Month | Self::Season | Self::Year => return None,
        })
    }
}

/// A unit and the text after `since`.
pub(super) struct SinceText<'a> {
    pub(super) unit: Unit,
    pub(super) text: &'a [u8],
}

impl<'a> SinceText<'a> {
    /// Splits `<unit> since <text>`. Returns `None` if the attribute has another form or an unknown unit.
    pub(super) fn split(units: &'a [u8], calendar: Calendar) -> Option<Self> {
        let mut scan = TextScan::new(until_nul(units));
        let word = scan.word(UNIT_LIMIT)?;
        scan.skip_space();
        scan.word_of_any_case(b"since")?;
        let text = scan.rest().trim_ascii();
        let unit = Unit::from_word(word)?;
        let none = text.is_empty() || (calendar == Calendar::None && unit == Unit::Year);
        (!none).then_some(Self { unit, text })
    }

    /// Parses the text as a reference time.
    pub(super) fn reference(&self, calendar: Calendar) -> Option<TimeReference<'a>> {
        reference(self.text, calendar)
    }
}
