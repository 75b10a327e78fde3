//! Many threads of one process read, copy, stop and fail at the same time, on one runtime. All threads must end, and all successful results
//! must be right. `STRESS_SECONDS` sets the duration.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use netcdf_core::ErrorKind;
use netcdf_core::api::{Dataset, Options, Select};
use netcdf_core::cancel::Cancel;
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, GroupId, Kind, StorageLayout, VarId};
use netcdf_core::runtime::{Runtime, WorkItem};

const ROOT: GroupId = GroupId::ROOT;
const SHAPE: [u64; 3] = [60, 40, 50];
const V: VarId = VarId(0);

/// Counts of finished work, to check that each kind of work happened.
#[derive(Default)]
struct Counts {
    read: AtomicU64,
    read_together: AtomicU64,
    copied: AtomicU64,
    stopped: AtomicU64,
    panicked: AtomicU64,
}

/// A random number generator (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Returns the element at a position.
fn element(index: &[u64]) -> f64 {
    let places = index.iter().zip(SHAPE).fold(0, |at, (n, len)| at * len + n);
    places as f64 / 4.0
}

/// Returns the elements of a region.
fn elements(start: &[u64], count: &[u64]) -> Vec<f64> {
    let mut all = vec![];
    for a in 0..count[0] {
        for b in 0..count[1] {
            for c in 0..count[2] {
                all.push(element(&[start[0] + a, start[1] + b, start[2] + c]));
            }
        }
    }
    all
}

fn make(path: &Path, chunk: [u64; 3]) {
    let mut data = Dataset::create(path, Kind::NETCDF4).unwrap();
    let dims = ["t", "y", "x"].iter().zip(SHAPE);
    let dims: Vec<_> = dims
        .map(|(name, len)| data.define_dim(ROOT, name, len.into()).unwrap())
        .collect();
    let v = data.define_var(ROOT, "v", Atomic::Double, &dims).unwrap();
    data.define_chunking(v, StorageLayout::Chunked(chunk.to_vec()))
        .unwrap();
    data.define_deflate(v, true, Some(1)).unwrap();
    data.write(v, &Select::all(), &elements(&[0; 3], &SHAPE))
        .unwrap();
    data.close().unwrap();
}

/// Returns an environment on the runtime, with a random budget.
fn options(runtime: &Runtime, random: &mut Random) -> (Options, Cancel) {
    let cancel = Cancel::default();
    let env = Env {
        runtime: runtime.with_memory(1 << random.below(24)),
        cancel: cancel.clone(),
        ..Env::default()
    };
    let options = Options {
        env: Some(Arc::new(env)),
        no_sync: true,
        ..Options::default()
    };
    (options, cancel)
}

fn read(data: &Dataset, random: &mut Random) -> Result<()> {
    let start = SHAPE.map(|len| random.below(len));
    let count: Vec<u64> = (0..3)
        .map(|d| 1 + random.below(SHAPE[d] - start[d]))
        .collect();
    let found: Vec<f64> = data.read(V, &Select::region(&start, &count))?;
    assert!(found == elements(&start, &count), "{start:?} {count:?}");
    Ok(())
}

fn copy(data: &Dataset, (path, options): (&Path, Options), random: &mut Random) -> Result<()> {
    let mut to = Dataset::create_with(path, Kind::NETCDF4, options.clone())?;
    for (name, len) in ["t", "y", "x"].iter().zip(SHAPE) {
        to.define_dim(ROOT, name, len.into())?;
    }
    to.copy_variable((data, V), ROOT)?;
    to.close()?;
    read(&Dataset::open_with(path, options)?, random)
}

/// Runs a job with a panicking item and nested jobs.
fn fail(runtime: &Runtime, random: &mut Random) -> Result<()> {
    let (bad, bytes) = (random.below(30), 1 << random.below(20));
    let items = |n| (0..n).map(move |n| Ok(WorkItem::new(bytes, n)));
    let within = |n| match n == bad {
        true => panic!("as expected"),
        false => runtime.ordered(items(5), Ok, |_| Ok(())),
    };
    runtime.ordered(items(30), within, Ok)
}

