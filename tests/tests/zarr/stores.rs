//! Stores as inputs and outputs: directories, zip files, URLs.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

const TEXT: &str = "netcdf dataset {
dimensions:
	x = 2 ;
	t = UNLIMITED ; // (3 currently)
variables:
	int v(x) ;
		v:units = \"K\" ;
	double w(t, x) ;

// global attributes:
		:title = \"two variables\" ;
data:

 v = 1, 2 ;

 w =
  1.5, 2,
  3, 4,
  5, _ ;
}
";

/// A sandbox with the text.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("dataset.cdl", TEXT);
    sandbox
}

/// Returns a URL for a file in the sandbox.
fn url(sandbox: &Sandbox, rest: &str) -> String {
    format!("file://{}", sandbox.path(rest).display())
}

fn ncgen(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let args = [&["ncgen", "--no-sync"], args, &["@dataset.cdl"]].concat();
    sandbox.run(ncgen::run, &args)
}

/// Returns the output of ncdump with the dataset name `dataset`.
fn dumped(sandbox: &Sandbox, named: &str) -> String {
    let args = ["ncdump", "-n", "dataset", named];
    sandbox.run(ncdump::run, &args).clean().text()
}

/// The examples 1 and 2 of "The NetCDF NCZarr Implementation".
#[test]
fn the_examples_of_the_document() {
    let sandbox = sandbox();
    let file = url(&sandbox, "dataset.file#mode=nczarr,file");
    let args = ["ncgen", "-4", "-lb", "-o", &file, "@dataset.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    let zip = url(&sandbox, "dataset.zip#mode=nczarr,zip");
    let _ = ncgen(&sandbox, &["-4", "-o", &zip]).clean();
    for url in [file, zip] {
        let shown = sandbox.run(ncdump::run, &["ncdump", &url]).clean();
        assert_eq!(shown.text(), TEXT, "{url}");
    }
    assert_eq!(
        sandbox.names(),
        ["dataset.cdl", "dataset.file", "dataset.zip"]
    );
}

#[test]
fn kinds_make_stores_under_plain_paths() {
    let sandbox = sandbox();
    for kind in ["nczarr", "zarr", "nczarr3", "zarr3"] {
        for name in ["@s.zarr", "@s.zip"] {
            let made = ncgen(&sandbox, &["-k", kind, "-o", name]);
            assert_eq!(made.code, 0, "{made}");
            assert_eq!(
                made.message().contains("unlimited"),
                kind.starts_with('z'),
                "{made}"
            );
            let text = dumped(&sandbox, name);
            // Without netCDF's metadata, no dimension is unlimited.
            let fixed = text.replace("t = 3 ;", "t = UNLIMITED ; // (3 currently)");
            let same = if kind.starts_with('z') { fixed } else { text };
            let order = |text: &str| {
                let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(order(&same), order(TEXT), "{kind} {name}");
        }
    }
}

/// Other readers expect the consolidated metadata of a store in its copy, too.
#[test]
fn copies_of_stores_keep_consolidated_metadata() {
    let sandbox = sandbox();
    let _ = ncgen(&sandbox, &["-4", "-o", "@a.nc"]).clean();
    let copy = |args: &[&str]| {
        let done = sandbox.run(nccopy::run, &[&["nccopy"], args].concat());
        assert_eq!(done.code, 0, "{done}");
    };
    for (kind, key) in [("zarr", ".zmetadata"), ("zarr3", "zarr.json")] {
        copy(&["-k", kind, "--consolidated", "@a.nc", "@with.zarr"]);
        copy(&["-k", kind, "@a.nc", "@without.zarr"]);
        copy(&["-k", kind, "@with.zarr", "@kept.zarr"]);
        copy(&["-k", kind, "@without.zarr", "@none.zarr"]);
        let has = |store: &str| {
            let text = std::fs::read_to_string(sandbox.path(&format!("{store}/{key}")));
            text.is_ok_and(|text| text.contains("consolidated"))
        };
        assert!(has("kept.zarr") && !has("none.zarr"), "{kind}");
    }
}

#[test]
fn other_directories_are_not_replaced() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("home")).unwrap();
    sandbox.write("home/letter", "dear");
    sandbox.write("a.nc", "file");
    let before = sandbox.names();
    for name in ["home", "a.nc", "home/letter"] {
        let out = ncgen(&sandbox, &["-k", "zarr", "-o", &format!("@{name}")]);
        assert_eq!(out.code, 1, "{name}: {out}");
        assert!(out.message().contains("replace"), "{out}");
        let copied = [
            "nccopy",
            "-k",
            "nczarr",
            "%classic/fills-1.nc",
            &format!("@{name}"),
        ];
        assert_eq!(sandbox.run(nccopy::run, &copied).code, 1, "{name}");
    }
    assert_eq!(sandbox.names(), before);
    assert_eq!(sandbox.read("home/letter"), b"dear");
    assert_eq!(sandbox.read("a.nc"), b"file");
}

