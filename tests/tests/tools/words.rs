//! Words on the command line: suggestions, names of kinds, attributes without quotes, remedies.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

/// Returns the result of `nccopy OPTIONS weather-1.nc OUTPUT`, and the header of the output.
fn copied(options: &[&str]) -> (CommandOutput, String) {
    let sandbox = Sandbox::new();
    let args = [&["nccopy"], options, &["%classic/weather-1.nc", "@o.nc"]].concat();
    let output = sandbox.run(nccopy::run, &args);
    let header = sandbox.run(ncdump::run, &["ncdump", "-h", "-s", "@o.nc"]);
    (output, header.text())
}

#[test]
fn a_bare_word_is_a_text() {
    for (value, expected) in [
        ("K", "\"K\""),
        ("m/s", "\"m/s\""),
        ("2000-01-01", "\"2000-01-01\""),
        ("größe", "\"größe\""),
        ("5", "5"),
        ("1.5f", "1.5f"),
        ("NaN", "NaN"),
        ("\"K\"", "\"K\""),
    ] {
        let (output, header) = copied(&["--attribute", &format!("lat@note={value}")]);
        assert_eq!(output.code, 0, "{output}");
        let line = format!("lat:note = {expected} ;");
        assert!(header.contains(&line), "{value}: {header}");
    }
    for wrong in [
        "lat@note=two words",
        "lat@note=a,b",
        "lat@note=",
        "int lat@note=K",
    ] {
        let (output, _) = copied(&["--attribute", wrong]);
        assert_eq!(output.code, 1, "{wrong}: {output}");
    }
}

#[test]
fn kinds_have_upper_and_lower_case() {
    for (kind, format) in [
        ("NETCDF-4", "netCDF-4"),
        ("CDF5", "cdf5"),
        ("Nc3", "classic"),
        ("NetCDF-4 Classic Model", "netCDF-4 classic model"),
    ] {
        let (output, header) = copied(&["-k", kind]);
        assert_eq!(output.code, 0, "{output}");
        let line = format!(":_Format = \"{format}\"");
        assert!(header.contains(&line), "{kind}: {header}");
    }
}

#[test]
fn filters_are_suggested() {
    for (word, filter) in [
        ("zip", "deflate"),
        ("GZ", "deflate"),
        ("bz", "bzip2"),
        ("zst", "zstd"),
        ("defalte", "deflate"),
        ("checksum", "fletcher32"),
    ] {
        let (output, _) = copied(&["-F", &format!("*,{word}")]);
        assert_eq!(output.code, 1, "{output}");
        let hint = format!("did you mean `{filter}`?");
        assert!(output.message().contains(&hint), "{output}");
    }
}

#[test]
fn h_without_a_value_prints_the_usage() {
    for args in [
        ["nccopy", "-h"].as_slice(),
        &["nccopy", "a.nc", "b.nc", "-h"],
    ] {
        let output = Sandbox::new().run(nccopy::run, args);
        assert_eq!(output.code, 2, "{output}");
        let message = output.message();
        assert!(
            message.starts_with("nccopy: -h needs a number of bytes\n"),
            "{output}"
        );
        assert!(message.contains("Usage: nccopy "), "{output}");
    }
}

/// Messages of all tools begin with the tool's name, and contain no misleading tips.
#[test]
fn messages_begin_with_the_name() {
    let sandbox = Sandbox::new();
    for option in ["-q", "--rename-all", "--nosuch", "--threads=x"] {
        let outputs = [
            ("ncdump", sandbox.run(ncdump::run, &["ncdump", option, "a"])),
            ("ncgen", sandbox.run(ncgen::run, &["ncgen", option, "a"])),
            (
                "nccopy",
                sandbox.run(nccopy::run, &["nccopy", option, "a", "b"]),
            ),
            (
                "zdump",
                sandbox.run(zdump::run, &["zdump", "tree", option, "a"]),
            ),
        ];
        for (tool, output) in outputs {
            let message = output.message();
            let named = message.starts_with(&format!("{tool}: "));
            assert!(
                named && !message.contains("tip: to pass"),
                "{option}: {output}"
            );
        }
    }
}
