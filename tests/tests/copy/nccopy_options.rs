//! The effects of `nccopy` options, and unaffected data.

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

/// Returns the data of a dataset as text.
fn values(sandbox: &Sandbox, path: &str, vars: &str) -> String {
    let args = ["ncdump", "-n", "x", "-v", vars, path];
    let text = sandbox.run(ncdump::run, &args).clean().text();
    let data = text.find("data:").expect("data");
    let lines = text[data..].lines();
    let data: Vec<_> = lines.filter(|line| !line.contains('\t')).collect();
    data.join("\n")
}

fn generated(cdl: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", cdl);
    let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    sandbox
}

const CF: &str = r#"netcdf a {
dimensions: time = UNLIMITED ; lat = 2 ; lon = 3 ; bnds = 2 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ; time:bounds = "time_bnds" ;
  double time_bnds(time, bnds) ;
  float lat(lat) ; lat:units = "degrees_north" ;
  float lat2d(lat, lon) ;
  float height ;
  double quality(time, lat, lon) ;
  double crs ; crs:grid_mapping_name = "latitude_longitude" ;
  float t(time, lat, lon) ; t:coordinates = "lat2d height" ; t:grid_mapping = "crs: lat2d height" ;
    t:ancillary_variables = "quality" ;
  int n(lat) ;
data:
  time = 10000.123, 10001.123 ; time_bnds = 9999.51, 10000.51, 10000.51, 10001.51 ;
  lat = -89.95, 89.95 ; lat2d = 1.1234567, 2.1234567, 3.1234567, 4.1234567, 5.1234567, 6.1234567 ;
  height = 2.345678 ; crs = 6378137.123 ; n = 1, 2 ;
  quality = 1.23456, 2.23456, 3.23456, 4.23456, 5.23456, 6.23456, 1.23456, 2.23456, 3.23456, 4.23456, 5.23456, 6.23456 ;
  t = 1.23456, 2.23456, 3.23456, 4.23456, 5.23456, 6.23456, 1.23456, 2.23456, 3.23456, 4.23456, 5.23456, 6.23456 ;
  group: g {
    variables: float u(time, lat) ; u:coordinates = "shift height" ; float shift(lat) ; float w(lat) ;
    data: u = 1.2345678, 2.2345678, 3.2345678, 4.2345678 ; shift = 1.2345678, 2.2345678 ; w = 1.2345678, 2.2345678 ;
  }
}"#;

const EXACT: &str = "time,time_bnds,lat,lat2d,height,quality,crs,g/shift";

/// Patterns of options that change values skip variables with coordinates.
#[test]
fn patterns_of_loss_pass_over_coordinates() {
    for loss in [
        &["--quantize", "*,bitround,3"][..],
        &["--quantize", "*,bitgroom,1", "-d1"],
        &["-F", "*,shuffle|zfp,2,0,8"],
        &["--quantize", "*,bitround,3", "-F", "*,zstd"],
        &["--quantize", "*,bitround,3", "-k", "nczarr"],
    ] {
        let sandbox = generated(CF);
        let _ = nccopy(&sandbox, &[loss, &["@a.nc", "@o.nc"]].concat()).clean();
        let of = |path, vars| values(&sandbox, path, vars);
        assert_eq!(of("@a.nc", EXACT), of("@o.nc", EXACT), "{loss:?}");
        for var in ["/t", "g/u"] {
            assert_ne!(of("@a.nc", var), of("@o.nc", var), "{loss:?} {var}");
        }
    }
}

#[test]
fn exact_names_and_none_take_precedence() {
    let sandbox = generated(CF);
    let quantize = ["*,bitround,3", "lat&g/shift,bitround,3", "g/w,none"];
    let quantize: Vec<_> = quantize.iter().flat_map(|q| ["--quantize", q]).collect();
    let ends = ["@a.nc", "@o.nc"];
    let _ = nccopy(&sandbox, &[&quantize[..], &ends].concat()).clean();
    let same = |vars| values(&sandbox, "@a.nc", vars) == values(&sandbox, "@o.nc", vars);
    assert!(same("time,height,g/w"));
    assert!(!same("lat") && !same("g/shift") && !same("g/u"));
    assert_snapshot!(nccopy(
        &sandbox,
        &[&quantize[..], &["--dry-run"], &ends].concat()
    ));
}

