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
    let units = match TimeUnits::parse(units.as_bytes(), calendar.map(str::as_bytes)) {
        Some(Ok(units)) => units,
        Some(Err(_)) => return "?".to_owned(),
        None => return "-".to_owned(),
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

fn parsed(units: &str, calendar: Option<&str>) -> TimeUnits {
    let parsed = TimeUnits::parse(units.as_bytes(), calendar.map(str::as_bytes));
    parsed.unwrap().unwrap()
}

fn blank(units: &str, calendar: &str, value: f64) -> String {
    text(units, Some(calendar), value, Separator::Blank)
}

/// Returns the number of table rows that print as expected; `same` compares.
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
    assert!(count > 400, "{count}");
}

/// Returns seconds from an arbitrary day to the time in a text.
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
    let fine = timeline::Fine::new(calendar, &date, 1);
    let days = (fine.origin / 1_000_000_000) as f64;
    let parts = time.iter().zip([3600.0, 60.0, 1.0]);
    days + parts.map(|(n, size)| n * size).sum::<f64>()
}

/// Checks time zones, units of less than a second, and the days around the change of calendars.
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
        ("UTC +00:00", "2000-01-01"),
        // Ignored words.
        ("+", "2000-01-01"),
        ("EST", "2000-01-01"),
        // Unknown offsets.
        ("+25", "?"),
        ("+05:60", "?"),
        ("+123456", "?"),
        ("UTC+3", "?"),
        ("GMT -3", "?"),
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
    let units = parsed("nanoseconds since 1970-01-01", None);
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
    let units = parsed("hours since 2000-1-1", None);
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
        "since 2000-1-1",
        "dd since 2000-1-1",
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
    let long = format!("days since {}2000-1-2", "0".repeat(60));
    assert_eq!(blank(&long, "", 1.0), "2000-01-03");
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

/// Checks that cftime reads these reference times, except for slashes and blanks.
#[test]
fn reference_times_in_all_forms() {
    let cases = [
        ("hours since 2000-01-01_12:00:00", "2000-01-01 13"),
        ("hours since 2000/1/1 12:00", "2000-01-01 13"),
        ("hours since 2000/01/01", "2000-01-01 01"),
        ("hours since 2000-1-1,6:00", "2000-01-01 07"),
        ("hours since 2000-1-1, 6:00", "2000-01-01 07"),
        ("hours since 2000-1-1:06:00", "2000-01-01 07"),
        ("hours since 2000- 1- 1  6: 0: 0", "2000-01-01 07"),
        ("hours since 2000-01-01 06:00:00EST", "2000-01-01 07"),
        ("hours since 2000-01-01 06:00:00 EST15EDT", "2000-01-01 07"),
        ("d since 2000-01-01", "2000-01-02"),
        ("D since 2000-01-01", "2000-01-02"),
        ("h since 2000-01-01 12:00", "2000-01-01 13"),
        ("H SINCE 2000-01-01 12:00", "2000-01-01 13"),
        ("hr since 2000-01-01 12:00", "2000-01-01 13"),
        ("hrs since 2000-01-01 12:00", "2000-01-01 13"),
        ("Min since 2000-01-01 12:00", "2000-01-01 12:01"),
        ("S since 2000-01-01 12:00", "2000-01-01 12:00:01"),
        ("sec since 2000-01-01 12:00", "2000-01-01 12:00:01"),
        ("Days Since 2000-01-01", "2000-01-02"),
        ("days since 2000-01-01 00:00:00.0 0:00", "2000-01-02"),
        (
            "days since 2000-01-01 00:00:00.5Z",
            "2000-01-02 00:00:0.500000",
        ),
        ("days since 2000-01-01T12", "2000-01-02 12"),
        ("days since 2000-01-01 gmt", "2000-01-02"),
        ("days since 99-1-1", "0099-01-02"),
        ("days since 1900", "1900-01-02"),
        ("days since 1900-06", "1900-06-02"),
        ("days since 00002000-01-01", "2000-01-02"),
        ("days since 123456-1-1", "123456-01-02"),
        ("days since 1900 UTC", "1900-01-02"),
        ("hours since 2000-01-01 23:59:60", "2000-01-02 01"),
    ];
    for (units, expected) in cases {
        assert_eq!(blank(units, "", 1.0), expected, "{units}");
    }
    assert_eq!(blank("days since 2001-02-28", "none", 1.0), "03-01");
    assert_eq!(blank("days since 2000-02-30", "360_day", 1.0), "2000-03-01");
}

