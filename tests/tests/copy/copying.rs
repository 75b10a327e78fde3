//! `nccopy` between netCDF-4 files: moved chunks, early errors, unreadable inputs.

use std::path::PathBuf;

use netcdf_tools_tests::files::{list, name, testdata};
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

fn ncdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(ncdump::run, &[&["ncdump"], args].concat())
}

/// The methods in a dry run, by variable.
fn methods(sandbox: &Sandbox, args: &[&str]) -> Vec<(String, String)> {
    let told = nccopy(sandbox, &[&["--quiet", "--dry-run"], args].concat()).clean();
    let rows: Vec<_> = told.text().lines().skip(1).map(str::to_owned).collect();
    let at = |title: &str| rows[0].find(title).expect("a title");
    let (next, method) = (at("chunks in"), at("method"));
    let cut = |row: &String| {
        (
            row[..next].trim().to_owned(),
            row[method..].trim().to_owned(),
        )
    };
    rows[1..].iter().map(cut).collect()
}

/// Checks that a command fails with this message and creates no file, also in a dry run.
fn refused(args: &[&str], what: &str) {
    for dry_run in [&[][..], &["--dry-run"]] {
        let sandbox = Sandbox::new();
        sandbox.write("o.nc", "old");
        let out = nccopy(&sandbox, &[dry_run, args, &["@o.nc"]].concat());
        assert_eq!(out.code, 1, "{args:?} {out}");
        assert!(out.message().contains(what), "{args:?} {out}");
        assert_eq!(sandbox.names(), ["o.nc"]);
        assert_eq!(sandbox.read("o.nc"), b"old");
    }
}

const FILTERED: &str = "%netcdf4/filtered.nc";

/// Chunks with unknown filters are moved. A variable without stored chunks does not need its filters.
#[test]
fn moved_chunks_need_no_filters() {
    let sandbox = Sandbox::new();
    let moved = methods(&sandbox, &[FILTERED, "@o.nc"]);
    let chunks = moved.iter().filter(|(_, how)| how == "move chunks").count();
    assert_eq!((chunks, moved.len()), (5, 6), "{moved:?}");
    let _ = nccopy(&sandbox, &["--verify", FILTERED, "@o.nc"]).clean();
    let filters = |file| {
        let listed = ncdump(&sandbox, &["--filters", file]);
        assert_eq!(listed.code, 1, "two of them are missing: {listed}");
        listed.text()
    };
    assert_eq!(filters("@o.nc"), filters(FILTERED));
    let args = ["-p", "exact", "-v", "plain,packed,zstd,never written"];
    let data = |file| {
        let dumped = ncdump(&sandbox, &[&args[..], &["-n", "x", file]].concat());
        assert_eq!(dumped.code, 0, "{dumped}");
        dumped.text()
    };
    assert_eq!(data("@o.nc"), data(FILTERED));
    // All chunks are stored, so the fill value does not matter.
    for (var, how) in methods(&sandbox, &["-d1", "-V", "packed,zstd", FILTERED, "@p.nc"]) {
        assert_eq!(how, "re-encode", "{var}");
    }
    // A variable without chunks can lose its filters and change its chunk shape.
    for args in [
        &["-F", "/model/never written,none"][..],
        &["-c", "/model/never written:4,3"],
        &["-F", "/model/never written,zstd,1"],
    ] {
        let _ = nccopy(&sandbox, &[args, &["--verify", FILTERED, "@p.nc"]].concat()).clean();
        assert_eq!(data("@p.nc"), data(FILTERED), "{args:?}");
    }
}

#[test]
fn missing_filters_are_errors_before_writing() {
    for args in [
        ["-F", "lossy,none"],
        ["-c", "lossy:2,2"],
        ["-d", "1"],
        ["-F", "none"],
    ] {
        let what = "filter 32024 (sz3: error-bounded lossy compression of numbers, version 3) is not available in /lossy";
        refused(&[&args[..], &["--quiet", FILTERED]].concat(), what);
    }
}