#[test]
fn skipped_variables_are_reported() {
    let sandbox = generated(CF);
    let report = ["--report=json", "-F", "*,zfp,2,0,8", "@a.nc", "@o.nc"];
    // Integers ignore a filter for floats.
    let report = nccopy(&sandbox, &report).clean().text();
    assert!(
        report.contains(r#""passed_over": "named by grid_mapping of /t""#)
            && report.contains(r#""passed_over": "a coordinate variable""#),
        "{report}"
    );
    let table = ["--report", "--quantize", "t,bitround,5", "@a.nc", "@o.nc"];
    let table = nccopy(&sandbox, &table).clean().text();
    assert!(
        table.contains("bitround,5") && !table.contains("skipped"),
        "{table}"
    );
}

/// The syntax is checked with the command line; names depend on the input.
#[test]
fn chunk_lengths_are_whole_numbers() {
    let sandbox = generated("netcdf a { dimensions: x = 4 ; variables: int v(x) ; }");
    for (chunks, code) in [("x/2.5", 2), ("x/2x", 2), ("x/2.0", 0), ("y/2", 1)] {
        let done = nccopy(&sandbox, &["-c", chunks, "@a.nc", "@o.nc"]);
        assert_eq!(done.code, code, "{done}");
    }
}

/// A list may contain an unknown name, if another name matches.
#[test]
fn unmatched_names() {
    let sandbox = generated(CF);
    let mut all = String::new();
    for args in [
        &["-F", "nosuch&t,zstd"][..],
        &["-F", "nosuch,zstd", "-F", "hight,none"],
        &["-F", "zstd,3"],
        &["-F", "zstd"],
        &["--quantize", "nosuch&t,bitround,3"],
        &["--quantize", "nosuch,bitround,3"],
        &["--quantize", "lat*,bitround,3"],
        &["--strict", "-F", "nosuch&t,zstd"],
    ] {
        all += &nccopy(&sandbox, &[args, &["@a.nc", "@o.nc"]].concat()).to_string();
    }
    assert_snapshot!(all);
}

const ODD: &str = r#"netcdf a {
dimensions: x = 3 ;
variables:
  char crs ; crs:valid = 1s ;
  char letters(x) ;
  float t(x) ; t:valid_range = -100.f, Infinityf ; string t:list = "a", "b c" ; t:scale = 0.1f ; t:nan = NaN ;
data: crs = "x" ; letters = "abc" ; t = 1.2345, -7.5, 1000.25 ;
}"#;

/// Pure Zarr does not store types. Attributes that read back with another type are correct, and reported.
#[test]
fn verified_copies_to_pure_zarr() {
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3"] {
        let sandbox = generated(ODD);
        let done = nccopy(&sandbox, &["--verify", "-k", kind, "@a.nc", "@o"]);
        assert_eq!(done.code, 0, "{kind}: {done}");
        let pure = !kind.starts_with("nc");
        let message = done.message();
        let said = message.contains("/crs:valid (short is int)") && message.contains("/t:list");
        assert_eq!(said, pure, "{kind}: {done}");
    }
}