/// State that the threads share.
struct Shared<'a> {
    files: Vec<PathBuf>,
    /// Open files: several threads share their cached chunks.
    open: Vec<Dataset>,
    runtime: Runtime,
    counts: &'a Counts,
}

fn work(shared: &Shared<'_>, own: &Path, random: &mut Random) {
    let Shared {
        files,
        open,
        runtime,
        counts,
    } = shared;
    let (options, cancel) = options(runtime, random);
    let n = random.below(files.len() as u64) as usize;
    let data = Dataset::open_with(&files[n], options.clone()).unwrap();
    let (done, count) = match random.below(8) {
        0 => (fail(runtime, random), &counts.panicked),
        1 => (copy(&data, (own, options), random), &counts.copied),
        2 => std::thread::scope(|scope| {
            let wait = Duration::from_micros(random.below(2000));
            scope.spawn(move || {
                std::thread::sleep(wait);
                cancel.0.store(2, Ordering::Relaxed);
            });
            let mut read = || (0..100).try_for_each(|_| read(&data, random));
            (read(), &counts.stopped)
        }),
        3 | 4 => {
            let read = (0..3).try_for_each(|_| read(&open[n], random));
            (read, &counts.read_together)
        }
        _ => (read(&data, random), &counts.read),
    };
    match done.map_err(|e| (e.kind(), e.to_string())) {
        Ok(()) => {}
        Err((ErrorKind::Internal, e)) if std::ptr::eq(count, &counts.panicked) => {
            assert!(e.contains("panicked"), "{e}");
        }
        Err((ErrorKind::Cancelled, _)) if std::ptr::eq(count, &counts.stopped) => {}
        Err((_, e)) => panic!("{e}"),
    }
    count.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn many_threads_share_a_runtime() {
    let seconds = std::env::var("STRESS_SECONDS").map_or(3, |n| n.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(seconds);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload_as_str() != Some("as expected") {
            usual(info);
        }
    }));
    let dir = tempfile::tempdir().unwrap();
    let files: Vec<PathBuf> = [[7, 40, 50], [60, 1, 50], [13, 11, 9]]
        .iter()
        .enumerate()
        .map(|(n, chunk)| {
            let path = dir.path().join(format!("{n}.nc"));
            make(&path, *chunk);
            path
        })
        .collect();
    let runtime = Runtime::sized(4, 2 << 20).sharing_all();
    let counts = Counts::default();
    // The second runtime allows more concurrent requests than threads.
    let runtimes = [runtime.clone(), runtime.with_requests(6)];
    let shared = runtimes.map(|runtime| {
        let runtime = runtime.for_requests(false);
        let open = files.iter().map(|file| {
            let (options, _) = options(&runtime, &mut Random(1));
            Dataset::open_with(file, options).unwrap()
        });
        Shared {
            open: open.collect(),
            files: files.clone(),
            runtime,
            counts: &counts,
        }
    });
    std::thread::scope(|scope| {
        for n in 0..200 {
            let own = dir.path().join(format!("own{n}.nc"));
            let shared = &shared[n as usize % 2];
            scope.spawn(move || {
                let mut random = Random(n);
                loop {
                    work(shared, &own, &mut random);
                    if Instant::now() > end {
                        break;
                    }
                }
            });
        }
    });
    let done = [
        &counts.read,
        &counts.read_together,
        &counts.copied,
        &counts.stopped,
        &counts.panicked,
    ];
    let done = done.map(|count| count.load(Ordering::Relaxed));
    assert!(done.iter().all(|n| *n > 0), "{done:?}");
    println!("reads, reads together, copies, stops, panics: {done:?}");
}
