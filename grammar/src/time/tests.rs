use super::*;

const CALENDARS: [&str; 8] = [
    "standard",
    "proleptic_gregorian",
    "noleap",
    "allleap",
    "360_day",
    "julian",
    "none",
    "?",
];
const UNITS: [&str; 11] = [
    "nanoseconds",
    "microseconds",
    "msecs",
    "seconds",
    "minutes",
    "hours",
    "days",
    "weeks",
    "months",
    "seasons",
    "years",
];

fn text(units: &str, calendar: Option<&str>, value: f64, separator: Separator) -> String {
    let Some(units) = TimeUnits::parse(units.as_bytes(), calendar.map(str::as_bytes)) else {
        return "-".to_owned();
    };
    let mut out = Vec::new();
    match units.format(Count::Real(value), separator, &mut out) {
        Formatted::Time => String::from_utf8(out).unwrap().trim_matches('"').to_owned(),
        other => {
            assert!(out.is_empty());
            format!("{other:?}")
        }
    }
}

fn blank(units: &str, calendar: &str, value: f64) -> String {
    text(units, Some(calendar), value, Separator::Blank)
}

/// The number of cases in a table that print as expected; `same` compares.
fn recorded(table: &str, same: impl Fn(&str, &str, Option<&str>) -> bool) -> usize {
    let mut count = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let calendar = Some(fields[1]).filter(|name| !name.is_empty());
        for case in fields[2].split("; ") {
            let (value, expected) = case.split_once('=').unwrap();
            let value = value.parse().unwrap();
            let printed = text(fields[0], calendar, value, Separator::Blank);
            assert!(
                same(&printed, expected, calendar),
                "{value} {line} {printed}"
            );
            count += 1;
        }
    }
    count
}

#[test]
fn values_print_as_recorded_from_the_c_tool() {
    let count = recorded(include_str!("recorded.txt"), |a, b, _| a == b);
    assert!(count > 600, "{count}");
}

/// Seconds from some day to the time in a text.
fn instant(text: &str, calendar: Option<&str>) -> f64 {
    let (date, time) = text.split_once(' ').unwrap_or((text, "0"));
    let date: Vec<i64> = date.split('-').map(|n| n.parse().unwrap()).collect();
    let time: Vec<f64> = time.split(':').map(|n| n.parse().unwrap()).collect();
    let date = calendar::Date {
        year: date[0],
        month: date[1],
        day: date[2],
        hour: 0.0,
    };
    let calendar = calendar.map_or(Calendar::Mixed, |c| Calendar::from_attribute(c.as_bytes()));
    let units = timeline::Timeline::new(calendar, units::Unit::Nanosecond, date);
    let timeline::Timeline::Fine(fine) = units else {
        panic!("no units of fixed length")
    };
    let days = (fine.origin / 1_000_000_000) as f64;
    let parts = time.iter().zip([3600.0, 60.0, 1.0]);
    days + parts.map(|(n, size)| n * size).sum::<f64>()
}

/// Time zones, units of less than a second, the days around the change of calendars.
#[test]
fn values_print_as_cftime_counts() {
    let same = |printed: &str, expected: &str, calendar: Option<&str>| {
        let off = instant(printed, calendar) - instant(expected, calendar);
        printed == expected || off.abs() < 20e-6
    };
    let count = recorded(include_str!("cftime.txt"), same);
    assert!(count > 600, "{count}");
}

#[test]
fn the_mixed_calendar_has_no_days_between_4_and_15_october_1582() {
    let cases = [
        ("days since 1582-10-04", 1.0, "1582-10-15"),
        ("days since 1582-10-15", 0.0, "1582-10-15"),
        ("days since 1582-10-15", -1.0, "1582-10-04"),
        ("hours since 1582-10-04", 23.999_999_999_99, "1582-10-15"),
        (
            "ms since 1582-10-04",
            86_399_999.0,
            "1582-10-04 23:59:59.999000",
        ),
        ("ms since 1582-10-04", 86_400_000.0, "1582-10-15"),
        ("hours since 1582-10-15 +05:00", 0.0, "1582-10-04 19"),
        ("hours since 1582-10-04 19:00 -05:00", 0.0, "1582-10-15"),
        ("months since 1500-02-29", 0.0, "1500-02-29"),
        ("months since 1500-02-29", 1.0, "1500-03-01"),
    ];
    for (units, value, expected) in cases {
        assert_eq!(blank(units, "standard", value), expected, "{units} {value}");
    }
}

