//! Output files after failures, signals and overwriting. The tests run the executable, because signals, pipes and links need a process.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::locator;
use netcdf_core::model::{
    Atomic, CreateOptions, DimId, Dimension, GroupId, Kind, Name, Schema, Storage, VarId, Variable,
};

/// A directory with `in.nc`, where the tool runs.
struct Place(tempfile::TempDir);

impl Place {
    /// Creates `in.nc` with one variable `v` of `len` zero bytes.
    fn new(len: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        write_dataset(&dir.path().join("in.nc"), len);
        Self(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let list = fs::read_dir(self.0.path()).unwrap();
        let names = list.map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nccopy"));
        command.current_dir(self.0.path()).args(args.split(' '));
        command
    }

    fn run(&self, args: &str) -> Output {
        self.command(args).output().unwrap()
    }

    fn shell(&self, script: &str) -> Output {
        let mut shell = Command::new("sh");
        shell.current_dir(self.0.path()).args(["-c", script]);
        shell
            .env("NCCOPY", env!("CARGO_BIN_EXE_nccopy"))
            .output()
            .unwrap()
    }
}

fn write_dataset(path: &Path, len: u64) {
    let mut schema = Schema::new(Kind::CDF5);
    schema.add_dim(Dimension {
        name: Name::stored(b"n"),
        group: GroupId::ROOT,
        len,
        unlimited: false,
    });
    schema.add_var(Variable {
        name: Name::stored(b"v"),
        group: GroupId::ROOT,
        ty: Atomic::UByte.into(),
        dims: vec![DimId(0)],
        attributes: vec![],
        storage: Storage::default(),
    });
    let target = locator::output(path, false).unwrap();
    let options = CreateOptions {
        no_fill: true,
        ..CreateOptions::default()
    };
    let mut writer = format::create(target, schema, options, &Env::default()).unwrap();
    writer.put_run(VarId(0), len - 1, &[0]).unwrap();
    writer.finish().unwrap();
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn assert_done(out: &Output) {
    assert!(
        out.status.success(),
        "{:?} {}",
        out.status,
        text(&out.stderr)
    );
    assert_eq!(text(&out.stderr), "", "a successful run has no output");
}

/// Asserts a failure with exit 1 whose message contains `what`.
fn assert_failed(out: &Output, what: &str) {
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let message = text(&out.stderr);
    assert!(
        message.starts_with("nccopy: ") && message.contains(what),
        "{message}"
    );
}

#[test]
fn a_copy_leaves_the_output_and_nothing_else() {
    let place = Place::new(100_000);
    for flags in ["", "--no-sync ", "--threads 1 --quiet "] {
        assert_done(&place.run(&format!("{flags}in.nc out.nc")));
        assert_eq!(place.names(), ["in.nc", "out.nc"]);
        let same =
            fs::read(place.path("in.nc")).unwrap() == fs::read(place.path("out.nc")).unwrap();
        assert!(same);
        fs::remove_file(place.path("out.nc")).unwrap();
    }
}

#[test]
fn nothing_is_copied_over_its_own_input() {
    let place = Place::new(1000);
    symlink("in.nc", place.path("link")).unwrap();
    symlink("link", place.path("link2")).unwrap();
    fs::hard_link(place.path("in.nc"), place.path("hard")).unwrap();
    fs::create_dir(place.path("d")).unwrap();
    symlink("..", place.path("d/up")).unwrap();
    let names = place.names();
    let before = fs::read(place.path("in.nc")).unwrap();
    let pairs = [
        "in.nc in.nc",
        "in.nc ./in.nc",
        "in.nc link",
        "link in.nc",
        "in.nc link2",
        "link2 link",
        "in.nc hard",
        "hard link2",
        "in.nc d/up/in.nc",
        "-k cdf5 d/up/hard in.nc",
    ];
    for pair in pairs {
        assert_failed(&place.run(pair), "output would overwrite input");
        assert!(fs::read(place.path("in.nc")).unwrap() == before, "{pair}");
        assert_eq!(place.names(), names, "{pair}");
    }
    assert_eq!(fs::metadata(place.path("hard")).unwrap().nlink(), 2);
}

/// Files that a dataset refers to count as inputs.
#[test]
fn nothing_is_copied_over_a_file_of_its_input() {
    let place = Place::new(1000);
    fs::create_dir(place.path("d")).unwrap();
    let sources = ["virtual_source.h5", "external_1.raw", "external_2.raw"];
    for name in ["virtual_v110.h5", "external.h5"].iter().chain(&sources) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5");
        fs::copy(from.join(name), place.path(name)).unwrap();
    }
    fs::hard_link(place.path("external_2.raw"), place.path("d/external.h5")).unwrap();
    symlink("../virtual_source.h5", place.path("d/in.nc")).unwrap();
    let read = || sources.map(|name| fs::read(place.path(name)).unwrap());
    let (names, before) = (place.names(), read());
    for (args, source) in [
        (
            "--fill-missing virtual_v110.h5 virtual_source.h5",
            "virtual_source.h5",
        ),
        (
            "--fill-missing --verify virtual_v110.h5 d/in.nc",
            "virtual_source.h5",
        ),
        ("external.h5 ./external_2.raw", "external_2.raw"),
        ("-k nc4 external.h5 in.nc d/", "external_2.raw"),
    ] {
        let what = format!("{source}: output would overwrite a file of the input");
        assert_failed(&place.run(args), &what);
        assert_eq!(place.names(), names, "{args}");
        let kept = match args.ends_with('/') {
            false => read() == before,
            true => read()[1..] == before[1..],
        };
        assert!(kept, "{args}");
    }
    assert_done(&place.run("external.h5 external_3.raw"));
}

#[test]
fn links_and_permissions_of_the_output_stay() {
    let place = Place::new(1000);
    fs::create_dir(place.path("d")).unwrap();
    fs::write(place.path("d/old"), "old").unwrap();
    fs::set_permissions(place.path("d/old"), PermissionsExt::from_mode(0o604)).unwrap();
    symlink("d/old", place.path("link")).unwrap();
    assert_done(&place.run("in.nc link"));
    assert!(
        fs::symlink_metadata(place.path("link"))
            .unwrap()
            .is_symlink()
    );
    assert!(fs::read(place.path("d/old")).unwrap() == fs::read(place.path("in.nc")).unwrap());
    let mode = fs::metadata(place.path("d/old"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o604);
    assert_eq!(fs::read_dir(place.path("d")).unwrap().count(), 1);
}

#[test]
fn names_of_one_file_get_a_file_each() {
    let place = Place::new(1000);
    write_dataset(&place.path("b.nc"), 2000);
    fs::create_dir(place.path("d")).unwrap();
    fs::write(place.path("d/in.nc"), "old").unwrap();
    fs::hard_link(place.path("d/in.nc"), place.path("d/b.nc")).unwrap();
    // One output would overwrite another output.
    assert_failed(
        &place.run("--keep-links in.nc b.nc d/"),
        "--keep-links would overwrite it twice, or overwrite an input",
    );
    assert_eq!(fs::read(place.path("d/b.nc")).unwrap(), b"old");
    assert_done(&place.run("--quiet in.nc b.nc d/"));
    for name in ["in.nc", "b.nc"] {
        let made = fs::read(place.path("d").join(name)).unwrap();
        assert!(made == fs::read(place.path(name)).unwrap(), "{name}");
    }
}

#[test]
fn a_dangling_link_gets_its_target() {
    let place = Place::new(1000);
    symlink("new.nc", place.path("link")).unwrap();
    assert_done(&place.run("in.nc link"));
    assert_eq!(place.names(), ["in.nc", "link", "new.nc"]);
    assert!(
        fs::symlink_metadata(place.path("link"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn new_files_follow_the_umask() {
    let place = Place::new(1000);
    let out = place.shell("umask 027; \"$NCCOPY\" in.nc out.nc");
    assert_done(&out);
    let mode = fs::metadata(place.path("out.nc"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn devices_are_written_in_place() {
    let place = Place::new(1000);
    assert_done(&place.run("in.nc /dev/null"));
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
    if Path::new("/dev/full").exists() {
        assert_failed(
            &place.run("in.nc /dev/full"),
            "/dev/full: cannot write: No space left on device (free space",
        );
        assert!(
            fs::metadata("/dev/full")
                .unwrap()
                .file_type()
                .is_char_device()
        );
    }
}

#[test]
fn standard_output_is_written_in_place_whatever_it_is() {
    let place = Place::new(300_000);
    let want = fs::read(place.path("in.nc")).unwrap();
    let out = place.run("in.nc /dev/stdout");
    assert!(out.status.success() && out.stdout == want, "a pipe");
    let out = place.run("in.nc -");
    assert!(
        out.status.success() && out.stdout == want,
        "by its short name"
    );
    let script = "exec > f; echo head; \"$NCCOPY\" in.nc /dev/stdout; echo tail";
    assert_done(&place.shell(script));
    let with = |head: &[u8], tail: &[u8]| [head, want.as_slice(), tail].concat();
    let got = fs::read(place.path("f")).unwrap();
    assert!(
        got == with(b"head\n", b"tail\n"),
        "a file with several writers"
    );
    assert_done(&place.shell("echo head > g; \"$NCCOPY\" in.nc /dev/fd/1 >> g"));
    assert!(
        fs::read(place.path("g")).unwrap() == with(b"head\n", b""),
        "appended"
    );
    assert_eq!(place.names(), ["f", "g", "in.nc"]);
}

#[test]
fn a_pipe_with_a_name_gets_the_bytes() {
    let place = Place::new(300_000);
    let script = "mkfifo p && { cat p > got & \"$NCCOPY\" in.nc p; r=$?; wait; exit $r; }";
    assert_done(&place.shell(script));
    let kind = fs::metadata(place.path("p")).unwrap().file_type();
    assert!(kind.is_fifo());
    assert!(fs::read(place.path("got")).unwrap() == fs::read(place.path("in.nc")).unwrap());
    assert_eq!(place.names(), ["got", "in.nc", "p"]);
}

/// A truncated output in a pipe must cause an error.
#[test]
fn a_reader_that_goes_away_is_a_failure() {
    let place = Place::new(1 << 20);
    let mut command = place.command("in.nc /dev/stdout");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut head = [0; 4];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut head).unwrap();
    drop(stdout);
    assert_eq!(&head, b"CDF\x05");
    assert_failed(
        &child.wait_with_output().unwrap(),
        "/dev/stdout: cannot write: the output pipe was closed before the end of the dataset",
    );
}

#[test]
fn a_reader_of_text_may_go_away() {
    let place = Place::new(1000);
    let script = "{ sleep 0.1; $NCCOPY --dry-run in.nc out.nc; echo $? > status; } | true";
    assert_done(&place.shell(script));
    assert_eq!(fs::read(place.path("status")).unwrap(), b"0\n");
}

#[test]
fn standard_input_and_pipes_are_read() {
    let place = Place::new(1000);
    assert_done(&place.shell("\"$NCCOPY\" - out.nc < in.nc"));
    assert_done(&place.shell("cat in.nc | \"$NCCOPY\" /dev/stdin out2.nc"));
    let want = fs::read(place.path("in.nc")).unwrap();
    for name in ["out.nc", "out2.nc"] {
        assert!(fs::read(place.path(name)).unwrap() == want, "{name}");
    }
}

/// Runs until the temporary file exists and grows, sends the signal and waits for the end.
fn stop(place: &Place, signal: &str) -> Output {
    let mut command = place.command("--no-sync in.nc out.nc");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let id = child.id();
    let end = Instant::now() + Duration::from_secs(60);
    while !is_under_way(place, id) {
        assert!(Instant::now() < end, "no file in the making shows up");
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{signal} {id}")])
        .status();
    assert!(sent.unwrap().success());
    wait(child)
}

/// Checks whether a process has a non-empty file of the directory open, other than its input. The file may have no name.
fn is_under_way(place: &Place, id: u32) -> bool {
    let fds = PathBuf::from(format!("/proc/{id}/fd"));
    let Ok(list) = fs::read_dir(fds) else {
        return false;
    };
    let here = place.0.path().canonicalize().unwrap();
    let made = |fd: &PathBuf| {
        fs::read_link(fd).is_ok_and(|to| to.starts_with(&here) && !to.ends_with("in.nc"))
    };
    let mut found = list.filter_map(|e| e.ok()).map(|e| e.path()).filter(made);
    found.any(|fd| fs::metadata(fd).is_ok_and(|m| m.len() > 0))
}

/// Waits for the end of a process. Kills it before it fills the disk.
fn wait(mut child: Child) -> Output {
    let end = Instant::now() + Duration::from_secs(20);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().unwrap()
}

/// Zeros without disk blocks, which take some seconds to copy.
const LONG: u64 = 8 << 30;

#[test]
fn signals_leave_what_was_there() {
    let place = Place::new(LONG);
    // The tools inherit ignored signals, as under `nohup` or in the background of a script.
    let ignored = ignored();
    let signals = [("INT", 130), ("TERM", 143), ("HUP", 129)];
    let caught = signals
        .into_iter()
        .filter(|(_, status)| ignored >> (status - 129) & 1 == 0);
    for (signal, status) in caught {
        let out = stop(&place, signal);
        assert_eq!(out.status.code(), Some(status), "{}", text(&out.stderr));
        assert_eq!(place.names(), ["in.nc"], "{signal}");
    }
    fs::write(place.path("out.nc"), "old").unwrap();
    assert_eq!(stop(&place, "TERM").status.code(), Some(143));
    assert_eq!(place.names(), ["in.nc", "out.nc"]);
    assert_eq!(fs::read(place.path("out.nc")).unwrap(), b"old");
}

/// Returns the ignored signals of this process and its children: bit 0 is signal 1.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    u64::from_str_radix(mask.unwrap().trim(), 16).unwrap()
}

/// A waiting tool has no files to remove, and the signal wakes it. SIGINT is unsuitable: a script that starts the tests in the background
/// ignores it.
#[test]
fn signals_end_the_wait_for_input() {
    use std::os::unix::process::ExitStatusExt;
    let place = Place::new(1000);
    let mut command = place.command("- out.nc");
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Kept open, so that the input has no end.
    let stdin = child.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    let line = format!("kill -TERM {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &line])
            .status()
            .unwrap()
            .success()
    );
    let out = wait(child);
    assert_eq!(out.status.signal(), Some(15), "{out:?}");
    assert_eq!(place.names(), ["in.nc"]);
    drop(stdin);
}

#[test]
fn a_killed_run_leaves_nothing_or_its_temporary_file() {
    let place = Place::new(LONG);
    fs::write(place.path("out.nc"), "old").unwrap();
    let out = stop(&place, "KILL");
    assert_eq!(out.status.code(), None);
    assert_eq!(fs::read(place.path("out.nc")).unwrap(), b"old");
    let mut names = place.names();
    names.retain(|name| name != "in.nc" && name != "out.nc");
    // Only for file systems without unnamed files.
    let is_temporary = |name: &String| name.starts_with(".out.nc.") && name.ends_with(".tmp");
    assert!(
        names.len() <= 1 && names.iter().all(is_temporary),
        "{names:?}"
    );
}

#[test]
fn truncated_input_leaves_what_was_there() {
    let place = Place::new(100_000);
    let len = fs::metadata(place.path("in.nc")).unwrap().len();
    let file = fs::File::options()
        .write(true)
        .open(place.path("in.nc"))
        .unwrap();
    file.set_len(len - 1).unwrap();
    fs::write(place.path("old.nc"), "old").unwrap();
    for output in ["out.nc", "old.nc"] {
        let out = place.run(&format!("in.nc {output}"));
        let at = format!(
            "expected 100000 bytes, found 99999 in /v at byte {}",
            len - 100_000
        );
        assert_failed(&out, &at);
        assert_eq!(place.names(), ["in.nc", "old.nc"]);
    }
    assert_eq!(fs::read(place.path("old.nc")).unwrap(), b"old");
}

#[test]
fn what_cannot_be_written_is_said() {
    let place = Place::new(1000);
    fs::create_dir(place.path("d")).unwrap();
    assert_failed(
        &place.run("in.nc nosuch/out.nc"),
        "nosuch/out.nc: cannot create: No such file",
    );
    assert_failed(
        &place.run("in.nc d"),
        "d: a directory (write d/ or d/in.nc ",
    );
    assert_failed(
        &place.run("nosuch.nc out.nc"),
        "nosuch.nc: cannot open: No such file",
    );
    assert_failed(
        &place.run("d out.nc"),
        "d: a directory, but not a Zarr store",
    );
    fs::write(place.path("text"), "not netCDF").unwrap();
    assert_failed(
        &place.run("text out.nc"),
        "text: this is text of another kind",
    );
    assert_eq!(place.names(), ["d", "in.nc", "text"]);
}

#[test]
fn directories_and_files_without_the_right_to_write_are_respected() {
    let place = Place::new(1000);
    fs::create_dir(place.path("d")).unwrap();
    fs::set_permissions(place.path("d"), PermissionsExt::from_mode(0o555)).unwrap();
    if fs::write(place.path("d/probe"), "").is_ok() {
        return; // the superuser may write everywhere
    }
    assert_failed(
        &place.run("in.nc d/out.nc"),
        "d/out.nc: cannot create: Permission denied",
    );
    fs::write(place.path("old"), "old").unwrap();
    fs::set_permissions(place.path("old"), PermissionsExt::from_mode(0o444)).unwrap();
    assert_failed(
        &place.run("in.nc old"),
        "old: cannot create: Permission denied",
    );
    assert_eq!(fs::read(place.path("old")).unwrap(), b"old");
}

/// A file size limit simulates a full disk.
#[test]
fn a_full_disk_is_said_and_leaves_what_was_there() {
    let place = Place::new(4 << 20);
    fs::write(place.path("out.nc"), "old").unwrap();
    let script = "trap '' XFSZ; ulimit -f 1000; exec \"$NCCOPY\" in.nc out.nc";
    assert_failed(
        &place.shell(script),
        "out.nc: cannot write: File too large (a limit of `ulimit -f`, or of this file system)",
    );
    assert_eq!(place.names(), ["in.nc", "out.nc"]);
    assert_eq!(fs::read(place.path("out.nc")).unwrap(), b"old");
}

#[test]
fn misuse_is_told_apart_from_failure() {
    let place = Place::new(1000);
    for args in [
        "in.nc",
        "-k nosuch in.nc out.nc",
        "-Q in.nc out.nc",
        "--threads 0 in.nc o",
    ] {
        let out = place.run(args);
        assert_eq!(out.status.code(), Some(2), "{args}");
        assert!(!out.stderr.is_empty() && out.stdout.is_empty());
    }
    for args in ["--help", "--version"] {
        let out = place.run(args);
        assert_done(&out);
        assert!(text(&out.stdout).contains("nccopy"));
    }
    assert_failed(&place.run("-v w in.nc out.nc"), "w: No such variable");
    assert_failed(
        &place.run("-g g in.nc out.nc"),
        "only permitted for netCDF-4",
    );
    assert_failed(&place.run("-3 in.nc out.nc"), "/v (ubyte) (use -k cdf5");
    for (args, what) in [
        ("-c nosuch/1", "-c: there is no dimension `nosuch`"),
        ("-F *,nosuch", "-F: no filter is called `nosuch`"),
        ("-F nosuch,zstd", "-F: there is no variable `nosuch`"),
    ] {
        let out = place.run(&format!("{args} in.nc out.nc"));
        assert_failed(&out, what);
    }
    assert_eq!(place.names(), ["in.nc"]);
}

#[test]
fn options_without_effect_are_noted_unless_quiet() {
    let place = Place::new(1000);
    let out = place.run("-5 -d1 in.nc out.nc");
    assert!(out.status.success());
    assert_eq!(
        text(&out.stderr),
        "nccopy: -d: no effect on classic output (use -k nc4 for netCDF-4 output)\n"
    );
    assert_done(&place.run("--quiet -5 -d1 in.nc out.nc"));
    let harmless = "-m 5M -h 1k -e 10 -M 100 -r -w -x -L 1 -d 0 -F none -u in.nc out.nc";
    assert_done(&place.run(harmless));
}

#[test]
fn closed_streams_do_no_harm() {
    let place = Place::new(1000);
    assert!(
        place
            .shell("\"$NCCOPY\" in.nc out.nc >&- 2>&- <&-")
            .status
            .success()
    );
    let out = place.shell("\"$NCCOPY\" nosuch out.nc 2>&-");
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn nothing_remains_where_files_may_not_be_so_large() {
    let place = Place::new(100_000);
    let out = place.shell("ulimit -f 20; $NCCOPY --no-sync in.nc out.nc");
    assert_failed(&out, "out.nc: cannot write");
    assert_eq!(place.names(), ["in.nc"]);
}

#[test]
fn flags_may_be_repeated() {
    let place = Place::new(1000);
    let out = place.run("-u -u -m 1 -m 2 -L 1 -L 2 -V v -V v -k 1 -k cdf5 in.nc out.nc");
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(
        fs::read(place.path("out.nc"))
            .unwrap()
            .starts_with(b"CDF\x05")
    );
}
