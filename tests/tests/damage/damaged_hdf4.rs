//! Damaged HDF4 files: files of `testdata/hdf4`, truncated and changed at each byte, give an error with an offset, or data, without a
//! panic. Time and memory are small.

use netcdf_tools_tests::damage::{check_starts, cuts, extremes, flips, read_starts};
use netcdf_tools_tests::files::testdata;
use netcdf_tools_tests::sample::Sample;

/// Maximum number of cases per file.
const CHANGES: usize = 2000;
/// Sampling interval of a plain run.
const ONE_IN: usize = 8;

fn files(names: &[&str]) -> Vec<(String, Vec<u8>)> {
    let read = |name: &&str| {
        let path = testdata("hdf4").join(format!("{name}.hdf"));
        ((*name).to_owned(), std::fs::read(path).expect("a file"))
    };
    names.iter().map(read).collect()
}

fn check_cuts(names: &[&str]) {
    let sample = Sample::new("cut HDF4 files", ONE_IN);
    for (name, file) in files(names) {
        assert!(read_starts(&file).is_ok(), "{name}");
        let some = cuts(&file).step_by(file.len() / CHANGES + 1);
        for cut in sample.of(some) {
            check_starts(cut, &format!("{name} cut to {} bytes", cut.len()));
        }
    }
}

fn check_changes(names: &[&str]) {
    let sample = Sample::new("changed HDF4 files", ONE_IN);
    for (name, file) in files(names) {
        let all = flips(&file).chain(extremes(&file));
        for change in sample.of(all.step_by(file.len() * 7 / CHANGES + 1)) {
            let of = format!("{name} changed at byte {}", change.at);
            check_starts(&change.of(&file), &of);
        }
    }
}

/// Files with each structure of the format.
const FILES: [&str; 12] = [
    "attributes",
    "chunked_deflate",
    "chunked_others",
    "dfsd_described",
    "external",
    "linked",
    "many",
    "old_dims",
    "records",
    "runs",
    "sdg",
    "two_lengths",
];

#[test]
fn cut_files_are_errors_or_data() {
    check_cuts(&FILES);
}

#[test]
fn changed_files_are_errors_or_data() {
    check_changes(&FILES);
}
