//! Selections (`--select`), and changed names, attributes and unlimited dimensions (`nccopy --rename`, `--attribute`, `--unlimited`).

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

const CDL: &str = r#"netcdf a {
dimensions: time = UNLIMITED ; lat = 4 ; lon = 6 ;
variables:
  double time(time) ; time:units = "days since 2001-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ; lat:bounds = "lat_bnds" ;
  float lat_bnds(time, lat) ;
  double lon(lon) ; lon:units = "degrees_east" ;
  int t(time, lat, lon) ; t:coordinates = "lat lon" ; t:cell_methods = "time: mean" ; t:_FillValue = -9 ;
    t:_ChunkSizes = 2, 2, 3 ; t:_DeflateLevel = 1 ;
  :title = "old" ;
data:
  time = 0, 31, 59, 90 ; lat = 60, 20, -20, -60 ; lon = 0, 60, 120, 180, 240, 300 ;
  t = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
    100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123,
    200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 315, 316, 317, 318, 319, 320, 321, 322, 323 ;
}"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", CDL);
    let args = ["ncgen", "-k", "nc4", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    sandbox
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

fn ncdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(ncdump::run, &[&["ncdump", "-n", "x"], args].concat())
}

#[test]
fn parts_are_printed() {
    let sandbox = sandbox();
    let part = [
        "--select",
        "time,2001-02-01,2001-03-01",
        "--select",
        "lat,-30.,30.",
        "--select",
        "lon,300.,60.",
    ];
    let printed = ncdump(&sandbox, &[&part[..], &["-s", "@a.nc"]].concat());
    assert_snapshot!("a_part_printed", printed.clean().text());
    let ncml = ncdump(&sandbox, &[&part[..], &["-x", "@a.nc"]].concat())
        .clean()
        .text();
    assert!(
        ncml.contains(r#"<dimension name="lat" length="2" />"#),
        "{ncml}"
    );
}

/// `ncdump` prints the selection, and `nccopy` copies the same elements to every kind and verifies them.
#[test]
fn parts_are_copied() {
    let sandbox = sandbox();
    for select in [
        "time,1,",
        "time,3,0",
        "lat,-1",
        "lon,,,4",
        "lon,100.,0.",
        "lat,3,3",
    ] {
        let part = ["--select", select];
        let printed = ncdump(&sandbox, &[&part[..], &["@a.nc"]].concat())
            .clean()
            .text();
        for (kind, name) in [("nc4", "@o.nc"), ("nc3", "@o.nc"), ("nczarr3", "@o.zarr")] {
            let ends = ["-k", kind, "--verify", "@a.nc", name];
            let copied = nccopy(&sandbox, &[&part[..], &ends].concat());
            assert_eq!(copied.code, 0, "{select} {kind}: {copied}");
            assert_eq!(
                ncdump(&sandbox, &[name]).clean().text(),
                printed,
                "{select} {kind}"
            );
        }
    }
}

/// Records of several variables are interleaved.
#[test]
fn parts_of_records_are_copied() {
    let sandbox = Sandbox::new();
    let names = ["a", "b", "c", "d", "e"];
    let vars: Vec<String> = names.iter().map(|n| format!("short {n}(t) ;")).collect();
    let data: Vec<String> = names
        .iter()
        .map(|n| format!("{n} = 1, 2, 3, 4, 5, 6, 7 ;"))
        .collect();
    let (vars, data) = (vars.concat(), data.concat());
    let cdl = format!("netcdf r {{ dimensions: t = UNLIMITED ; variables: {vars} data: {data} }}");
    sandbox.write("r.cdl", cdl);
    let _ = sandbox
        .run(ncgen::run, &["ncgen", "-o", "@r.nc", "@r.cdl"])
        .clean();
    for (select, want) in [
        ("t,,,2", "1, 3, 5, 7"),
        ("t,2,4", "3, 4, 5"),
        ("t,6,1", "7, 1, 2"),
    ] {
        for kind in ["nc3", "nc4", "nczarr3"] {
            let name = if kind == "nczarr3" {
                "@o.zarr"
            } else {
                "@o.nc"
            };
            let args = ["--verify", "-k", kind, "--select", select, "@r.nc", name];
            let copied = nccopy(&sandbox, &args);
            assert_eq!(copied.code, 0, "{copied}");
            let text = ncdump(&sandbox, &[name]).clean().text();
            for n in names {
                assert!(
                    text.contains(&format!(" {n} = {want} ;")),
                    "{select} {kind}: {text}"
                );
            }
        }
    }
}

#[test]
fn whole_chunks_are_moved() {
    let sandbox = sandbox();
    let method = |args: &[&str]| {
        let args = [&["--dry-run"], args, &["@a.nc", "@o.nc"]].concat();
        let plan = nccopy(&sandbox, &args).clean().text();
        let line = plan
            .lines()
            .find(|line| line.starts_with("/t "))
            .unwrap_or_default();
        line.contains("move chunks")
    };
    assert!(method(&["--select", "time,2,3", "--select", "lat,0,1"]));
    assert!(method(&["--select", "lon,3,"]));
    assert!(!method(&["--select", "time,1,2"]));
    assert!(!method(&["--select", "lon,,,2"]));
    let renamed = nccopy(
        &sandbox,
        &[
            "--dry-run",
            "--rename",
            "t,temp",
            "--rename",
            "lon,x",
            "--attribute",
            "t@a=1",
            "@a.nc",
            "@o.nc",
        ],
    );
    assert_snapshot!("a_plan_with_new_names", renamed.to_string());
}

#[test]
fn names_and_attributes_change() {
    let sandbox = sandbox();
    let args = [
        "--rename",
        "time,t",
        "--rename",
        "t,temp",
        "--rename",
        "lat,latitude",
        "--rename",
        "t@cell_methods,methods",
        "--attribute",
        "/@title=\"new\"",
        "--attribute",
        "short lon@levels=1, 2",
        "--attribute",
        "!lon@units",
        "--verify",
        "@a.nc",
        "@o.nc",
    ];
    let copied = nccopy(&sandbox, &args);
    assert_snapshot!("new_names", copied.to_string());
    assert_snapshot!(
        "new_names_printed",
        ncdump(&sandbox, &["-h", "-s", "@o.nc"]).clean().text()
    );
}

/// Unstored elements keep their value, even if an attribute sets another fill value.
#[test]
fn a_new_fill_value_does_not_change_data() {
    let sandbox = sandbox();
    sandbox.write("b.cdl", "netcdf b { dimensions: x = UNLIMITED ; y = 4 ;
        variables: short v(x) ; v:_FillValue = 7s ; v:_ChunkSizes = 2 ; int w(x, y) ; w:_ChunkSizes = 1, 2 ;
        data: v = 1, 2 ; w = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 ; }");
    let _ = sandbox
        .run(ncgen::run, &["ncgen", "-k", "nc4", "-o", "@b.nc", "@b.cdl"])
        .clean();
    for attribute in ["v@_FillValue=2s", "!v@_FillValue"] {
        for kind in ["nc4", "nc3", "nczarr", "zarr3"] {
            let name = if kind.contains("zarr") {
                "@o.zarr"
            } else {
                "@o.nc"
            };
            let args = [
                "-k",
                kind,
                "--verify",
                "--attribute",
                attribute,
                "@b.nc",
                name,
            ];
            let copied = nccopy(&sandbox, &args);
            assert_eq!(copied.code, 0, "{copied}");
            let _ = nccopy(
                &sandbox,
                &["-k", "nc4", "--attribute", "!v@_FillValue", name, "@p.nc"],
            );
            let text = ncdump(&sandbox, &["-v", "v", "@p.nc"]).clean().text();
            assert!(
                text.contains(" v = 1, 2, 7, 7, 7 ;"),
                "{attribute} {kind}: {text}"
            );
        }
    }
}

#[test]
fn files_get_new_names_in_place() {
    let sandbox = sandbox();
    let done = nccopy(
        &sandbox,
        &[
            "--in-place",
            "--rename",
            "lat_bnds,b",
            "--attribute",
            "!nothing@a",
            "@a.nc",
        ],
    );
    assert_eq!(done.code, 1, "{done}");
    let done = nccopy(
        &sandbox,
        &[
            "--in-place",
            "--rename",
            "lat_bnds,b",
            "--attribute",
            "!lat@nothing",
            "@a.nc",
        ],
    );
    assert_snapshot!("new_names_in_place", done.to_string());
    let text = ncdump(&sandbox, &["-h", "@a.nc"]).clean().text();
    assert!(
        text.contains("lat:bounds = \"b\" ;") && text.contains("float b(time, lat) ;"),
        "{text}"
    );
}

/// A variable and a dimension with the same name.
#[test]
fn the_variable_and_the_dimension_get_other_names_alone() {
    let sandbox = sandbox();
    let header = |rename: &str, kind: &str| {
        let args = ["-k", kind, "--rename", rename, "--verify", "@a.nc", "@o"];
        let copied = nccopy(&sandbox, &args);
        assert_eq!(copied.code, 0, "{copied}");
        let text = ncdump(&sandbox, &["-h", "@o"]).clean().text();
        std::fs::remove_file(sandbox.path("o")).unwrap();
        text
    };
    for kind in ["nc3", "nc4"] {
        let text = header("var:lat,phi", kind);
        let parts = ["\tlat = 4", "float phi(lat)", "coordinates = \"phi lon\""];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        let text = header("dim:lat,j", kind);
        let parts = ["\tj = 4", "float lat(j)", "coordinates = \"lat lon\""];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        let text = header("var:time,t0", kind);
        assert!(text.contains("cell_methods = \"time: mean\""), "{text}");
        let text = header("dim:time,rec", kind);
        assert!(text.contains("cell_methods = \"rec: mean\""), "{text}");
    }
}

#[test]
fn dimensions_become_unlimited() {
    let sandbox = sandbox();
    let header = |args: &[&str]| {
        let copied = nccopy(&sandbox, &[args, &["--verify", "@a.nc", "@o.nc"]].concat());
        assert_eq!(copied.code, 0, "{copied}");
        ncdump(&sandbox, &["-h", "-s", "@o.nc"]).clean().text()
    };
    let text = header(&["--unlimited", "lat"]);
    for part in [
        "time = UNLIMITED ; // (4 currently)",
        "lat = UNLIMITED ; // (4 currently)",
        "lat_bnds:_Storage = \"chunked\"",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let text = header(&["-u", "--unlimited", "time", "-k", "nc3"]);
    assert!(text.contains("time = UNLIMITED"), "{text}");
    let text = header(&["-u", "--unlimited", "l[ao]t", "--rename", "lat,y"]);
    assert!(text.contains("\ttime = 4"), "{text}");
    assert!(text.contains("\ty = UNLIMITED"), "{text}");
    let plan = ["--plan", "@plan", "--parts", "2", "--unlimited", "lat"];
    let _ = nccopy(&sandbox, &[&plan[..], &["@a.nc", "@p.nc"]].concat());
    assert_eq!(nccopy(&sandbox, &["--next", "@plan"]).code, 0);
    assert_eq!(nccopy(&sandbox, &["--finish", "@plan"]).code, 0);
    let text = ncdump(&sandbox, &["-h", "@p.nc"]).clean().text();
    assert!(text.contains("lat = UNLIMITED"), "{text}");
}

/// A coordinate variable with another name than its dimension, as in WRF files.
#[test]
fn parts_are_selected_by_variables() {
    let sandbox = Sandbox::new();
    let cdl = r#"netcdf a { dimensions: Time = UNLIMITED ; x = 2 ; variables: char Times(Time, x) ; float XTIME(Time) ;
        XTIME:units = "minutes since 2005-08-28 00:00:00" ; int step(Time) ; float XLAT(Time, x) ;
        data: XTIME = 0, 180, 360, 540 ; step = 4, 2, 7, 1 ; XLAT = 1, 2, 3, 4, 5, 6, 7, 8 ; }"#;
    sandbox.write("a.cdl", cdl);
    let args = ["ncgen", "-3", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    for (select, want) in [
        ("XTIME,2005-08-28T03:00,2005-08-28T06:00", "180, 360"),
        ("XTIME,2005-08-28T08:00", "540"),
        ("XTIME,100.,400.", "180, 360"),
        ("/XTIME,,,2", "0, 360"),
        ("XTIME,-1", "540"),
    ] {
        let args = ["--select", select, "-v", "XTIME", "@a.nc"];
        let text = ncdump(&sandbox, &args).clean().text();
        assert!(
            text.contains(&format!("XTIME = {want} ;")),
            "{select}: {text}"
        );
    }
    let args = ["--select", "XTIME,180.,360.", "@a.nc", "@o.nc"];
    let _ = nccopy(&sandbox, &args).clean();
    let text = ncdump(&sandbox, &["-v", "XLAT", "@o.nc"]).clean().text();
    assert!(text.contains("3, 4,\n  5, 6 ;"), "{text}");
    for (select, part) in [
        ("Time,2005-08-28", "or by a variable: XTIME and step"),
        ("step,1.,4.", "neither increase nor decrease: step"),
        ("XLAT,1.,2.", "XLAT has 2 dimensions, expected one"),
        ("XTIM,1.", "did you mean XTIME?"),
    ] {
        let said = ncdump(&sandbox, &["--select", select, "@a.nc"]);
        assert_eq!(said.code, 1, "{said}");
        assert!(said.message().contains(part), "{said}");
    }
}

#[test]
fn impossible_edits_are_errors() {
    let sandbox = sandbox();
    let cases: &[(&str, &[&str])] = &[
        (
            "select_a_dimension_that_is_not_there",
            &["--select", "lattitude,1,2"],
        ),
        (
            "select_indices_that_are_not_there",
            &["--select", "lat,2,9"],
        ),
        (
            "select_without_limits_of_one_sort",
            &["--select", "lat,2,9."],
        ),
        ("rename_to_a_name_in_use", &["--rename", "lat,lon"]),
        ("rename_to_no_name", &["--rename", "lat"]),
        ("rename_no_variable", &["--rename", "var:lt,a"]),
        ("unlimited_without_dimension", &["--unlimited", "lattitude"]),
        (
            "unlimited_behind_another",
            &["-k", "nc3", "-u", "--unlimited", "lon"],
        ),
        (
            "attribute_that_is_no_constant",
            &["--attribute", "lat@note=some text"],
        ),
        ("attribute_of_nothing", &["--attribute", "note=1"]),
    ];
    for (name, args) in cases {
        let said = nccopy(&sandbox, &[args, &["@a.nc", "@o.nc"][..]].concat());
        assert_snapshot!(*name, said.to_string());
        assert!(!sandbox.path("o.nc").exists(), "{name}");
    }
    let said = ncdump(&sandbox, &["--select", "lat,1,2,0", "@a.nc"]);
    assert_snapshot!("select_with_a_stride_of_zero", said.to_string());
}

/// Longitude limits beyond the coordinate: a note, or an error with `--strict`.
#[test]
fn longitudes_beyond_the_coordinate_are_a_note() {
    let sandbox = sandbox();
    let select = ["--select", "lon,-90.,60.", "@a.nc"];
    let printed = ncdump(&sandbox, &[&["-v", "lon"], &select[..]].concat());
    assert_eq!(printed.code, 0, "{printed}");
    assert!(printed.text().ends_with(" lon = 0, 60 ;\n}\n"), "{printed}");
    let note = "not selected: -90 to 0, because lon goes from 0 to 300 (the whole interval: --select lon,270.,60.)";
    assert!(printed.message().contains(note), "{printed}");
    let strict = ncdump(
        &sandbox,
        &[&["--strict", "-v", "lon"], &select[..]].concat(),
    );
    assert_eq!(strict.code, 1, "{strict}");
    let strict = nccopy(&sandbox, &[&["--strict"], &select[..], &["@o.nc"]].concat());
    assert!(
        strict.code == 1 && !sandbox.path("o.nc").exists(),
        "{strict}"
    );
}

/// Time units may have type string.
#[test]
fn times_with_units_of_type_string() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "s.cdl",
        r#"netcdf s { dimensions: t = 3 ; variables: int64 t(t) ; string t:units = "h since 2000-01-01_12:00:00" ;
data: t = 0, 12, 24 ; }"#,
    );
    let args = ["ncgen", "-k", "nc4", "-o", "@s.nc", "@s.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    let args = ["-t", "--select", "t,2000-01-02", "@s.nc"];
    let printed = ncdump(&sandbox, &args).clean().text();
    let data = r#" t = "2000-01-02", "2000-01-02 12" ;"#;
    assert!(printed.contains(data), "{printed}");
}

