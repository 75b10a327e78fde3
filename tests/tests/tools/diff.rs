//! Snapshots of `ncdump --diff`: success, differences, misuse. Copies of all kinds differ from their input only in storage.

use netcdf_tools_tests::files::testdata;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

fn diff(args: &[&str]) -> CommandOutput {
    let args = [&["ncdump", "--diff"], args].concat();
    Sandbox::new().run(ncdump::run, &args)
}

snapshots! {
    diff =>
    the_same_in_another_kind: "%classic/weather-1.nc", "%classic/weather-5.nc";
    another_kind: "--compare-layout", "%classic/weather-1.nc", "%classic/weather-5.nc";
    other_datasets: "%classic/weather-1.nc", "%classic/times-1.nc";
    other_datasets_as_json: "--json", "%classic/weather-1.nc", "%classic/times-1.nc";
    what_is_ignored: "--ignore", "*", "%classic/weather-1.nc", "%classic/times-1.nc";
    one_dataset: "%classic/weather-1.nc";
    a_second_dataset_that_is_missing: "%classic/weather-1.nc", "%classic/nosuch.nc";
    a_tolerance_that_is_none: "--tolerance", "-1", "%classic/weather-1.nc", "%classic/weather-5.nc";
    a_variable_of_neither: "-v", "nosuch", "%classic/weather-1.nc", "%classic/weather-5.nc";
    with_a_missing_filter: "%netcdf4/filtered.nc", "%netcdf4/filtered.nc";
}

/// The compared content survives a copy to every kind that supports it.
#[test]
fn copies_are_the_same() {
    for (input, kind) in [
        ("%classic/weather-1.nc", "nc4"),
        ("%classic/weather-1.nc", "nczarr"),
        ("%classic/unsigned-5.nc", "nc4"),
        ("%classic/records-1.nc", "cdf5"),
        ("%netcdf4/model.nc", "nc4"),
    ] {
        let sandbox = Sandbox::new();
        let copied = sandbox.run(nccopy::run, &["nccopy", "-k", kind, input, "@copy"]);
        assert_eq!(copied.code, 0, "{copied}");
        let args = ["ncdump", "--diff", input, "@copy"];
        let compared = sandbox.run(ncdump::run, &args);
        assert_eq!(compared.code, 0, "{input} {kind}: {compared}");
    }
}

fn compared(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(ncdump::run, &[&["ncdump", "--diff"], args].concat())
}

/// Elements of HDF5 types without a netCDF equivalent are compared as bytes, and have digests. Skipped objects give status 2.
#[test]
fn objects_without_a_netcdf_form() {
    let sandbox = Sandbox::new();
    let bytes = std::fs::read(testdata("hdf5/inexpressible.h5")).unwrap();
    let record = [1, 0, 0, 0, 3, 0, 4];
    let at = bytes
        .windows(7)
        .position(|w| w == record)
        .expect("a record");
    let bits = [&bytes[..at + 4], &[7], &bytes[at + 5..]].concat();
    sandbox.write("a.h5", &bytes);
    sandbox.write("b.h5", bits);
    let select = ["-v", "with_bits"];
    let same = compared(&sandbox, &[&select[..], &["@a.h5", "@a.h5"]].concat());
    assert_eq!(same.code, 0, "{same}");
    let other = compared(&sandbox, &[&select[..], &["@a.h5", "@b.h5"]].concat());
    assert_eq!(other.code, 1, "{other}");
    assert!(
        other
            .text()
            .contains("/with_bits: 1 of 2 elements differs; first at [0], field bits"),
        "{other}"
    );
    let sum = |name: &str| {
        let args = ["ncdump", "--sum", "-v", "with_bits", name];
        let text = sandbox.run(ncdump::run, &args).text();
        text.split_whitespace().next().expect("a digest").to_owned()
    };
    assert_ne!(sum("@a.h5"), sum("@b.h5"));
    // The bytes of references are addresses.
    let whole = compared(&sandbox, &["@a.h5", "@a.h5"]);
    assert_eq!(whole.code, 2, "{whole}");
    assert!(
        whole
            .message()
            .contains("skipped objects were not compared"),
        "{whole}"
    );
    let ignored = compared(
        &sandbox,
        &["--ignore", "*ref*,*only,nothing_else", "@a.h5", "@a.h5"],
    );
    assert_eq!(ignored.code, 0, "{ignored}");
}

/// `rare_types.h5` with one changed bit in the n-th location of some bytes.
fn changed(bytes: &[u8], within: &[u8], n: usize, at: usize) -> Vec<u8> {
    let all = bytes.windows(within.len());
    let mut all = all.enumerate().filter(|(_, window)| *window == within);
    let start = all.nth(n).expect("these bytes").0;
    let mut other = bytes.to_vec();
    other[start + at] ^= 1;
    other
}