/// Checks that unreadable reference times give numbers.
#[test]
fn reference_times_that_are_not_understood() {
    let cases = [
        "analysis",
        "the start of the run",
        "Tuesday",
        "T12:00",
        "1 Jan 2000",
        "2000-13-01",
        "2000-00-01",
        "2000-02-30",
        "2001-02-29",
        "2000-1-40",
        "0000-00-00",
        "1582-10-10",
        "2000-01-01 25:00",
        "2000-01-01 24:00",
        "2000-01-01 10:61",
        "2000-01-01 10:30:61",
        "2000-01-01 23:59:60.5",
        "2000-01-01 12:",
        "2000-01-01 12:+5",
        "2000-01-01 12:00:-5",
        "2000-01-01 12.5",
        "2000-01-01T0630",
        "2000-01-01 0010",
        "2000-01-01T0010Z",
        "2000-01-01 012:00",
        "2000-01-01 12:030",
        "2000-01-01 12:00:00 \u{2212}3",
        "2000-01-01 12:00:00\u{2212}3",
        "2000-01-01 12:00:00 local (3)",
        "2000-01-01 12:00 EST 5",
        "2000-01-01 6:00 PM",
        "2000-01-01 at 6:00",
        "2000-01-01x12:00",
        "2000-01-01 12:00 5:00",
        "2000-01-01 12:00:00 UTC+3",
        "2000-01-01 12:00:00+3 UTC",
        "2000-01-01 12:00:00 +7Z",
        "2000-01-01 12:00:00 -05:3",
        "2000-01-01 :30",
        "2000-01-01 :16:26Z",
        "1/1/2000",
        "2000/1-1",
        "2000--3-4",
        "2000.1.1",
        "2000-",
        "2000 3 4",
        "2000 12:00",
        "2000-01 12:00",
        "1900 AD",
        "20000101",
        "200001",
        "200001-01",
        "2000-012",
        "2000-366",
        "2000-0101",
        "2000-001-02",
        "2000-01-002",
        "2000-01-0101",
        "2000-12-010T06",
        "2000/012",
        "2000/001/02",
        "2000/01/002",
        "2000-01-01 12:00:001",
        "2000-01-01 12:00:001.5",
        "2000-01-01 12:00 +01:000",
    ];
    for text in cases {
        for unit in UNITS {
            assert_eq!(
                blank(&format!("{unit} since {text}"), "", 1.0),
                "?",
                "{text}"
            );
        }
    }
    assert_eq!(blank("days since 2000-02-29", "noleap", 1.0), "?");
    assert_eq!(blank("days since 2000-01-31", "360_day", 1.0), "?");
    assert_eq!(blank("days since 13-01", "none", 1.0), "?");
    assert_eq!(blank("days since 2000", "none", 1.0), "?");
    assert_eq!(blank("days since 012-01", "none", 1.0), "?");
    assert_eq!(blank("days since 12-001", "none", 1.0), "?");
}

#[test]
fn notes_name_the_text() {
    let unread = TimeUnits::parse(b"days since  the run \0", None).unwrap();
    let note = unread.unwrap_err().note("/t").to_string();
    assert_eq!(
        note,
        "/t: printed as numbers: reference time not understood: \"the run\""
    );
    let note = parsed("days since 2000-01-01 12:00 local time", None).note("/t");
    assert_eq!(
        note.unwrap().to_string(),
        "/t: ignored after the reference time, which is read as UTC: \"local time\""
    );
    for units in [
        "days since 2000-01-01 utc",
        "days since 2000 Z",
        "s since 2000-1-1 +5",
    ] {
        assert_eq!(parsed(units, None).note("/t"), None);
    }
}

