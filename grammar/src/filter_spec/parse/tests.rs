use super::*;

/// Returns `id(parameters)` of each filter.
fn shown(filters: &[FilterSpec]) -> String {
    let one = |f: &FilterSpec| format!("{}{:?}", f.id, f.params);
    filters.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn read(text: &str) -> String {
    match filters(text) {
        Ok(filters) => shown(&filters),
        Err(e) => e.shown(text),
    }
}

#[test]
fn numbers_and_names_of_filters() {
    for (text, want) in [
        ("307", "307[]"),
        ("307,9|4,32,32", "307[9] 4[32, 32]"),
        ("zstd,3", "32015[3]"),
        ("Shuffle|zstd,5|fletcher32", "2[] 32015[5] 3[]"),
        ("jpeg-xr,1", "32007[1]"),
        ("307 , 9", "307[9]"),
        (" 307,\t9|4 ,1", "307[9] 4[1]"),
        ("4294967295", "4294967295[]"),
    ] {
        assert_eq!(read(text), want, "{text}");
    }
}

#[test]
fn parameters_in_their_types() {
    for (text, want) in [
        ("1,77,-77,+5", "1[77, 4294967219, 5]"),
        ("1,-17b,23ub,300B", "1[239, 23, 44]"),
        ("1,-25S,27US,65536s", "1[65511, 27, 0]"),
        ("1,93U,-1u,017", "1[93, 4294967295, 17]"),
        ("1,789f,5e2F,.5f", "1[1145389056, 1140457472, 1056964608]"),
        ("1,12345678.12345678d", "1[3287505826, 1097305129]"),
        ("1,-9223372036854775807L", "1[1, 2147483648]"),
        ("1,18446744073709551615UL", "1[4294967295, 4294967295]"),
        ("1,-1ul", "1[4294967295, 4294967295]"),
        ("1,5 l,infD,-inff", "1[5, 0, 0, 2146435072, 4286578688]"),
    ] {
        assert_eq!(read(text), want, "{text}");
    }
}

#[test]
fn mistakes_have_places() {
    for (text, at, message) in [
        ("", 0, "expected a filter, found the end"),
        ("307|", 4, "expected a filter, found the end"),
        ("|307", 0, "expected a filter, found `|`"),
        ("307,", 4, "expected a parameter, found the end"),
        ("307,,9", 4, "expected a parameter, found `,`"),
        ("307;9", 3, "expected `,`, `|` or the end, found `;`"),
        ("-1", 0, "expected a filter, found `-`"),
        ("307\n", 3, "expected `,`, `|` or the end, found `\\n`"),
        ("zst,3", 0, "no filter is called `zst`"),
        ("1,4294967296", 2, "4294967296 does not fit into 32 bits"),
        ("1,-2147483649", 2, "-2147483649 does not fit into 32 bits"),
        (
            "1,2,99999999999999999999ul",
            4,
            "99999999999999999999 does not fit into 64 bits",
        ),
        ("1,2.5", 2, "2.5 is not an integer"),
        ("1,2.5b", 2, "2.5 is not an integer"),
        ("4294967296", 0, "4294967296 does not fit into 32 bits"),
        ("307u", 3, "expected `,`, `|` or the end, found `u`"),
        ("1.5", 1, "expected `,`, `|` or the end, found `.`"),
        ("[0]307", 0, "expected a filter, found `[`"),
        (
            "1,9223372036854775808l",
            2,
            "9223372036854775808 does not fit into 64 bits",
        ),
        (
            "1,18446744073709551616b",
            2,
            "18446744073709551616 does not fit into 64 bits",
        ),
        ("1,inf", 2, "inf is not an integer"),
        (
            "1,127lu",
            5,
            "`lu` is not a number type (b, ub, s, us, u, l, ul, f, d)",
        ),
        (
            "1,2|3,0x10",
            7,
            "`x10` is not a number type (b, ub, s, us, u, l, ul, f, d)",
        ),
        (
            "1,5 bb",
            4,
            "`bb` is not a number type (b, ub, s, us, u, l, ul, f, d)",
        ),
    ] {
        let wrong = filters(text).unwrap_err();
        assert_eq!((wrong.at, wrong.message.as_str()), (at, message), "{text}");
    }
    for text in ["1,5x", "1,5 ", "1,--1", "307|4,", "1,5e", "1,.", "1,5l5"] {
        assert!(filters(text).is_err(), "{text}");
    }
}

#[test]
fn a_filter_alone() {
    let one = filter("zstd,-5").unwrap();
    assert_eq!(
        (one.id, one.params.as_slice()),
        (32015, &[4_294_967_291][..])
    );
    let wrong = filter("307,9|4").unwrap_err();
    assert_eq!(
        (wrong.at, wrong.message.as_str()),
        (
            5,
            "expected `,`, a type (b, ub, s, us, u, l, ul, f, d) or the end, found `|`"
        )
    );
    assert!(filter("").is_err());
}

#[test]
fn hints() {
    let want = "no filter is called `zsdt`\n  2|zsdt,3\n    ^\n  hint: did you mean `zstd`?";
    assert_eq!(read("2|zsdt,3"), want);
    assert!(read("1,5000000000").contains("L or UL"));
    assert!(read("1,2.5").contains("f or d"));
    assert!(read("1,127LU").contains("did you mean `ul`?"));
    assert!(read("1,0x10").contains("decimal"));
}

#[test]
fn assignments() {
    let read = |text| match assignment(text).unwrap() {
        Assignment::None => "none".to_owned(),
        Assignment::To(vars, filters) => {
            let vars: Vec<_> = vars.iter().map(|v| format!("{v:?}")).collect();
            format!("{} {}", vars.len(), shown(&filters))
        }
    };
    for (text, want) in [
        ("none", "none"),
        ("NONE", "none"),
        ("*,none", "none"),
        ("*,zstd,3", "1 32015[3]"),
        ("v,none", "1 "),
        ("none,307,9", "1 307[9]"),
        ("a&/g/b&c*,2|1,5", "3 2[] 1[5]"),
        (r"a\,b\&c,1", "1 1[]"),
        ("t[&,]x&y,1", "2 1[]"),
        ("a[b,1", "1 1[]"),
        (" v ,1", "1 1[]"),
    ] {
        assert_eq!(read(text), want, "{text}");
    }
    for text in [
        "", "v", "v,", "&v,1", "v&,1", ",1", "v,none,1", "v,none|1", r"v\,1",
    ] {
        assert!(assignment(text).is_err(), "{text}");
    }
    let wrong = assignment("temp").unwrap_err();
    assert_eq!(wrong.message, "expected `&` or `,`, found the end");
    assert_eq!(wrong.at, 4);
}

/// Checks texts against the recorded results of netCDF-C (`testdata/filterspecs.py`). The texts have `\\t` for tabs.
#[test]
fn as_in_c() {
    let lines: Vec<_> = include_str!("c.txt").lines().collect();
    assert!(lines.len() > 150, "{} lines", lines.len());
    for line in lines {
        let (text, want) = line.split_once('\t').unwrap();
        let found = filters(&text.replace("\\t", "\t")).unwrap();
        let one = |f: &FilterSpec| {
            let numbers = std::iter::once(&f.id).chain(&f.params);
            numbers.map(u32::to_string).collect::<Vec<_>>().join(",")
        };
        let found: Vec<_> = found.iter().map(one).collect();
        assert_eq!(found.join("|"), want, "{text}");
    }
}
