//! Damaged files through the tools: an error or data, without a panic. The file size bounds the output, and a failed run leaves no output
//! file.

use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_tools_tests::damage::{container, cuts, flips, sum_again, summed};
use netcdf_tools_tests::files::{list, name, testdata, walk};
use netcdf_tools_tests::harness::{CommandOutput, Run, Sandbox};
use netcdf_tools_tests::sample::{self, Sample};

/// Sampling interval of a plain run.
const ONE_IN: usize = 8;

const NCDUMP: Run = ncdump::run;
const NCGEN: Run = ncgen::run;
const NCCOPY: Run = nccopy::run;

/// Maximum bytes of text per byte of a file, and an allowance per file. A fill value of one byte becomes two bytes, a double 25, an escaped
/// byte four, and the index comment of a value a few more.
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

/// All CDF-1 files, and the file with the CDF-5 types.
fn files() -> Vec<(String, Vec<u8>)> {
    let all = list(&testdata("classic"), "nc").into_iter();
    let some = all.filter(|p| name(p).ends_with("-1.nc") || name(p) == "unsigned-5.nc");
    some.map(|p| (name(&p), std::fs::read(&p).unwrap()))
        .collect()
}

fn each_damage(sample: &Sample, file: &[u8], mut check: impl FnMut(&[u8], &str)) {
    for cut in sample.of(cuts(file).step_by(7)) {
        let of = format!("cut to {} bytes", cut.len());
        check(cut, &of);
    }
    for change in sample.of(flips(file).step_by(31)) {
        let of = format!("changed at byte {}", change.at);
        check(&change.of(file), &of);
    }
}

#[test]
fn ncdump_of_damaged_files() {
    let sandbox = Sandbox::new();
    let sample = Sample::new("damaged classic files", ONE_IN);
    for (name, file) in files() {
        each_damage(&sample, &file, |damaged, of| {
            sandbox.write("a.nc", damaged);
            let output = sandbox.run(NCDUMP, &["ncdump", "--threads", "1", "@a.nc"]);
            check(&output, file.len(), &format!("{name} {of}"));
        });
    }
}

#[test]
fn nccopy_of_damaged_files() {
    let sandbox = Sandbox::new();
    let sample = Sample::new("damaged classic files", ONE_IN);
    for (name, file) in files() {
        each_damage(&sample, &file, |damaged, of| {
            let of = format!("{name} {of}");
            sandbox.write("a.nc", damaged);
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

/// Damaged HDF5 files: truncated, and changed with corrected checksums.
fn each_damage_of_hdf5(mut check: impl FnMut(&[u8], &str)) {
    let sample = Sample::new("damaged HDF5 files", ONE_IN);
    let folder = testdata("hdf5/structures");
    let files = [walk(&folder, "h5"), walk(&folder, "nc")].concat();
    assert!(files.len() > 15, "{files:?}");
    for (number, path) in files.iter().enumerate() {
        let (name, file) = (name(path), std::fs::read(path).expect("a readable file"));
        for cut in sample.of(cuts(&file).skip(number).step_by(199)) {
            let of = format!("{name} cut to {} bytes", cut.len());
            check(cut, &of);
        }
        let structures = summed(&file);
        for change in sample.of(flips(&file).skip(number).step_by(311)) {
            let (at, mut changed) = (change.at, change.of(&file));
            let within = structures.iter().filter(|range| range.contains(&at));
            let within: Vec<_> = within.cloned().collect();
            sum_again(&mut changed, &within);
            check(&changed, &format!("{name} changed at byte {at}"));
        }
    }
}

/// Returns the bytes of all variables, if the file can be opened. A changed length can make them large.
fn bytes_of_data(file: &[u8]) -> u64 {
    let Ok(reader) = format::open(container(file), &Env::default()) else {
        return 0;
    };
    let schema = reader.schema();
    let bytes = schema.var_ids().map(|var| {
        let shape = schema.shape(var).into_iter();
        let elements = shape.fold(1, u64::saturating_mul);
        let size = reader.layout(var).map_or(1, |layout| layout.element.size);
        elements.saturating_mul(size.max(1))
    });
    bytes.fold(0, u64::saturating_add)
}

/// The allowed results for a damaged file.
fn check_hdf5(output: &CommandOutput, of: &str) {
    assert!(output.code <= 1, "{of}: {output}");
    assert!(output.code == 0 || !output.stderr.is_empty(), "{of}");
    assert!(output.stderr.len() <= 16 << 10, "{of}: {output}");
    assert!(
        output.stdout.len() <= 16 << 20,
        "{of}: {} bytes",
        output.stdout.len()
    );
}

/// Incomplete output must look incomplete: a comment replaces data that is damaged or needs a missing filter.
fn check_end(output: &CommandOutput, of: &str) {
    let (text, message) = (output.text(), output.message());
    let whole = text.trim_end().ends_with('}');
    assert!(
        output.code == 0 || !whole || text.contains("omitted: "),
        "{of}: {message}"
    );
}

#[test]
fn ncdump_of_damaged_hdf5_files() {
    let sandbox = Sandbox::new();
    let mut failed = 0u32;
    each_damage_of_hdf5(|damaged, of| {
        sandbox.write("a.h5", damaged);
        let header = sandbox.run(NCDUMP, &["ncdump", "-h", "-s", "@a.h5"]);
        check_hdf5(&header, of);
        check_end(&header, of);
        failed += u32::from(header.code);
        if bytes_of_data(damaged) < 1 << 20 {
            let all = sandbox.run(NCDUMP, &["ncdump", "--threads", "1", "@a.h5"]);
            check_hdf5(&all, of);
            check_end(&all, of);
        }
    });
    assert!(
        failed > sample::count(100 / ONE_IN as u32, 100),
        "{failed} of all failed"
    );
}

#[test]
fn nccopy_of_damaged_hdf5_files() {
    let sandbox = Sandbox::new();
    let mut failed = 0u32;
    each_damage_of_hdf5(|damaged, of| {
        if bytes_of_data(damaged) >= 1 << 20 {
            return;
        }
        sandbox.write("a.h5", damaged);
        sandbox.write("b.nc", "what was there");
        let args = ["nccopy", "--no-sync", "--threads", "1", "@a.h5", "@b.nc"];
        let output = sandbox.run(NCCOPY, &args);
        check_hdf5(&output, of);
        assert_eq!(sandbox.names(), ["a.h5", "b.nc"], "{of}: {output}");
        let target = std::fs::read(sandbox.path("b.nc")).expect("a readable file");
        assert_eq!(
            target == b"what was there",
            output.code == 1,
            "{of}: {output}"
        );
        failed += u32::from(output.code);
    });
    assert!(
        failed > sample::count(100 / ONE_IN as u32, 100),
        "{failed} of all failed"
    );
}

#[test]
fn ncgen_of_damaged_text() {
    let sandbox = Sandbox::new();
    let sample = Sample::new("damaged texts", ONE_IN);
    for path in list(&testdata("cdl"), "cdl") {
        let text = std::fs::read(&path).unwrap();
        each_damage(&sample, &text, |damaged, of| {
            let of = format!("{} {of}", name(&path));
            sandbox.write("a.cdl", damaged);
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
