//! Runs the examples of `--help` and of the man pages, each in a separate directory.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use netcdf_tools_tests::helper;
use netcdf_tools_tests::manual::Extra;
use netcdf_tools_tests::manual::nccopy::NCCOPY;
use netcdf_tools_tests::manual::ncdump::NCDUMP;
use netcdf_tools_tests::manual::ncgen::NCGEN;
use netcdf_tools_tests::manual::zdump::ZDUMP;

/// A dataset with the names that the examples use.
const INPUT: &str = "netcdf in { dimensions: time = UNLIMITED ; lat = 4 ; lon = 4 ;
variables: int time(time) ; time:units = \"days since 2001-01-01\" ; float lat(lat) ; float lon(lon) ;
float temperature(time, lat, lon) ; temperature:units = \"celcius\" ;
data: time = 0, 1, 2, 3, 4, 5, 6, 7 ; lat = 0, 10, 20, 30 ; lon = 0, 10, 20, 30 ;
temperature = 1, 2, 3, 4, 5, 6, 7, 8, 9 ; }";

/// Creates the inputs of the examples.
const INPUTS: &str = "ncgen -k nc4 -o in.nc in.cdl && cp in.nc other.nc && gzip -c in.nc > in.nc.gz && mkdir data out && cp in.nc data &&
nccopy -k zarr3 in.nc in.zarr && nccopy -k zarr3 in.nc other.zip";

/// Runs a script in which the tools are commands.
fn shell(folder: &Path, script: &str) -> Output {
    let tools = folder.join("bin");
    let mut command = Command::new("bash");
    command
        .args(["-o", "pipefail", "-ec", script])
        .current_dir(folder);
    let path = std::env::var("PATH").expect("a path");
    command.env("PATH", format!("{}:{path}", tools.display()));
    command.output().expect("a shell")
}

fn add_tool(folder: &Path, name: &str) {
    let script = format!("#!/bin/sh\nexec '{}' tool {name} \"$@\"\n", helper!());
    let path = folder.join("bin").join(name);
    fs::write(&path, script).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

/// Returns a directory with the inputs and the tools.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    fs::create_dir(folder.path().join("bin")).expect("a directory");
    for tool in ["ncdump", "ncgen", "nccopy", "zdump"] {
        add_tool(folder.path(), tool);
    }
    fs::write(folder.path().join("in.cdl"), INPUT).expect("a file");
    let done = shell(folder.path(), INPUTS);
    assert!(done.status.success(), "{done:?}");
    folder
}

fn check(extra: Extra) {
    let examples = extra.first_examples.iter().chain(extra.examples);
    for (line, purpose) in examples {
        let folder = inputs();
        let done = shell(folder.path(), line);
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{line}: {}: {error}", done.status);
        assert!(!purpose.ends_with('.'), "{line}: {purpose}");
    }
}

#[test]
fn examples_of_ncdump_run() {
    check(NCDUMP);
}

#[test]
fn examples_of_ncgen_run() {
    check(NCGEN);
}

#[test]
fn examples_of_nccopy_run() {
    check(NCCOPY);
}

#[test]
fn examples_of_zdump_run() {
    check(ZDUMP);
}