#[test]
fn read_only_filters_do_not_force_chunks() {
    let file = "%hdf5/structures/filters.h5";
    let asked = ["-F", "integers,scaleoffset|zstd,3", file];
    let what = "scaleoffset: this filter can be read but not written in /integers (";
    refused(&asked, what);
    refused(&asked, "-F '/integers,none'");
    for (args, filter, var) in [
        (&["-c", "/floats:8"][..], "scaleoffset", "floats"),
        (&["-c", "integers:8"], "scaleoffset", "integers"),
        // The copy stores 11-bit integers as 16-bit integers.
        (&["-V", "nbit"], "nbit", "nbit"),
    ] {
        let what = format!("/{var}: stored without {filter}, which can be read but not written");
        let sandbox = Sandbox::new();
        // The values do not change, so there is no note.
        let done = ["--strict", "--verify", file, "@o.nc"];
        let done = nccopy(&sandbox, &[args, &done].concat());
        assert_eq!(done.code, 0, "{done}");
        assert!(done.message().contains(&what), "{done}");
    }
    let sandbox = Sandbox::new();
    let _ = nccopy(
        &sandbox,
        &[
            "--quiet",
            "-V",
            "floats,integers,szip",
            "--verify",
            file,
            "@o.nc",
        ],
    )
    .clean();
    let _ = nccopy(&sandbox, &["-F", "/nbit,none", "--verify", file, "@o.nc"]).clean();
}

const USER_TYPES: &str = r#"netcdf user_types {
types:
  byte enum mood {sad = 0, glad = 1, furious = 7} ;
  opaque(5) raw ;
  compound pair { short a ; double b ; char c(3) ; mood m ; } ;
  compound nested { pair p(2) ; raw r ; } ;
  int(*) list ;
dimensions: x = 6 ; t = UNLIMITED ;
variables:
  mood e(t, x) ; e:_ChunkSizes = 1, 4 ; e:_DeflateLevel = 3 ;
  raw o(x) ; o:_ChunkSizes = 4 ; o:_Shuffle = "true" ; o:_DeflateLevel = 1 ;
  pair p(x) ; p:_ChunkSizes = 3 ; pair p:_FillValue = {-1, 0.5, {"xyz"}, furious} ;
  nested n(x) ; n:_Storage = "contiguous" ;
  list l(x) ; l:_ChunkSizes = 4 ;
data:
  e = sad, glad, furious, sad, sad, glad, glad, _, sad, glad, glad, furious ;
  o = 0x0102030405, 0x0a0b0c0d0e, _, 0xffffffffff, 0x0000000001, 0x1111111111 ;
  p = {1, 1.5, {"abc"}, glad}, _, {3, -2.25, {"d"}, sad}, {4, 1e300, {""}, furious}, _, {6, 6, {"f"}, sad} ;
  n = {{{1, 2, {"ab"}, sad}, {3, 4, {"cd"}, glad}}, 0x0908070605},
      {{{1, 2, {"ab"}, sad}, {3, 4, {"cd"}, glad}}, 0x0908070605},
      {{{9, 8, {"yz"}, sad}, {3, 4, {"cd"}, glad}}, 0x0908070605},
      {{{1, 2, {"ab"}, sad}, {3, 4, {"cd"}, glad}}, 0x0908070605},
      {{{1, 2, {"ab"}, sad}, {3, 4, {"cd"}, glad}}, 0x0908070605},
      {{{1, 2, {"ab"}, sad}, {5, 6, {"cd"}, furious}}, 0x0101010101} ;
  l = {1}, {}, {2, 3}, {4, 5, 6}, {}, {7} ;
}
"#;

