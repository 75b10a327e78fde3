//! `--in-place` with `--attribute` and `--rename`: classic files whose header is patched.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

const RECORDS: &str = "netcdf t { dimensions: t = UNLIMITED ; x = 3 ; variables: float v(t, x) ; v:units = \"kelvin\" ;
    v:_FillValue = NaNf ; int s ; :title = \"first title\" ; data: v = 1, 2, 3, 4, 5, 6 ; s = 7 ; }";

fn made(kind: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.cdl", RECORDS);
    let args = ["ncgen", "--no-sync", "-k", kind, "-o", "@a.nc", "@t.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    sandbox
}

fn edit(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(
        nccopy::run,
        &[&["nccopy", "--no-sync", "--in-place"], args, &["@a.nc"]].concat(),
    )
}

fn inode(sandbox: &Sandbox) -> u64 {
    std::fs::metadata(sandbox.path("a.nc")).unwrap().ino()
}

fn dump(sandbox: &Sandbox) -> String {
    sandbox.run(ncdump::run, &["ncdump", "@a.nc"]).text()
}

/// The expected text of a dataset after replacements.
fn replaced(text: &str, words: &[(&str, &str)]) -> String {
    let replace = |text: String, (old, new): &(&str, &str)| {
        assert!(text.contains(old), "{old}: {text}");
        text.replace(old, new)
    };
    words.iter().fold(text.to_owned(), replace)
}

#[test]
fn attributes_and_names_that_fit_are_patched() {
    for kind in ["classic", "64-bit offset", "cdf5"] {
        let sandbox = made(kind);
        let (before, file) = (dump(&sandbox), inode(&sandbox));
        let args = ["--attribute", "v@units=\"K\"", "--rename", "s,size"];
        let _ = edit(&sandbox, &args).clean();
        let words = [
            ("units = \"kelvin\"", "units = \"K\""),
            ("int s ;", "int size ;"),
            (" s = 7", " size = 7"),
        ];
        assert_eq!(dump(&sandbox), replaced(&before, &words), "{kind}");
        assert_eq!(inode(&sandbox), file, "{kind}");
    }
}

#[test]
fn a_header_that_does_not_fit_makes_a_new_file() {
    let sandbox = made("classic");
    let (before, file) = (dump(&sandbox), inode(&sandbox));
    let long = "a title that is much longer than the title before";
    let _ = edit(
        &sandbox,
        &["--attribute", &format!("char @title=\"{long}\"")],
    )
    .clean();
    assert_eq!(dump(&sandbox), replaced(&before, &[("first title", long)]));
    assert_ne!(inode(&sandbox), file);
}

#[test]
fn other_requests_make_a_new_file() {
    let attribute = ["--attribute", "v@units=\"K\""];
    for other in [
        &["--force"][..],
        &["--verify"],
        &["--report"],
        &["-k", "nc5"],
        &["-u"],
    ] {
        let sandbox = made("classic");
        let file = inode(&sandbox);
        let out = edit(&sandbox, &[&attribute[..], other].concat());
        assert_eq!(out.code, 0, "{other:?}: {out}");
        assert!(dump(&sandbox).contains("units = \"K\""), "{other:?}");
        assert_ne!(inode(&sandbox), file, "{other:?}");
    }
}

#[test]
fn the_modification_time_is_kept_if_asked() {
    let sandbox = made("classic");
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let modified = || {
        std::fs::metadata(sandbox.path("a.nc"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let file = std::fs::File::options()
        .write(true)
        .open(sandbox.path("a.nc"))
        .unwrap();
    file.set_modified(old).unwrap();
    let _ = edit(&sandbox, &["--keep-mtime", "--attribute", "v@units=\"K\""]).clean();
    assert_eq!(modified(), old);
    let _ = edit(&sandbox, &["--attribute", "v@units=\"F\""]).clean();
    assert_ne!(modified(), old);
}

#[test]
fn a_dry_run_counts_the_bytes() {
    let sandbox = made("classic");
    let before = sandbox.read("a.nc");
    let plan = |args: &[&str]| {
        edit(
            &sandbox,
            &[&["--attribute", "char @title=\"other title\""], args].concat(),
        )
    };
    let table = plan(&["--dry-run"]).text();
    // The words `first` and `other` have no common letter at the same place.
    assert!(
        table.ends_with("(classic)\nchanged in place: 5 bytes\n"),
        "{table}"
    );
    let json = plan(&["--dry-run=json"]).text();
    assert!(json.contains("\"changed_bytes\": 5"), "{json}");
    let anew = plan(&["--dry-run", "--force"]).text();
    assert!(
        anew.contains("method") && !anew.contains("in place"),
        "{anew}"
    );
    assert_eq!(sandbox.read("a.nc"), before);
}

/// A file with a streaming record count gets its true count.
#[test]
fn a_streaming_count_ends() {
    let sandbox = made("classic");
    let before = dump(&sandbox);
    let mut bytes = sandbox.read("a.nc");
    bytes[4..8].fill(0xff);
    sandbox.write("a.nc", &bytes);
    let out = edit(&sandbox, &["--attribute", "v@units=\"K\""]);
    assert_eq!(out.code, 0, "{out}");
    assert_eq!(dump(&sandbox), replaced(&before, &[("kelvin", "K")]));
}
