//! Files with an unfinished change through the tools, and `--recover`.

use std::io::Result as IoResult;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use netcdf_core::io::file::{LockedFile, WriteAccess};
use netcdf_core::io::patched::PatchedFile;
use netcdf_core::io::raw_file::{RawFile, RawStamp};
use netcdf_core::notes::Notes;
use netcdf_tools_tests::harness::Sandbox;

/// A file whose writer stops after a number of calls.
#[derive(Debug)]
struct StoppedFile {
    inner: LockedFile,
    left: AtomicUsize,
}

impl StoppedFile {
    fn step(&self, call: impl FnOnce() -> IoResult<()>) -> IoResult<()> {
        let left = self.left.load(Ordering::Relaxed);
        let next = left.checked_sub(1);
        self.left.store(next.unwrap_or(0), Ordering::Relaxed);
        next.map_or(Err(std::io::ErrorKind::Other.into()), |_| call())
    }
}

impl RawFile for StoppedFile {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn stamp(&self) -> IoResult<RawStamp> {
        self.inner.stamp()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        self.inner.read_at(offset, buf)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> IoResult<()> {
        self.step(|| self.inner.write_at(offset, bytes))
    }

    fn set_len(&self, len: u64) -> IoResult<()> {
        self.step(|| self.inner.set_len(len))
    }

    fn sync(&self) -> IoResult<()> {
        Ok(())
    }

    fn stamp_at_path(&self) -> Option<RawStamp> {
        self.stamp().ok()
    }

    fn share_lock(&self) {}
}

const CDL: &str = "netcdf a { dimensions: x = 600 ; variables: int v(x) ; :title = \"one\" ; }";

/// A sandbox with a file of zeros, `a.nc`, whose change to other values stopped after a number of calls.
fn stopped(calls: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", CDL);
    let args = ["ncgen", "-k", "nc3", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    let file = LockedFile::open(&sandbox.path("a.nc"), false).unwrap();
    let (WriteAccess::Exclusive(inner) | WriteAccess::Unlocked(inner)) = file else {
        panic!("no reader has a lock");
    };
    let left = AtomicUsize::new(calls);
    let file = PatchedFile::open(Box::new(StoppedFile { inner, left }), &Notes::default());
    let file = file.unwrap();
    let end = file.committed_len();
    file.write(end - 2400, &[1; 2400]).unwrap();
    assert!(file.commit().is_err());
    sandbox
}

fn values(sandbox: &Sandbox) -> (String, String) {
    let out = sandbox.run(ncdump::run, &["ncdump", "-v", "v", "@a.nc"]);
    let text = out.text();
    let first = text.split("v = ").nth(1).unwrap_or_default();
    let first = first.split([',', ' ']).next().unwrap_or_default();
    (first.to_owned(), out.message())
}

/// The calls of the change are: journal, fence, values, and the sector with the fence.
#[test]
fn unfinished_changes_are_read_and_recovered() {
    for (calls, begun) in [(1, false), (2, true), (3, true)] {
        let sandbox = stopped(calls);
        let (value, message) = values(&sandbox);
        assert_eq!(value, "_", "the old state after {calls} calls: {message}");
        assert_eq!(message.contains("unfinished"), begun, "{message}");
        let recover = |state: &str| {
            let state = format!("--recover={state}");
            sandbox.run(nccopy::run, &["nccopy", &state, "@a.nc"])
        };
        let new = recover("new");
        match begun {
            true => {
                let _ = new.clean();
                assert_eq!(values(&sandbox).0, "16843009");
            }
            false => {
                assert!(new.message().contains("has not begun"), "{}", new.message());
                let _ = recover("old").clean();
                assert_eq!(values(&sandbox), ("_".to_owned(), String::new()));
            }
        }
        let again = recover("old").message();
        assert!(again.contains("does not end with the journal"), "{again}");
    }
}

/// Changes in place begin at the old state. A dry run leaves the unfinished change in the file.
#[test]
fn unfinished_changes_are_taken_back_before_a_change_in_place() {
    for calls in 1..=3 {
        let sandbox = stopped(calls);
        let before = sandbox.read("a.nc");
        let change = [
            "nccopy",
            "--in-place",
            "--attribute=@title=\"two\"",
            "@a.nc",
        ];
        let planned = sandbox.run(nccopy::run, &[&change[..], &["--dry-run"]].concat());
        assert_eq!(planned.code, 0, "{calls} calls: {}", planned.message());
        assert!(sandbox.read("a.nc") == before, "after {calls} calls");
        let changed = sandbox.run(nccopy::run, &change);
        assert_eq!(changed.code, 0, "{calls} calls: {}", changed.message());
        assert_eq!(values(&sandbox), ("_".to_owned(), String::new()));
        let dump = sandbox.run(ncdump::run, &["ncdump", "-h", "@a.nc"]);
        assert!(dump.text().contains(":title = \"two\""), "{}", dump.text());
    }
}

/// A file without a journal does not keep later files from their recovery.
#[test]
fn recovery_continues_after_an_error() {
    let sandbox = stopped(3);
    sandbox.write("other.nc", b"CDF");
    let paths = ["@other.nc", "@a.nc"];
    let recovered = sandbox.run(
        nccopy::run,
        &[&["nccopy", "--recover=old"], &paths[..]].concat(),
    );
    assert_eq!(recovered.code, 1);
    assert!(
        recovered.message().contains("other.nc"),
        "{}",
        recovered.message()
    );
    assert_eq!(values(&sandbox), ("_".to_owned(), String::new()));
}

#[test]
fn zarr_directories_only_have_an_old_state() {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", CDL);
    let args = ["ncgen", "-k", "zarr3", "-o", "@a.zarr", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    let recover = |state: &str| sandbox.run(nccopy::run, &["nccopy", state, "@a.zarr"]);
    let _ = recover("--recover=old").clean();
    for state in ["--recover=new", "--recover=drop"] {
        let refused = recover(state);
        assert_eq!(refused.code, 1);
        assert!(
            refused.message().contains("--recover=old"),
            "{}",
            refused.message()
        );
    }
}

/// Another program changes a file whose change is unfinished.
#[test]
fn other_programs_changes_are_never_overwritten_unasked() {
    for (state, want) in [("old", "_"), ("new", "16843009"), ("drop", "_")] {
        let sandbox = stopped(3);
        let mut bytes = sandbox.read("a.nc");
        let at = bytes.windows(4).position(|part| part == [1; 4]).unwrap();
        bytes[at + 1000] = 9;
        sandbox.write("a.nc", &bytes);
        let (_, message) = values(&sandbox);
        assert!(message.contains("--recover=old"), "{message}");
        let state = format!("--recover={state}");
        let _ = sandbox
            .run(nccopy::run, &["nccopy", &state, "@a.nc"])
            .clean();
        assert_eq!(
            values(&sandbox),
            (want.to_owned(), String::new()),
            "{state}"
        );
    }
}
