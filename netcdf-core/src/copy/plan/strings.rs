//! Strings of outputs that store them with a fixed size.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Pair, Plan};
use crate::chunk::Dataset;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Reader;
use crate::model::strings::{DEFAULT, OF_VARIABLE};
use crate::model::{Atomic, Region, Values, VarId};

/// Elements that are looked at at a time, about.
const BAND: u64 = 1 << 16;

/// Lets the string variables of a plan's output have room for their longest string, if it is one that stores strings with
/// a fixed size: as much as in the input, where that has such strings, else as much as the data needs.
///
/// # Errors
/// Those of reading the strings.
pub fn size_strings(reader: &dyn Reader, plan: &mut Plan, env: &Env) -> Result<()> {
    if plan.schema.kind.as_zarr().is_none() {
        return Ok(());
    }
    for &Pair { from, to } in &plan.data {
        let Some(var) = plan.schema.vars.get_mut(to.index()) else {
            continue;
        };
        if var.ty != Atomic::String.into() {
            continue;
        }
        let longest = width(reader, from, env)?;
        let fill = match var.fill_value() {
            Some(Values::String(fill)) => longest_of(&fill),
            Some(_) | None => 0,
        };
        var.storage.max_string = Some(longest.max(fill).max(1));
    }
    Ok(())
}

/// As [`size_strings`] for a dataset that is changed: strings of which no attribute says how long they may be have the room that
/// they have, or the usual one, and more if they need it.
///
/// # Errors
/// Those of reading the strings; [`ErrorKind::Argument`] for attributes that are no lengths.
pub fn widen_strings(reader: &dyn Reader, plan: &mut Plan, env: &Env) -> Result<()> {
    let said = plan.schema.said_string_size()?.is_some();
    if plan.schema.kind.as_zarr().is_none() || said {
        return Ok(());
    }
    for &Pair { from, to } in &plan.data {
        let Some(var) = plan.schema.vars.get_mut(to.index()) else {
            continue;
        };
        if var.ty != Atomic::String.into() || var.attribute(OF_VARIABLE).is_some() {
            continue;
        }
        let usual = var.storage.max_string.unwrap_or(DEFAULT);
        let fill = match var.fill_value() {
            Some(Values::String(fill)) => longest_of(&fill),
            Some(_) | None => 0,
        };
        let longest = longest(reader, from, env)?;
        var.storage.max_string = Some(usual.max(longest).max(fill));
    }
    Ok(())
}

/// Bytes of the longest string of a variable, or of those that it has room for.
fn width(reader: &dyn Reader, var: VarId, env: &Env) -> Result<u64> {
    let known = reader.schema().var(var).and_then(|v| v.storage.max_string);
    match known {
        Some(width) => Ok(width),
        None => longest(reader, var, env),
    }
}

/// Bytes of the longest string of a variable.
fn longest(reader: &dyn Reader, var: VarId, env: &Env) -> Result<u64> {
    let set = Dataset::new(reader, env);
    let region = Region::whole(&reader.schema().shape(var));
    let longest = AtomicU64::new(0);
    set.bands(
        var,
        (region, BAND),
        |_, bytes| {
            let Values::String(strings) = reader.resolve(var, &bytes)? else {
                let what = "values that are no strings";
                return Err(Error::new(ErrorKind::BadType, what));
            };
            longest.fetch_max(longest_of(&strings), Ordering::Relaxed);
            Ok(())
        },
        |()| Ok(()),
    )?;
    Ok(longest.into_inner())
}

fn longest_of(strings: &[Option<Box<[u8]>>]) -> u64 {
    let lengths = strings
        .iter()
        .map(|s| s.as_ref().map_or(0, |s| s.len() as u64));
    lengths.max().unwrap_or(0)
}
