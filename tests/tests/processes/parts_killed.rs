//! Parts that are killed at random moments, run by two processes, or run on a full disk: the output has the bytes of a copy in one process.
#![cfg(unix)]

use std::fmt::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use netcdf_tools_tests::files;
use netcdf_tools_tests::harness::Sandbox;
use netcdf_tools_tests::killed::Random;
use netcdf_tools_tests::sample;

const HELPER: &str = netcdf_tools_tests::helper!();
const PARTS: u64 = 40;
/// The numbers of killed processes in a plain run and in an exhaustive run.
const KILLS: [u64; 2] = [40, 200];

fn sandbox() -> Sandbox {
    let mut numbers = String::new();
    for n in 0..20 * 60 * 50u64 {
        let _ = write!(numbers, "{}{}", if n > 0 { ", " } else { "" }, n * n % 1013);
    }
    let sandbox = Sandbox::new();
    let cdl = format!(
        "netcdf a {{ dimensions: t = 20 ; y = 60 ; x = 50 ; variables: int v(t, y, x) ; double u(y, x) ; data: v = {numbers} ; u = 1 ; }}"
    );
    sandbox.write("a.cdl", cdl);
    let made = tool(&sandbox, &["ncgen", "-k", "nc4", "-o", "a.nc", "a.cdl"]).wait();
    assert!(made.expect("ncgen").success());
    sandbox
}

/// Starts a process of a tool in the sandbox.
fn tool(sandbox: &Sandbox, args: &[&str]) -> Child {
    let mut command = netcdf_tools_tests::tool!();
    command.args(args).current_dir(sandbox.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::piped()).spawn().expect("the tool")
}

#[track_caller]
fn succeeds(sandbox: &Sandbox, args: &[&str]) {
    let status = tool(sandbox, &[&["nccopy"], args].concat()).wait();
    assert!(status.expect("nccopy").success(), "{args:?}");
}

/// Plans a copy in this number of stages, with 40 parts each.
fn killed_at_any_moment(stages: u64, options: &[&str], output: &str) {
    let sandbox = sandbox();
    let want = output.replace("made", "want");
    succeeds(&sandbox, &[options, &["a.nc", &want]].concat());
    let number = PARTS.to_string();
    let two = stages.to_string();
    let plan = ["--plan", "p", "--parts", &number, "--stages", &two];
    succeeds(&sandbox, &[&plan, options, &["a.nc", output]].concat());
    let start = Instant::now();
    succeeds(&sandbox, &["--part", "0", "p"]);
    let time = start.elapsed();
    let mut random = Random(7);
    let mut hit = 0;
    let kills = sample::count(KILLS[0], KILLS[1]);
    for kill in 0..kills {
        let stage = kill * stages / kills;
        if stage > 0 && kill * stages % kills < stages {
            succeeds(&sandbox, &["--part", &of_stage(stage - 1), "p"]);
        }
        let part = (stage * PARTS + kill * 7 % PARTS).to_string();
        // Remove the record of the finished part.
        let _ = std::fs::remove_file(sandbox.path(&format!("p/done/{part}.json")));
        let mut first = tool(&sandbox, &["nccopy", "--part", &part, "p"]);
        // Every fourth time, a second process runs the same part.
        let second = (kill % 4 == 0).then(|| tool(&sandbox, &["nccopy", "--part", &part, "p"]));
        std::thread::sleep(random.part(time.max(Duration::from_millis(1))));
        hit += u64::from(first.try_wait().expect("a child").is_none());
        first.kill().expect("a child");
        let _ = first.wait();
        if let Some(second) = second {
            let out = second.wait_with_output().expect("a child");
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.success(), "part {part}: {said}");
        }
    }
    assert!(hit > kills / 20, "{hit} of {kills} were still running");
    println!(
        "{hit} processes killed of {kills}, {} in an exhaustive run",
        KILLS[1]
    );
    succeeds(&sandbox, &["--part", &of_stage(stages - 1), "p"]);
    succeeds(&sandbox, &["--finish", "--verify", "p"]);
    assert!(
        files::contents(&sandbox.path(&want)) == files::contents(&sandbox.path(output)),
        "{options:?}"
    );
    succeeds(&sandbox, &["--clean", "p"]);
    let left = sandbox
        .names()
        .into_iter()
        .filter(|name| name.starts_with('.'));
    assert_eq!(left.collect::<Vec<_>>(), [""; 0]);
}

/// Runs all parts of a stage.
fn of_stage(stage: u64) -> String {
    format!("{}-{}", stage * PARTS, (stage + 1) * PARTS - 1)
}

#[test]
fn parts_of_a_store() {
    killed_at_any_moment(
        1,
        &["-k", "zarr3", "-c", "v:20,7,11", "--shard", "v:20,14,22"],
        "made.zarr",
    );
}

#[test]
fn parts_of_a_file() {
    let options = ["-k", "nc4", "-c", "v:20,7,11", "-d1"];
    killed_at_any_moment(1, &options, "made.nc");
}

#[test]
fn parts_of_two_stages() {
    let options = ["-k", "nc4", "-c", "v:20,7,11", "-d1"];
    killed_at_any_moment(2, &options, "made.nc");
}

/// A limit on file sizes simulates a full disk.
#[test]
fn parts_on_a_full_disk_end_with_75() {
    for (kind, stages) in [("nc4", "1"), ("zarr3", "1"), ("nc4", "2")] {
        let sandbox = sandbox();
        let plan = ["--plan", "p", "--parts", "2", "--stages", stages];
        let options = ["-k", kind, "-c", "v:20,60,50", "a.nc", "made"];
        succeeds(&sandbox, &[&plan[..], &options].concat());
        let limited = format!("ulimit -f 16; exec {HELPER} tool nccopy --part 0 p");
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).current_dir(sandbox.path(""));
        let out = command.output().expect("a shell");
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(75), "{kind}: {said}");
        assert!(said.contains("File too large"), "{kind}: {said}");
        assert!(!sandbox.path("p/done/0.json").exists(), "{kind}");
        succeeds(&sandbox, &["--part", "0", "p"]);
        succeeds(&sandbox, &["--part", "1", "p"]);
    }
}

/// Too few file descriptors, also for a lease, are a temporary error.
#[test]
fn too_many_open_files_ask_for_another_attempt() {
    let sandbox = sandbox();
    let options = ["--parts", "2", "-k", "zarr3", "a.nc", "made"];
    succeeds(&sandbox, &[&["--plan", "p"][..], &options].concat());
    let mut failed = 0;
    for (step, limit) in ["--next", "--part 0"]
        .into_iter()
        .flat_map(|step| (4..12).map(move |limit| (step, limit)))
    {
        let limited = format!("ulimit -n {limit}; exec {HELPER} tool nccopy {step} p");
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).current_dir(sandbox.path(""));
        let out = command.output().expect("a shell");
        let said = String::from_utf8_lossy(&out.stderr);
        if said.contains("Too many open files") {
            assert_eq!(out.status.code(), Some(75), "{step} {limit}: {said}");
            failed += 1;
        }
    }
    assert!(failed > 1, "{failed}");
    succeeds(&sandbox, &["--next", "p"]);
}