#[test]
fn almost_midnight_is_the_next_day() {
    let units = "hours since 1970-01-01";
    assert_eq!(blank(units, "", 23.999_999_999_9), "1970-01-02");
    assert_eq!(blank(units, "", -1e-10), "1970-01-01");
    assert_eq!(blank(units, "", 240_023.999_999_999_9), "1997-05-20");
}

#[test]
fn time_zones_are_hours_ahead_of_utc() {
    let cases = [
        ("+05:00", "1999-12-31 19"),
        ("+5", "1999-12-31 19"),
        ("-0530", "2000-01-01 05:30"),
        ("-530", "2000-01-01 05:30"),
        ("+24", "1999-12-31"),
        ("Z", "2000-01-01"),
        ("utc", "2000-01-01"),
        // Not read, like anything that is not a time.
        ("+25", "2000-01-01"),
        ("+05:60", "2000-01-01"),
        ("+", "2000-01-01"),
        ("+123456", "2000-01-01"),
        ("EST", "2000-01-01"),
    ];
    for (zone, expected) in cases {
        for time in ["", " 0", " 00:00", "T00:00:00", " 00:00:00.0"] {
            let units = format!("hours since 2000-01-01{time} {zone}");
            assert_eq!(blank(&units, "", 0.0), expected, "{units}");
        }
    }
    let months = "months since 2001-01-01 01:00 +02:00";
    assert_eq!(blank(months, "", 0.0), "2000-12-31 23");
    assert_eq!(blank(months, "", 1.0), "2001-01-01");
    assert_eq!(blank("days since 01-02 06:00 +02", "none", 1.0), "01-03 04");
}

#[test]
fn whole_numbers_keep_all_digits() {
    let units = TimeUnits::parse(b"nanoseconds since 1970-01-01", None).unwrap();
    let mut out = Vec::new();
    for count in [1_700_000_000_123_457_001, i128::from(u64::MAX)] {
        assert_eq!(
            units.format(Count::Whole(count), Separator::T, &mut out),
            Formatted::Time
        );
    }
    let expected: &[u8] = b"\"2023-11-14T22:13:20.123457\"\"2554-07-21T23:34:33.709552\"";
    assert_eq!(out, expected);
    let far = units.format(Count::Whole(i128::MAX), Separator::T, &mut out);
    assert_eq!(far, Formatted::OutOfRange);
}

#[test]
fn separator_and_quotes() {
    let units = TimeUnits::parse(b"hours since 2000-1-1", None).unwrap();
    let mut out = Vec::new();
    assert_eq!(
        units.format(Count::Real(1.5), Separator::T, &mut out),
        Formatted::Time
    );
    assert_eq!(
        units.format(Count::Real(0.0), Separator::T, &mut out),
        Formatted::Time
    );
    assert_eq!(out, b"\"2000-01-01T01:30\"\"2000-01-01\"");
}

#[test]
fn units_that_are_no_times() {
    for units in [
        "",
        "days",
        "days since",
        "days since ",
        "days Since 2000-1-1",
        "since 2000-1-1",
        "d since 2000-1-1",
        "h since 2000-1-1",
        "fortnights since 2000-1-1",
        "days after 2000-1-1",
        "days\0 since 2000-1-1",
        "day as %Y%m%d.%f",
    ] {
        assert_eq!(TimeUnits::parse(units.as_bytes(), None), None, "{units}");
    }
    let years = b"years since 1-1";
    assert_eq!(TimeUnits::parse(years, Some(b"none")), None);
    assert!(TimeUnits::parse(years, Some(b"noleap")).is_some());
}

