//! The C tools as peers: the C tools and our tools read each other's output, for all of `testdata`.
//!
//! Needs `ncdump`, `ncgen` and `nccopy` of netCDF-C in `PEER_BIN` or on the path: `cargo test -p netcdf-tools-tests --test processes peers
//! -- --ignored`.

use std::path::{Path, PathBuf};
use std::process::Command;

use netcdf_tools_tests::files::{list, name, stem, testdata};
use netcdf_tools_tests::harness::{Run, Sandbox};

const NCDUMP: Run = ncdump::run;
const NCGEN: Run = ncgen::run;
const NCCOPY: Run = nccopy::run;

const KINDS: [(&str, &str); 3] = [("1", "classic"), ("2", "64-bit offset"), ("5", "cdf5")];

/// Returns the path of a C tool.
fn peer(tool: &str) -> PathBuf {
    match std::env::var_os("PEER_BIN") {
        Some(folder) => Path::new(&folder).join(tool),
        None => tool.into(),
    }
}

/// Runs a C tool in a sandbox. Returns its output, or its message after a failure.
fn c(sandbox: &Sandbox, tool: &str, args: &[&str]) -> Result<Vec<u8>, String> {
    let mut command = Command::new(peer(tool));
    command.args(args).current_dir(sandbox.path(""));
    let output = command.output().unwrap_or_else(|e| panic!("{tool}: {e}"));
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!(
            "{}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Returns the output of our tool for the same command.
fn ours(sandbox: &Sandbox, tool: Run, args: &[&str]) -> Vec<u8> {
    sandbox.run(tool, args).clean().stdout
}

/// Sources and kinds; CDF-5 sources only with CDF-5.
fn sources() -> Vec<(PathBuf, &'static str)> {
    let kinds = |path: PathBuf| {
        let kinds = KINDS
            .into_iter()
            .filter(move |(n, _)| *n == "5" || stem(&path) != "unsigned");
        kinds.map(|(_, kind)| kind)
    };
    let all = list(&testdata("cdl"), "cdl").into_iter();
    all.flat_map(|path| kinds(path.clone()).map(move |kind| (path.clone(), kind)))
        .collect()
}

/// Does not compare the text of `lines`: the C ncdump divides it into different rows.
fn assert_same(ours: &[u8], theirs: &[u8], of: &str) {
    if of.contains("lines") {
        return;
    }
    let (ours, theirs) = (
        String::from_utf8_lossy(ours),
        String::from_utf8_lossy(theirs),
    );
    let line = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
    assert!(ours == theirs, "{of}: ours and theirs: {line:?}");
}

/// Options with the same output for any file. `expected` tests other output.
const OPTIONS: [&[&str]; 9] = [
    &[],
    &["-h"],
    &["-c"],
    &["-k"],
    &["-b", "f"],
    &["-p", "9,17"],
    &["-l", "40"],
    &["-t"],
    &["-n", "other name"],
];

#[test]
#[ignore = "needs the C tools"]
fn our_ncdump_reads_files_of_the_c_ncgen() {
    for (cdl, kind) in sources() {
        let sandbox = Sandbox::new();
        let of = format!("{} as {kind}", name(&cdl));
        c(
            &sandbox,
            "ncgen",
            &["-k", kind, "-o", "a.nc", &cdl.display().to_string()],
        )
        .expect(&of);
        for options in OPTIONS {
            let theirs = c(&sandbox, "ncdump", &[options, &["a.nc"]].concat()).expect(&of);
            let ours = ours(
                &sandbox,
                NCDUMP,
                &[&["ncdump"], options, &["@a.nc"]].concat(),
            );
            assert_same(&ours, &theirs, &format!("{of} {options:?}"));
        }
    }
}

#[test]
#[ignore = "needs the C tools"]
fn the_c_ncdump_reads_files_of_our_ncgen() {
    for (cdl, kind) in sources() {
        let sandbox = Sandbox::new();
        let of = format!("{} as {kind}", name(&cdl));
        let text = format!("%cdl/{}", name(&cdl));
        let _ = ours(
            &sandbox,
            NCGEN,
            &["ncgen", "-k", kind, "-o", "@a.nc", &text],
        );
        let theirs = c(&sandbox, "ncdump", &["a.nc"]).expect(&of);
        assert_same(&ours(&sandbox, NCDUMP, &["ncdump", "@a.nc"]), &theirs, &of);
        // The C ncgen converts int64 to int in CDF-5, and pads empty files to a block.
        if !["unsigned", "empty"].contains(&stem(&cdl).as_str()) {
            c(
                &sandbox,
                "ncgen",
                &["-k", kind, "-o", "b.nc", &cdl.display().to_string()],
            )
            .expect(&of);
            assert!(
                sandbox.read("a.nc") == sandbox.read("b.nc"),
                "{of}: other bytes"
            );
        }
    }
}

#[test]
#[ignore = "needs the C tools"]
fn copies_of_both_tools_are_the_same() {
    for path in list(&testdata("classic"), "nc") {
        // Text that the C tools read as numbers, or refuse to write.
        if ["streaming", "slash", "latin1", "gap"]
            .iter()
            .any(|odd| name(&path).starts_with(odd))
        {
            continue;
        }
        for (number, kind) in KINDS {
            if stem(&path) == "unsigned-5" && number != "5" {
                continue;
            }
            let sandbox = Sandbox::new();
            let of = format!("{} as {kind}", name(&path));
            let input = format!("%classic/{}", name(&path));
            let _ = ours(&sandbox, NCCOPY, &["nccopy", "-k", kind, &input, "@a.nc"]);
            c(
                &sandbox,
                "nccopy",
                &["-k", kind, &path.display().to_string(), "b.nc"],
            )
            .expect(&of);
            let dump = |file| c(&sandbox, "ncdump", &["-n", "x", file]).expect(&of);
            assert_same(&dump("a.nc"), &dump("b.nc"), &of);
            let read = ours(&sandbox, NCDUMP, &["ncdump", "-n", "x", "@b.nc"]);
            assert_same(&read, &dump("b.nc"), &of);
        }
    }
}

#[test]
#[ignore = "needs the C tools"]
fn the_c_ncgen_reads_what_our_ncdump_prints() {
    for path in list(&testdata("classic"), "nc") {
        // Names and values that the C ncgen cannot read.
        if ["slash", "latin1", "names", "unsigned", "empty"]
            .iter()
            .any(|odd| name(&path).starts_with(odd))
        {
            continue;
        }
        let sandbox = Sandbox::new();
        let input = format!("%classic/{}", name(&path));
        let text = ours(&sandbox, NCDUMP, &["ncdump", "-p", "exact", &input]);
        sandbox.write("a.cdl", &text);
        let kind = KINDS
            .iter()
            .find(|(n, _)| stem(&path).ends_with(n))
            .expect("a kind")
            .1;
        c(&sandbox, "ncgen", &["-k", kind, "-o", "a.nc", "a.cdl"]).expect(&input);
        let read = c(&sandbox, "ncdump", &["-p", "9,17", "-n", "x", "a.nc"]).expect(&input);
        let want = ours(
            &sandbox,
            NCDUMP,
            &["ncdump", "-p", "9,17", "-n", "x", &input],
        );
        assert_same(&read, &want, &input);
    }
}