/// Requested changes of values are reported, and are not an error.
#[test]
fn verified_copies_with_other_values() {
    let sandbox = generated(ODD);
    let mut all = String::new();
    for args in [
        &["--quantize", "t,bitround,3"][..],
        &["-F", "t,zfp,3,0,0.01d"],
        &["-F", "t,zfp,5"],
        &["-F", "t,zstd"],
    ] {
        all += &nccopy(
            &sandbox,
            &[&["--verify"], args, &["@a.nc", "@o.nc"]].concat(),
        )
        .to_string();
    }
    assert_snapshot!(all);
    let report = [
        "--verify",
        "--report=json",
        "--quantize",
        "t,bitround,3",
        "@a.nc",
        "@o.nc",
    ];
    let report = nccopy(&sandbox, &report).clean().text();
    assert!(
        report.contains(r#""quantized": "bitround,3", "largest_difference": "#),
        "{report}"
    );
    let report = [
        "--verify", "--report", "-k", "zarr3", "--quiet", "@a.nc", "@o.zarr",
    ];
    let report = nccopy(&sandbox, &report).clean().text();
    assert!(
        report.contains("attributes of other types: /crs:valid (short is int)"),
        "{report}"
    );
}

/// Missing sources of a virtual dataset become fill values only with --fill-missing.
#[test]
fn missing_sources_are_not_filled() {
    let sandbox = Sandbox::new();
    let file = netcdf_tools_tests::files::testdata("hdf5/virtual_v110.h5");
    sandbox.write("v.h5", std::fs::read(file).unwrap());
    let refused = nccopy(&sandbox, &["@v.h5", "@o.nc"]);
    assert_eq!(refused.code, 1, "{refused}");
    assert!(refused.message().contains("--fill-missing"), "{refused}");
    assert_eq!(sandbox.names(), ["v.h5"], "nothing is left");
    let filled = nccopy(&sandbox, &["--fill-missing", "@v.h5", "@o.nc"]);
    assert_eq!(filled.code, 0, "{filled}");
    assert!(
        filled
            .message()
            .contains("replaced with fill values: missing source"),
        "{filled}"
    );
}

/// A gigabyte of unstored fill values is an error without --allow-large.
#[test]
fn large_outputs_of_fill_values_are_refused() {
    let numbers: Vec<_> = (0..265).map(|n| n.to_string()).collect();
    let cdl = "netcdf a { dimensions: t = UNLIMITED ; x = 1000000 ; variables: float v(t, x) ; v:_ChunkSizes = 1, 1000 ; \
         float w(t) ; data: w = NUMBERS ; }";
    let sandbox = generated(&cdl.replace("NUMBERS", &numbers.join(",")));
    let refused = nccopy(&sandbox, &["-k", "cdf5", "@a.nc", "@o.nc"]);
    assert_eq!(refused.code, 1, "{refused}");
    assert!(refused.message().contains("--allow-large"), "{refused}");
    // Missing chunks stay missing.
    let _ = nccopy(&sandbox, &["@a.nc", "@o.nc"]).clean();
    assert!(sandbox.read("o.nc").len() < 100_000);
    let asked = ["--allow-large", "--dry-run", "-k", "cdf5", "@a.nc", "@p.nc"];
    let _ = nccopy(&sandbox, &asked).clean();
}

/// The size limit counts the stored elements of virtual dataset sources.
#[test]
fn virtual_datasets_of_almost_nothing_are_refused() {
    let sandbox = Sandbox::new();
    let file = netcdf_tools_tests::files::testdata("hdf5/hostile/virtual_vast.h5");
    sandbox.write("v.h5", std::fs::read(file).unwrap());
    for kind in ["nc5", "nc4", "zarr3"] {
        let refused = nccopy(&sandbox, &["-k", kind, "@v.h5", "@o"]);
        assert_eq!(refused.code, 1, "{refused}");
        assert!(refused.message().contains("--allow-large"), "{refused}");
        assert_eq!(sandbox.names(), ["v.h5"], "nothing is left");
    }
}

/// Names, patterns and exclusions find variables and groups in any group. Notes report all excluded objects.
#[test]
fn variables_are_selected() {
    let sandbox = generated(CF);
    let mut all = String::new();
    for args in [
        &["-V", "t"][..],
        &["-V", "t", "--coordinates"],
        &["-V", "/g/*,!w"],
        &["-V", "!*t*,!quality"],
        &["-v", "g/?"],
        &["-v", "u", "--coordinates"],
        &["-G", "!g"],
        &["-V", "t", "--strict"],
        &["-V", "hight"],
        &["-V", "g/time"],
        &["-V", "q?"],
        &["-v", "!tt"],
        &["-V", "t,!t"],
        &["-g", "gg"],
        &["--coordinates"],
    ] {
        all += &nccopy(&sandbox, &[args, &["@a.nc", "@o.nc"]].concat()).to_string();
        if let Ok(header) = std::fs::metadata(sandbox.path("o.nc")) {
            assert!(header.len() > 0);
            let text = sandbox
                .run(ncdump::run, &["ncdump", "-n", "x", "@o.nc"])
                .text();
            let lines = text.lines().map(str::trim);
            let kept =
                lines.filter(|l| l.ends_with(" ;") && (l.contains('(') || l.contains(" = ")));
            let kept = kept.filter(|l| !l.contains(':') && !l.contains("UNLIMITED"));
            for line in kept {
                all += &format!("    {line}\n");
            }
            std::fs::remove_file(sandbox.path("o.nc")).unwrap();
        }
    }
    assert_snapshot!(all);
}

/// A note about many variables or files is printed once.
#[test]
fn notes_are_printed_once() {
    let sandbox = generated(CF);
    for name in ["b.nc", "c.nc", "d.nc", "e.nc", "f.nc"] {
        std::fs::copy(sandbox.path("a.nc"), sandbox.path(name)).unwrap();
    }
    std::fs::create_dir(sandbox.path("out")).unwrap();
    let inputs = ["@a.nc", "@b.nc", "@c.nc", "@d.nc", "@e.nc", "@f.nc", "@out"];
    let mut all = String::new();
    for args in [
        &["-V", "t,time"][..],
        &["-F", "t&nosuch,zstd"],
        &["-3", "-V", "!u,!shift,!w", "-d1", "-s"],
    ] {
        all += &nccopy(&sandbox, &[args, &inputs].concat()).to_string();
        all += &nccopy(&sandbox, &[args, &["@a.nc", "@o.nc"]].concat()).to_string();
    }
    assert_snapshot!(all);
}

/// An ordinary CF dataset can be copied with `--strict`.
#[test]
fn ordinary_datasets_are_converted_strictly() {
    let sandbox = generated(
        r#"netcdf a {
dimensions: time = UNLIMITED ; lat = 2 ; lon = 3 ; bnds = 2 ; len = 4 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ; time:bounds = "time_bnds" ; time:axis = "T" ;
  double time_bnds(time, bnds) ;
  float lat(lat) ; lat:units = "degrees_north" ; lat:standard_name = "latitude" ; lat:valid_range = -90.f, 90.f ;
  float lon(lon) ; lon:units = "degrees_east" ;
  int crs ; crs:grid_mapping_name = "latitude_longitude" ; crs:semi_major_axis = 6378137. ;
  char station(lat, len) ; station:cf_role = "timeseries_id" ;
  short t(time, lat, lon) ; t:_FillValue = -999s ; t:scale_factor = 0.01f ; t:add_offset = 273.15f ; t:missing_value = -999s ;
    string t:flag_meanings = "good bad" ; t:flag_values = 0b, 1b ; t:coordinates = "lat lon" ; t:grid_mapping = "crs" ;
  :Conventions = "CF-1.11" ; :history = "" ;
data:
  time = 0.5, 1.5 ; time_bnds = 0, 1, 1, 2 ; lat = -45, 45 ; lon = 0, 120, 240 ; crs = 0 ; station = "abcd", "ef" ;
  t = 1, 2, 3, 4, 5, 6, _, 8, 9, 10, 11, 12 ;
}"#,
    );
    for (kind, output) in [
        ("zarr", "@v2.zarr"),
        ("zarr3", "@v3.zarr"),
        ("nczarr", "@n2.zarr"),
        ("nczarr3", "@n3.zarr"),
        ("nc4", "@c.nc"),
    ] {
        let args = ["--strict", "--verify", "-k", kind, "@a.nc", output];
        let done = nccopy(&sandbox, &args);
        assert_eq!(done.code, 0, "{kind}: {done}");
    }
    // `--strict` accepts options of the C tool without effect.
    let args = [
        "--strict", "-x", "-w", "-h", "1M", "-k", "nc4", "@a.nc", "@b.nc",
    ];
    let _ = nccopy(&sandbox, &args).clean();
}

