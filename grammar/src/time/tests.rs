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
const UNITS: [&str; 8] = [
    "seconds", "minutes", "hours", "days", "weeks", "months", "seasons", "years",
];

fn text(units: &str, calendar: Option<&str>, value: f64, separator: Separator) -> String {
    let Some(units) = TimeUnits::parse(units.as_bytes(), calendar.map(str::as_bytes)) else {
        return "-".to_owned();
    };
    let mut out = Vec::new();
    match units.format(value, separator, &mut out) {
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

#[test]
fn values_print_as_recorded_from_the_c_tool() {
    let mut count = 0;
    for line in include_str!("recorded.txt").lines().skip(1) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let calendar = Some(fields[1]).filter(|name| !name.is_empty());
        for case in fields[2].split("; ") {
            let (value, expected) = case.split_once('=').unwrap();
            let value = value.parse().unwrap();
            let printed = text(fields[0], calendar, value, Separator::Blank);
            assert_eq!(printed, expected, "{value} {line}");
            count += 1;
        }
    }
    assert!(count > 600, "{count}");
}

#[test]
fn separator_and_quotes() {
    let units = TimeUnits::parse(b"hours since 2000-1-1", None).unwrap();
    let mut out = Vec::new();
    assert_eq!(units.format(1.5, Separator::T, &mut out), Formatted::Time);
    assert_eq!(units.format(0.0, Separator::T, &mut out), Formatted::Time);
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
        "msec since 2000-1-1",
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
            for value in [1e300, -1e300, 1e18, -1e18, f64::MAX, f64::MIN] {
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

/// Where the C tool prints whatever its buffer held before.
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
    const PIECES: [&str; 24] = [
        "days",
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
            units.push_str(PIECES[next(24)]);
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
