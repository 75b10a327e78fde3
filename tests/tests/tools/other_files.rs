//! Files in foreign formats: every tool names the format and a remedy.

use netcdf_tools_tests::harness::Sandbox;

/// A file, its format, and a part of the remedy.
const FILES: &[(&[u8], &str, &str)] = &[
    (b"", "an empty file", "fetch or make it again"),
    (
        &[0; 5000],
        "zeros where a file should begin",
        "never arrived",
    ),
    (
        b"\n<!DOCTYPE html>\n<html><body>Log in",
        "an HTML page",
        "servers send",
    ),
    (b"<HTML><BODY>404", "an HTML page", "servers send"),
    (b"<?xml version=\"1.0\"?><Error/>", "XML", "servers send"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image", ""),
    (b"GRIB\0\0\0\x02", "a GRIB file", "cdo"),
    (
        b"\x1f\x8b\x08\0\0\0\0\0",
        "a gzip file",
        "zcat FILE | ncdump -",
    ),
    (b"BZh91AY&SY", "a bzip2 file", "bzcat FILE | ncdump -"),
    (b"\xfd7zXZ\0\0", "an xz file", "xzcat FILE | ncdump -"),
    (
        b"\x28\xb5\x2f\xfd\x04",
        "a zstd file",
        "zstdcat FILE | ncdump -",
    ),
    (b"{\"zarr_format\": 2}", "JSON text", "use the directory"),
    (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
        "a Git LFS pointer",
        "git lfs pull",
    ),
    (
        b"\x89HDF\n\x1a\n",
        "an HDF5 file with converted line ends",
        "binary",
    ),
];

#[test]
fn every_tool_names_the_format_of_a_file() {
    let sandbox = Sandbox::new();
    for (bytes, what, remedy) in FILES {
        sandbox.write("f", bytes);
        let mut said = vec![
            sandbox.run(ncdump::run, &["ncdump", "@f"]),
            sandbox.run(nccopy::run, &["nccopy", "@f", "@out.nc"]),
            sandbox.run(zdump::run, &["zdump", "tree", "@f"]),
        ];
        // ncgen reads JSON.
        if !bytes.is_empty() && !bytes.starts_with(b"{") {
            said.push(sandbox.run(ncgen::run, &["ncgen", "-o", "@out.nc", "@f"]));
        }
        for output in said {
            assert_ne!(output.code, 0, "{output}");
            let message = output.message();
            let this = format!("@/f: this is {what}");
            assert!(
                message.contains(&this) && message.contains(remedy),
                "{what}: {output}"
            );
            assert_eq!(message.lines().count(), 1, "{output}");
        }
        assert_eq!(sandbox.names(), ["f"]);
    }
}

#[test]
fn text_of_cdl_and_datasets_are_for_the_other_tool() {
    let sandbox = Sandbox::new();
    sandbox.write("t.cdl", "// text\nnetcdf t { dimensions: x = 2; }");
    for output in [
        sandbox.run(ncdump::run, &["ncdump", "@t.cdl"]),
        sandbox.run(nccopy::run, &["nccopy", "@t.cdl", "@o.nc"]),
        sandbox.run(zdump::run, &["zdump", "check", "@t.cdl"]),
    ] {
        let message = output.message();
        assert!(
            message.contains("this is CDL text") && message.contains("ncgen -o"),
            "{output}"
        );
    }
    for kind in ["nc3", "nc6", "nc5", "nc4"] {
        let _ = sandbox
            .run(ncgen::run, &["ncgen", "-k", kind, "-o", "@t.nc", "@t.cdl"])
            .clean();
        for output in [
            sandbox.run(zdump::run, &["zdump", "tree", "@t.nc"]),
            sandbox.run(ncgen::run, &["ncgen", "-o", "@o.nc", "@t.nc"]),
        ] {
            assert_ne!(output.code, 0, "{output}");
            assert!(
                output.message().contains("ncdump prints it"),
                "{kind}: {output}"
            );
        }
    }
}

#[test]
fn hdf4_files_are_for_the_other_tools() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "h.hdf",
        b"\x0e\x03\x13\x01\0\x01\0\0\0\0\0\x01\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
    );
    let empty = sandbox.run(ncdump::run, &["ncdump", "@h.hdf"]).clean();
    assert_eq!(empty.text(), "netcdf h {\n}\n");
    for output in [
        sandbox.run(zdump::run, &["zdump", "tree", "@h.hdf"]),
        sandbox.run(ncgen::run, &["ncgen", "-o", "@o.nc", "@h.hdf"]),
    ] {
        assert_ne!(output.code, 0, "{output}");
        let message = output.message();
        let said = message.contains("this is an HDF4 file") && message.contains("ncdump prints it");
        assert!(said, "{output}");
    }
}

#[test]
fn truncation_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "t.cdl",
        "netcdf t { dimensions: x = 999; variables: int v(x); data: v = 1; }",
    );
    for (kind, name) in [("nc3", "t.nc"), ("nc4", "t4.nc"), ("zarr", "t.zip")] {
        let to = match kind {
            "zarr" => format!("file://{}#mode=zarr,zip", sandbox.path(name).display()),
            _ => format!("@{name}"),
        };
        let _ = sandbox
            .run(ncgen::run, &["ncgen", "-k", kind, "-o", &to, "@t.cdl"])
            .clean();
        let whole = sandbox.read(name);
        sandbox.write(name, &whole[..whole.len() / 2]);
        let output = sandbox.run(ncdump::run, &["ncdump", &format!("@{name}")]);
        assert_eq!(output.code, 1, "{kind}: {output}");
        let message = output.message();
        let says = message.contains("truncated") || message.contains("past the end");
        assert!(says || message.contains("cut off"), "{kind}: {output}");
    }
}