/// Returns the stored filters and chunks of all variables.
fn storage(sandbox: &Sandbox, path: &str) -> String {
    let text = sandbox
        .run(ncdump::run, &["ncdump", "-h", "-s", path])
        .text();
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|l| l.contains(":_Filter") || l.contains(":_ChunkSizes"));
    lines.map(|line| format!("    {line}\n")).collect()
}

const SEVERAL: &str = r#"netcdf a {
dimensions: time = UNLIMITED ; x = 4 ; y = 20 ;
variables:
  int crs ; int few(x) ; short n(time, y) ; float t(time, x) ; double u(y, x) ; string s(y) ; char c(y, x) ; float v(y) ;
    n:_DeflateLevel = 1 ; t:_ChunkSizes = 1, 4 ;
data: crs = 1 ; few = 1, 2, 3, 4 ; n = 1, 2, 3 ; t = 1.5, 2.5, 3.5, 4.5, 5.5 ; u = 1, 2, 3 ; s = "a", "b" ; v = 1, 2 ;
}"#;

/// Parameters can have names. Pattern filters are applied if possible.
#[test]
fn filters_by_name_and_pattern() {
    let sandbox = generated(SEVERAL);
    let mut all = String::new();
    for filter in [
        "*,blosc,codec=zstd,level=5",
        "*,zfp,accuracy=0.001",
        "*,shuffle|szip,block=16",
        "*,bitround,9",
        "n,zfp,rate=8",
        "few,szip",
        "t,szip",
        "t,blosc,kodec=zstd",
        "t,zstd,3,level=3",
    ] {
        all += &format!("{filter}\n");
        let args = ["--strict", "-F", filter, "@a.nc", "@o.nc"];
        let done = nccopy(&sandbox, &args);
        all += &done.to_string();
        if done.code == 0 {
            all += &storage(&sandbox, "@o.nc");
            let verified = ["--quiet", "--verify", "-F", filter, "@a.nc", "@o.nc"];
            let lossy = filter.contains("zfp");
            assert!(lossy || nccopy(&sandbox, &verified).code == 0, "{filter}");
        }
    }
    assert_snapshot!(all);
}

