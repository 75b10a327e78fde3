//! The executable of the packages, which contains all tools.

use std::ffi::OsString;

use netcdf_tools_tests::harness::{CommandOutput, run};
use netcdf_tools_tests::tool;

fn called(args: &[&str]) -> CommandOutput {
    run(
        netcdf_tools::run,
        args.iter().map(OsString::from).collect(),
        b"",
    )
}

fn name(args: &[&str]) -> &'static str {
    netcdf_tools::name(&args.iter().map(OsString::from).collect::<Vec<_>>())
}

#[test]
fn the_name_of_the_executable_chooses_the_tool() {
    for tool in ["ncdump", "ncgen", "nccopy", "zdump"] {
        let want = called(&[tool, "--version"]).clean();
        assert!(want.text().starts_with(tool));
        for path in [format!("/usr/bin/{tool}-rs"), format!("./{tool}.exe")] {
            assert_eq!(called(&[&path, "--version"]), want);
            assert_eq!(name(&[&path]), tool);
        }
    }
}

#[test]
fn the_first_argument_chooses_the_tool() {
    for tool in ["ncdump", "ncgen", "ncgen3", "nccopy", "zdump"] {
        for path in ["netcdf-tools", "/proc/self/exe", ""] {
            assert_eq!(
                called(&[path, tool, "--help"]),
                called(&[tool, "--help"]).clean()
            );
            assert_eq!(name(&[path, tool]), tool);
        }
    }
    // The name of the executable takes precedence.
    assert_eq!(name(&["ncdump", "nccopy"]), "ncdump");
}

#[test]
fn ncgen3_is_ncgen() {
    let output = called(&["/usr/bin/ncgen3", "--nosuch"]);
    assert!(output.message().starts_with("ncgen3: "), "{output}");
}

#[test]
fn without_a_tool_there_is_a_usage() {
    let usage = called(&["netcdf-tools", "--help"]).clean().text();
    assert!(usage.starts_with("Usage: netcdf-tools TOOL"));
    let version = called(&["netcdf-tools", "--version"]).clean().text();
    assert_eq!(
        version,
        format!("netcdf-tools {}\n", env!("CARGO_PKG_VERSION"))
    );
    for args in [&["netcdf-tools"][..], &["netcdf-tools", "ls\u{1b}"], &[]] {
        let output = called(args);
        assert_eq!((output.code, output.stdout.len()), (2, 0));
        assert!(output.message().ends_with(&usage), "{output}");
        assert!(!output.message().contains('\u{1b}'));
    }
    assert!(
        called(&["x", "ls"])
            .message()
            .starts_with("netcdf-tools: no tool is called `ls`\n")
    );
}

/// An isolated plugin runs in a second process of the executable, started as `/proc/self/exe`.
#[test]
fn the_executable_serves_isolated_plugins() {
    let helper = std::process::Command::new(netcdf_tools_tests::helper!())
        .arg("--netcdf-plugin-helper")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the helper");
    assert_eq!((helper.status.code(), helper.stdout.len()), (Some(2), 0));
    let tool = tool!()
        .args(["ncgen3", "--nosuch"])
        .output()
        .expect("a tool");
    assert!(tool.stderr.starts_with(b"ncgen3: "));
}
