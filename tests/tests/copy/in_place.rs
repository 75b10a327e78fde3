//! `--in-place`: skipped files, replaced files, and error messages.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

/// A dataset with a text fill value, strings, an unlimited dimension and a group.
const TEXT: &str = "netcdf t { dimensions: t = UNLIMITED ; x = 4000 ; variables: float v(t, x) ; v:_FillValue = NaNf ;
    double x(x) ; int s ; :title = \"a\" ; :odd = NaN, 1. ; data: v = 1, 2, 3 ; x = 5 ; s = 7 ; }";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.cdl", TEXT);
    sandbox
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

fn in_place(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    nccopy(sandbox, &[&["--in-place", "--quiet"], args].concat())
}

/// Generates the dataset of `t.cdl`.
pub fn make(sandbox: &Sandbox, name: &str, kind: &str) {
    let name = format!("@{name}");
    let args = [
        "ncgen",
        "--quiet",
        "--no-sync",
        "-k",
        kind,
        "-o",
        &name,
        "@t.cdl",
    ];
    let _ = sandbox.run(ncgen::run, &args).clean();
}

/// Stored layout of a dataset as `ncdump -hs` prints it, without the name.
fn storage(sandbox: &Sandbox, name: &str) -> String {
    let name = format!("@{name}");
    let mut said = String::new();
    for options in [&["-n", "x", "-s"][..], &["--layout"]] {
        let args = [&["ncdump"], options, &[name.as_str()]].concat();
        let text = sandbox.run(ncdump::run, &args).text();
        said += &text.replace(&name.replace('@', ""), "x");
    }
    said
}

fn identity(path: &Path) -> (u64, SystemTime) {
    let meta = std::fs::metadata(path).unwrap();
    (meta.ino(), meta.modified().unwrap())
}

/// Copies a file or a directory tree.
fn copy_all(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy_all(&entry.path(), &to.join(entry.file_name()));
    }
}

fn remove(path: &Path) {
    match path.is_dir() {
        true => std::fs::remove_dir_all(path).unwrap(),
        false => std::fs::remove_file(path).unwrap(),
    }
}

/// Stores a dataset in each form, and requests each form in place. nccopy must skip a dataset in the requested form, and must not skip
/// a dataset if a copy would differ. Returns the number of skipped datasets.
fn all_forms(kind: &str, extension: &str, forms: &[&[&str]]) -> usize {
    let sandbox = sandbox();
    let name = |stem: &str| format!("{stem}.{extension}");
    let (made, left, forced) = (name("made"), name("left"), name("forced"));
    let mut skipped = 0;
    for (n, form) in forms.iter().enumerate() {
        make(&sandbox, &made, kind);
        let _ = in_place(&sandbox, &[*form, &[&format!("@{made}")]].concat()).clean();
        for (m, asked) in forms.iter().enumerate() {
            copy_all(&sandbox.path(&made), &sandbox.path(&left));
            let before = identity(&sandbox.path(&left));
            let out = in_place(&sandbox, &[*asked, &[&format!("@{left}")]].concat());
            assert_eq!(out.code, 0, "{form:?} {asked:?}: {out}");
            let same = before == identity(&sandbox.path(&left));
            assert!(same || n != m, "{kind} {form:?} is rewritten");
            if same {
                skipped += 1;
                copy_all(&sandbox.path(&made), &sandbox.path(&forced));
                let name = format!("@{forced}");
                let args = [&["--force"], *asked, &[&name]].concat();
                let _ = in_place(&sandbox, &args).clean();
                let cloud = asked.iter().any(|word| word.starts_with("--cloud"));
                let text = |name: &str| {
                    let text = storage(&sandbox, name);
                    // Only --cloud determines the order of data in the file.
                    let end = text.find("variable  shape").unwrap();
                    text[..if cloud { text.len() } else { end }].to_owned()
                };
                assert_eq!(text(&left), text(&forced), "{kind} {form:?} {asked:?}");
                remove(&sandbox.path(&forced));
            }
            remove(&sandbox.path(&left));
        }
        remove(&sandbox.path(&made));
    }
    skipped
}

#[test]
fn only_files_stored_as_requested_are_skipped() {
    let skipped = all_forms(
        "nc4",
        "nc",
        &[
            &["-d", "0"],
            &["-d", "1"],
            &["-F", "*,shuffle|zstd,3"],
            &["-c", "x/100", "-d", "1"],
            &["-u"],
            &["--cloud"],
            &["--cloud=paged"],
            &["-k", "nc7"],
            &["--attribute", "/@title=\"b\""],
        ],
    );
    assert!((10..50).contains(&skipped), "{skipped}");
}

#[test]
fn only_stores_stored_as_requested_are_skipped() {
    let forms = [
        &["-d", "5"][..],
        &["-F", "*,zstd,3"],
        &["-c", "x/100"],
        &["--consolidated"],
        &["--attribute", "/@title=\"b\""],
    ];
    let sharded = [&forms[..], &[&["--shard", "t/1,x/4000", "-c", "x/100"]]].concat();
    assert!(all_forms("zarr3", "zarr", &sharded) > sharded.len());
    assert!(all_forms("nczarr", "zarr", &forms) >= forms.len());
    let forms = [&["-d", "5"][..], &["-c", "x/100"]];
    assert!(all_forms("zarr", "zip", &forms) >= forms.len());
}

#[test]
fn only_classic_files_stored_as_requested_are_skipped() {
    let forms = [&["-k", "nc3"][..], &["-k", "nc6"], &["-u"]];
    assert!((3..9).contains(&all_forms("nc3", "nc", &forms)));
}

