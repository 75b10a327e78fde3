//! Processes that append records in place and are killed: every reader sees the last sync, or the one in progress.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use netcdf_core::api::{Dataset, Length, Options, Select};
use netcdf_core::error::ErrorKind;
use netcdf_core::model::{Atomic, GroupId, Kind};
use netcdf_tools_tests::harness::Sandbox;
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

fn records(path: &Path, fenced: bool) -> u64 {
    checked(&Dataset::open(path).unwrap(), fenced).unwrap()
}

/// Checks the values of a dataset, and returns the number of records.
fn checked(data: &Dataset, fenced: bool) -> netcdf_core::Result<u64> {
    let var = |name| data.var_id(ROOT, name).unwrap();
    let times = data.read::<u64>(var("time"), &Select::all())?;
    let count = times.len() as u64;
    assert!(times.into_iter().eq(0..count));
    let values = data.read::<u64>(var("t"), &Select::all())?;
    let wanted = (0..count).flat_map(|n| n..n + 300);
    assert!(values.into_iter().eq(wanted), "{count} records");
    let steps = data.read::<u64>(var("steps"), &Select::all())?;
    let want = if fenced { count } else { 0 };
    assert!(steps.iter().all(|step| *step == want), "{want}: {steps:?}");
    Ok(count)
}

/// Starts a writer, and kills it some time after its first sync. Returns the last record count that it printed.
fn kill(path: &Path, mode: &str, after: Duration) -> u64 {
    let mut writer = Command::new(netcdf_tools_tests::helper!())
        .args(["appendrecords".as_ref(), path.as_os_str()])
        .args(["100000", mode])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    std::thread::sleep(after);
    writer.kill().unwrap();
    writer.wait().unwrap();
    let last = lines.map_while(Result::ok).last();
    last.unwrap_or(first).parse().unwrap()
}

/// Readers see whole states while another process appends.
#[test]
fn readers_see_whole_states_beside_a_writer() {
    for kind in [Kind::NCZARR, Kind::NCZARR3] {
        reads_beside_a_writer(kind);
    }
}

fn reads_beside_a_writer(kind: Kind) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    create(&path, kind);
    let mut writer = Command::new(netcdf_tools_tests::helper!())
        .args(["appendrecords".as_ref(), path.as_os_str()])
        .args([sample::count("300", "10000"), "appended"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (mut last, mut states) = (0, 0);
    while writer.try_wait().unwrap().is_none() {
        let seen = match Dataset::open(&path).and_then(|data| checked(&data, false)) {
            Ok(seen) => seen,
            // The writer was faster than all attempts, or ended the change whose old values were read.
            Err(e) if matches!(e.kind(), ErrorKind::Busy | ErrorKind::Changed) => last,
            Err(e) => panic!("{e}"),
        };
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
        (Kind::NCZARR, "appended"),
        (Kind::NCZARR3, "fenced"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.nc");
        let mut synced = 0;
        for n in 0..sample::count(6, 1000) {
            if n % 50 == 0 {
                create(&path, kind);
                synced = 0;
            }
            let printed = kill(&path, mode, random.part(Duration::from_millis(20)));
            assert!(printed > synced, "the writer continues");
            synced = printed;
            let seen = records(&path, mode == "fenced");
            assert!(
                seen == synced || seen == synced + 1,
                "{seen}, printed {synced}"
            );
            synced = seen;
        }
        // The next writer rolls back, and continues.
        let options = Options::default();
        Dataset::open_for_writing_with(&path, options)
            .unwrap()
            .close()
            .unwrap();
        assert_eq!(records(&path, mode == "fenced"), synced);
        let hidden = path.join("time").join(".netcdf-update");
        assert!(!hidden.exists());
        if mode == "fenced" && path.is_file() {
            let head = std::fs::read(&path).unwrap();
            assert!(head.starts_with(b"CDF"));
        }
    }
}

/// Returns the text of `ncdump` of netCDF-C in `PEER_BIN` or on the path, if it reads the file.
fn c_text(path: &Path) -> Option<String> {
    let tool = match std::env::var_os("PEER_BIN") {
        Some(folder) => Path::new(&folder).join("ncdump"),
        None => "ncdump".into(),
    };
    let out = Command::new(tool).arg(path).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    out.status.success().then_some(text)
}

/// netCDF-C reads what our tools read, or it refuses the file. It never refuses appended records.
#[test]
#[ignore = "needs the C tools"]
fn netcdf_c_sees_whole_states_of_killed_writers() {
    let mut random = Random(0x0fed_cba9_8765_4321);
    let mut refusals = 0;
    for (kind, mode) in [
        (Kind::CLASSIC, "appended"),
        (Kind::CDF5, "fenced"),
        (Kind::NETCDF4, "fenced"),
    ] {
        let sandbox = Sandbox::new();
        let path = sandbox.path("a.nc");
        for n in 0..sample::count(30, 300) {
            if n % 20 == 0 {
                create(&path, kind);
            }
            kill(&path, mode, random.part(Duration::from_millis(20)));
            let ours = sandbox.run(ncdump::run, &["ncdump", "@a.nc"]).text();
            match c_text(&path) {
                Some(text) => assert!(text == ours, "{mode}"),
                None if mode == "fenced" => refusals += 1,
                None => panic!("netCDF-C refuses appended records"),
            }
        }
    }
    println!("{refusals} refusals");
}
