//! Readers beside a process that appends records in place.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};

use netcdf_core::model::Kind;
use netcdf_tools_tests::growing::{ReadCounts, RecordStorage, create, read, read_until};
use netcdf_tools_tests::sample;

/// The numbers of threads and processes that read.
const THREADS: usize = 8;
const PROCESSES: usize = 2;

fn helper(name: &str, path: &Path, rest: &[&str]) -> Command {
    let mut command = Command::new(netcdf_tools_tests::helper!());
    command.arg(name).arg(path).args(rest);
    command
}

/// Returns the counts that a reading process printed.
fn counts_of(reader: Child) -> ReadCounts {
    let out = reader.wait_with_output().unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let text = String::from_utf8(out.stdout).unwrap();
    let numbers: Vec<u64> = text
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    let &[whole, states, changed] = numbers.as_slice() else {
        panic!("{text}");
    };
    ReadCounts {
        whole,
        states,
        changed,
    }
}

/// Appends records in a process, beside threads and processes that read. Returns the sum of the readers' counts.
fn read_beside_writer(path: &Path, count: u64, sync: &[&str]) -> ReadCounts {
    let text = count.to_string();
    let start = |command: &mut Command| command.stdout(Stdio::piped()).spawn().unwrap();
    let readers: Vec<_> = (0..PROCESSES)
        .map(|_| start(helper("readrecords", path, &[&text]).stderr(Stdio::piped())))
        .collect();
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let path = path.to_owned();
            std::thread::spawn(move || read_until(&path, count).unwrap())
        })
        .collect();
    let rest = [&[text.as_str(), "appended"], sync].concat();
    let mut writer = helper("appendrecords", path, &rest);
    let done = writer.stdout(Stdio::null()).status().unwrap();
    assert!(done.success());
    let processes = readers.into_iter().map(counts_of);
    let threads = threads.into_iter().map(|thread| thread.join().unwrap());
    processes
        .chain(threads)
        .fold(ReadCounts::default(), |sum, one| ReadCounts {
            whole: sum.whole + one.whole,
            states: sum.states + one.states,
            changed: sum.changed + one.changed,
        })
}

/// Every read gives one state, or the error that the file has changed.
#[test]
fn readers_see_whole_states_or_a_change() {
    let all = [
        (Kind::CLASSIC, RecordStorage::Default),
        (Kind::CDF5, RecordStorage::Default),
        (Kind::NETCDF4, RecordStorage::Default),
        (Kind::NETCDF4, RecordStorage::Deflated),
        (Kind::NCZARR, RecordStorage::Default),
        (Kind::NCZARR, RecordStorage::Deflated),
        (Kind::NCZARR3, RecordStorage::Deflated),
    ];
    let dir = tempfile::tempdir().unwrap();
    for (n, (kind, storage)) in all.into_iter().enumerate() {
        for sync in [&[][..], &["nosync"]] {
            let path = dir.path().join(format!("{n}{}.nc", sync.len()));
            create(&path, kind, storage);
            let count = match sync.is_empty() {
                true => sample::count(20, 500),
                false => sample::count(60, 10_000),
            };
            let counts = read_beside_writer(&path, count, sync);
            println!("{} {storage:?} {sync:?}: {counts:?}", kind.name());
            assert_eq!(read(&path).unwrap(), count);
            let readers = (THREADS + PROCESSES) as u64;
            assert!(!sync.is_empty() || counts.states > readers, "{counts:?}");
        }
    }
}
