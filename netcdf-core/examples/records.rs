//! Appends records to the variables `time` and `t` in place, with a sync after each (`once`: only at the end), for docs/benchmarks.md.
//!
//!     cargo run --release -p netcdf-core --example records -- DATASET COUNT [fsync] [once]

use std::error::Error;

use netcdf_core::api::{Dataset, InPlace, Options, Select};
use netcdf_core::model::GroupId;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, count, words @ ..] = args.as_slice() else {
        return Err("DATASET and COUNT are expected".into());
    };
    let has = |word: &str| words.iter().any(|given| given == word);
    let options = Options {
        no_sync: !has("fsync"),
        in_place: InPlace::Always,
        ..Options::default()
    };
    let mut data = Dataset::open_for_writing_with(path, options)?;
    let time = data.var_id(GroupId::ROOT, "time")?;
    let t = data.var_id(GroupId::ROOT, "t")?;
    let begun = data.shape(time)?.iter().sum::<u64>();
    let count: u64 = count.parse()?;
    for n in begun..begun.saturating_add(count) {
        data.write_one(time, &[n], n as f64)?;
        let values: Vec<f64> = (0..300).map(|x| (n + x) as f64).collect();
        data.write(t, &Select::region(&[n, 0], &[1, 300]), &values)?;
        if !has("once") {
            data.sync()?;
        }
    }
    data.close()?;
    Ok(())
}
