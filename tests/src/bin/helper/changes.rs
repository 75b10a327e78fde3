//! Changes a dataset as the lines of standard input tell: `changes PATH auto|always|never`.
//!
//! | line | change |
//! |---|---|
//! | `put NAME START COUNT STRIDE SEED` | values of a variable (a path): lists with commas; element `n` of the region is `(SEED + 7 n) % 90`, or `text ` with this number |
//! | `read NAME` | none: a weighted sum of all values of a variable is printed |
//! | `title TEXT` | the attribute `title` |
//! | `sync` | a sync |
//! | `reopen` | the dataset is closed and opened again |

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;

use netcdf_core::api::{Dataset, InPlace, Options, Select};
use netcdf_core::model::{Atomic, GroupId, Values, VarId};
use netcdf_core::{Error, ErrorKind, Result};

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
    let in_place = match args.get(1).and_then(|arg| arg.to_str()) {
        Some("always") => InPlace::Always,
        Some("never") => InPlace::Never,
        _ => InPlace::Auto,
    };
    let open = || {
        let options = Options {
            no_sync: true,
            in_place,
            ..Options::default()
        };
        Dataset::open_for_writing_with(&path, options)
    };
    let mut data = open()?;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| Error::io("cannot read", "(stdin)", e))?;
        let words: Vec<_> = line.split(' ').collect();
        match words.as_slice() {
            ["put", name, region @ ..] => put(&mut data, name, region)?,
            ["read", name] => {
                let var = variable(&data, name)?;
                let values = match data.read_values(var, &Select::all())? {
                    Values::String(texts) => texts.into_iter().map(number_of_text).collect(),
                    _ => data.read::<f64>(var, &Select::all())?,
                };
                let sum: f64 = (1..).zip(values).map(|(n, x)| f64::from(n) * x).sum();
                let _ = writeln!(std::io::stdout(), "{name} {sum}");
            }
            ["title", text] => {
                let text = Values::Char(text.as_bytes().to_vec());
                data.redefine()?;
                data.put_attribute(GroupId::ROOT, "title", text)?;
                data.end_definition()?;
            }
            ["sync"] => data.sync()?,
            ["reopen"] => {
                data.close()?;
                data = open()?;
            }
            _ => return Err(Error::new(ErrorKind::Argument, line)),
        }
    }
    data.close()
}

/// Returns the variable with a path.
fn variable(data: &Dataset, path: &str) -> Result<VarId> {
    match path.rsplit_once('/') {
        Some((group, name)) => data.var_id(data.group_id(GroupId::ROOT, group)?, name),
        None => data.var_id(GroupId::ROOT, path),
    }
}

fn numbers(list: &str) -> Vec<u64> {
    list.split(',').filter_map(|n| n.parse().ok()).collect()
}

/// Writes the values of a line `put`.
fn put(data: &mut Dataset, name: &str, region: &[&str]) -> Result<()> {
    let region: Vec<_> = region.iter().map(|list| numbers(list)).collect();
    let [start, count, stride, seed] = region.as_slice() else {
        return Err(Error::new(ErrorKind::Argument, "no region"));
    };
    let var = variable(data, name)?;
    let seed = seed.first().copied().unwrap_or(0);
    let values: Vec<_> = (0..count.iter().product())
        .map(|n: u64| (seed + 7 * n) % 90)
        .collect();
    let select = Select::region(start, count).stride(stride);
    if data.variable(var)?.ty == Atomic::String.into() {
        let texts = values
            .iter()
            .map(|n| Some(format!("text {n}").into_bytes().into()));
        return data.write_values(var, &select, &Values::String(texts.collect()));
    }
    data.write(var, &select, &values)
}

/// Returns the number in a text of a line `put`, or 0.
fn number_of_text(text: Option<Box<[u8]>>) -> f64 {
    let text = String::from_utf8(text.unwrap_or_default().into_vec()).unwrap_or_default();
    let number = text.strip_prefix("text ").and_then(|n| n.parse().ok());
    number.unwrap_or(0.0)
}
