//! The rules of `--join` for inputs that do not fit.

use crate::series::{Series, data, make, nccopy, ncdump, series};

/// Joins `a.nc` with a changed series; returns the message of the error.
fn refused(more: &str, change: impl FnOnce(&mut Series<'_>)) -> String {
    let sandbox = series("nc4");
    let mut other = Series {
        start: 3,
        more,
        ..Series::default()
    };
    change(&mut other);
    make(&sandbox, ("o.nc", "nc4"), &other.cdl());
    let joined = ncdump(&sandbox, &["--join=time", "@a.nc", "@o.nc"]);
    assert_eq!(joined.code, 1, "{joined}");
    joined.message()
}

#[test]
fn overlaps_are_errors_unless_a_rule_selects_values() {
    let message = refused("", |series| series.start = 2);
    assert!(message.contains("a.nc and "), "{message}");
    assert!(
        message.contains(
            "the inputs overlap: time ends at 2000-01-03 in the first and begins at 2000-01-03"
        ),
        "{message}"
    );
    let sandbox = series("nc4");
    let cdl = Series {
        start: 1,
        len: 3,
        ..Series::default()
    }
    .cdl();
    make(
        &sandbox,
        ("o.nc", "nc4"),
        &cdl.replace("v = 10, 11", "v = 70, 71"),
    );
    for (rule, v) in [("first", "10, 11"), ("last", "70, 71")] {
        let args = ["--join", "--overlap", rule, "@a.nc", "@o.nc"];
        assert_eq!(data(&sandbox, "time", &args), "time = 0, 1, 2, 3 ;");
        let values = data(&sandbox, "v", &args);
        assert!(
            values.contains(&format!("  {v},\n  20, 21,\n  30, 31")),
            "{rule}: {values}"
        );
    }
}

#[test]
fn gaps_in_a_regular_step_are_notes() {
    let sandbox = series("nc4");
    let joined = ncdump(&sandbox, &["--join", "-h", "@a.nc", "@c.nc"]);
    let note = "gap from 2000-01-03 in";
    assert!(joined.message().contains(note), "{joined}");
    assert!(
        joined.message().contains("the step is 1 days")
            || joined.message().contains("the step is 1 day"),
        "{joined}"
    );
}

#[test]
fn times_are_rebased_exactly_or_not_at_all() {
    let sandbox = series("nc4");
    let later = Series {
        since: "2000-01-04",
        ..Series::default()
    };
    make(&sandbox, ("l.nc", "nc4"), &later.cdl());
    assert_eq!(
        data(&sandbox, "time", &["--join", "@a.nc", "@l.nc"]),
        "time = 0, 1, 2, 3, 4, 5 ;"
    );
    let hours = later.cdl().replace("days since", "hours since");
    make(&sandbox, ("h.nc", "nc4"), &hours);
    let args = [
        "--join",
        "--time-units",
        "hours since 2000-01-01",
        "@h.nc",
        "@a.nc",
    ];
    assert_eq!(
        data(&sandbox, "time", &args),
        "time = 0, 24, 48, 72, 73, 74 ;"
    );
    let whole = |cdl: &str| cdl.replace("double time", "int time");
    make(&sandbox, ("i.nc", "nc4"), &whole(&Series::default().cdl()));
    make(&sandbox, ("ih.nc", "nc4"), &whole(&hours));
    let joined = ncdump(&sandbox, &["--join", "@i.nc", "@ih.nc"]);
    assert_eq!(joined.code, 1, "{joined}");
    assert!(joined.message().contains("use --time-units"), "{joined}");
    let message = refused("time:calendar = \"noleap\" ;", |_| {});
    assert!(
        message.contains("different calendars of time: standard and noleap"),
        "{message}"
    );
}

#[test]
fn packed_data_has_one_packing_unless_it_is_unpacked() {
    let sandbox = series("nc4");
    let packed = |name: &str, start: i32, scale: f64| {
        let series = Series {
            start,
            more: "short p(time) ; p:scale_factor = SCALE ; p:_FillValue = -1s ;",
            ..Series::default()
        };
        let cdl = series.cdl().replace("SCALE", &format!("{scale:?}"));
        make(
            &sandbox,
            (name, "nc4"),
            &cdl.replace("data:", "data: p = 1, 2, -1 ;"),
        );
    };
    packed("p.nc", 0, 0.5);
    packed("q.nc", 3, 2.0);
    let joined = ncdump(&sandbox, &["--join", "@p.nc", "@q.nc"]);
    assert!(
        joined
            .message()
            .contains("different packing of /p: scale_factor is 0.5 and 2.0"),
        "{joined}"
    );
    assert!(joined.message().contains("use --repack"), "{joined}");
    let values = data(&sandbox, "p", &["--join", "--repack", "@p.nc", "@q.nc"]);
    assert_eq!(values, "p = 0.5, 1, _, 2, 4, _ ;");
    let args = ["--join", "--repack=short", "@p.nc", "@q.nc", "@o.nc"];
    let copied = nccopy(&sandbox, &args);
    assert!(
        copied.code == 0 && copied.message().contains("the largest error is"),
        "{copied}"
    );
    let stats = ncdump(&sandbox, &["--stats", "--unpack", "-v", "p", "@o.nc"]);
    assert!(stats.text().contains("0.5"), "{stats}");
}

#[test]
fn missing_values_become_the_first_ones() {
    let sandbox = series("nc4");
    let filled = |name: &str, start: i32, fill: &str, values: &str| {
        let more = format!("float f(time) ; f:_FillValue = {fill} ;");
        let series = Series {
            start,
            more: &more,
            ..Series::default()
        };
        make(
            &sandbox,
            (name, "nc4"),
            &series
                .cdl()
                .replace("data:", &format!("data: f = {values} ;")),
        );
    };
    filled("f.nc", 0, "-9.f", "1, -9, 3");
    filled("g.nc", 3, "-8.f", "1, -8, 3");
    filled("h.nc", 3, "-8.f", "1, -9, 3");
    assert_eq!(
        data(&sandbox, "f", &["--join", "@f.nc", "@g.nc"]),
        "f = 1, _, 3, 1, _, 3 ;"
    );
    let joined = ncdump(&sandbox, &["--join", "@f.nc", "@h.nc"]);
    assert_eq!(joined.code, 1, "{joined}");
    assert!(
        joined
            .message()
            .contains("a valid element equals the missing value -9"),
        "{joined}"
    );
}

#[test]
fn types_are_promoted_without_loss() {
    let sandbox = series("nc4");
    let typed = |name: &str, start: i32, ty: &str| {
        let more = format!("{ty} n(time) ;");
        let series = Series {
            start,
            more: &more,
            ..Series::default()
        };
        make(
            &sandbox,
            (name, "nc4"),
            &series.cdl().replace("data:", "data: n = 1, 2, 3 ;"),
        );
    };
    typed("s.nc", 0, "short");
    typed("i.nc", 3, "int");
    typed("l.nc", 3, "int64");
    typed("f.nc", 6, "double");
    let dumped = ncdump(&sandbox, &["--join", "-v", "n", "@s.nc", "@i.nc"]);
    assert!(dumped.text().contains("int n(time)"), "{dumped}");
    assert!(dumped.text().contains("n = 1, 2, 3, 1, 2, 3 ;"), "{dumped}");
    assert!(
        dumped.message().contains("/n: converted to int"),
        "{dumped}"
    );
    let refused = ncdump(&sandbox, &["--join", "@l.nc", "@f.nc"]);
    assert!(
        refused
            .message()
            .contains("different types of /n: int64 and double"),
        "{refused}"
    );
}

#[test]
fn attributes_with_meaning_must_be_equal() {
    let message = refused("v:standard_name = \"air_temperature\" ;", |_| {});
    assert!(
        message.contains("different values of /v:standard_name: missing and \"air_temperature\""),
        "{message}"
    );
    let sandbox = series("nc4");
    let other = Series {
        start: 3,
        more: "v:comment = \"b\" ;",
        ..Series::default()
    };
    make(&sandbox, ("o.nc", "nc4"), &other.cdl());
    let note = "attributes with several values have the value of the first input: v:comment";
    let first = ncdump(&sandbox, &["--join", "-h", "@o.nc", "@a.nc"]);
    assert!(first.code == 0 && first.message().contains(note), "{first}");
    let common = ncdump(
        &sandbox,
        &["--join", "-h", "--conflicts", "common", "@a.nc", "@o.nc"],
    );
    assert!(
        common.code == 0 && !common.text().contains("comment"),
        "{common}"
    );
    let error = ncdump(
        &sandbox,
        &["--join", "-h", "--conflicts", "error", "@a.nc", "@o.nc"],
    );
    assert_eq!(error.code, 1, "{error}");
}

#[test]
fn variables_without_the_dimension_must_be_equal() {
    let sandbox = series("nc4");
    let other = Series {
        start: 3,
        ..Series::default()
    }
    .cdl();
    make(
        &sandbox,
        ("o.nc", "nc4"),
        &other.replace("x = 1, 2", "x = 1, 3"),
    );
    let joined = ncdump(&sandbox, &["--join", "@a.nc", "@o.nc"]);
    assert!(
        joined.message().contains(
            "different values of /x, which lacks the joined dimension: element 1 is 2 and 3"
        ),
        "{joined}"
    );
    assert_eq!(
        data(
            &sandbox,
            "x",
            &["--join", "--static", "first", "@a.nc", "@o.nc"]
        ),
        "x = 1, 2 ;"
    );
}

#[test]
fn variables_that_some_inputs_lack() {
    let sandbox = series("nc4");
    let other = Series {
        start: 3,
        more: "short n(time) ; int k ;",
        ..Series::default()
    };
    make(
        &sandbox,
        ("o.nc", "nc4"),
        &other.cdl().replace("data:", "data: k = 7 ; n = 1, 2, 3 ;"),
    );
    for order in [["@a.nc", "@o.nc"], ["@o.nc", "@c.nc"]] {
        let joined = ncdump(&sandbox, &[&["--join"], &order[..]].concat());
        assert!(
            joined
                .message()
                .contains("only the first of the two inputs has the variable /"),
            "{joined}"
        );
    }
    assert_eq!(
        data(
            &sandbox,
            "n",
            &["--join", "--lacking", "fill", "@a.nc", "@o.nc"]
        ),
        "n = _, _, _, 1, 2, 3 ;"
    );
    assert_eq!(
        data(
            &sandbox,
            "k",
            &["--join", "--lacking", "fill", "@a.nc", "@o.nc"]
        ),
        "k = 7 ;"
    );
    let skipped = ncdump(
        &sandbox,
        &["--join", "-h", "--lacking", "skip", "@o.nc", "@a.nc"],
    );
    assert!(
        skipped.code == 0 && !skipped.text().contains("short n"),
        "{skipped}"
    );
}