#[test]
fn zip_files_have_the_directory_that_their_reader_needs() {
    let sandbox = sandbox();
    for (kind, option, prefixed) in [
        ("nczarr", None, true),
        ("nczarr3", None, true),
        ("zarr", None, false),
        ("zarr3", None, false),
        ("nczarr", Some("--no-zip-prefix"), false),
        ("zarr", Some("--zip-prefix"), true),
    ] {
        let args = [&["-k", kind, "-o", "@s.zip"][..], option.as_slice()].concat();
        assert_eq!(ncgen(&sandbox, &args).code, 0);
        let bytes = sandbox.read("s.zip");
        let has = |name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
        assert_eq!(has(b"s/w/"), prefixed, "{kind} {option:?}");
        assert!(has(b"w/"));
        let _ = dumped(&sandbox, "@s.zip");
    }
}

#[test]
fn copies_between_all_forms_are_verified() {
    let sandbox = sandbox();
    let _ = ncgen(&sandbox, &["-4", "-o", "@a.nc"]).clean();
    let zip = url(&sandbox, "c.anything\\#mode=nczarr,zip");
    for (kind, from, to) in [
        ("nczarr", "@a.nc", "@b.zarr"),
        ("nczarr", "@b.zarr", &zip),
        ("nczarr3", "@c.anything", "@d.zarr/"),
        ("nczarr3", "@d.zarr", "@d.zip"),
        ("nc4", "@d.zip", "@e.nc"),
    ] {
        let to_it = to.trim_end_matches('/');
        for _ in 0..2 {
            // A second run replaces the store; a `/` at the end needs an existing store.
            let again = sandbox.path(to_it.trim_start_matches('@')).exists();
            let to = if again { to } else { to_it };
            // Replacing a store is reported.
            let quiet = if again { "--quiet" } else { "--verify" };
            let args = ["nccopy", "--verify", quiet, "-k", kind, from, to];
            let _ = sandbox.run(nccopy::run, &args).clean();
        }
    }
    assert_eq!(dumped(&sandbox, "@e.nc"), TEXT);
    let names = [
        "a.nc",
        "b.zarr",
        "c.anything",
        "d.zarr",
        "d.zip",
        "dataset.cdl",
        "e.nc",
    ];
    assert_eq!(sandbox.names(), names, "nothing else is left");
    // A copy of a Zarr store to a file is netCDF-4 by default.
    let _ = sandbox
        .run(nccopy::run, &["nccopy", "@b.zarr", "@f.nc"])
        .clean();
    assert_eq!(
        sandbox.run(ncdump::run, &["ncdump", "-k", "@f.nc"]).text(),
        "netCDF-4\n"
    );
}

