//! Jobs with many inputs: output names, copies in place, reports.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use insta::assert_snapshot;
use netcdf_tools_tests::files::testdata;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

const TEXT: &str = "netcdf t { dimensions: x = 1000 ; variables: int v(x) ; :title = \"a\" ; data: v = 1, 2, 3 ; }";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.cdl", TEXT);
    sandbox
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

fn make(sandbox: &Sandbox, name: &str, more: &[&str]) {
    let path = sandbox.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let name = format!("@{name}");
    let args = [
        &["ncgen", "--quiet", "--no-sync"],
        more,
        &["-o", &name, "@t.cdl"],
    ]
    .concat();
    let _ = sandbox.run(ncgen::run, &args).clean();
}

fn text(sandbox: &Sandbox, name: &str) -> String {
    let name = format!("@{name}");
    let args = ["ncdump", "-n", "x", &name];
    sandbox.run(ncdump::run, &args).clean().text().to_owned()
}

/// Returns the stored content, without names.
fn storage(sandbox: &Sandbox, name: &str) -> String {
    let name = format!("@{name}");
    let args = ["ncdump", "-hs", &name];
    sandbox.run(ncdump::run, &args).clean().text().to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_batch_that_changes_the_format_changes_extensions() {
    let sandbox = sandbox();
    for name in ["a.nc", "b.2020.nc4", "c.nc3"] {
        make(&sandbox, name, &[]);
    }
    let copies = |args: &[&str], inputs: &[&str], want: &[&str]| {
        let out = sandbox.path("out");
        std::fs::create_dir(&out).unwrap();
        let args = [args, inputs, &["@out/"]].concat();
        let _ = nccopy(&sandbox, &args).clean();
        assert_eq!(names(&out), want, "{args:?}");
        std::fs::rename(out, sandbox.path("last")).unwrap();
    };
    let files = ["@a.nc", "@b.2020.nc4", "@c.nc3"];
    copies(
        &["--quiet", "-k", "zarr3"],
        &files,
        &["a.zarr", "b.2020.zarr", "c.zarr"],
    );
    let last = sandbox.path("last");
    assert!(last.join("a.zarr/zarr.json").exists());
    std::fs::rename(&last, sandbox.path("stores")).unwrap();
    let stores = ["@stores/a.zarr", "@stores/b.2020.zarr"];
    copies(&["-k", "nc4"], &stores, &["a.nc", "b.2020.nc"]);
    assert!(last.join("a.nc").is_file());
    std::fs::remove_dir_all(&last).unwrap();
    copies(&["--quiet"], &stores, &["a.zarr", "b.2020.zarr"]);
    std::fs::remove_dir_all(&last).unwrap();
    copies(&["-k", "nc4"], &files, &["a.nc", "b.2020.nc4", "c.nc"]);
    std::fs::remove_dir_all(&last).unwrap();
    copies(
        &["--quiet", "--suffix", ".zarr"],
        &files,
        &["a.zarr", "b.2020.zarr", "c.zarr"],
    );
    assert!(
        last.join("c.zarr").is_dir(),
        "the suffix determines the kind"
    );
    std::fs::remove_dir_all(&last).unwrap();
    copies(
        &["-d1", "--suffix", "_small.nc"],
        &files[..1],
        &["a_small.nc"],
    );
}

#[test]
fn invalid_suffixes() {
    let sandbox = sandbox();
    make(&sandbox, "a.nc", &[]);
    std::fs::create_dir(sandbox.path("out")).unwrap();
    assert_snapshot!(
        "suffix_of_a_file",
        nccopy(&sandbox, &["--suffix", ".nc", "@a.nc", "@b.nc"])
    );
    let slash = nccopy(&sandbox, &["--suffix", "/../../b.nc", "@a.nc", "@out/"]);
    assert_snapshot!("suffix_with_a_slash", slash);
    let twice = nccopy(&sandbox, &["-k", "zarr3", "@a.nc", "@a.nc4", "@out/"]);
    assert_eq!(twice.code, 1, "both would be a.zarr: {twice}");
    assert_eq!(names(&sandbox.path("out")), [""; 0]);
}

/// The error suggests a correct command.
#[test]
fn output_directories_without_a_slash() {
    let sandbox = sandbox();
    make(&sandbox, "a.nc", &[]);
    std::fs::create_dir(sandbox.path("out")).unwrap();
    sandbox.write("out/mine", "");
    assert_snapshot!("into_a_directory", nccopy(&sandbox, &["@a.nc", "@out"]));
    let zarr = nccopy(&sandbox, &["-k", "zarr3", "@a.nc", "@out"]);
    assert_snapshot!("a_store_into_a_directory", zarr);
    assert_snapshot!(
        "a_new_store_with_a_slash",
        nccopy(&sandbox, &["@a.nc", "@new.zarr/"])
    );
    assert_snapshot!("a_new_directory", nccopy(&sandbox, &["@a.nc", "@new/"]));
    make(&sandbox, "s.zarr", &[]);
    let file = nccopy(&sandbox, &["-k", "nc4", "@a.nc", "@s.zarr"]);
    assert_snapshot!("a_file_in_the_place_of_a_store", file);
    assert_eq!(sandbox.names(), ["a.nc", "out", "s.zarr", "t.cdl"]);
}

#[test]
fn a_note_names_a_replaced_store() {
    let sandbox = sandbox();
    make(&sandbox, "a.nc", &[]);
    make(&sandbox, "s.zarr", &[]);
    let copy = nccopy(&sandbox, &["@a.nc", "@s.zarr/"]);
    assert_snapshot!("a_store_replaced", copy);
    let quiet = nccopy(&sandbox, &["--strict", "--quiet", "@a.nc", "@s.zarr"]);
    assert_eq!(quiet.code, 0, "it is no loss: {quiet}");
    let made = sandbox.run(ncgen::run, &["ncgen", "-o", "@s.zarr", "@t.cdl"]);
    assert_snapshot!("a_store_made_anew", made);
    assert_eq!(text(&sandbox, "s.zarr"), text(&sandbox, "a.nc"));
}

/// Recompresses a directory with datasets, other files and a damaged file. Links to files are followed.
#[test]
fn a_directory_in_place() {
    let sandbox = sandbox();
    make(&sandbox, "d/a.nc", &["-4"]);
    make(&sandbox, "d/sub/b.nc", &["-4"]);
    make(&sandbox, "d/sub/without-extension", &["-3"]);
    make(&sandbox, "d/s.zarr", &["-k", "nczarr", "--consolidated"]);
    make(&sandbox, "d/.hidden.nc", &["-4"]);
    make(&sandbox, "outside.nc", &["-4"]);
    let bytes = sandbox.read("d/a.nc");
    sandbox.write("d/damaged.nc", &bytes[..bytes.len() / 2]);
    sandbox.write("d/notes.txt", "mine");
    std::fs::hard_link(sandbox.path("d/a.nc"), sandbox.path("d/twin.nc")).unwrap();
    std::fs::remove_file(sandbox.path("d/twin.nc")).unwrap();
    make(&sandbox, "d/linked.nc", &["-4"]);
    std::fs::hard_link(sandbox.path("d/linked.nc"), sandbox.path("d/linked-too.nc")).unwrap();
    symlink("../outside.nc", sandbox.path("d/link.nc")).unwrap();
    symlink("../..", sandbox.path("d/sub/up")).unwrap();
    let mode = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(sandbox.path("d/a.nc"), mode).unwrap();
    let kept = ["d/damaged.nc", "d/notes.txt", "d/.hidden.nc", "d/linked.nc"];
    let before = kept.map(|name| sandbox.read(name));
    let out = nccopy(
        &sandbox,
        &["--in-place", "--recursive", "-F", "*,shuffle|zstd,3", "@d"],
    );
    assert_snapshot!("a_directory_in_place", out);
    for (name, before) in kept.iter().zip(before) {
        assert_eq!(sandbox.read(name), before, "{name}");
    }
    for name in [
        "d/a.nc",
        "d/sub/b.nc",
        "d/sub/without-extension",
        "d/s.zarr",
        "outside.nc",
    ] {
        let stored = storage(&sandbox, name);
        assert!(stored.contains("32015,3"), "{name}: {stored}");
        assert_eq!(
            text(&sandbox, name),
            text(&sandbox, "d/.hidden.nc"),
            "{name}"
        );
    }
    assert!(sandbox.path("d/s.zarr/.zmetadata").exists());
    assert!(sandbox.path("d/s.zarr/.zgroup").exists(), "still NCZarr");
    let meta = std::fs::metadata(sandbox.path("d/a.nc")).unwrap();
    assert_eq!(meta.mode() & 0o777, 0o640);
    assert!(sandbox.path("d/link.nc").is_symlink());
    let want = [
        ".hidden.nc",
        "a.nc",
        "damaged.nc",
        "link.nc",
        "linked-too.nc",
        "linked.nc",
        "notes.txt",
        "s.zarr",
        "sub",
    ];
    assert_eq!(names(&sandbox.path("d")), want, "nothing else is left");
}

#[test]
fn a_link_in_place() {
    let sandbox = sandbox();
    make(&sandbox, "a.nc", &["-4"]);
    symlink("a.nc", sandbox.path("link.nc")).unwrap();
    let args = ["--in-place", "-d9", "@link.nc", "@a.nc"];
    let _ = nccopy(&sandbox, &args).clean();
    assert!(sandbox.path("link.nc").is_symlink());
    assert!(storage(&sandbox, "a.nc").contains("_DeflateLevel = 9"));
}

/// With --in-place, files that would lose content stay unchanged.
#[test]
fn losses_in_place() {
    let sandbox = sandbox();
    let bytes = std::fs::read(testdata("hdf5/structures/classic_model.nc")).unwrap();
    let block = [&b"MATLAB 7.3 MAT-file"[..], &[0; 493], &bytes].concat();
    sandbox.write("block.mat", &block);
    assert_snapshot!(
        "a_user_block_in_place",
        nccopy(&sandbox, &["--in-place", "@block.mat"])
    );
    assert_eq!(sandbox.read("block.mat"), block);
    for name in [
        "external.h5",
        "external_1.raw",
        "external_2.raw",
        "virtual_v110.h5",
        "family_0.h5",
    ] {
        sandbox.write(name, std::fs::read(testdata("hdf5").join(name)).unwrap());
    }
    for name in ["@external.h5", "@virtual_v110.h5"] {
        let refused = nccopy(&sandbox, &["--in-place", name]);
        let said = refused.message();
        assert!(said.contains("the data is in several files"), "{said}");
    }
    assert_eq!(nccopy(&sandbox, &["--in-place", "@family_0.h5"]).code, 1);
    make(&sandbox, "a.nc", &[]);
    make(&sandbox, "s.zarr", &[]);
    let before = sandbox.read("a.nc");
    for args in [
        &["-k", "zarr3", "@a.nc"][..],
        &["-k", "nc4", "@s.zarr"],
        &["@nosuch.nc"],
        &["-"],
        &["-3", "-d1", "@a.nc"],
    ] {
        let args = [&["--in-place"], args].concat();
        let refused = nccopy(&sandbox, &args);
        assert_eq!(refused.code, 1, "{args:?}: {refused}");
    }
    assert_eq!(sandbox.read("a.nc"), before);
    for wrong in [&["-V", "v"][..], &["--skip-existing"], &["--suffix", ".nc"]] {
        let args = [&["--in-place"], wrong, &["@a.nc"]].concat();
        assert_eq!(nccopy(&sandbox, &args).code, 2, "{args:?}");
    }
    assert_snapshot!(
        "variables_in_place",
        nccopy(&sandbox, &["--in-place", "-V", "v", "@a.nc"])
    );
}

/// Totals, and failures, in both forms.
#[test]
fn reports_of_jobs() {
    let sandbox = sandbox();
    make(&sandbox, "a.nc", &[]);
    make(&sandbox, "b.nc", &[]);
    std::fs::create_dir(sandbox.path("out")).unwrap();
    sandbox.write("out/b.nc", "");
    sandbox.write("c.nc", "no dataset");
    let report = |form: &str| {
        let _ = std::fs::remove_file(sandbox.path("out/a.nc"));
        let args = ["--skip-existing", form, "@a.nc", "@b.nc", "@c.nc", "@out"];
        let mut out = nccopy(&sandbox, &args);
        assert_eq!(out.code, 1, "{out}");
        if form == "--report=json" {
            let text = out.text();
            let line = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
            let lines: Vec<_> = text.lines().map(line).collect();
            assert_eq!(lines[4]["totals"]["failed"], 1);
            assert!(lines[3]["error"].is_string());
            // The first line contains the date.
            let first = text.find('\n').unwrap();
            out.stdout.drain(..=first);
        }
        out.stdout = without_times(&out.text()).into_bytes();
        out
    };
    assert_snapshot!("report_of_a_job", report("--report"));
    assert_snapshot!("report_of_a_job_json", report("--report=json"));
}

/// Replaces the times in a report with `T`.
fn without_times(text: &str) -> String {
    let is_time = |word: &&str| {
        let word = word.trim_end_matches(['}', ']', ',', '\n']);
        word.split_once('.').is_some_and(|(a, b)| {
            let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
            digits(a) && digits(b) && (b.len() == 3 || b.len() == 6)
        })
    };
    let words = text.split_inclusive(' ').map(|word| {
        let blank = word.trim_end_matches(' ');
        blank
            .split_inclusive('\n')
            .map(|part| match is_time(&part) {
                true => format!(
                    "T{}",
                    part.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit())
                ),
                false => part.to_owned(),
            })
            .collect::<String>()
            + &word[blank.len()..]
    });
    words.collect()
}
