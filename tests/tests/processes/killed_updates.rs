//! Processes that append records in place and are killed: every reader sees the last sync, or the one in progress.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use netcdf_core::api::{Dataset, Length, Options, Select};
use netcdf_core::model::{Atomic, GroupId, Kind};
use netcdf_tools_tests::killed::Random;
use netcdf_tools_tests::sample;

const ROOT: GroupId = GroupId::ROOT;

fn create(path: &Path, kind: Kind) {
    let mut data = Dataset::create(path, kind).unwrap();
    let time = data.define_dim(ROOT, "time", Length::Unlimited).unwrap();
    let x = data.define_dim(ROOT, "x", 300.into()).unwrap();
    let n = data.define_dim(ROOT, "n", 700.into()).unwrap();
    data.define_var(ROOT, "time", Atomic::Double, &[time])
        .unwrap();
    data.define_var(ROOT, "t", Atomic::Int, &[time, x]).unwrap();
    let steps = data.define_var(ROOT, "steps", Atomic::Int, &[n]).unwrap();
    data.end_definition().unwrap();
    data.write(steps, &Select::all(), &[0; 700]).unwrap();
    data.close().unwrap();
}

/// Checks the values of a dataset, and returns the number of records.
fn records(path: &Path, fenced: bool) -> u64 {
    let data = Dataset::open(path).unwrap();
    let var = |name| data.var_id(ROOT, name).unwrap();
    let times = data.read::<u64>(var("time"), &Select::all()).unwrap();
    let count = times.len() as u64;
    assert!(times.into_iter().eq(0..count));
    let values = data.read::<u64>(var("t"), &Select::all()).unwrap();
    let wanted = (0..count).flat_map(|n| n..n + 300);
    assert!(values.into_iter().eq(wanted), "{count} records");
    let steps = data.read::<u64>(var("steps"), &Select::all()).unwrap();
    let want = if fenced { count } else { 0 };
    assert!(steps.iter().all(|step| *step == want), "{want}: {steps:?}");
    count
}

/// Starts a writer, kills it after a time, and returns the last record count that it printed.
fn kill(path: &Path, mode: &str, after: Duration) -> u64 {
    let mut writer = Command::new(netcdf_tools_tests::helper!())
        .args(["appendrecords".as_ref(), path.as_os_str()])
        .args(["100000", mode])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = writer.stdout.take().unwrap();
    std::thread::sleep(after);
    writer.kill().unwrap();
    writer.wait().unwrap();
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    lines.last().map_or(0, |line| line.parse().unwrap())
}

/// Readers see whole states while another process appends.
#[test]
fn readers_see_whole_states_beside_a_writer() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    create(&path, Kind::CLASSIC);
    let mut writer = Command::new(netcdf_tools_tests::helper!())
        .args(["appendrecords".as_ref(), path.as_os_str()])
        .args([sample::count("300", "10000"), "appended"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (mut last, mut states) = (0, 0);
    while writer.try_wait().unwrap().is_none() {
        let seen = records(&path, false);
        assert!(seen >= last);
        states += u32::from(seen > last);
        last = seen;
    }
    assert!(writer.wait().unwrap().success() && states > 1, "{states}");
    assert_eq!(records(&path, false), sample::count(300, 10000));
}

#[test]
fn killed_writers_leave_whole_states() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for (kind, mode) in [
        (Kind::CLASSIC, "appended"),
        (Kind::OFFSET64, "fenced"),
        (Kind::CDF5, "fenced"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.nc");
        let mut synced = 0;
        for n in 0..sample::count(6, 1000) {
            if n % 50 == 0 {
                create(&path, kind);
                synced = 0;
            }
            let printed = kill(&path, mode, random.part(Duration::from_millis(60)));
            synced = printed.max(synced);
            let seen = records(&path, mode == "fenced");
            assert!(
                seen == synced || seen == synced + 1,
                "{seen}, printed {synced}"
            );
            synced = seen;
        }
        assert!(synced > 0, "no record was written");
        // The next writer rolls back, and continues.
        let options = Options::default();
        Dataset::open_for_writing_with(&path, options)
            .unwrap()
            .close()
            .unwrap();
        assert_eq!(records(&path, mode == "fenced"), synced);
        if mode == "fenced" {
            let head = std::fs::read(&path).unwrap();
            assert!(head.starts_with(b"CDF"));
        }
    }
}
