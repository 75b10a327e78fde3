//! Copies of unusual inputs: reserved attributes, unallocated data, enums.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

use crate::made;

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

fn copy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let copied = nccopy(sandbox, args);
    assert_eq!(copied.code, 0, "{args:?} {copied}");
    copied
}

fn dumped(sandbox: &Sandbox, args: &[&str]) -> String {
    let dumped = sandbox.run(ncdump::run, &[&["ncdump", "-n", "x"], args].concat());
    assert_eq!(dumped.code, 0, "{args:?} {dumped}");
    dumped.text()
}

const RESERVED: &str = r#"netcdf a { dimensions: x = 2 ; variables: float v(x) ; v:\_Netcdf4Dimid = 5 ; data: v = 4, 5 ;
// global attributes:
:\_NCProperties = "version=2" ; :title = "t" ; }"#;

#[test]
fn reserved_names() {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", RESERVED);
    let made = sandbox.run(ncgen::run, &["ncgen", "-3", "-o", "@a.nc", "@a.cdl"]);
    assert_eq!(made.code, 0, "{made}");
    let whole = dumped(&sandbox, &["@a.nc"]);
    assert!(
        whole.contains(r#":\_NCProperties = "version=2" ;"#),
        "{whole}"
    );
    let json = dumped(&sandbox, &["--json", "@a.nc"]);
    assert!(json.contains("_NCProperties"), "{json}");
    let _ = copy(&sandbox, &["-k", "cdf5", "@a.nc", "@o.nc"]);
    assert_eq!(dumped(&sandbox, &["@o.nc"]), whole);
    for (kind, own) in [("nc4", "v@_Netcdf4Dimid"), ("zarr3", ""), ("nczarr", "")] {
        let name = format!("@o.{kind}");
        if !own.is_empty() {
            let refused = nccopy(&sandbox, &["-k", kind, "@a.nc", &name]);
            assert_eq!(refused.code, 1, "{refused}");
            let way_out = "--attribute '!/v@_Netcdf4Dimid'";
            assert!(refused.message().contains(way_out), "{refused}");
        }
        let said = copy(
            &sandbox,
            &[
                "-k",
                kind,
                "--verify",
                "--attribute",
                "!/v@_Netcdf4Dimid",
                "@a.nc",
                &name,
            ],
        );
        assert!(said.message().contains(":_NCProperties: skipped"), "{said}");
        let copied = dumped(&sandbox, &[&name]);
        assert!(
            copied.contains(r#":title = "t""#) && copied.contains("v = 4, 5"),
            "{copied}"
        );
        assert!(!copied.contains("_NCProperties"), "{copied}");
        let strict = nccopy(
            &sandbox,
            &[
                "--strict",
                "-k",
                kind,
                "--attribute",
                "!/v@_Netcdf4Dimid",
                "@a.nc",
                "@strict",
            ],
        );
        assert_eq!(strict.code, 1, "{strict}");
    }
}

/// Variables of 3,000,000 elements.
const UNALLOCATED: &str = r#"netcdf a { types: ubyte enum e {A = 0, B = 1} ; compound c {int x ; float y ; } ; dimensions: n = 3000000 ; variables:
float filled(n) ; filled:_FillValue = -1.f ; float plain(n) ; float none(n) ; none:_NoFill = "true" ; char text(n) ; string words(n) ;
e flag(n) ; c pair(n) ; short swapped(n) ; swapped:_Endianness = "big" ; int chunked(n) ; chunked:_ChunkSizes = 1000 ; int s ; float one ;
data: s = 1 ; }"#;

#[test]
fn data_that_was_never_allocated_stays_so() {
    let sandbox = made(UNALLOCATED);
    let plan = ["--plan", "@plan", "--parts", "2", "-V", "filled,s"];
    for args in [&[][..], &["-c", "chunked:"], &["-u", "-s"], &plan] {
        let _ = copy(&sandbox, &[args, &["@a.nc", "@o.nc"]].concat());
        if args == plan {
            for step in ["--next", "--finish"] {
                let _ = copy(&sandbox, &[step, "@plan"]);
            }
        }
        let bytes = sandbox.read("o.nc").len();
        assert!(bytes < 20_000, "{args:?}: {bytes} bytes");
        let all = if args == plan {
            "filled,s"
        } else {
            "filled,plain,none,text,words,flag,pair,swapped,s,one"
        };
        let part = ["--select", "n,2999990,", "-v", all];
        let (had, has) = (
            dumped(&sandbox, &[&part[..], &["@a.nc"]].concat()),
            dumped(&sandbox, &[&part[..], &["@o.nc"]].concat()),
        );
        let data = |text: &str| text.split_once("data:").unwrap().1.to_owned();
        assert_eq!(data(&had), data(&has), "{args:?}");
    }
    // Classic files store all elements.
    let _ = copy(&sandbox, &["-3", "-V", "filled", "@a.nc", "@o.nc"]);
    assert!(sandbox.read("o.nc").len() > 12_000_000);
}

#[test]
fn unallocated_data_beyond_a_gigabyte_is_copied() {
    let sandbox = made(
        "netcdf a { dimensions: n = 530000000 ; m = 4 ; variables: int row(n) ; double v(n, m) ; }",
    );
    let _ = copy(&sandbox, &["@a.nc", "@o.nc"]);
    assert!(sandbox.read("o.nc").len() < 20_000);
}

const TRUTH: &str = "%hdf5/truth.h5";

#[test]
fn enums_without_names() {
    let sandbox = Sandbox::new();
    let _ = copy(&sandbox, &["--verify", TRUTH, "@o.nc"]).clean();
    let text = dumped(&sandbox, &["@o.nc"]);
    for part in [
        "byte enum _AnonymousEnum1 {FALSE = 0, TRUE = 1} ;",
        "short enum _AnonymousEnum2 {off = 2, on = 1} ;",
        "_AnonymousEnum1 :done = TRUE ;",
        "_AnonymousEnum2 b:state = off, on ;",
        "b = TRUE, FALSE, TRUE ;",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for (kind, key, ty) in [
        ("zarr3", "zarr.json", r#""data_type": "bool""#),
        ("zarr", ".zarray", r#""dtype": "|b1""#),
    ] {
        let said = copy(
            &sandbox,
            &["-k", kind, "--verify", TRUTH, &format!("@o.{kind}")],
        );
        let note = ":done, /b:state: stored as numbers: ";
        assert!(said.message().contains(note), "{said}");
        let json = String::from_utf8(sandbox.read(&format!("o.{kind}/b/{key}"))).unwrap();
        assert!(json.contains(ty), "{json}");
        let text = dumped(&sandbox, &[&format!("@o.{kind}")]);
        assert!(text.contains("b = TRUE, FALSE, TRUE ;"), "{text}");
        assert!(text.contains("b:state = 2, 1 ;"), "{text}");
    }
}

const ENUMS: &str = r#"netcdf a { types: byte enum flag {Good = 0, "not good" = -1} ; uint64 enum wide {all = 18446744073709551615, none = 0} ;
dimensions: x = 3 ; variables: flag q(x) ; flag q:_FillValue = Good ; wide w(x) ; float t(x) ; data: q = Good, "not good", Good ; w = all, none, all ; t = 1, 2, 3 ; }"#;

#[test]
fn enums_as_flags() {
    let sandbox = made(&ENUMS.replace("\"not good\"", "not\\ good"));
    let refused = nccopy(&sandbox, &["-k", "zarr3", "@a.nc", "@o.zarr"]);
    assert_eq!(refused.code, 1, "{refused}");
    assert!(
        refused.message().contains("nccopy --enums=flags"),
        "{refused}"
    );
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3", "nc4", "nc5"] {
        let name = format!("@o.{kind}");
        let _ = copy(
            &sandbox,
            &["-k", kind, "--enums=flags", "--verify", "@a.nc", &name],
        );
        let text = dumped(&sandbox, &[&name]);
        for part in [
            "byte q(x) ;",
            "uint64 w(x) ;",
            r#"q:flag_meanings = "Good not_good" ;"#,
            r#"w:flag_meanings = "all none" ;"#,
            "q = _, -1, _ ;",
            "w = 18446744073709551615, 0, 18446744073709551615 ;",
        ] {
            assert!(text.contains(part), "{kind} {part}: {text}");
        }
        assert!(!text.contains("types:"), "{text}");
    }
    // Kinds with booleans store booleans.
    let _ = copy(
        &sandbox,
        &["-k", "zarr3", "--enums=flags", TRUTH, "@truth.zarr"],
    );
    assert!(dumped(&sandbox, &["@truth.zarr"]).contains("b = TRUE, FALSE, TRUE ;"));
    let wrong = nccopy(&sandbox, &["--enums=text", "@a.nc", "@o.nc"]);
    assert_eq!(wrong.code, 2, "{wrong}");
}
