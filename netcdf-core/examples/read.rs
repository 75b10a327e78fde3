//! Reads a variable of floats into memory and prints the time, for docs/benchmarks.md.
//!
//!     cargo run --release -p netcdf-core --example read -- DATASET VARIABLE THREADS

use std::error::Error;
use std::io::Write;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Instant;

use netcdf_core::api::{Dataset, Options, Select};
use netcdf_core::env::Env;
use netcdf_core::model::GroupId;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, name, threads] = args.as_slice() else {
        return Err("DATASET VARIABLE THREADS are expected".into());
    };
    let start = Instant::now();
    let threads: NonZeroU16 = threads.parse()?;
    let options = Options {
        env: Some(Arc::new(Env::with_threads(Some(threads)))),
        ..Options::default()
    };
    let dataset = Dataset::open_with(path, options)?;
    let var = dataset.var_id(GroupId::ROOT, name)?;
    let values: Vec<f32> = dataset.read(var, &Select::all())?;
    let seconds = start.elapsed().as_secs_f64();
    writeln!(
        std::io::stdout(),
        "{} values, the last is {:?}: {seconds:.3} s",
        values.len(),
        values.last()
    )?;
    Ok(())
}