/// Values of user-defined types of fixed size are copied as bytes if both files store them alike.
#[test]
fn user_types_are_copied_as_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("u.cdl", USER_TYPES);
    let made = sandbox.run(ncgen::run, &["ncgen", "-k", "nc4", "-o", "@u.nc", "@u.cdl"]);
    assert_eq!(made.code, 0, "{made}");
    let text = |file| ncdump(&sandbox, &["-n", "x", file]).clean().text();
    let cases: [(&[&str], [&str; 5]); 4] = [
        (
            &[],
            [
                "move chunks",
                "move chunks",
                "move chunks",
                "move",
                "rechunk",
            ],
        ),
        (
            &["-F", "*,shuffle|zstd,2"],
            [
                "re-encode",
                "re-encode",
                "re-encode",
                "re-encode",
                "rechunk",
            ],
        ),
        (&["-c", "x/2"], ["rechunk in memory"; 5]),
        (
            &["-F", "none", "-u", "-c", "/"],
            ["convert", "convert", "move", "move", "convert"],
        ),
    ];
    for (args, want) in cases {
        let args = [args, &["--quiet", "-M", "0", "@u.nc", "@o.nc"]].concat();
        let how: Vec<_> = methods(&sandbox, &args)
            .into_iter()
            .map(|(_, how)| how)
            .collect();
        assert_eq!(how, want, "{args:?}");
        let _ = nccopy(&sandbox, &[&["--verify"], &args[..]].concat()).clean();
        let same = text("@o.nc").replace("t = 2 ;", "t = UNLIMITED ; // (2 currently)");
        assert_eq!(same, text("@u.nc"), "{args:?}");
    }
}

/// Files of other programs: other field offsets, other byte orders, arrays and text within compounds.
#[test]
fn values_of_all_types_stay_for_any_option() {
    let folders = [
        ("netcdf4", "nc"),
        ("hdf5", "h5"),
        ("hdf5/structures", "h5"),
        ("hdf5/structures", "nc"),
    ];
    let files = folders.into_iter().flat_map(|(folder, extension)| {
        let files = list(&testdata(folder), extension).into_iter();
        // A sample of one from the four virtual datasets, which are slow.
        let files = files.filter(|path| !name(path).starts_with("virtual_v"));
        files.map(move |path: PathBuf| format!("%{folder}/{}", name(&path)))
    });
    let mut copied = 0;
    for file in files {
        let sandbox = Sandbox::new();
        let want = ncdump(&sandbox, &["-n", "x", &file]);
        if want.code != 0 {
            continue;
        }
        for args in [&[][..], &["-F", "*,fletcher32|zstd,1"]] {
            let out = nccopy(
                &sandbox,
                &[
                    args,
                    &["--quiet", "--fill-missing", "--verify", &file, "@o.nc"],
                ]
                .concat(),
            );
            if out.code != 0 {
                // Unsupported objects are reported, and all other objects are copied.
                let said = [
                    "no variable matches",
                    "more than one",
                    "can be read but not written",
                    "not available",
                    "No such",
                    "name",
                ];
                assert!(
                    said.iter().any(|s| out.message().contains(s)),
                    "{file} {out}"
                );
                continue;
            }
            copied += 1;
            assert_eq!(
                ncdump(&sandbox, &["-n", "x", "@o.nc"]).text(),
                want.text(),
                "{file} {args:?}"
            );
        }
    }
    assert!(copied > 40, "{copied} copies");
}

#[test]
fn strict_makes_notes_errors() {
    let sandbox = Sandbox::new();
    let file = "%classic/weather-1.nc";
    let noted = nccopy(&sandbox, &["-3", "-d1", file, "@o.nc"]);
    assert_eq!(noted.code, 0, "{noted}");
    for quiet in [&[][..], &["--quiet"]] {
        let sandbox = Sandbox::new();
        let args = [quiet, &["--strict", "-3", "-d1", file, "@o.nc"]].concat();
        let out = nccopy(&sandbox, &args);
        assert_eq!(out.code, 1, "{out}");
        let message = out.message();
        assert!(
            message.starts_with("nccopy: -d: no effect on classic output"),
            "{out}"
        );
        assert!(
            message.ends_with("stopped because notes are errors with --strict\n"),
            "{out}"
        );
        assert_eq!(sandbox.names(), [""; 0]);
        let dry = nccopy(&sandbox, &[&["--dry-run"], &args[..]].concat());
        assert_eq!(dry.code, 1, "{dry}");
    }
    let _ = nccopy(&sandbox, &["--strict", file, "@o.nc"]).clean();
}

