//! Measures reads of fragments smaller than the chunks, for docs/benchmarks.md.
//!
//!     cargo run --release -p netcdf-core --example parts -- FOLDER THREADS
//!
//! The example creates the datasets in FOLDER. Each time is the median of 15; each run reopens the dataset.

use std::error::Error;
use std::io::Write;
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use netcdf_core::api::{Dataset, Length, Options, Select};
use netcdf_core::env::Env;
use netcdf_core::model::{Atomic, GroupId, Kind, StorageLayout, VarId};

type Done<T> = Result<T, Box<dyn Error>>;

const TIMES: usize = 15;

/// A variable with deflate, and the fragments to read.
struct Case {
    name: &'static str,
    shape: [u64; 3],
    chunk: [u64; 3],
    /// Fragments to read one by one, each with this shape.
    parts: u64,
    part: [u64; 3],
}

const CASES: [Case; 3] = [
    Case {
        name: "64 steps of 512 x 512, chunks of 64 x 64 x 64",
        shape: [64, 512, 512],
        chunk: [64, 64, 64],
        parts: 64,
        part: [1, 512, 512],
    },
    Case {
        name: "64 steps of 256 x 256, chunks of 64 x 64 x 64",
        shape: [64, 256, 256],
        chunk: [64, 64, 64],
        parts: 64,
        part: [1, 256, 256],
    },
    Case {
        name: "200 rows of one chunk of 1 x 1024 x 1024",
        shape: [1, 1024, 1024],
        chunk: [1, 1024, 1024],
        parts: 200,
        part: [1, 1, 1024],
    },
];

/// Returns the numbers of a smooth field with some noise.
fn field(len: usize) -> Vec<f32> {
    let mut seed = 1u32;
    let one = |n: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = f32::from(u8::try_from(seed >> 28).unwrap_or(0));
        f32::from(u16::try_from(n / 7 % 4096).unwrap_or(0)) / 16.0 + noise
    };
    (0..len).map(one).collect()
}

fn make(path: &Path, case: &Case) -> Done<()> {
    let mut data = Dataset::create(path, Kind::NETCDF4)?;
    let mut dims = vec![];
    for (name, len) in ["t", "y", "x"].into_iter().zip(case.shape) {
        dims.push(data.define_dim(GroupId::ROOT, name, Length::Fixed(len))?);
    }
    let var = data.define_var(GroupId::ROOT, "v", Atomic::Float, &dims)?;
    data.define_chunking(var, StorageLayout::Chunked(case.chunk.to_vec()))?;
    data.define_deflate(var, true, Some(1))?;
    let len = usize::try_from(case.shape.iter().product::<u64>())?;
    data.write(var, &Select::all(), &field(len))?;
    data.close()?;
    Ok(())
}

fn open(path: &Path, env: &Arc<Env>) -> Done<(Dataset, VarId)> {
    let options = Options {
        env: Some(Arc::clone(env)),
        ..Options::default()
    };
    let data = Dataset::open_with(path, options)?;
    let var = data.var_id(GroupId::ROOT, "v")?;
    Ok((data, var))
}

/// Returns the median seconds for reading a dataset.
fn median(path: &Path, env: &Arc<Env>, read: impl Fn(&Dataset, VarId) -> Done<()>) -> Done<f64> {
    let mut times = vec![];
    for _ in 0..TIMES {
        let (data, var) = open(path, env)?;
        let start = Instant::now();
        read(&data, var)?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times
        .get(TIMES / 2)
        .copied()
        .ok_or_else(|| "no times".into())
}

fn main() -> Done<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, threads] = args.as_slice() else {
        return Err("FOLDER THREADS are expected".into());
    };
    let threads: NonZeroU16 = threads.parse()?;
    let env = Arc::new(Env::with_threads(Some(threads)));
    let path = Path::new(folder).join("parts.nc");
    for case in &CASES {
        make(&path, case)?;
        let whole = median(&path, &env, |data, var| {
            let all: Vec<f32> = data.read(var, &Select::all())?;
            std::hint::black_box(all);
            Ok(())
        })?;
        let parts = median(&path, &env, |data, var| {
            for n in 0..case.parts {
                let mut start = [n, 0, 0];
                if case.shape[0] == 1 {
                    start = [0, n, 0];
                }
                let part: Vec<f32> = data.read(var, &Select::region(&start, &case.part))?;
                std::hint::black_box(part);
            }
            Ok(())
        })?;
        let times = parts / whole;
        let name = case.name;
        writeln!(
            std::io::stdout(),
            "{name}: {parts:.4} s, all at once {whole:.4} s, {times:.2} times"
        )?;
    }
    std::fs::remove_file(&path)?;
    Ok(())
}
