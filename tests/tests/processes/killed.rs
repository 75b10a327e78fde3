//! Runs that are killed at random moments: every output is either unchanged or complete.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};

use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::locator;
use netcdf_core::model::{
    Atomic, CreateOptions, DimId, Dimension, GroupId, Kind, Name, Schema, Storage, VarId, Variable,
};
use netcdf_tools_tests::harness::Sandbox;
use netcdf_tools_tests::killed::{Job, Random};
use netcdf_tools_tests::sample;

/// A CDF-5 file with `t` records of 100 x 100 integers, and a variable of bytes.
fn input(path: &Path, records: u64, bytes: u64) {
    let mut schema = Schema::new(Kind::CDF5);
    for (name, len) in [("t", 0), ("y", 100), ("x", 100), ("n", bytes)] {
        schema.add_dim(Dimension {
            name: Name::stored(name.as_bytes()),
            group: GroupId::ROOT,
            len,
            unlimited: len == 0,
        });
    }
    let cases = [
        ("v", Atomic::Int, vec![DimId(0), DimId(1), DimId(2)]),
        ("b", Atomic::Byte, vec![DimId(3)]),
    ];
    for (name, ty, dims) in cases {
        schema.add_var(Variable {
            name: Name::stored(name.as_bytes()),
            group: GroupId::ROOT,
            ty: ty.into(),
            dims,
            attributes: vec![],
            storage: Storage::default(),
        });
    }
    let target = locator::output(path, false).unwrap();
    let options = CreateOptions {
        no_fill: true,
        ..CreateOptions::default()
    };
    let mut writer = format::create(target, schema, options, &Env::default()).unwrap();
    for record in 0..records {
        let numbers = (0..10_000u64).map(|n| (n * n * 31 + n * record) % 5000);
        let numbers: Vec<u8> = numbers.flat_map(|n| (n as u32).to_be_bytes()).collect();
        writer.put_run(VarId(0), record * 10_000, &numbers).unwrap();
    }
    writer.put_run(VarId(1), bytes - 1, &[1]).unwrap();
    writer.finish().unwrap();
}

/// The inputs, and the jobs to kill.
struct Jobs(Sandbox);

impl Jobs {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        input(&sandbox.path("a.nc"), 40, 1000);
        input(&sandbox.path("long.nc"), 40, 30 << 20);
        let chunked = [
            "nccopy",
            "-k4",
            "-d1",
            "-c",
            "t/1,y/50,x/100",
            "@a.nc",
            "@chunked.nc",
        ];
        let _ = sandbox.run(nccopy::run, &chunked).clean();
        let text = sandbox.run(ncdump::run, &["ncdump", "@a.nc"]).clean();
        sandbox.write("a.cdl", text.stdout);
        for n in 0..3 {
            std::fs::copy(
                sandbox.path("chunked.nc"),
                sandbox.path(&format!("m{n}.nc")),
            )
            .unwrap();
        }
        Self(sandbox)
    }

    fn job(&self, threads: &str, args: &str, outputs: &[&str]) -> Job {
        let input = |arg: &str| match arg.strip_prefix('%') {
            Some(name) => self.0.path(name).to_string_lossy().into_owned(),
            None => arg.to_owned(),
        };
        let mut args: Vec<String> = args.split(' ').map(input).collect();
        args.insert(1, format!("--threads={threads}"));
        if threads == "1" {
            args.push("--no-sync".to_owned());
        }
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        Job::new(netcdf_tools_tests::helper!(), &args, outputs)
    }

    fn all(&self, threads: &str) -> Vec<Job> {
        let one = &["out.nc"][..];
        [
            ("nccopy -d2 -s %chunked.nc @out.nc", one),
            (
                "nccopy -c t/40,y/10,x/10 --memory 100k %chunked.nc @out.nc",
                one,
            ),
            ("nccopy -k2 %long.nc @out.nc", one),
            (
                "nccopy -d3 %m0.nc %m1.nc %m2.nc @",
                &["m0.nc", "m1.nc", "m2.nc"],
            ),
            ("ncgen -k4 -o @out.nc %a.cdl", one),
            ("nccopy -k nczarr -d2 %chunked.nc @out.zarr", &["out.zarr"]),
            ("nccopy -k zarr3 -d2 %chunked.nc @out.zip", &["out.zip"]),
            ("ncgen -k nczarr -o @out.zarr %a.cdl", &["out.zarr"]),
        ]
        .map(|(args, outputs)| self.job(threads, args, outputs))
        .into()
    }
}

/// Checks whether a file is a temporary file that has just become an output.
fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".tmp")
}

/// Kills runs in all phases: 320 runs in an exhaustive run.
#[test]
fn killed_runs_leave_whole_files() {
    let jobs = Jobs::new();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut hit, mut old) = (0, 0);
    let kills = sample::count(5, 20);
    for threads in ["1", "2"] {
        for job in jobs.all(threads) {
            for _ in 0..kills {
                let delay = random.part(job.time);
                let end = job.end(delay, |child| child.kill().unwrap());
                hit += usize::from(end.hit);
                old += usize::from(end.new == 0);
                for name in &end.left {
                    assert!(is_temporary(name), "{name}");
                    // The next run is not affected.
                    job.run();
                    job.remove(name);
                }
            }
            job.run();
        }
    }
    // Otherwise too few runs were killed.
    assert!(
        hit > 5 * kills && old > 5 * kills / 2,
        "{hit} killed, {old} before anything was made"
    );
    println!("{hit} runs killed, of {} in an exhaustive run", 16 * 20);
}

fn signal(child: &mut Child, name: &str) {
    let line = format!("kill -{name} {}", child.id());
    let kill = Command::new("sh").args(["-c", &line]).output();
    // The run may have ended.
    let _ = kill.unwrap();
}

/// Stops each job at random moments. Returns the number of runs that the signal ended.
fn stopped_runs(jobs: &Jobs, random: &mut Random) -> usize {
    let mut stopped = 0;
    for job in jobs.all("2") {
        for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)].repeat(2) {
            let delay = random.part(job.time);
            let end = job.end(delay, |child| signal(child, name));
            assert!(end.left.is_empty(), "{end:?}");
            // A signal before the handlers are set ends the process.
            let by_signal =
                end.status.code() == Some(128 + number) || end.status.signal() == Some(number);
            assert!(by_signal || end.status.success(), "{end:?}");
            stopped += usize::from(by_signal);
        }
        job.run();
    }
    stopped
}

/// A tool that receives a signal removes all its files, and its status contains the signal. On a busy machine, many runs end before the
/// signal.
#[test]
fn stopped_runs_leave_nothing() {
    let jobs = Jobs::new();
    let mut random = Random(42);
    let mut stopped = 0;
    for _ in 0..5 {
        stopped += stopped_runs(&jobs, &mut random);
        if stopped > 10 {
            return;
        }
    }
    panic!("{stopped} stopped");
}

/// A limit on file sizes simulates a full disk, which not every machine can provide.
#[test]
fn a_file_size_limit_leaves_the_old_file() {
    let jobs = Jobs::new();
    for threads in ["1", "2"] {
        for job in jobs.all(threads) {
            let (end, message) = job.limited(4);
            assert_eq!(end.status.code(), Some(1), "{end:?} {message}");
            assert!(end.new == 0 && end.left.is_empty(), "{end:?}");
            assert!(
                message.contains("cannot write: File too large"),
                "{message}"
            );
            assert!(message.contains("(a limit of `ulimit -f`"), "{message}");
        }
    }
}
