//! Fill values in copies: for programs that append records, and for Zarr readers.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

use crate::made;

const CDL: &str = r#"netcdf a { dimensions: t = UNLIMITED ; x = 2 ; variables: float f(t, x) ; f:_FillValue = -999.9f ; int i(t) ; string s(t) ; char c(t) ;
short n(t) ; n:_NoFill = "true" ; double d(x) ; data: f = 1, _, 3, 4 ; i = 1, 2 ; s = "a", "b" ; c = "ab" ; n = 1, 2 ; d = 1, 2 ; }"#;

fn copy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let copied = sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat());
    assert_eq!(copied.code, 0, "{copied}");
    copied
}

/// Returns the variables with `_NoFill` in a copy.
fn not_filled(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let text = sandbox.run(ncdump::run, &["ncdump", "-hs", name]).text();
    let marked = text
        .lines()
        .filter(|line| line.contains(":_NoFill = \"true\""));
    let name = |line: &str| line.trim().split(':').next().unwrap().to_owned();
    marked.map(name).collect()
}

#[test]
fn variables_that_can_grow_keep_their_fill_value() {
    let sandbox = made(CDL);
    for args in [&["-k", "nc4"][..], &["-k", "nc4", "-c", "t/3", "-d1"]] {
        let _ = copy(&sandbox, &[args, &["@a.nc", "@o.nc"]].concat());
        assert_eq!(not_filled(&sandbox, "@o.nc"), ["n", "d"], "{args:?}");
    }
    let _ = copy(&sandbox, &["-u", "@a.nc", "@fixed.nc"]);
    assert_eq!(not_filled(&sandbox, "@fixed.nc"), ["f", "i", "c", "n", "d"]);
    // Classic files do not record a fill mode.
    let _ = copy(&sandbox, &["-3", "-V", "f,i,c,n,d", "@a.nc", "@a3.nc"]);
    let _ = copy(&sandbox, &["-k", "nc7", "@a3.nc", "@o7.nc"]);
    assert_eq!(not_filled(&sandbox, "@o7.nc"), ["d"]);
}

const GROWING: &str = r#"netcdf a { dimensions: t = UNLIMITED ; x = 2 ; variables: float f(t, x) ; f:_FillValue = -999.9f ; float df(t) ; int i(t) ;
byte b(t) ; int64 l(t) ; double inner(x, t) ; char c(t) ; short n(t) ; n:_NoFill = "true" ; float d(x) ; string s(t) ;
data: f = 1, 2, 3, 4 ; df = 1, 2 ; i = 1, 2 ; b = 1, 2 ; l = 1, 2 ; inner = {1, 2}, {3, 4} ; c = "ab" ; n = 1, 2 ; d = 1, 2 ; s = "a", "b" ; }"#;

/// Returns the fill values of these variables in Zarr version 3.
const FILLS: [(&str, &str); 8] = [
    ("f", "-999.9000244140625"),
    ("df", "9.969209968386869e+36"),
    ("i", "-2147483647"),
    ("b", "-127"),
    ("l", "-9223372036854775806"),
    ("inner", "9.969209968386869e+36"),
    ("c", "0"),
    ("n", "0"),
];

/// Zarr version 3 stores the fill value in `fill_value`. NCZarr version 2 stores `null`, which readers do not mask, and a member of
/// `_nczarr_array`.
#[test]
fn copies_through_nczarr_keep_the_fill_value_of_record_variables() {
    let sandbox = made(GROWING);
    for args in [&["-k", "nczarr"][..], &["-k", "nczarr3"]] {
        for chunks in [&[][..], &["-c", "t/2"]] {
            let _ = copy(&sandbox, &[args, chunks, &["@a.nc", "@o"]].concat());
            let _ = copy(&sandbox, &[args, &["@o", "@p"]].concat());
            let _ = copy(&sandbox, &["-k", "nc4", "@p", "@b.nc"]);
            let marked = not_filled(&sandbox, "@b.nc");
            let none = match args {
                [_, "nczarr"] => &["n", "d"][..],
                // Version 3 stores zero for `_NoFill`.
                _ => &["d"],
            };
            assert_eq!(marked, none, "{args:?} {chunks:?}");
            let _ = copy(&sandbox, &["-k", "nczarr3", "@b.nc", "@q"]);
            for (var, fill) in FILLS {
                let json = metadata(&sandbox, &format!("q/{var}/zarr.json"));
                let fill = format!(r#""fill_value":{fill},"#);
                assert!(json.contains(&fill), "{args:?} {chunks:?} {var}: {json}");
            }
        }
    }
}

const TEXTS: &str = r#"netcdf a { dimensions: x = 2 ; variables: char c(x) ; c:long_name = "c" ; c:_FillValue = " " ; c:units = "1" ; char nul(x) ; nul:_FillValue = "\000" ; char none(x) ;
string s(x) ; s:_FillValue = "-" ; string e(x) ; e:_FillValue = "" ; float f(x) ; f:_FillValue = 1.e20f ; double d(x) ; d:_FillValue = 0.1 ;
data: c = "a", _ ; nul = "ab" ; none = "ab" ; s = "a", _ ; e = "a", "" ; f = 1, _ ; d = 1, _ ; }"#;