/// The note is no loss, and names a codec of the specification.
#[test]
fn shuffle_in_zarr_3_is_noted() {
    let sandbox = generated(SEVERAL);
    let note = "/n: stored with numcodecs.shuffle, which Zarr 3 does not specify (blosc shuffles and compresses: -F '*,blosc,codec=zstd')\n";
    let shuffled = ["-F", "n,shuffle|zstd"];
    for (kind, options, noted) in [
        ("zarr3", &shuffled[..], true),
        ("nczarr3", &shuffled, true),
        ("zarr3", &["-F", "n,shuffle|deflate"], true),
        ("zarr3", &["-F", "n,blosc,codec=zstd"], false),
        ("zarr", &shuffled, false),
        ("nc4", &shuffled, false),
    ] {
        let output = format!("@{kind}");
        let all = [&["-V", "n", "-k", kind], options, &["@a.nc", &output]].concat();
        let done = nccopy(&sandbox, &[&["--strict"], &all[..]].concat());
        assert_eq!(done.code, 0, "{kind} {options:?}: {done}");
        assert_eq!(
            done.message().contains(note),
            noted,
            "{kind} {options:?}: {done}"
        );
        let _ = nccopy(&sandbox, &[&["--quiet"], &all[..]].concat()).clean();
    }
    // The input has this codec already.
    let _ = nccopy(
        &sandbox,
        &[
            "--quiet",
            "-V",
            "n",
            "-k",
            "zarr3",
            "-F",
            "n,shuffle|zstd",
            "@a.nc",
            "@zarr3",
        ],
    )
    .clean();
    let again = nccopy(&sandbox, &["-k", "zarr3", "@zarr3", "@p"]).clean();
    assert_eq!(again.message(), "");
}

