//! The rows of the table "Conversions that keep digests" in docs/sum.md.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

use crate::made;

fn copy(sandbox: &Sandbox, kind: &str, input: &str, output: &str) -> CommandOutput {
    let args = ["nccopy", "--no-sync", "-k", kind, input, output];
    let copied = sandbox.run(nccopy::run, &args);
    assert_eq!(copied.code, 0, "{kind}: {copied}");
    copied
}

/// Returns the lines of `--sum`: digests with variable paths.
fn digests(sandbox: &Sandbox, dataset: &str) -> Vec<String> {
    let text = sandbox
        .run(ncdump::run, &["ncdump", "--sum", dataset])
        .clean()
        .text();
    let line = |line: &str| {
        let (digest, name) = line.split_once("  ").expect("a digest");
        let path = name.split_once('#').map_or("", |(_, path)| path);
        format!("{path} {digest}")
    };
    text.lines().map(line).collect()
}

/// Returns the paths whose digests differ between an input and its copy. The path of the dataset is empty.
fn differing(sandbox: &Sandbox, input: &str, kind: &str) -> Vec<String> {
    let output = format!("@copy-{kind}");
    let _ = copy(sandbox, kind, input, &output);
    let [before, after] = [digests(sandbox, input), digests(sandbox, &output)];
    let lost = before.iter().filter(|line| !after.contains(line));
    lost.map(|line| line.split_once(' ').unwrap().0.to_owned())
        .collect()
}

const CLASSIC: &str = r#"netcdf a { dimensions: t = UNLIMITED ; x = 2 ; variables: byte b(x) ; char c(x) ; short s(t) ; int i ; float f(x) ;
double d(t, x) ; d:units = "m" ; d:_FillValue = 1.5 ; d:n = 1s, 2s ; f:_FillValue = 1.e20f ; c:_FillValue = "x" ; :title = "a" ;
data: b = 1, 2 ; c = "ab" ; s = 1, 2 ; i = 3 ; f = 1, _ ; d = 1, 2, 3, _ ; }"#;

#[test]
fn classic_types_stay_in_all_kinds_with_metadata_of_netcdf() {
    let sandbox = made(CLASSIC);
    for kind in ["nc3", "nc6", "cdf5", "nc4", "nc7", "nczarr", "nczarr3"] {
        assert_eq!(differing(&sandbox, "@a.nc", kind), [""; 0], "{kind}");
    }
}

#[test]
fn other_numbers_strings_and_groups_stay_where_they_exist() {
    let sandbox = made(
        r#"netcdf a { dimensions: x = 2 ; variables: ubyte b(x) ; uint64 u(x) ; string s(x) ; s:_FillValue = "-" ; string e(x) ;
e:_FillValue = "" ; u:a = 1ub ; string u:s = "a", "b" ; data: b = 1, 2 ; u = 1, 2 ; s = "a", "-" ; e = "a", "" ;
group: g { dimensions: x = 3 ; variables: int v(x) ; int w(/x) ; data: v = 1, 2, 3 ; w = 1, 2 ; } }"#,
    );
    for kind in ["nc4", "nczarr", "nczarr3"] {
        assert_eq!(differing(&sandbox, "@a.nc", kind), [""; 0], "{kind}");
    }
    let nil =
        made("netcdf a { dimensions: x = 2 ; variables: string s(x) ; data: s = \"a\", NIL ; }");
    assert_eq!(differing(&nil, "@a.nc", "nc4"), [""; 0]);
    assert_eq!(differing(&nil, "@a.nc", "nczarr"), ["/s", ""]);
}

#[test]
fn user_defined_types_stay_in_netcdf_4() {
    let sandbox = made(
        "netcdf a { types: compound c { int a ; float b(2) ; } ; int(*) l ; dimensions: x = 2 ; variables: c v(x) ; l w ;
data: v = {1, {2, 3}}, {4, {5, 6}} ; w = {1, 2} ; }",
    );
    assert_eq!(differing(&sandbox, "@a.nc", "nc4"), [""; 0]);
}

/// Digests do not change for types and attributes with unambiguous JSON.
#[test]
fn pure_zarr_keeps_some_variables() {
    let sandbox = made(
        r#"netcdf a { dimensions: x = 2 ; variables: float f(x) ; f:_FillValue = 1.e20f ; f:units = "m" ; f:i = 1, 2 ; f:d = 1.5 ;
int64 n(x) ; n:l = 99999999999ll ; string s(x) ; s:_FillValue = "-" ; char c(x) ; float g(x) ; g:f = 1.5f ; byte b(x) ; b:s = 1s ;
data: f = 1, _ ; n = 1, 2 ; s = "a", "-" ; c = "ab" ; g = 1, 2 ; b = 1, 2 ; }"#,
    );
    for kind in ["zarr", "zarr3"] {
        assert_eq!(
            differing(&sandbox, "@a.nc", kind),
            ["/b", "/c", "/g", ""],
            "{kind}"
        );
    }
}

