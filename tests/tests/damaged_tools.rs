//! Damaged files through the tools: an error or data, no panic, output bounded by the file's
//! size, and no output file from a run that failed.

use netcdf_tools_tests::damage::{cuts, flips};
use netcdf_tools_tests::files::{list, name, testdata};
use netcdf_tools_tests::harness::{CommandOutput, Run, Sandbox};

const NCDUMP: Run = ncdump::run;
const NCGEN: Run = ncgen::run;
const NCCOPY: Run = nccopy::run;

/// Bytes of text that a byte of a file may become, at most (a fill value of a byte becomes two,
/// a double 25, an escaped byte four, an index comment of a value some more), and what each file
/// may have beyond.
const TEXT_OF_A_BYTE: usize = 64;
const TEXT_OF_A_FILE: usize = 4096;

fn check(output: &CommandOutput, size: usize, of: &str) {
    assert!(output.code <= 1, "{of}: {output}");
    assert_eq!(
        output.code == 1,
        !output.stderr.is_empty(),
        "{of}: {output}"
    );
    let most = size * TEXT_OF_A_BYTE + TEXT_OF_A_FILE;
    assert!(
        output.stdout.len() <= most,
        "{of}: {} bytes of text",
        output.stdout.len()
    );
    assert!(
        output.stderr.len() <= 16 << 10,
        "{of}: {} bytes of messages",
        output.stderr.len()
    );
}

/// All files of CDF-1 and the one with the types of CDF-5.
fn files() -> Vec<(String, Vec<u8>)> {
    let all = list(&testdata("classic"), "nc").into_iter();
    let some = all.filter(|p| name(p).ends_with("-1.nc") || name(p) == "unsigned-5.nc");
    some.map(|p| (name(&p), std::fs::read(&p).unwrap()))
        .collect()
}

fn each_damage(file: &[u8], mut check: impl FnMut(Vec<u8>, &str)) {
    for cut in cuts(file).step_by(7) {
        let of = format!("cut to {} bytes", cut.len());
        check(cut, &of);
    }
    for changed in flips(file).step_by(31) {
        let at = changed.iter().zip(file).position(|(a, b)| a != b);
        check(changed, &format!("changed at byte {at:?}"));
    }
}

#[test]
fn ncdump_of_damaged_files() {
    let sandbox = Sandbox::new();
    for (name, file) in files() {
        each_damage(&file, |damaged, of| {
            sandbox.write("a.nc", &damaged);
            let output = sandbox.run(NCDUMP, &["ncdump", "--threads", "1", "@a.nc"]);
            check(&output, file.len(), &format!("{name} {of}"));
        });
    }
}

#[test]
fn nccopy_of_damaged_files() {
    let sandbox = Sandbox::new();
    for (name, file) in files() {
        each_damage(&file, |damaged, of| {
            let of = format!("{name} {of}");
            sandbox.write("a.nc", &damaged);
            let args = [
                "nccopy",
                "--no-sync",
                "--threads",
                "1",
                "-k",
                "cdf5",
                "@a.nc",
                "@b.nc",
            ];
            let output = sandbox.run(NCCOPY, &args);
            assert!(output.code <= 1, "{of}: {output}");
            let left: &[&str] = if output.code == 0 {
                &["a.nc", "b.nc"]
            } else {
                &["a.nc"]
            };
            assert_eq!(sandbox.names(), left, "{of}: {output}");
            let _ = std::fs::remove_file(sandbox.path("b.nc"));
        });
    }
}

#[test]
fn ncgen_of_damaged_text() {
    let sandbox = Sandbox::new();
    for path in list(&testdata("cdl"), "cdl") {
        let text = std::fs::read(&path).unwrap();
        each_damage(&text, |damaged, of| {
            let of = format!("{} {of}", name(&path));
            sandbox.write("a.cdl", &damaged);
            let args = ["ncgen", "--no-sync", "-k", "cdf5", "-o", "@b.nc", "@a.cdl"];
            let output = sandbox.run(NCGEN, &args);
            assert!(output.code <= 1, "{of}: {output}");
            let left: &[&str] = if output.code == 0 {
                &["a.cdl", "b.nc"]
            } else {
                &["a.cdl"]
            };
            assert_eq!(sandbox.names(), left, "{of}: {output}");
            assert!(
                output.stderr.len() <= 64 << 10,
                "{of}: {} bytes of messages",
                output.stderr.len()
            );
            let _ = std::fs::remove_file(sandbox.path("b.nc"));
        });
    }
}