#[test]
fn lenient_units() {
    let cases = [
        "\t days\nsince\u{b}2000-1-2 ",
        "dayssince since2000-1-2",
        "DAY since 2000-1-2\0garbage",
        "days since 2000-+1-02x",
    ];
    for units in cases {
        assert_eq!(blank(units, "", 1.0), "2000-01-03", "{units}");
    }
    // The date ends after 47 bytes, here as day 0; the rest is the hour.
    let long = format!("days since 2000-1-{}2", "0".repeat(60));
    assert_eq!(blank(&long, "", 1.0), "2000-01-01 02");
}

#[test]
fn far_values_are_out_of_range_at_once() {
    for calendar in CALENDARS {
        for unit in UNITS {
            if calendar == "none" && unit == "years" {
                continue;
            }
            for value in [1e300, -1e300, 1e30, -1e30, f64::MAX, f64::MIN] {
                let units = format!("{unit} since 1970-01-01");
                let expected = "OutOfRange";
                assert_eq!(blank(&units, calendar, value), expected, "{units} {value}");
            }
        }
    }
    let far = "days since 99999999999999999999999-01-01";
    assert_eq!(blank(far, "", 0.0), "OutOfRange");
    // The default fill value of doubles, when another fill value is declared.
    assert_eq!(
        blank("days since 1900-1-1", "", 9.969_209_968_386_869e36),
        "OutOfRange"
    );
}

#[test]
fn values_that_are_not_finite() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(blank("days since 1900-1-1", "", value), "NotFinite");
    }
}

/// Here the C tool prints whatever its buffer held before.
#[test]
fn bases_that_are_no_dates_are_normalised() {
    assert_eq!(blank("months since 2000-13-01", "", 0.0), "2000-01-01");
    assert_eq!(blank("months since 2000-1-40", "", 0.0), "2000-02-09");
    assert_eq!(blank("years since 2000-00-00", "", 0.0), "1999-12-31");
    assert_eq!(blank("months since 1970-01-01", "none", 0.0), "01-01");
}

#[test]
fn months_of_the_base_itself_keep_its_day() {
    assert_eq!(
        blank("months since 2001-01-31 6:00", "", 0.0),
        "2001-01-31 06"
    );
    assert_eq!(blank("months since 2001-01-31 6:00", "", 1.0), "2001-02-01");
    assert_eq!(
        blank("months since 2001-01-31 6:00", "", -0.5),
        "2001-01-01"
    );
    assert_eq!(blank("seasons since 2001-01-31", "", -1.0), "2000-10-01");
    assert_eq!(blank("years since 2001-06-15", "", 0.5), "2001-12-01");
}

/// Whatever the attributes and values: no panic, and text of a date or none at all.
#[test]
fn random_attributes_and_values() {
    const PIECES: [&str; 25] = [
        "days",
        "ms",
        "month",
        "s",
        "years",
        " ",
        " since ",
        "since",
        "1970",
        "-",
        "01",
        "T",
        ":",
        "59",
        ".5",
        "e9",
        "Z",
        "\t",
        "+",
        "60",
        "999999999999999999999",
        "\0",
        "\u{ff}",
        "x",
        "2",
    ];
    let mut random = 88_172_645_463_325_252_u64;
    let mut next = |limit: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % limit).unwrap()
    };
    let mut times = 0;
    for round in 0..40_000 {
        let mut units = if round % 2 == 0 {
            "days since ".to_owned()
        } else {
            String::new()
        };
        for _ in 0..next(12) {
            units.push_str(PIECES[next(25)]);
        }
        let bits = (u64::try_from(next(1 << 32)).unwrap() << 32) | 12_345;
        let value = f64::from_bits(bits);
        let printed = blank(&units, CALENDARS[next(8)], value);
        if printed.starts_with(|first: char| first.is_ascii_digit()) {
            times += 1;
            assert!(
                printed.len() < 40 && printed.len() >= 5,
                "{units} {printed}"
            );
        }
    }
    assert!(times > 3000, "{times}");
}