/// Notes name the changed texts.
#[test]
fn texts_that_zarr_changes_are_named() {
    let sandbox = made(
        r#"netcdf a { variables: int nul ; nul:a = "\000" ; int json ; json:a = "{\"a\":1}" ; int same ; same:a = "{\"a\": 1}" ;
same:c = "null" ; same:d = "[[1],[2]]" ; }"#,
    );
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3"] {
        let said = copy(&sandbox, kind, "@a.nc", &format!("@{kind}")).message();
        for note in ["become empty: /nul:a\n", "spaces may change: /json:a\n"] {
            assert!(said.contains(note), "{kind}: {said}");
        }
        assert_eq!(
            differing(&sandbox, "@a.nc", kind),
            ["/json", "/nul", ""],
            "{kind}"
        );
    }
    for kind in ["nc3", "nc4"] {
        assert_eq!(differing(&sandbox, "@a.nc", kind), [""; 0], "{kind}");
    }
}

/// Bytes that are not UTF-8, and NIL strings. The attribute of `u` has no difference.
#[test]
fn attributes_that_json_cannot_express_are_named() {
    let sandbox = made(
        r#"netcdf a { variables: double t ; t:a = "\351x" ; int n ; string n:a = "a", NIL ; int u ; u:a = "\303\251" ; }"#,
    );
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3"] {
        let said = copy(&sandbox, kind, "@a.nc", &format!("@{kind}")).message();
        for note in ["t:a", "n:a"] {
            assert!(said.contains(note), "{kind}: {note}: {said}");
        }
        let all = differing(&sandbox, "@a.nc", kind);
        assert_eq!(all, ["/n", "/t", ""], "{kind}");
    }
    assert_eq!(differing(&sandbox, "@a.nc", "nc4"), [""; 0]);
}

/// NaN with a sign, as 0/0 has on x86.
#[test]
fn nan_of_zarr_has_no_sign() {
    let sandbox = made(
        "netcdf a { variables: double d ; d:a = NaN ; float f ; f:_FillValue = NaNf ; int i ; i:a = 1. ; data: d = 1 ; f = 1 ; i = 1 ; }",
    );
    let note = "NaN in these attributes change: /d:a, /f:_FillValue";
    let _ = copy(&sandbox, "nc3", "@a.nc", "@b.nc");
    for kind in ["nczarr", "nczarr3"] {
        let said = copy(&sandbox, kind, "@b.nc", &format!("@{kind}")).message();
        assert!(!said.contains(note), "{kind}: {said}");
        assert_eq!(differing(&sandbox, "@b.nc", kind), [""; 0], "{kind}");
    }
    let mut bytes = sandbox.read("b.nc");
    for at in 0..bytes.len() {
        if bytes[at..].starts_with(&[0x7f, 0xf8, 0, 0]) || bytes[at..].starts_with(&[0x7f, 0xc0, 0])
        {
            bytes[at] = 0xff;
        }
    }
    sandbox.write("b.nc", bytes);
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3"] {
        let said = copy(&sandbox, kind, "@b.nc", &format!("@{kind}")).message();
        assert!(said.contains(note), "{kind}: {said}");
        assert_eq!(
            differing(&sandbox, "@b.nc", kind),
            ["/d", "/f", ""],
            "{kind}"
        );
        let args = ["ncdump", "--diff", "@b.nc", &format!("@{kind}")];
        if kind.starts_with('n') {
            let _ = sandbox.run(ncdump::run, &args).clean();
        }
    }
    for kind in ["nc4", "nc7"] {
        assert_eq!(differing(&sandbox, "@b.nc", kind), [""; 0], "{kind}");
    }
}

fn store(name: &str, attribute: &str, fill: &str) -> (String, Sandbox) {
    array(name, attribute, ("<i4", fill))
}

