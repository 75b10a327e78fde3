//! Damaged classic files: each file of `testdata/classic`, truncated and changed at each byte, gives an error or data, without a panic.
//! Memory is bounded by the file size.

use netcdf_core::ErrorKind;
use netcdf_core::env::Env;
use netcdf_core::model::Values;
use netcdf_tools_tests::damage::{Data, check_error, cuts, extremes, flips, read_all};
use netcdf_tools_tests::files::{list, name, testdata};
use netcdf_tools_tests::sample::Sample;

/// Sampling interval of a plain run.
const ONE_IN: usize = 16;

/// The test data of a kind with their names.
fn files(kind: char) -> impl Iterator<Item = (String, Vec<u8>)> {
    let all = list(&testdata("classic"), "nc").into_iter();
    let files: Vec<_> = all
        .filter(|p| name(p).ends_with(&format!("-{kind}.nc")))
        .collect();
    assert!(files.len() > 10, "{} files of kind {kind}", files.len());
    files
        .into_iter()
        .map(|p| (name(&p), std::fs::read(&p).expect("a readable file")))
}

/// Values are bytes of the file, so the file size limits their number.
fn check_data(data: &Data, file: &[u8], of: &str) {
    for values in data {
        match values {
            Ok(values) => assert!(bytes(values) <= file.len(), "{of}: {} values", values.len()),
            Err(e) => check_error(e, of),
        }
    }
}

fn bytes(values: &Values) -> usize {
    let size = values
        .data_type()
        .and_then(netcdf_core::model::Atomic::size);
    values.len() * size.expect("classic types have a size")
}

fn check(file: &[u8], of: &str) {
    match read_all(file, &Env::default()) {
        Ok(data) => check_data(&data, file, of),
        Err(e) => check_error(&e, of),
    }
}

/// Truncation never changes a value: each value is the same, or an error. The record count STREAMING is an exception, because the file
/// length determines it.
fn check_cuts(kind: char) {
    let sample = Sample::new("cut classic files", ONE_IN);
    for (name, file) in files(kind) {
        let whole = read_all(&file, &Env::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        for cut in sample.of(cuts(&file)) {
            let of = format!("{name} cut to {} bytes", cut.len());
            let data = match read_all(cut, &Env::default()) {
                Ok(data) => data,
                Err(e) => {
                    check_error(&e, &of);
                    continue;
                }
            };
            check_data(&data, cut, &of);
            if name.starts_with("streaming") {
                continue;
            }
            for (got, want) in data.iter().zip(&whole) {
                let same = got
                    .as_ref()
                    .is_ok_and(|got| same_bits(got, want.as_ref().expect("whole")));
                let truncated = got
                    .as_ref()
                    .is_err_and(|e| e.kind() == ErrorKind::Truncated);
                assert!(same || truncated, "{of}: {got:?}");
            }
        }
    }
}

/// Compares numbers; NaN equals NaN.
fn same_bits(a: &Values, b: &Values) -> bool {
    let stored = |values: &Values| {
        let mut out = Vec::new();
        let order = netcdf_core::model::Endianness::Big;
        netcdf_core::chunk::elements::encode(values, order, &mut out).expect("classic types");
        out
    };
    a.data_type() == b.data_type() && stored(a) == stored(b)
}

fn check_changes(kind: char) {
    let sample = Sample::new("changed classic files", ONE_IN);
    for (name, file) in files(kind) {
        for change in sample.of(flips(&file).chain(extremes(&file))) {
            let of = format!("{name} changed at byte {}", change.at);
            check(&change.of(&file), &of);
        }
    }
}

macro_rules! each_kind {
    ($($cut:ident $changed:ident $kind:literal;)*) => {$(
        #[test]
        fn $cut() {
            check_cuts($kind);
        }

        #[test]
        fn $changed() {
            check_changes($kind);
        }
    )*};
}

each_kind! {
    cdf1_cut cdf1_changed '1';
    cdf2_cut cdf2_changed '2';
    cdf5_cut cdf5_changed '5';
}