const UNREAD: &str = r#"netcdf u { dimensions: a = 1 ; b = 1 ; variables:
  double a(a) ; a:units = "hours since analysis" ; a:bounds = "a_bnds" ; double a_bnds(a) ;
  double b(b) ; b:units = "hours since 2000-01-01 12:00 local" ; b:actual_range = 1., 2. ;
  double c(b) ; c:units = "days since 2000-13-01" ; c:actual_range = 1., 2. ;
  double d(b) ; d:units = "fortnights since 2000-01-01" ;
data: a = 1 ; a_bnds = 2 ; b = 1 ; c = 1 ; d = 1 ; }"#;

/// Unreadable reference times give numbers and a note.
#[test]
fn reference_times_that_are_not_understood() {
    let sandbox = Sandbox::new();
    sandbox.write("u.cdl", UNREAD);
    let args = ["ncgen", "-o", "@u.nc", "@u.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    assert_snapshot!("times_not_understood", ncdump(&sandbox, &["-t", "@u.nc"]));
    let run = |args: &[&str]| ncdump(&sandbox, &[args, &["@u.nc"]].concat());
    assert_eq!(run(&["-t", "--strict"]).code, 1);
    assert_eq!(run(&["-t", "--strict", "-v", "b"]).code, 1);
    let _ = run(&["-t", "--strict", "-v", "d"]).clean();
    let _ = run(&["--strict"]).clean();
    let refused = run(&["--select", "a,2000-01-01"]);
    let why = "the reference time of a is unreadable: \"analysis\"";
    assert!(
        refused.code == 1 && refused.message().contains(why),
        "{refused}"
    );
    let taken = run(&["--select", "b,2000-01-01"]);
    let note = "/b: ignored after the reference time, which is read as UTC: \"local\"";
    assert!(taken.code == 0 && taken.message().contains(note), "{taken}");
}