/// A store with an array of this type and fill value.
fn array(name: &str, attribute: &str, (ty, fill): (&str, &str)) -> (String, Sandbox) {
    let sandbox = Sandbox::new();
    let array = format!(
        r#"{{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"{ty}","fill_value":{fill},"order":"C","compressor":null,"filters":null}}"#
    );
    let attributes = format!(r#"{{"note": {attribute}, "_ARRAY_DIMENSIONS": ["x"]}}"#);
    let keys = [
        (".zgroup", r#"{"zarr_format":2}"#.to_owned()),
        ("v/.zarray", array),
        ("v/.zattrs", attributes),
    ];
    sandbox.store(name, &keys);
    (format!("@{name}"), sandbox)
}

/// `null` and the text "null" have different digests. A copy to pure Zarr contains `null` again.
#[test]
fn null_differs_from_the_text() {
    let (null, sandbox) = store("a.zarr", "null", "null");
    let (text, other) = store("b.zarr", "\"null\"", "null");
    assert_ne!(digests(&sandbox, &null), digests(&other, &text));
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3", "nc4"] {
        assert_eq!(differing(&sandbox, &null, kind), [""; 0], "{kind}");
        assert_eq!(differing(&other, &text, kind), [""; 0], "{kind}");
    }
    for kind in ["nc3", "nc6", "cdf5", "nc7"] {
        assert_eq!(differing(&sandbox, &null, kind), ["/v", ""], "{kind}");
        let said = copy(&sandbox, kind, &null, "@note").message();
        let note = "/v:note: string attributes become text";
        assert!(said.contains(note), "{kind}: {said}");
    }
    let _ = copy(&sandbox, "zarr", &null, "@again.zarr");
    let attributes = String::from_utf8(sandbox.read("again.zarr/v/.zattrs")).unwrap();
    assert!(attributes.contains(r#""note": null"#), "{attributes}");
}

/// A copy of pure Zarr version 2 has the fill value as an attribute.
#[test]
fn fill_values_of_pure_zarr_become_attributes() {
    let (there, sandbox) = store("a.zarr", "1", "7");
    assert_eq!(differing(&sandbox, &there, "zarr"), [""; 0]);
    for kind in [
        "zarr3", "nczarr", "nczarr3", "nc3", "nc6", "cdf5", "nc4", "nc7",
    ] {
        assert_eq!(differing(&sandbox, &there, kind), ["/v", ""], "{kind}");
    }
    // netCDF's default for the type is no exception for bytes.
    for (ty, fill) in [("|i1", "-127"), ("|u1", "255")] {
        let (there, sandbox) = array("a.zarr", "1", (ty, fill));
        for kind in ["zarr3", "nczarr", "nc4"] {
            assert_eq!(differing(&sandbox, &there, kind), ["/v", ""], "{ty} {kind}");
        }
    }
}

#[test]
fn some_fill_values_of_pure_zarr_become_no_attributes() {
    const CLASSIC: &[&str] = &["nc3", "nc6", "cdf5", "nc4", "nczarr"];
    const ZARR: &[&str] = &["zarr", "zarr3", "nczarr", "nczarr3", "nc4"];
    for (ty, fill, kinds) in [
        ("<i4", "null", CLASSIC),
        ("<f8", "null", ZARR),
        ("<i4", "-2147483647", CLASSIC),
        ("<i2", "-32767", ZARR),
        ("<f8", "9.969209968386869e+36", CLASSIC),
        ("<u8", "18446744073709551614", ZARR),
        ("|S3", "\"\"", ZARR),
        ("|S3", "\"YWI=\"", ZARR),
        ("|b1", "true", &["zarr", "zarr3", "nc4"]),
    ] {
        let (there, sandbox) = array("a.zarr", "1", (ty, fill));
        for kind in kinds {
            assert_eq!(
                differing(&sandbox, &there, kind),
                [""; 0],
                "{ty} {fill} {kind}"
            );
        }
    }
}

#[test]
fn fill_values_that_zarr_3_cannot_have_are_lost() {
    let sandbox = made(
        r#"netcdf a { dimensions: x = 2 ; variables: char c(x) ; c:_FillValue = "\000" ; string s(x) ; s:_FillValue = "" ;
int v(x) ; v:_FillValue = 0 ; data: c = "ab" ; s = "a", "b" ; v = 1, 2 ; }"#,
    );
    let said = copy(&sandbox, "zarr3", "@a.nc", "@o").message();
    for name in ["/c", "/s"] {
        assert!(said.contains(name) && said.contains("_FillValue"), "{said}");
    }
    assert_eq!(differing(&sandbox, "@a.nc", "zarr3"), ["/c", "/s", ""]);
    for kind in ["nczarr", "nczarr3", "nc4"] {
        assert_eq!(differing(&sandbox, "@a.nc", kind), [""; 0], "{kind}");
    }
}

/// The digest of the dataset changes, and the digests of variables with changed data.
#[test]
fn changed_values_change_their_digests() {
    let sandbox = made(
        "netcdf a { dimensions: x = 8 ; variables: double d(x) ; int i(x) ; data: d = 1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8 ; i = 1 ;
group: g { variables: int w(x) ; data: w = 1, 2 ; } }",
    );
    for (options, changed) in [
        (&["--quantize", "d,bitround,1"][..], &["/d", ""][..]),
        (&["-F", "d,zfp,rate=2"], &["/d", ""]),
        (&["-V", "d,g/w"], &["/i", ""]),
        (&["-v", "i"], &["/d", "/g/w", ""]),
        (&["-g", "g"], &["/d", "/i", ""]),
    ] {
        let args = [&["nccopy", "--no-sync"], options, &["@a.nc", "@copy.nc"]].concat();
        let copied = sandbox.run(nccopy::run, &args);
        assert_eq!(copied.code, 0, "{options:?}: {copied}");
        let [before, after] = ["@a.nc", "@copy.nc"].map(|name| digests(&sandbox, name));
        let lost = before.iter().filter(|line| !after.contains(line));
        let lost: Vec<_> = lost.map(|line| line.split_once(' ').unwrap().0).collect();
        assert_eq!(lost, changed, "{options:?}");
    }
}
