//! References to the chunks of joined inputs.

use std::fmt::Write as _;

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

fn run(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    match args[0] {
        "ncdump" => sandbox.run(ncdump::run, args),
        "ncgen" => sandbox.run(ncgen::run, args),
        _ => sandbox.run(nccopy::run, args),
    }
}

fn succeeds(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let out = run(sandbox, args);
    assert_eq!(out.code, 0, "{args:?}: {out}");
    out
}

/// Creates `a.nc` and `b.nc` with one variable, and its attributes in each file.
fn pair(attributes: [&str; 2]) -> Sandbox {
    let sandbox = Sandbox::new();
    for ((name, start), attributes) in [("a", 0), ("b", 2)].into_iter().zip(attributes) {
        let cdl = format!(
            "netcdf {name} {{ dimensions: t = UNLIMITED ; variables: int t(t) ; short v(t) ; v:_ChunkSizes = 2 ; {attributes} \
             data: t = {start}, {} ; v = 5, 6 ; }}",
            start + 1
        );
        sandbox.write(&format!("{name}.cdl"), cdl);
        let (cdl, nc) = (format!("@{name}.cdl"), format!("@{name}.nc"));
        let _ = succeeds(
            &sandbox,
            &["ncgen", "--no-sync", "-k", "nc4", "-o", &nc, &cdl],
        );
    }
    sandbox
}

const JOIN: [&str; 4] = ["nccopy", "--no-sync", "--quiet", "--join"];
const OUT: [&str; 5] = ["-k", "kerchunk", "@a.nc", "@b.nc", "@r.json"];

#[test]
fn equal_packing_is_joined() {
    let packed = "v:scale_factor = 0.5 ; v:_FillValue = -1s ;";
    let sandbox = pair([packed, packed]);
    let _ = succeeds(&sandbox, &[&JOIN[..], &OUT].concat());
    let join = ["ncdump", "--join", "--diff", "@a.nc", "@b.nc", "@r.json"];
    let _ = succeeds(&sandbox, &join);
    let text = String::from_utf8(sandbox.read("r.json")).unwrap();
    for (key, file) in [("v/0", "a.nc"), ("v/1", "b.nc")] {
        let start = format!("\"{key}\": [\"{}\"", sandbox.path(file).display());
        assert!(text.contains(&start), "{start}: {text}");
    }
}

/// Small variables could be inline, but the error must not depend on the size.
#[test]
fn different_packing_and_fill_values_are_errors() {
    let cases = [
        (
            "v:scale_factor = 0.5 ;",
            "v:scale_factor = 0.25 ;",
            "scale_factor is 0.5 and 0.25",
        ),
        ("v:add_offset = 1.0 ;", "", "add_offset is 1.0 and missing"),
        (
            "v:_FillValue = -1s ;",
            "v:_FillValue = -2s ;",
            "_FillValue of /v: -1 and -2",
        ),
        (
            "",
            "v:_FillValue = -2s ;",
            "_FillValue of /v: missing and -2",
        ),
    ];
    for (a, b, message) in cases {
        let sandbox = pair([a, b]);
        for repack in [&[][..], &["--repack"]] {
            let out = run(&sandbox, &[&JOIN[..], repack, &OUT].concat());
            let said = out.message();
            let named = said.contains(message) && said.contains("-k nc4");
            assert!(out.code == 1 && named, "{repack:?}: {out}");
            assert!(!sandbox.path("r.json").exists());
        }
        let dataset = ["--repack", "-k", "nc4", "@a.nc", "@b.nc", "@whole.nc"];
        let _ = succeeds(&sandbox, &[&JOIN[..], &dataset].concat());
    }
}

/// Creates files with compressed variables along a time dimension.
fn files(sandbox: &Sandbox, files: usize, variables: usize) {
    for file in 0..files {
        let mut cdl =
            "netcdf a { dimensions: t = UNLIMITED ; x = 4 ; variables: double t(t) ;".to_owned();
        for n in 0..variables {
            let _ = write!(
                cdl,
                "float v{n}(t, x) ; v{n}:_ChunkSizes = 2, 4 ; v{n}:_DeflateLevel = 1 ; "
            );
        }
        let _ = write!(cdl, "data: t = {}, {} ;", 2 * file, 2 * file + 1);
        for n in 0..variables {
            let _ = write!(cdl, "v{n} = {n}, {file}, 3, 4, 5, 6, 7, 8 ;");
        }
        sandbox.write("in.cdl", cdl + "}");
        let nc = format!("@f{file:02}.nc");
        let _ = succeeds(
            sandbox,
            &["ncgen", "--no-sync", "-k", "nc4", "-o", &nc, "@in.cdl"],
        );
    }
}

#[test]
fn a_materialised_join_equals_the_join() {
    let sandbox = Sandbox::new();
    files(&sandbox, 5, 20);
    let names: Vec<String> = (0..5).map(|n| format!("@f{n:02}.nc")).collect();
    let inputs: Vec<&str> = names.iter().map(String::as_str).collect();
    for refs in ["@r.json", "@r.parquet"] {
        let kerchunk = [&JOIN[..], &["-k", "kerchunk"], &inputs, &[refs]].concat();
        let _ = succeeds(&sandbox, &kerchunk);
        let out = format!("{refs}.nc");
        let _ = succeeds(
            &sandbox,
            &["nccopy", "--no-sync", "--quiet", "-k", "nc4", refs, &out],
        );
        let diff = [&["ncdump", "--join", "--diff"], &inputs[..], &[&out]].concat();
        let _ = succeeds(&sandbox, &diff);
        let again = format!("{refs}2.json");
        let args = [
            "nccopy",
            "--no-sync",
            "--quiet",
            "-k",
            "kerchunk",
            refs,
            &again,
        ];
        let _ = succeeds(&sandbox, &args);
        let diff = [&["ncdump", "--join", "--diff"], &inputs[..], &[&again]].concat();
        let _ = succeeds(&sandbox, &diff);
    }
}
