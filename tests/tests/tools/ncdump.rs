//! Snapshots of `ncdump`: help, success, misuse.

use insta::assert_snapshot;
use netcdf_tools_tests::files::testdata;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

fn ncdump(args: &[&str]) -> CommandOutput {
    let args = [&["ncdump"], args].concat();
    Sandbox::new().run(ncdump::run, &args)
}

snapshots! {
    ncdump =>
    help: "--help";
    version: "--version";
    no_arguments:;
    a_whole_file: "%classic/weather-1.nc";
    header: "-h", "%classic/weather-5.nc";
    exact: "-p", "exact", "%classic/types-1.nc";
    special_attributes_of_cdf5: "-h", "-s", "%classic/unsigned-5.nc";
    ncml_of_odd_names: "-x", "%classic/names-1.nc";
    ncml_of_odd_values: "-x", "%classic/types-1.nc";
    ncml_of_64_bit_integers: "-x", "%classic/unsigned-5.nc";
    a_name_with_a_slash: "%classic/slash-1.nc";
    a_name_that_is_not_utf8: "%classic/latin1-1.nc";
    no_filters: "--filters", "%classic/weather-1.nc";
    filters: "--filters", "%netcdf4/filtered.nc";
    filters_of_a_group: "--filters", "-g", "model", "%netcdf4/filtered.nc";
    missing_filters: "%netcdf4/filtered.nc";
    a_header_in_spite_of_missing_filters: "-h", "-s", "-F", "%netcdf4/filtered.nc";
    the_netcdf4_model: "-s", "%netcdf4/model.nc";
    ncml_of_the_netcdf4_model: "-x", "%netcdf4/model.nc";
    scales_of_all_kinds: "%hdf5/scales.h5";
    scales_without_a_length: "%hdf5/unsized_scales.h5";
    fields_that_netcdf_lacks: "%hdf5/inexpressible.h5";
    variables_of_groups: "-f", "c", "-v", "/g/h/x,c", "%netcdf4/model.nc";
    some_groups: "-b", "f", "-g", "h,/g", "%netcdf4/model.nc";
    coordinates_of_groups: "-c", "-t", "%netcdf4/model.nc";
    extended_kind: "-K", "%netcdf4/model.nc";
    scalars_with_indices: "-f", "f", "-v", "scalar", "%classic/ranks-1.nc";
    no_such_file: "%classic/nosuch.nc";
    no_such_option: "-Q", "%classic/weather-1.nc";
    no_such_variable: "-v", "lat,nosuch", "%classic/weather-1.nc";
    variables_that_match: "-v", "l*,!lon", "%classic/weather-1.nc";
    no_variable_matches: "-v", "zz*", "%classic/weather-1.nc";
    a_similar_variable: "-v", "temprature", "%classic/weather-1.nc";
    a_similar_group: "-g", "modle", "%netcdf4/filtered.nc";
    no_such_group: "-g", "nosuch", "%classic/weather-1.nc";
    no_dataset: "%cdl/weather.cdl";
    two_files: "%classic/weather-1.nc", "%classic/weather-2.nc";
    digits_out_of_range: "-p", "99", "%classic/weather-1.nc";
    digits_that_are_none: "-p", "many", "%classic/weather-1.nc";
    an_unreasonable_line_length: "-l", "9", "%classic/weather-1.nc";
    a_language_that_is_none: "-b", "x", "%classic/weather-1.nc";
    threads_that_are_none: "--threads", "0", "%classic/weather-1.nc";
}

#[test]
fn standard_input_is_a_dash() {
    let bytes = std::fs::read(testdata("classic/oneshort-1.nc")).unwrap();
    let output = Sandbox::new().run_with(ncdump::run, &["ncdump", "-"], &bytes);
    assert_snapshot!(output);
}

/// Returns a file of `testdata` in which some bytes, which occur once, are replaced.
fn damaged(sandbox: &Sandbox, file: &str, from: &[u8], to: &[u8]) {
    let mut bytes = std::fs::read(testdata(file)).unwrap();
    let mut found = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(from));
    let at = found.next().expect("the bytes to damage");
    assert_eq!(found.next(), None, "there once");
    bytes[at..at + to.len()].copy_from_slice(to);
    sandbox.write("damaged.h5", bytes);
}

/// The text of an attribute is missing in the heap: all other content is printed, without the final brace.
#[test]
fn a_damaged_attribute() {
    let sandbox = Sandbox::new();
    let reference = [2, 0, 0, 0, 0xfa, 8, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0];
    let mut other = reference;
    other[12] = 99;
    damaged(&sandbox, "hdf5/structures/types_old.h5", &reference, &other);
    assert_snapshot!(sandbox.run(ncdump::run, &["ncdump", "-h", "@damaged.h5"]));
    let filters = sandbox.run(ncdump::run, &["ncdump", "--filters", "@damaged.h5"]);
    assert_eq!(filters.code, 1, "{filters}");
    let ncml = sandbox.run(ncdump::run, &["ncdump", "-x", "@damaged.h5"]);
    assert_eq!((ncml.code, ncml.text().as_str()), (1, ""), "{ncml}");
}

/// The checksum of one object header is wrong: all other objects are printed.
#[test]
fn a_damaged_object() {
    let sandbox = Sandbox::new();
    let file = "hdf5/structures/netcdf4.nc";
    damaged(&sandbox, file, b"days since", b"Days since");
    assert_snapshot!(sandbox.run(ncdump::run, &["ncdump", "@damaged.h5"]));
}

/// The header is printed, and then the error with variable and offset.
#[test]
fn a_truncated_file() {
    let sandbox = Sandbox::new();
    let bytes = std::fs::read(testdata("classic/weather-1.nc")).unwrap();
    sandbox.write("cut.nc", &bytes[..bytes.len() - 100]);
    assert_snapshot!(sandbox.run(ncdump::run, &["ncdump", "-v", "quality", "@cut.nc"]));
    let header = sandbox.run(ncdump::run, &["ncdump", "-h", "@cut.nc"]);
    assert!(header.clean().text().ends_with("}\n"));
}
