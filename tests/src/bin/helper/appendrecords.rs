//! Appends records to a dataset, with a sync after each: `appendrecords PATH COUNT [fenced] [nosync]`.
//!
//! Prints the record count after each sync. `fenced`: each sync also changes the values of the variable `steps`. `nosync`: without `fsync`.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use netcdf_core::Result;
use netcdf_core::api::{Dataset, Options, Select};
use netcdf_core::model::GroupId;

pub(crate) fn main(args: &[OsString]) -> ExitCode {
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "{e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[OsString]) -> Result<()> {
    let path = args.first().cloned().unwrap_or_default();
    let has = |word: &str| args.iter().any(|arg| arg == word);
    let count = args.get(1).and_then(|arg| arg.to_str()?.parse().ok());
    let options = Options {
        no_sync: has("nosync"),
        ..Options::default()
    };
    let mut data = Dataset::open_for_writing_with(&path, options)?;
    let [time, t, steps] = ["time", "t", "steps"].map(|name| data.var_id(GroupId::ROOT, name));
    let (time, t, steps) = (time?, t?, steps?);
    let (begun, width) = (data.shape(time)?, data.shape(t)?);
    let (begun, width) = (
        begun.iter().sum::<u64>(),
        width.last().copied().unwrap_or(0),
    );
    for n in begun..begun + count.unwrap_or(1000) {
        data.write_one(time, &[n], n)?;
        let values: Vec<u64> = (0..width).map(|x| n + x).collect();
        data.write(t, &Select::region(&[n, 0], &[1, width]), &values)?;
        if has("fenced") {
            let len = data.shape(steps)?.iter().product::<u64>();
            let values = vec![n + 1; usize::try_from(len).unwrap_or(0)];
            data.write(steps, &Select::all(), &values)?;
        }
        data.sync()?;
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{}", n + 1).and_then(|()| out.flush());
    }
    data.close()
}
