//! Several files on one command line of `ncdump`.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

fn ncdump(args: &[&str]) -> CommandOutput {
    let args = [&["ncdump"], args].concat();
    Sandbox::new().run(ncdump::run, &args)
}

snapshots! {
    ncdump =>
    kinds: "-k", "%classic/weather-1.nc", "%classic/nosuch.nc", "%classic/weather-5.nc";
    kinds_as_json: "-k", "--json", "%classic/weather-1.nc", "%classic/weather-5.nc";
    rules: "--require", "cloud", "%classic/weather-1.nc", "%classic/nosuch.nc";
    tables_of_filters: "--filters", "%classic/weather-1.nc", "%classic/weather-5.nc";
    a_second_file_to_print: "-h", "%classic/weather-1.nc", "%classic/weather-5.nc";
    a_third_file_to_compare: "--diff", "%classic/weather-1.nc", "%classic/weather-5.nc", "%classic/weather-2.nc";
    standard_input_twice: "-k", "-", "-";
}

/// The options that accept several files, alone and with JSON.
const OPTIONS: [&str; 7] = [
    "-k",
    "-K",
    "--sum",
    "--stats",
    "--layout",
    "--filters",
    "--require=cloud",
];

/// A missing file does not stop the command, and the status is the worst one.
#[test]
fn each_file_counts() {
    let good = "%classic/weather-1.nc";
    for option in OPTIONS {
        for json in [[].as_slice(), &["--json"]] {
            if option == "--require=cloud" && !json.is_empty() {
                continue;
            }
            let run = |files: &[&str]| ncdump(&[&[option], json, files].concat());
            let (one, two) = (run(&[good]), run(&[good, good]));
            assert_eq!(two.code, one.code, "{option}: {two}");
            let lines = |output: &CommandOutput| output.text().lines().count();
            assert!(lines(&two) >= 2 * lines(&one), "{option}: {two}");
            let bad = run(&["%classic/nosuch.nc", good]);
            let expected = match option {
                "--layout" | "--require=cloud" => 2,
                _ => 1,
            };
            assert_eq!(bad.code, expected, "{option}: {bad}");
            assert!(lines(&bad) >= lines(&one), "{option}: {bad}");
            assert!(bad.message().contains("nosuch.nc"), "{option}: {bad}");
        }
    }
}

/// Each JSON document contains the file name.
#[test]
fn documents_name_their_files() {
    for option in ["-k", "-K", "--sum", "--stats", "--layout"] {
        let files = ["%classic/weather-1.nc", "%classic/weather-5.nc"];
        let output = ncdump(&[&[option, "--json"], files.as_slice()].concat()).clean();
        let text = output.text();
        let names: Vec<_> = text
            .lines()
            .map(|line| line.contains("\"file\": "))
            .collect();
        assert_eq!(names, [true, true], "{option}: {output}");
    }
}

/// All other modes accept one file, and the error names the second file.
#[test]
fn errors_name_the_second_file() {
    for option in ["-h", "-c", "-s", "-x", "-t", "--json", "--strict"] {
        let output = ncdump(&[option, "%classic/weather-1.nc", "%classic/weather-5.nc"]);
        assert_eq!(output.code, 2, "{option}: {output}");
        assert!(output.stdout.is_empty(), "{option}: {output}");
        assert!(
            output.message().contains("weather-5.nc: only one"),
            "{option}: {output}"
        );
    }
}

/// A note contains the file name.
#[test]
fn notes_name_their_files() {
    let sandbox = Sandbox::new();
    let store = [(
        "zarr.json",
        r#"{"zarr_format": 3, "node_type": "group", "attributes": {"a": [1, null]}}"#,
    )];
    sandbox.store("a.zarr", &store);
    sandbox.store("b.zarr", &store);
    let args = ["ncdump", "--stats", "@a.zarr", "@b.zarr"];
    let output = sandbox.run(ncdump::run, &args);
    for line in output.message().lines() {
        assert!(line.contains(".zarr: "), "{output}");
    }
}
