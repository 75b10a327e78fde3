//! Snapshots of `ncdump --diff`: success, differences, misuse. Copies of all kinds differ from their input in nothing but storage.

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

/// What is compared of a copy survives in every kind that can hold it.
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
