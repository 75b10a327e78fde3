//! Times: units and calendars of the inputs.

use netcdf_core::chunk::joined::LinearMap;
use netcdf_core::error::{Error, ErrorKind, Result};

use super::facts::InputVariable;
use super::mismatch::mismatch;
use super::missing::own_missing;
use super::request::JoinRequest;
use crate::time::TimeUnits;

impl InputVariable {
    /// Returns the time units with a fixed length.
    pub(super) fn times(&self) -> Option<TimeUnits> {
        let units = TimeUnits::parse(self.units.as_deref()?, self.calendar.as_deref())?;
        units.ok().filter(|units| units.scale().is_some())
    }

    fn units_text(&self) -> String {
        String::from_utf8_lossy(self.units.as_deref().unwrap_or_default()).into_owned()
    }
}

/// The times of the whole.
pub(super) struct TimeTarget<'a> {
    /// The facts about the first input.
    pub(super) base: &'a InputVariable,
    /// Whether inputs follow each other along a dimension of the variable.
    pub(super) joined: bool,
    pub(super) request: &'a JoinRequest,
}

/// Returns the change of the times of an input to the units of the whole; `None` for equal units, and for variables without times.
///
/// # Errors
/// Returns different calendars, and different units of a variable without the joined dimension, with both names and values. Returns
/// [`ErrorKind::Argument`] for requested units that are not understood.
pub(super) fn linear(
    whole: &TimeTarget<'_>,
    other: &InputVariable,
    names: [&str; 2],
) -> Result<Option<LinearMap>> {
    let base = whole.base;
    let (Some(own), Some(first)) = (other.times(), base.times()) else {
        return Ok(None);
    };
    if own.calendar() != first.calendar() {
        let [a, b] = [first.calendar().name(), own.calendar().name()];
        let what = format!("different calendars of {}: {a} and {b}", base.path);
        return Err(mismatch(names, &what));
    }
    let to = match whole.request.time_units.as_deref() {
        Some(units) if whole.joined => requested(units, base)?,
        Some(_) | None => first,
    };
    let (Some((origin, unit)), Some((to_origin, to_unit))) = (own.scale(), to.scale()) else {
        return Ok(None);
    };
    if (origin, unit) == (to_origin, to_unit) {
        return Ok(None);
    }
    if !whole.joined || !base.is_plain() {
        let [a, b] = [base.units_text(), other.units_text()];
        let what = format!(
            "different values of {}:units: \"{a}\" and \"{b}\"",
            base.path
        );
        return Err(mismatch(names, &what));
    }
    let offset = origin - to_origin;
    let divisor = gcd(gcd(unit.into(), to_unit.into()), offset).max(1);
    Ok(Some(LinearMap {
        factor: i128::from(unit) / divisor,
        divisor: i128::from(to_unit) / divisor,
        offset: offset / divisor,
        tolerance: 0.5 / to_unit as f64,
        missing: own_missing(other),
        remedy: remedy(whole.request),
    }))
}

/// Returns the remedy for a value that is not exact in the units of the whole.
fn remedy(request: &JoinRequest) -> &'static str {
    match request.extends {
        true => "join the output and the inputs to a new dataset with --join --time-units",
        false => "use --time-units to choose other units",
    }
}

/// Returns the requested units in the calendar of a variable.
fn requested(units: &str, base: &InputVariable) -> Result<TimeUnits> {
    let parsed = TimeUnits::parse(units.as_bytes(), base.calendar.as_deref());
    match parsed {
        Some(Ok(units)) if units.scale().is_some() => Ok(units),
        Some(_) | None => {
            let what = format!("--time-units {units}: not understood");
            let e = Error::new(ErrorKind::Argument, what);
            Err(e.with_remedy(
                "units are as in 'hours since 2000-01-01', with weeks or a smaller unit",
            ))
        }
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
