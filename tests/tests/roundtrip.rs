//! Round trips: a file printed and made again is the same file; text made into a file and printed
//! is the same text from then on.

use netcdf_tools_tests::files::{list, name, stem, testdata};
use netcdf_tools_tests::harness::{Run, Sandbox};
use netcdf_tools_tests::random::seed;
use proptest::prelude::*;

const NCDUMP: Run = ncdump::run;
const NCGEN: Run = ncgen::run;

/// `@a.nc` through CDL to `@b.nc`; the text.
fn around(sandbox: &Sandbox, kind: &str) -> String {
    let text = sandbox
        .run(NCDUMP, &["ncdump", "-p", "exact", "-n", "x", "@a.nc"])
        .clean()
        .stdout;
    sandbox.write("a.cdl", &text);
    let _ = sandbox
        .run(
            NCGEN,
            &["ncgen", "--no-sync", "-k", kind, "-o", "@b.nc", "@a.cdl"],
        )
        .clean();
    String::from_utf8_lossy(&text).into_owned()
}

/// Files of the test data that are made as `ncgen` makes files: not those with the record count
/// STREAMING, with gaps, or with names that cannot be made.
#[test]
fn the_test_data_come_back_byte_for_byte() {
    for path in list(&testdata("classic"), "nc") {
        if ["streaming", "gap", "slash", "latin1"]
            .iter()
            .any(|odd| name(&path).starts_with(odd))
        {
            continue;
        }
        let sandbox = Sandbox::new();
        let bytes = std::fs::read(&path).unwrap();
        sandbox.write("a.nc", &bytes);
        let kind = match stem(&path).rsplit_once('-') {
            Some((_, "1")) => "classic",
            Some((_, "2")) => "64-bit-offset",
            _ => "cdf5",
        };
        let text = around(&sandbox, kind);
        assert!(
            sandbox.read("b.nc") == bytes,
            "{}: other bytes by way of\n{text}",
            name(&path)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_files_come_back_byte_for_byte(seed in seed()) {
        let sandbox = Sandbox::new();
        let file = seed.file();
        sandbox.write("a.nc", &file);
        let text = around(&sandbox, seed.kind().name());
        prop_assert!(sandbox.read("b.nc") == file, "other bytes by way of\n{}", text);
    }
}