/// Raising the memory limit is also a note. It occurs after the jobs are planned.
#[test]
fn raised_memory_is_a_note() {
    let sandbox = Sandbox::new();
    let args = [
        "--memory",
        "100",
        "-d1",
        "-c",
        "time/2",
        "%classic/weather-1.nc",
        "@o.nc",
    ];
    let noted = nccopy(&sandbox, &args);
    assert!(
        noted.code == 0 && noted.message().contains("of memory (use --memory"),
        "{noted}"
    );
    std::fs::write(sandbox.path("o.nc"), "old").unwrap();
    let out = nccopy(&sandbox, &[&["--strict"], &args[..]].concat());
    assert_eq!(
        (out.code, sandbox.read("o.nc")),
        (1, b"old".to_vec()),
        "{out}"
    );
}

#[test]
fn strict_makes_skipped_objects_errors() {
    let sandbox = Sandbox::new();
    let file = "%hdf5/structures/types_new.h5";
    let noted = ncdump(&sandbox, &["-h", file]);
    assert!(
        noted.code == 0 && noted.message().contains("skipped: "),
        "{noted}"
    );
    let strict = ncdump(&sandbox, &["--strict", "-h", file]);
    assert_eq!(
        (strict.code, &strict.stdout),
        (1, &noted.stdout),
        "{strict}"
    );
    let _ = ncdump(&sandbox, &["--strict", "%classic/weather-1.nc"]).clean();
}

#[test]
fn strict_makes_ncgen_warnings_errors() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "w.cdl",
        "netcdf w { dimensions: x = 2 ; variables: byte b(x) ; data: b = 300, 1 ; }",
    );
    let ncgen = |args: &[&str]| sandbox.run(ncgen::run, &[&["ncgen"], args, &["@w.cdl"]].concat());
    let warned = ncgen(&["-o", "@w.nc"]);
    assert!(
        warned.code == 0 && warned.message().contains("warning"),
        "{warned}"
    );
    sandbox.write("w.nc", "old");
    for args in [
        &["--strict", "-o", "@w.nc"][..],
        &["--strict", "--quiet", "-o", "@w.nc"],
        &["--strict", "-lc"],
        &["--strict"],
    ] {
        let out = ncgen(args);
        assert!(
            out.code == 1 && out.message().contains("error") && out.stdout.is_empty(),
            "{args:?} {out}"
        );
        assert_eq!(sandbox.read("w.nc"), b"old");
    }
}

/// Readable inputs are copied, and the other inputs are listed.
#[test]
fn unreadable_inputs_do_not_stop_other_copies() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read(testdata("classic/weather-1.nc")).unwrap();
    sandbox.write("a.nc", &whole);
    sandbox.write("cut.nc", &whole[..whole.len() - 40]);
    let nc4 = std::fs::read(testdata("netcdf4/filtered.nc")).unwrap();
    sandbox.write("cut4.nc", &nc4[..nc4.len() / 2]);
    sandbox.write("text.nc", "not a dataset");
    sandbox.write("z.nc", &whole);
    for folder in ["out", "folder.nc"] {
        std::fs::create_dir(sandbox.path(folder)).unwrap();
    }
    std::fs::write(sandbox.path("out/cut.nc"), "old").unwrap();
    let inputs = [
        "@a.nc",
        "@cut.nc",
        "@cut4.nc",
        "@folder.nc",
        "@no.nc",
        "@text.nc",
        "@z.nc",
        "@out",
    ];
    let out = nccopy(&sandbox, &inputs);
    assert_eq!(out.code, 1);
    let list =
        "5 of 7 datasets were not copied: @/cut.nc, @/cut4.nc, @/folder.nc, @/no.nc, @/text.nc\n";
    assert!(out.message().ends_with(list), "{out}");
    assert!(
        out.message().contains("@/cut.nc: the file is truncated")
            && out.message().contains(" at byte "),
        "{out}"
    );
    assert_eq!(std::fs::read(sandbox.path("out/a.nc")).unwrap(), whole);
    assert_eq!(std::fs::read(sandbox.path("out/z.nc")).unwrap(), whole);
    assert_eq!(std::fs::read(sandbox.path("out/cut.nc")).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(sandbox.path("out")).unwrap().count(), 3);
}