/// Each name of deflate becomes the codec that the version has.
#[test]
fn deflate_in_zarr_has_the_name_of_the_version() {
    let sandbox = generated(SEVERAL);
    let codec = |kind: &str, options: &[&str]| {
        let args = [
            &["--quiet", "--verify", "-V", "n", "-k", kind],
            options,
            &["@a.nc", "@o"],
        ]
        .concat();
        let _ = nccopy(&sandbox, &args).clean();
        let name = if kind.ends_with('3') {
            "zarr.json"
        } else {
            ".zarray"
        };
        String::from_utf8(sandbox.read(&format!("o/n/{name}"))).unwrap()
    };
    for options in [
        &["-F", "n,gzip,4"][..],
        &["-F", "n,zlib,4"],
        &["-F", "n,deflate,4"],
        &["-d", "4"],
    ] {
        for (kind, json) in [
            (
                "zarr3",
                r#"{"name": "gzip", "configuration": {"level": 4}}"#,
            ),
            (
                "nczarr3",
                r#"{"name": "gzip", "configuration": {"level": 4}}"#,
            ),
            ("zarr", r#""compressor": {"id": "zlib", "level": 4}"#),
            ("nczarr", r#""compressor": {"id": "zlib", "level": 4}"#),
        ] {
            let text = codec(kind, options);
            assert!(
                text.contains(json) && !text.contains("numcodecs"),
                "{kind} {options:?}: {text}"
            );
        }
    }
}

/// `_Filter` accepts the same names.
#[test]
fn filters_by_name_in_cdl() {
    let dataset = |filter: &str| {
        let sandbox = Sandbox::new();
        let cdl = r#"netcdf a { dimensions: x = 40 ; variables: int v(x) ; v:_Filter = "FILTER" ; data: v = 1, 2 ; }"#;
        sandbox.write("a.cdl", cdl.replace("FILTER", filter));
        let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@a.nc", "@a.cdl"];
        let done = sandbox.run(ncgen::run, &args);
        (done.code == 0)
            .then(|| sandbox.read("a.nc"))
            .ok_or_else(|| done.message())
    };
    for (named, numbers) in [
        ("blosc,codec=zstd,level=7", "32001,7,1,5"),
        ("shuffle|zstd,level=9", "2|32015,9"),
        ("szip,coding=ec,block=16", "4,4,16"),
    ] {
        assert_eq!(dataset(named).unwrap(), dataset(numbers).unwrap());
    }
    let wrong = dataset("zstd,lvl=9").unwrap_err();
    assert!(
        wrong.contains("zstd has no parameter `lvl` (level)"),
        "{wrong}"
    );
}

/// The C tool ignores its options without effect. Our additional options without effect are errors.
#[test]
fn unsupported_options_of_a_kind() {
    let sandbox =
        generated("netcdf a { dimensions: t = 4 ; variables: float v(t) ; data: v = 1 ; }");
    for of_c in [
        &["-d", "5"][..],
        &["-s"],
        &["-c", "t/2"],
        &["-F", "*,zstd,3"],
        &["-d", "5", "-s", "-c", "t/2", "-F", "*,zstd,3"],
    ] {
        let args = [of_c, &["-k", "nc3", "@a.nc", "@o.nc"]].concat();
        let out = nccopy(&sandbox, &args);
        let note = ": no effect on classic output (use -k nc4 for netCDF-4 output)\n";
        let lines = out.message().lines().count();
        assert!(
            out.code == 0 && lines == 1 && out.message().ends_with(note),
            "{args:?}: {out}"
        );
        let strict = nccopy(&sandbox, &[&["--strict"], &args[..]].concat());
        assert_eq!(strict.code, 1, "{args:?}: {strict}");
        for (form, noted) in [
            ("--report", "\nnote: -"),
            ("--dry-run", "\nnote: -"),
            ("--report=json", r#""notes": [{"object": "-"#),
            ("--dry-run=json", r#""notes": [{"object": "-"#),
        ] {
            let out = nccopy(&sandbox, &[&[form], &args[..]].concat());
            assert!(
                out.code == 0 && out.text().contains(noted),
                "{form} {args:?}: {out}"
            );
        }
    }
    std::fs::remove_file(sandbox.path("o.nc")).expect("the output");
    for (own, kind, output) in [
        (&["--quantize", "v,bitround,8"][..], "nc3", "@o.nc"),
        (&["--cloud"], "nc6", "@o.nc"),
        (&["--cloud=cmip7"], "cdf5", "@o.nc"),
        (&["--cloud=paged"], "zarr3", "@o.zarr"),
        (&["--chunk-size", "1M"], "nc3", "@o.nc"),
        (&["--shard", "t/2"], "nc4", "@o.nc"),
        (&["--shard", "t/2"], "zarr", "@o.zarr"),
        (&["--consolidated"], "nc7", "@o.nc"),
        (&["--zip-prefix"], "zarr3", "@o.zarr"),
        (&["--no-zip-prefix"], "nc4", "@o.nc"),
    ] {
        let args = [own, &["-k", kind, "@a.nc", output]].concat();
        let out = nccopy(&sandbox, &args);
        let option = own[0].trim_end_matches("=cmip7");
        assert!(
            out.code == 2 && out.message().contains(option),
            "{args:?}: {out}"
        );
    }
    assert_eq!(sandbox.names(), ["a.cdl", "a.nc"]);
}