/// Checks that whole numbers are compared exactly, and floats with the nearest float.
#[test]
fn values_are_compared_with_times() {
    use Ordering::{Equal, Greater, Less};
    let order = |units: &str, value, text: &str| {
        let units = parsed(units, Some("standard"));
        units
            .order(value, &units.moment(text.as_bytes()).unwrap())
            .unwrap()
    };
    let whole = |n: i64| Count::Whole(n.into());
    let ns = "nanoseconds since 1970-01-01";
    let time = "2024-01-01T00:00:00.000000003";
    let start = 1_704_067_200_000_000_000;
    assert_eq!(order(ns, whole(start + 2), time), Less);
    assert_eq!(order(ns, whole(start + 3), time), Equal);
    assert_eq!(order(ns, whole(start + 4), time), Greater);
    assert_eq!(order(ns, whole(start - 1), "2024-01-01"), Less);
    assert_eq!(order(ns, whole(start - 1), "2023-12-31"), Equal);
    assert_eq!(order(ns, whole(start - 1), "2023-12"), Equal);
    assert_eq!(order(ns, whole(start), "2023-12"), Greater);
    let s = "seconds since 0001-01-01";
    // 2024-01-01T00:00:01 in the mixed calendar.
    let second = 63_839_836_801;
    for (off, expected) in [(-1, Less), (0, Equal), (1, Greater)] {
        let value = second + off;
        assert_eq!(order(s, whole(value), "2024-01-01T00:00:01"), expected);
        assert_eq!(
            order(s, Count::Real(value as f64), "2024-01-01_00:00:01"),
            expected
        );
    }
    let third = 8.0 / 24.0;
    let days = "days since 0001-01-01";
    let day = 738_887.0;
    assert_eq!(
        order(days, Count::Real(day + third), "2024-01-01T08"),
        Equal
    );
    assert_eq!(order(days, Count::Real(day - 1e-9), "2023-12-31"), Equal);
    assert_eq!(
        order(
            "days since 2023-12-31",
            Count::Single(4.0 / 3.0),
            "2024-01-01T08"
        ),
        Equal
    );
    for value in [f64::MAX, f64::INFINITY, 9.97e36] {
        assert_eq!(order(days, Count::Real(value), "2024-01-01"), Greater);
        assert_eq!(
            order("months since 2000-1-1", Count::Real(-value), "2024-01-01"),
            Less
        );
    }
    let months = "months since 2001-01-15";
    assert_eq!(order(months, whole(5), "2001-06"), Equal);
    assert_eq!(order(months, whole(5), "2001-06-01"), Equal);
    assert_eq!(order(months, whole(5), "2001-06-02"), Less);
    assert_eq!(order(months, whole(0), "2001-01-15"), Equal);
}

/// Checks `2001-012`, which may be December or the twelfth day of the year.
#[test]
fn groups_of_three_digits_are_no_times() {
    let units = parsed("days since 2000-01-01", None);
    for text in [
        "2001-012",
        "2001-0101",
        "2001-001-01",
        "2001-01-001",
        "2001-01-01T012",
        "2001-01-01T12:000",
        "2001-01-01T12:00:001",
        "2001-01-01T12:00:1e1",
    ] {
        assert_eq!(units.moment(text.as_bytes()), None, "{text}");
    }
    for text in ["2001-1-1", "12001-01", "2001-01-01T1:2:3.25"] {
        assert!(units.moment(text.as_bytes()).is_some(), "{text}");
    }
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

/// Checks random attributes and values: formatting never panics, and gives the text of a date or no text.
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
        let mut units = match round % 3 {
            0 => "days since ".to_owned(),
            1 => "days since 1970-01-01".to_owned(),
            _ => String::new(),
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
    assert!(times > 2000, "{times}");
}