#[test]
fn a_store_is_never_copied_onto_itself_or_into_itself() {
    let sandbox = sandbox();
    let _ = ncgen(&sandbox, &["-k", "nczarr", "-o", "@s.zarr"]).clean();
    let _ = ncgen(&sandbox, &["-k", "nczarr", "-o", "@s.zip"]).clean();
    let before = dumped(&sandbox, "@s.zarr");
    let directory = url(&sandbox, "s.zarr#mode=nczarr,file");
    let zip = url(&sandbox, "s.zip#mode=nczarr,zip");
    for (from, to) in [
        ("@s.zarr", "@s.zarr"),
        ("@s.zarr", "@s.zarr/"),
        ("@s.zarr", directory.as_str()),
        (directory.as_str(), "@s.zarr/inner.zarr"),
        ("@s.zarr/v", "@s.zarr"),
        ("@s.zip", zip.as_str()),
    ] {
        let out = sandbox.run(nccopy::run, &["nccopy", "-k", "nczarr", from, to]);
        assert_eq!(out.code, 1, "{from} {to}: {out}");
        assert!(
            out.message().contains("output would overwrite input"),
            "{out}"
        );
    }
    assert_eq!(dumped(&sandbox, "@s.zarr"), before);
    assert_eq!(dumped(&sandbox, "@s.zip"), before);
}

#[test]
fn missing_inputs_have_a_remedy() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.write("no.zip", "hi\n");
    sandbox.write("cut.zip", b"PK\x03\x04 and nothing else");
    let no_zip = url(&sandbox, "no.zip#mode=zarr,zip");
    let empty = url(&sandbox, "empty#mode=nczarr,file");
    for (named, say) in [
        ("@empty", "not a Zarr store"),
        (empty.as_str(), "empty"),
        (no_zip.as_str(), "not a zip file"),
        ("@cut.zip", "truncated"),
        (
            "file://a#mode=nczarr,s3",
            "not the protocol of an object store",
        ),
        ("https:///key#mode=nczarr,s3", "without a host"),
        ("https://host/a.nc#dap4", "not read over DAP"),
        ("ftp://host/a.nc", "`ftp` is not a protocol"),
    ] {
        let out = sandbox.run(ncdump::run, &["ncdump", named]);
        assert_eq!(out.code, 1, "{named}: {out}");
        assert!(out.message().contains(say), "{named}: {out}");
    }
    let out = ncgen(&sandbox, &["-4", "-o", &url(&sandbox, "x")]);
    assert!(out.message().contains("add #mode=nczarr,file"), "{out}");
    let out = ncgen(
        &sandbox,
        &["-k", "zarr", "-o", &url(&sandbox, "x#mode=nczarr")],
    );
    assert!(out.message().contains("different kinds"), "{out}");
}

