//! Damaged HDF5 and netCDF-4 files: each file of `testdata/hdf5/structures`, truncated and changed at each byte, gives an error with an
//! offset, or data, without a panic. Time and memory are small. The test corrects checksums, which would otherwise detect most changes.

use std::time::Instant;

use netcdf_core::ErrorKind;
use netcdf_tools_tests::damage::{
    LONG, check_error, check_starts, cuts, flips, read_starts, sum_again, summed,
};
use netcdf_tools_tests::files::{name, testdata, walk};
use netcdf_tools_tests::harness::Sandbox;
use netcdf_tools_tests::sample::Sample;

/// Sampling interval of a plain run.
const ONE_IN: usize = 16;

/// Returns the files whose names start with one of `starts`.
fn files(starts: &[&str]) -> Vec<(String, Vec<u8>)> {
    let folder = testdata("hdf5/structures");
    let all = [walk(&folder, "h5"), walk(&folder, "nc")].concat();
    let wanted = |name: &str| starts.iter().any(|s| name.starts_with(s));
    let files: Vec<_> = all
        .iter()
        .map(|p| (name(p), std::fs::read(p).expect("a readable file")))
        .filter(|(name, _)| wanted(name))
        .collect();
    assert!(files.len() >= starts.len(), "of {starts:?}: {files:?}");
    files
}

/// Reads the whole file, so that each damaged byte is used.
fn check_whole(name: &str, file: &[u8]) {
    let data = read_starts(file).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(!data.is_empty(), "{name}");
    let failed = data.iter().find_map(|values| values.as_ref().err());
    assert!(failed.is_none(), "{name}: {failed:?}");
}

/// Truncation is detected at any length.
fn check_cuts(starts: &[&str]) {
    let sample = Sample::new("cut HDF5 files", ONE_IN);
    for (name, file) in files(starts) {
        check_whole(&name, &file);
        for cut in sample.of(cuts(&file)) {
            let of = format!("{name} cut to {} bytes", cut.len());
            let e = read_starts(cut).expect_err(&of);
            check_error(&e, &of);
            assert!(
                matches!(e.kind(), ErrorKind::Truncated | ErrorKind::UnknownFormat),
                "{of}: {e}"
            );
        }
    }
}

/// Zeros from some byte on, as after an interrupted download.
fn check_zeros(starts: &[&str]) {
    let sample = Sample::new("HDF5 files that end in zeros", ONE_IN);
    for (name, file) in files(starts) {
        for from in sample.of(0..file.len()) {
            let mut zeros = file.clone();
            zeros[from..].fill(0);
            check_starts(&zeros, &format!("{name} with zeros from byte {from}"));
        }
    }
}

/// Tries every `step`-th change, with the stored checksums and with corrected checksums.
fn check_changes(starts: &[&str], step: usize) {
    let sample = Sample::new("changed HDF5 files", ONE_IN);
    for (name, file) in files(starts) {
        let structures = summed(&file);
        for change in sample.of(flips(&file).step_by(step)) {
            let (at, mut changed) = (change.at, change.of(&file));
            let of = format!("{name} with {:#04x} at byte {at}", changed[at]);
            let within: Vec<_> = structures
                .iter()
                .filter(|r| r.contains(&at))
                .cloned()
                .collect();
            if within.is_empty() || at % 5 == 0 {
                check_starts(&changed, &of);
            }
            if !within.is_empty() {
                sum_again(&mut changed, &within);
                check_starts(&changed, &format!("{of}, checksums right"));
            }
        }
    }
}

/// All preceding cases needed little memory: this checks the memory peak of the process.
#[cfg(target_os = "linux")]
fn check_memory() {
    let status = std::fs::read_to_string("/proc/self/status").expect("the process's status");
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let peak: u64 = peak
        .and_then(|l| l.trim().trim_end_matches(" kB").parse().ok())
        .expect("a peak");
    assert!(peak < 1 << 20, "{peak} KiB resident");
}

#[cfg(not(target_os = "linux"))]
fn check_memory() {}

macro_rules! each_group {
    ($($cut:ident $zeros:ident $changed:ident $step:literal $files:expr;)*) => {$(
        #[test]
        fn $cut() {
            check_cuts(&$files);
        }

        #[test]
        fn $zeros() {
            check_zeros(&$files);
        }

        #[test]
        fn $changed() {
            check_changes(&$files, $step);
            check_memory();
        }
    )*};
}

each_group! {
    old_cut old_zeros old_changed 5 ["old", "small_sizes"];
    dense_cut dense_zeros dense_changed 3 ["dense", "shared", "cache_image"];
    types_cut types_zeros types_changed 11 ["types"];
    index_cut index_zeros index_changed 2
        ["single", "implicit", "fixed_array", "extensible_array", "btree_v2"];
    filters_cut filters_zeros filters_changed 1 ["filters"];
    netcdf_cut netcdf_zeros netcdf_changed 11 ["netcdf4", "classic_model"];
}

/// If damage is found after output began, the list ends with a fill value, and a comment gives the reason.
#[test]
fn data_that_ends_at_damage_has_a_comment() {
    let sandbox = Sandbox::new();
    let file = testdata("hdf5/hostile").join("damaged_middle.h5");
    sandbox.write("a.h5", std::fs::read(file).expect("a readable file"));
    for threads in ["1", "2", "7"] {
        let output = sandbox.run(ncdump::run, &["ncdump", "--threads", threads, "@a.h5"]);
        let (text, message) = (output.text(), output.message());
        assert_eq!(output.code, 1, "{message}");
        assert!(
            message.contains("deflate") && message.contains("/x"),
            "{message}"
        );
        let (_, data) = text.split_once("\n x =").expect("data that began");
        assert!(data.len() > 1 << 16, "{} bytes of data", data.len());
        let (values, comment) = data.split_once(" ;\n").expect("the end of the list");
        assert!(values.ends_with("\n  _"), "{}", values.len());
        assert!(comment.starts_with(" // x: data from index ("), "{comment}");
        assert!(comment.contains(") on omitted: chunk ("), "{comment}");
    }
}

/// Elements of 2^30 bytes cannot become numbers. The tool detects this before reading.
#[test]
fn sources_of_another_type_are_refused_unread() {
    let sandbox = Sandbox::new();
    let file = testdata("hdf5/hostile").join("virtual_wide.h5");
    sandbox.write("a.h5", std::fs::read(file).expect("a readable file"));
    let output = sandbox.run(ncdump::run, &["ncdump", "-v", "all", "@a.h5"]);
    let message = output.message();
    assert_eq!(output.code, 1, "{message}");
    assert!(
        message.contains("of an incompatible type in /all"),
        "{message}"
    );
}

/// Nested sources are counted: otherwise opening would take hours.
#[test]
fn virtual_datasets_of_each_other_are_refused() {
    let start = Instant::now();
    let output = Sandbox::new().run(
        ncdump::run,
        &["ncdump", "-h", "%hdf5/hostile/virtual_circles.h5"],
    );
    let message = output.message();
    assert_eq!(output.code, 1, "{message}");
    assert!(
        message.contains("virtual_circles.h5: virtual datasets with too many sources")
            && message.contains("in /0\n"),
        "{message}"
    );
    assert!(start.elapsed() < 6 * LONG, "{:?}", start.elapsed());
}

#[test]
fn structures_with_checksums_are_found() {
    let found = |start| summed(&files(&[start])[0].1).len();
    assert!(found("dense") > 6, "{}", found("dense"));
    assert!(found("btree_v2") > 3, "{}", found("btree_v2"));
    assert_eq!(found("old"), 0);
}