/// Floats of 16 bytes and attributes of complex numbers are compared as bytes, and have digests.
#[test]
fn numbers_and_attributes_that_netcdf_cannot_express() {
    let sandbox = Sandbox::new();
    let bytes = std::fs::read(testdata("hdf5/rare_types.h5")).unwrap();
    sandbox.write("a.h5", &bytes);
    let skipped = sandbox.run(ncdump::run, &["ncdump", "-h", "@a.h5"]);
    assert_eq!(skipped.code, 0, "{skipped}");
    insta::assert_snapshot!("rare_types", skipped.message());
    let compare = |other: &str| {
        let same = [
            "--ignore",
            "/committed:note,/committed:text",
            "@a.h5",
            other,
        ];
        compared(&sandbox, &same)
    };
    let same = compare("@a.h5");
    assert!(same.code == 0 && same.text().is_empty(), "{same}");
    let sum = |name: &str| {
        let text = sandbox.run(ncdump::run, &["ncdump", "--sum", name]).text();
        text.lines().last().expect("a digest")[..70].to_owned()
    };
    // 1.5 in 16 bytes, and the parts of 1+2i.
    let quad = [&[0; 13][..], &[0x80, 0xff, 0x3f]].concat();
    let complex = [1f64.to_le_bytes(), 2f64.to_le_bytes()].concat();
    for (within, n, at, said) in [
        (&quad, 0, 12, "/next:long_double: 0X"),
        (
            &quad,
            1,
            12,
            "/long_double: 1 of 3 elements differs; first at [0]: 0X",
        ),
        (
            &complex,
            0,
            15,
            "/next:complex: {1, 2}, {3, -4} and {1, 131072}, {3, -4}",
        ),
        (
            &complex,
            1,
            15,
            "/next:compound: {1, 2}, {3, -4} and {1, 131072}, {3, -4}",
        ),
    ] {
        sandbox.write("b.h5", changed(&bytes, within, n, at));
        let other = compare("@b.h5");
        assert!(
            other.code == 1 && other.text().contains(said),
            "{said}: {other}"
        );
        assert_ne!(sum("@a.h5"), sum("@b.h5"), "{said}");
    }
}

/// No command compares these attributes.
#[test]
fn attributes_of_committed_types_are_reported() {
    let sandbox = Sandbox::new();
    let bytes = std::fs::read(testdata("hdf5/rare_types.h5")).unwrap();
    sandbox.write("a.h5", &bytes);
    sandbox.write("b.h5", changed(&bytes, b"of a type", 0, 0));
    let note =
        "/committed:note and /committed:text: skipped: netCDF cannot express attributes of types\n";
    let other = compared(&sandbox, &["@a.h5", "@b.h5"]);
    assert!(other.code == 2 && other.message().contains(note), "{other}");
    for args in [
        &["ncdump", "@a.h5"][..],
        &["ncdump", "-h", "-v", "of_committed", "@a.h5"],
        &["ncdump", "--sum", "@a.h5"],
        &["ncdump", "--stats", "@a.h5"],
    ] {
        let shown = sandbox.run(ncdump::run, args);
        assert!(
            shown.code == 0 && shown.message().contains(note),
            "{args:?}: {shown}"
        );
    }
    for (kind, code) in [("nc4", 0), ("zarr3", 1)] {
        for strict in [false, true] {
            let args = [
                "nccopy",
                "--no-sync",
                "-k",
                kind,
                "-V",
                "of_committed",
                "@a.h5",
                "@o",
            ];
            let args = [&args[..1], &["--strict"][..usize::from(strict)], &args[1..]].concat();
            let copied = sandbox.run(nccopy::run, &args);
            assert_eq!(
                copied.code,
                code.max(u8::from(strict)),
                "{args:?}: {copied}"
            );
            assert!(
                copied.message().contains("/committed:note"),
                "{args:?}: {copied}"
            );
        }
    }
}

/// A variable with dimension /g/x differs from the variable with dimension /x.
#[test]
fn dimensions_of_one_name_in_two_groups() {
    let sandbox = Sandbox::new();
    for (name, dim) in [("a", "x"), ("b", "/x")] {
        let group = format!(
            "group: g {{ dimensions: x = 2 ; variables: int v({dim}) ; data: v = 1, 2 ; }}"
        );
        sandbox.write(
            "a.cdl",
            format!("netcdf a {{ dimensions: x = 2 ; {group} }}"),
        );
        let args = [
            "ncgen",
            "--no-sync",
            "-k",
            "nc4",
            "-o",
            &format!("@{name}.nc"),
            "@a.cdl",
        ];
        let _ = sandbox.run(ncgen::run, &args).clean();
    }
    let compared = compared(&sandbox, &["@a.nc", "@b.nc"]);
    assert_eq!(
        (compared.code, &*compared.text()),
        (1, "/g/v: dimensions (/g/x) and (/x)\n")
    );
    let digests = ["@a.nc", "@b.nc"].map(|name| {
        let text = sandbox
            .run(ncdump::run, &["ncdump", "--sum", name])
            .clean()
            .text();
        text.lines()
            .map(|line| line.split_once("  ").unwrap().0.to_owned())
            .collect::<Vec<_>>()
    });
    for (a, b) in digests[0].iter().zip(&digests[1]) {
        assert_ne!(a, b);
    }
}