/// The process traces operations to standard error. Consolidated metadata can replace a damaged object, and the message of ncdump explains
/// this.
#[test]
fn consolidated_metadata_replaces_damaged_objects() {
    for (kind, key) in [
        ("zarr", ".zarray"),
        ("zarr3", "zarr.json"),
        ("nczarr", ".zattrs"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(
            "dataset.cdl",
            "netcdf a { dimensions: x = 3 ; variables: int v(x) ; v:a = 1 ; data: v = 1, 2, 3 ; }",
        );
        let args = ["-k", kind, "--consolidated", "-o", "@s"];
        let _ = ncgen(&sandbox, &args).clean();
        let object = sandbox.path("s").join("v").join(key);
        let text = std::fs::read_to_string(&object).unwrap();
        let damaged = format!("{},}}", text.trim_end().strip_suffix('}').unwrap());
        std::fs::write(&object, damaged).unwrap();
        let said = sandbox.run(ncdump::run, &["ncdump", "@s"]);
        assert_eq!(said.code, 1, "{said}");
        let url = format!(
            "file://{}#mode=nczarr,consolidated",
            sandbox.path("s").display()
        );
        let message = said.message();
        assert!(message.contains("a comma too many before '}'"), "{said}");
        assert!(message.contains("consolidated metadata is sound"), "{said}");
        assert!(message.contains("#mode=nczarr,consolidated"), "{said}");
        assert!(dumped(&sandbox, &url).contains("v = 1, 2, 3"), "{kind}");
        let names = [".zmetadata", "zarr.json"].map(|name| sandbox.path("s").join(name));
        let all = names.iter().find(|path| path.exists()).unwrap();
        std::fs::write(all, r#"{"zarr_format": "3", "metadata": 1"#).unwrap();
        let said = sandbox.run(ncdump::run, &["ncdump", "@s"]);
        assert!(!said.message().contains("sound"), "{said}");
    }
}

#[test]
fn versions_are_numbers() {
    for (name, version) in [(".zgroup", 2), ("zarr.json", 3)] {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.path("s")).unwrap();
        let json = format!(r#"{{"zarr_format": "{version}", "node_type": "group"}}"#);
        std::fs::write(sandbox.path("s").join(name), json).unwrap();
        let said = sandbox.run(ncdump::run, &["ncdump", "@s"]);
        let want = format!("the zarr_format is \"{version}\", expected {version}");
        assert!(said.message().contains(&want), "{said}");
    }
}

#[test]
fn operations_are_traced() {
    let sandbox = sandbox();
    let _ = ncgen(&sandbox, &["-k", "nczarr", "-o", "@s.zarr"]).clean();
    let traced = |level: &str, option: &[&str]| {
        let mut command = netcdf_tools_tests::tool!();
        command.env("NCTRACING", level).args(["ncdump", "-h"]);
        let out = command.args(option).arg(sandbox.path("s.zarr")).output();
        String::from_utf8(out.unwrap().stderr).unwrap()
    };
    let text = traced("9", &[]);
    assert!(text.contains("trace: get .zattrs: "), "{text}");
    assert!(!text.contains("w/0.0"), "a header needs no chunk: {text}");
    assert_eq!(traced("0", &["--trace"]), text);
    assert_eq!(traced("0", &[]), "");
    assert_eq!(traced("", &[]), "");
    let mut command = netcdf_tools_tests::tool!();
    let args = ["nccopy", "--trace", "-k", "zarr"].map(Into::into);
    let args = args
        .into_iter()
        .chain([sandbox.path("s.zarr"), sandbox.path("t.zarr")]);
    let out = command.args(args).output().unwrap();
    let text = String::from_utf8(out.stderr).unwrap();
    for line in [
        "trace: put w/0.0: ",
        "trace: put if absent v/.zarray: ",
        "trace: commit ",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(out.status.success());
}

/// A pipe may contain a zip file.
#[test]
fn zip_files_come_by_standard_input() {
    let sandbox = sandbox();
    let _ = ncgen(&sandbox, &["-k", "nczarr", "-o", "@s.zip"]).clean();
    let bytes = sandbox.read("s.zip");
    let shown = sandbox.run_with(ncdump::run, &["ncdump", "-n", "dataset", "-"], &bytes);
    assert_eq!(shown.clean().text(), TEXT);
}

/// Kinds have separate names, and `ncdump` prints the chunk storage of the output.
#[test]
fn a_dry_run_prints_the_plan_of_a_store() {
    let sandbox = sandbox();
    for (kind, label) in [
        ("nczarr", "NCZarr version 2"),
        ("zarr", "Zarr version 2"),
        ("nczarr3", "NCZarr version 3"),
        ("zarr3", "Zarr version 3"),
    ] {
        let args = [
            "nccopy",
            "--dry-run",
            "-k",
            kind,
            "%classic/ranks-1.nc",
            "@o.zarr",
        ];
        let out = sandbox.run(nccopy::run, &args);
        let text = out.text();
        assert!(text.contains(&format!("-> @/o.zarr ({label})\n")), "{out}");
        let chunks = |name: &str| {
            let mut lines = text.lines().filter(|line| line.starts_with(name));
            let line = lines.next().unwrap_or_default();
            line.split_whitespace().nth(2).map(str::to_owned)
        };
        assert_eq!(chunks("/scalar "), Some("scalar".to_owned()), "{text}");
        assert_eq!(chunks("/r3 "), Some("2x3x2".to_owned()), "{text}");
    }
    assert_eq!(sandbox.names(), ["dataset.cdl"]);
}