/// The attribute alone does not prove quantization: other numbers may have been added later.
#[test]
fn doubt_means_a_copy() {
    let sandbox = sandbox();
    make(&sandbox, "a.nc", "nc4");
    for (options, rewritten) in [
        (&["--quantize", "v,bitround,5"][..], true),
        (&[], true),
        (&["-k", "nc4"], false),
        (&["-k", "nc4", "--force"], true),
        (&["-k", "nc4", "--history"], false),
    ] {
        let args = [options, &["@a.nc"]].concat();
        for round in 0..2 {
            let before = identity(&sandbox.path("a.nc"));
            let _ = in_place(&sandbox, &args).clean();
            let same = before == identity(&sandbox.path("a.nc"));
            assert!(round == 0 || same != rewritten, "{options:?}");
        }
    }
}

/// An interrupted run continues: finished files are skipped and counted.
#[test]
fn a_second_run_goes_on() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("d")).unwrap();
    for name in ["d/a.nc", "d/b.nc", "d/c.nc"] {
        make(&sandbox, name, "nc4");
    }
    let asked = ["-d", "5"];
    let _ = in_place(&sandbox, &["-d", "5", "@d/a.nc"]).clean();
    let dry = nccopy(
        &sandbox,
        &[&["--in-place", "--dry-run=json"], &asked[..], &["@d"]].concat(),
    );
    assert!(dry.text().contains("\"skipped\": true"), "{dry}");
    let first = identity(&sandbox.path("d/a.nc"));
    let second = identity(&sandbox.path("d/b.nc"));
    let run = nccopy(&sandbox, &[&["--in-place"], &asked[..], &["@d"]].concat());
    assert_snapshot!("a_second_run_goes_on", run);
    assert_eq!(first, identity(&sandbox.path("d/a.nc")));
    assert_ne!(second, identity(&sandbox.path("d/b.nc")));
    let misuse = nccopy(&sandbox, &["--force", "@d/a.nc", "@o.nc"]);
    assert_eq!(misuse.code, 2, "{misuse}");
}

#[test]
fn if_smaller_replaces_only_larger_files() {
    let sandbox = sandbox();
    for name in ["a.nc", "s.zarr"] {
        make(&sandbox, name, if name == "a.nc" { "nc4" } else { "zarr3" });
        let path = format!("@{name}");
        let _ = in_place(&sandbox, &["-d", "9", &path]).clean();
        let before = (identity(&sandbox.path(name)), storage(&sandbox, name));
        for verify in [&[][..], &["--verify"]] {
            let larger = [&["--if-smaller", "-d", "0", "-c", "x/10"], verify, &[&path]].concat();
            let _ = in_place(&sandbox, &larger).clean();
            let now = (identity(&sandbox.path(name)), storage(&sandbox, name));
            assert_eq!(before, now, "{name}");
        }
        let _ = in_place(&sandbox, &["-d", "0", "-c", "x/10", &path]).clean();
        let larger = identity(&sandbox.path(name));
        let _ = in_place(&sandbox, &["--if-smaller", "--verify", "-d", "9", &path]).clean();
        assert_ne!(larger, identity(&sandbox.path(name)), "{name}");
    }
    let left = std::fs::read_dir(sandbox.path("")).unwrap().count();
    assert_eq!(left, 3, "no temporary file is left");
}

#[test]
fn modification_times_are_kept_if_asked() {
    let sandbox = sandbox();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (name, kind) in [("a.nc", "nc4"), ("s.zarr", "zarr3")] {
        make(&sandbox, name, kind);
        let path = sandbox.path(name);
        let file = std::fs::File::open(&path).unwrap();
        file.set_modified(old).unwrap();
        let before = identity(&path);
        let _ = in_place(&sandbox, &["--keep-mtime", "-d", "3", &format!("@{name}")]).clean();
        let now = identity(&path);
        assert!(
            before.0 != now.0 && now.1 == old,
            "{name}: {before:?} {now:?}"
        );
    }
}

/// Error messages name the format of foreign files, not a user block.
#[test]
fn foreign_files_are_named() {
    let sandbox = sandbox();
    for (name, bytes, said) in [
        ("gzip.nc", &b"\x1f\x8b\x08\0\0\0\0\0"[..], "gzip"),
        ("text.nc", b"netcdf a { variables: int v; }", "CDL"),
        ("grib.nc", b"GRIB\0\0\0\x02and more", "GRIB"),
        ("png.nc", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG"),
        ("empty.nc", b"", "empty"),
    ] {
        sandbox.write(name, bytes);
        let path = format!("@{name}");
        let out = nccopy(&sandbox, &["--in-place", "-d", "1", &path]);
        let dump = sandbox.run(ncdump::run, &["ncdump", &path]).message();
        let same = |text: &str| text.split_once(": ").map(|(_, what)| what.to_owned());
        assert_eq!(out.code, 1, "{name}");
        assert!(!out.message().contains("user block"), "{name}: {out}");
        assert!(out.message().contains(said), "{name}: {out}");
        assert_eq!(same(&out.message()), same(&dump), "{name}");
        assert_eq!(sandbox.read(name), bytes);
    }
    let hdf4 = netcdf_tools_tests::files::testdata("hdf4/attributes.hdf");
    std::fs::copy(hdf4, sandbox.path("a.hdf")).unwrap();
    assert_snapshot!(
        "hdf4_in_place",
        nccopy(&sandbox, &["--in-place", "-d", "1", "@a.hdf"])
    );
}
