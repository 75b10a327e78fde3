//! Damaged HDF4 files: files of `testdata/hdf4`, cut and changed everywhere, give an error with its place or data, never a panic,
//! quickly and with little memory.

use std::time::{Duration, Instant};

use netcdf_core::env::{Damage, Env};
use netcdf_core::{Error, ErrorKind, format};
use netcdf_tools_tests::damage::{container, cuts, extremes, flips, read_starts};
use netcdf_tools_tests::files::testdata;

/// Most bytes read of a variable.
const START: u64 = 1 << 12;
/// Far more than any of these files needs, and far less than an endless loop.
const LONG: Duration = Duration::from_secs(20);
/// Changes that are tried for each file.
const CHANGES: usize = 2000;

fn files(names: &[&str]) -> Vec<(String, Vec<u8>)> {
    let read = |name: &&str| {
        let path = testdata("hdf4").join(format!("{name}.hdf"));
        ((*name).to_owned(), std::fs::read(path).expect("a file"))
    };
    names.iter().map(read).collect()
}

fn env() -> Env {
    let mut env = Env::default();
    env.pool.threads = 1;
    env
}

/// The allowed effects of damage.
fn check_error(e: &Error, of: &str) {
    let kinds = [ErrorKind::Io, ErrorKind::Argument, ErrorKind::Internal];
    assert!(!kinds.contains(&e.kind()), "{of}: {e}");
    let placed = e.resource().is_some() || e.object().is_some();
    assert!(placed, "{of}: no place in: {e}");
}

fn check(file: &[u8], of: &str) {
    let start = Instant::now();
    match read_starts(file, &env(), START) {
        Ok(data) => data
            .iter()
            .filter_map(|values| values.as_ref().err())
            .for_each(|e| check_error(e, of)),
        Err(e) => {
            check_error(&e, of);
            check_tolerated(file, of);
        }
    }
    assert!(start.elapsed() < LONG, "{of}: {:?}", start.elapsed());
}

/// If opening fails, tolerating damage may help, but never silently.
fn check_tolerated(file: &[u8], of: &str) {
    let mut env = env();
    env.damage = Damage::tolerated();
    match format::open(container(file), &env) {
        Ok(_) => assert!(!env.damage.take().is_empty(), "{of}: damage got lost"),
        Err(e) => check_error(&e, of),
    }
}

fn check_cuts(names: &[&str]) {
    for (name, file) in files(names) {
        assert!(read_starts(&file, &env(), START).is_ok(), "{name}");
        for cut in cuts(&file).step_by(file.len() / CHANGES + 1) {
            check(&cut, &format!("{name} cut to {} bytes", cut.len()));
        }
    }
}

fn check_changes(names: &[&str]) {
    for (name, file) in files(names) {
        let all = flips(&file).chain(extremes(&file));
        for changed in all.step_by(file.len() * 7 / CHANGES + 1) {
            let at = changed.iter().zip(&file).position(|(a, b)| a != b);
            check(&changed, &format!("{name} changed at byte {at:?}"));
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