/// Returns the attributes of arrays as JSON, without blanks.
fn metadata(sandbox: &Sandbox, key: &str) -> String {
    let text = String::from_utf8(sandbox.read(key)).unwrap();
    text.split_whitespace().collect()
}

/// In version 3, xarray refuses `_FillValue` of text variables, and reads `_FillValue` of floats in Base64.
#[test]
fn version_3_has_the_fill_values_that_xarray_reads() {
    let sandbox = made(TEXTS);
    for kind in ["zarr3", "nczarr3"] {
        let said = copy(&sandbox, &["-k", kind, "@a.nc", &format!("@{kind}")]);
        for var in ["c", "s"] {
            let json = metadata(&sandbox, &format!("{kind}/{var}/zarr.json"));
            assert!(!json.contains(r#""_FillValue":"#), "{kind}: {json}");
        }
        for (var, base64) in [("f", "AAAAgB2vFUQ="), ("d", "mpmZmZmZuT8=")] {
            let json = metadata(&sandbox, &format!("{kind}/{var}/zarr.json"));
            assert!(
                json.contains(&format!(r#""_FillValue":"{base64}""#)),
                "{kind}: {json}"
            );
        }
        let shown = sandbox
            .run(ncdump::run, &["ncdump", "-h", &format!("@{kind}")])
            .clean()
            .text();
        for fill in [
            "c:_FillValue = \" \"",
            "s:_FillValue = \"-\"",
            "f:_FillValue = 1.e+20f",
            "d:_FillValue = 0.1 ",
        ] {
            assert!(shown.contains(fill), "{kind}: {shown}");
        }
        let order = shown.contains("\t\tc:_FillValue = \" \" ;\n\t\tc:units");
        assert_eq!(order, kind == "nczarr3", "{shown}");
        assert!(!shown.contains("none:_FillValue"), "{kind}: {shown}");
        // Pure Zarr version 3 has no form for an empty fill value.
        let lost = said.message().contains("/nul and /e: skipped: ");
        assert_eq!(lost, kind == "zarr3", "{said}");
        assert_eq!(
            shown.contains("nul:_FillValue"),
            kind == "nczarr3",
            "{shown}"
        );
        assert_eq!(
            shown.contains("e:_FillValue = \"\""),
            kind == "nczarr3",
            "{shown}"
        );
    }
}

/// The input has no chunks, and its elements read as NUL.
#[test]
fn texts_without_a_fill_mode_keep_their_values_and_fill_value() {
    let sandbox = made(
        r#"netcdf a { dimensions: x = 3 ; variables: char c(x) ; c:_FillValue = " " ; c:_NoFill = "true" ; c:_ChunkSizes = 3 ; }"#,
    );
    for kind in ["zarr3", "nczarr3"] {
        let out = format!("@{kind}");
        let _ = copy(&sandbox, &["-k", kind, "@a.nc", &out]);
        let json = metadata(&sandbox, &format!("{kind}/c/zarr.json"));
        assert!(!json.contains(r#""_FillValue":"#), "{kind}: {json}");
        let coded = [r#""fill_value":"IA==""#, r#""fill_value":32"#];
        assert!(coded.iter().any(|c| json.contains(c)), "{kind}: {json}");
        let text = sandbox.run(ncdump::run, &["ncdump", &out]).text();
        assert!(text.contains("c:_FillValue = \" \""), "{kind}: {text}");
        let nul = [r#"c = "", "", "" ;"#, r#"c = "\000\000\000" ;"#];
        assert!(nul.iter().any(|n| text.contains(n)), "{kind}: {text}");
    }
}

/// Earlier versions wrote numbers and texts as `_FillValue`.
#[test]
fn earlier_forms_of_fill_values_are_read() {
    let sandbox = made(TEXTS);
    let _ = copy(&sandbox, &["-k", "nczarr3", "@a.nc", "@o"]);
    for (var, base64, earlier) in [
        ("f", "AAAAgB2vFUQ=", "1.0000000200408773e+20"),
        ("d", "mpmZmZmZuT8=", "0.1"),
    ] {
        let key = format!("o/{var}/zarr.json");
        let json = String::from_utf8(sandbox.read(&key)).unwrap();
        sandbox.write(&key, json.replace(&format!("\"{base64}\""), earlier));
    }
    let json = String::from_utf8(sandbox.read("o/c/zarr.json")).unwrap();
    let with = json.replacen(
        r#""attributes": {"#,
        r#""attributes": {"_FillValue": " ", "#,
        1,
    );
    assert_ne!(with, json);
    sandbox.write("o/c/zarr.json", with);
    let args = ["ncdump", "--diff", "@a.nc", "@o"];
    let _ = sandbox.run(ncdump::run, &args).clean();
}

/// A note recommends a kind for Python if NCZarr version 2 has characters.
#[test]
fn a_note_recommends_a_kind_for_python() {
    let sandbox = made(TEXTS);
    let args = [
        "nccopy",
        "--no-sync",
        "--strict",
        "-k",
        "nczarr",
        "@a.nc",
        "@o",
    ];
    let copied = sandbox.run(nccopy::run, &args);
    assert_eq!(copied.code, 0, "{copied}");
    assert!(copied.message().contains("`>S1`"), "{copied}");
    let copied = copy(&sandbox, &["-k", "nczarr", "-V", "s,f", "@a.nc", "@p"]);
    assert!(!copied.message().contains("`>S1`"), "{copied}");
}

/// xarray opens no store of version 3 with a list or a text as `_FillValue`.
#[test]
fn version_3_has_no_fill_values_that_xarray_refuses() {
    let sandbox = made(
        r#"netcdf a { dimensions: x = 2 ; variables: short one(x) ; one:_FillValue = 5s ; short list(x) ; short text(x) ; float other(x) ; char c(x) ;
data: one = 1, 2 ; list = 1, 2 ; text = 1, 2 ; other = 1, 2 ; c = "ab" ; }"#,
    );
    let _ = copy(&sandbox, &["-k", "zarr", "@a.nc", "@in"]);
    for (var, value) in [
        ("list", "[1, 2]"),
        ("text", "\"x\""),
        ("other", "5"),
        ("c", "[1, 2]"),
    ] {
        let key = format!("in/{var}/.zattrs");
        let json = String::from_utf8(sandbox.read(&key)).unwrap();
        let with = format!("{{\"_FillValue\": {value}, ");
        sandbox.write(&key, json.replacen('{', &with, 1));
    }
    let _ = std::fs::remove_file(sandbox.path("in/.zmetadata"));
    for kind in ["zarr3", "nczarr3"] {
        let copied = copy(&sandbox, &["-k", kind, "@in", &format!("@{kind}")]);
        let why = "/c, /list and /text: skipped: a _FillValue that is not one value";
        assert!(copied.message().contains(why), "{copied}");
        for (var, kept) in [
            ("one", true),
            ("list", false),
            ("text", false),
            ("other", true),
            ("c", false),
        ] {
            let json = metadata(&sandbox, &format!("{kind}/{var}/zarr.json"));
            assert_eq!(json.contains(r#""_FillValue":"#), kept, "{kind}: {json}");
        }
    }
}

/// A fill value that is not UTF-8 still equals the elements.
#[test]
fn fill_values_that_are_not_utf_8_come_back() {
    let sandbox = made(
        r#"netcdf a { dimensions: x = 3 ; variables: char c(x) ; c:_FillValue = "\377" ; data: c = "a\377b" ; }"#,
    );
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3"] {
        let _ = copy(&sandbox, &["-k", kind, "@a.nc", &format!("@{kind}")]);
        let out = sandbox.run(ncdump::run, &["ncdump", "-h", &format!("@{kind}")]);
        let fill = b"c:_FillValue = \"\xff\" ;";
        assert!(out.stdout.windows(fill.len()).any(|w| w == fill), "{out}");
    }
}
