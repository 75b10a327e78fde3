//! The coordinate of a dimension: finds the indices between limits.

use std::cmp::Ordering;
use std::ops::Range;

use netcdf_core::chunk::Dataset;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::cf::coordinate_variable;
use netcdf_core::model::{Atomic, DimId, Region, Schema, VarId, Variable};
use netcdf_core::notes::{Notes, few};

use super::Limit;
use super::decimal::UserDecimal;
use super::values::CoordinateValues;
use crate::time::{
    Count, Formatted, Moment, Separator, TimeUnits, UnreadReference, attribute_text, until_nul,
};

/// Monotonic coordinate values.
pub(super) struct MonotonicCoordinate {
    name: String,
    /// The path of the variable.
    path: String,
    pub(super) values: CoordinateValues,
    times: Option<std::result::Result<TimeUnits, UnreadReference>>,
    falls: bool,
    /// Whether the coordinate is a longitude: selections may wrap around the end.
    is_circular: bool,
    /// Whether the coordinate is a longitude in degrees.
    pub(super) degrees: bool,
}

/// A dimension to select from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CoordinateAxis {
    pub(super) dim: DimId,
    /// The variable to select by, if it is not the coordinate variable of the dimension.
    pub(super) by: Option<VarId>,
}

/// A limit as a number or a time.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Value(UserDecimal),
    Moment(Moment),
}

/// A start index and a length.
pub(super) type Indices = (u64, u64);

impl MonotonicCoordinate {
    /// Reads the coordinate of a dimension.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] without a coordinate and for values that are not monotonic, and read errors.
    pub(super) fn read(set: Dataset<'_>, axis: CoordinateAxis) -> Result<Self> {
        let schema = set.reader.schema();
        let name = named(schema, axis);
        let none = |what: &str| {
            let e = Error::new(ErrorKind::Argument, format!("{what}: {name}"));
            e.with_remedy(alternatives(schema, axis))
        };
        let id = axis.by.or_else(|| coordinate_variable(schema, axis.dim));
        let id = id.ok_or_else(|| none("the dimension has no numeric coordinate"))?;
        let region = Region::whole(&schema.shape(id));
        let values = CoordinateValues::new(set.read(id, &region)?);
        let values = values.ok_or_else(|| none("the coordinate is not numeric"))?;
        let direction = values
            .direction()
            .ok_or_else(|| none("the values of the coordinate neither increase nor decrease"))?;
        let var = schema.var(id).or_internal("the coordinate")?;
        let text = |name: &str| attribute_text(var, name);
        Ok(Self {
            times: text("units").and_then(|units| TimeUnits::parse(units, text("calendar"))),
            name,
            path: schema.var_path(id),
            values,
            falls: direction == Ordering::Greater,
            is_circular: is_longitude(var),
            degrees: is_longitude(var) && text("units").is_some_and(|u| u.starts_with(b"degree")),
        })
    }

    /// Converts a limit to the calendar of the coordinate.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a time if the coordinate has no times, or another calendar.
    pub(super) fn bound(&self, limit: &Limit, notes: &Notes) -> Result<Bound> {
        match limit {
            Limit::Value(value) => Ok(Bound::Value(*value)),
            Limit::Index(_) => Err(Error::internal("an index among values")),
            Limit::Time(text) => {
                let units = self.units(text)?;
                let shown = String::from_utf8_lossy(text);
                let moment = units.moment(text).ok_or_else(|| {
                    let what = format!("{shown} is not a time in the calendar of {}", self.name);
                    Error::new(ErrorKind::Argument, what)
                })?;
                if let Some(note) = units.note(&self.path) {
                    notes.say(note);
                }
                Ok(Bound::Moment(moment))
            }
        }
    }

    /// Returns the units for comparing a limit with times.
    fn units(&self, limit: &[u8]) -> Result<&TimeUnits> {
        let limit = String::from_utf8_lossy(limit);
        let what = match &self.times {
            Some(Ok(units)) => return Ok(units),
            None => format!("{limit}, but {} is not a time coordinate", self.name),
            Some(Err(unread)) => format!(
                "{limit}, but the reference time of {} is unreadable: {:?}",
                self.name,
                unread.text()
            ),
        };
        Err(Error::new(ErrorKind::Argument, what))
    }

    /// Compares a value with a bound.
    fn order(&self, value: Count, bound: &Bound) -> Option<Ordering> {
        match (bound, &self.times) {
            (Bound::Value(number), _) => number.order(value),
            (Bound::Moment(moment), Some(Ok(units))) => units.order(value, moment),
            (Bound::Moment(_), Some(Err(_)) | None) => None,
        }
    }

    /// Returns the number of indices.
    pub(super) fn len(&self) -> u64 {
        self.values.len() as u64
    }

    /// Counts the leading values that satisfy `before`.
    fn count(&self, before: impl Fn(Count) -> bool) -> u64 {
        self.values.partition_point(before) as u64
    }

    /// Returns the indices of values from `min`.
    fn from(&self, min: &Bound) -> Range<u64> {
        let below = |value| self.order(value, min) == Some(Ordering::Less);
        match self.falls {
            true => 0..self.count(|value| !below(value)),
            false => self.count(below)..self.len(),
        }
    }

    /// Returns the indices of values up to `max`.
    fn up_to(&self, max: &Bound) -> Range<u64> {
        let above = |value| self.order(value, max) == Some(Ordering::Greater);
        match self.falls {
            true => self.count(above)..self.len(),
            false => 0..self.count(|value| !above(value)),
        }
    }

    /// Returns the index ranges between limits, in output order.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if the first limit is larger, except for longitudes.
    pub(super) fn between(&self, min: Option<Bound>, max: Option<Bound>) -> Result<Vec<Indices>> {
        let all = 0..self.len();
        let from = min.map_or(all.clone(), |min| self.from(&min));
        let up_to = max.map_or(all, |max| self.up_to(&max));
        let wraps = wraps(min, max);
        if wraps && !self.is_circular {
            let what = format!(
                "the first limit is larger than the second one, and {} is not a longitude",
                self.name
            );
            let e = Error::new(ErrorKind::Argument, what);
            return Err(
                e.with_remedy("give the smaller limit first, even if the coordinate decreases")
            );
        }
        let both = from.start.max(up_to.start)..from.end.min(up_to.end);
        let parts = match (wraps, self.falls) {
            (false, _) => [both, 0..0],
            // The values after the first limit, then the values before the second limit, at the start of the circle.
            (true, false) => [from, up_to],
            (true, true) => [up_to, from],
        };
        let found = parts.into_iter().filter(|part| !part.is_empty());
        Ok(found
            .map(|part| (part.start, part.end - part.start))
            .collect())
    }

    /// Returns the index with the nearest value; the first of two equally near values.
    pub(super) fn nearest(&self, bound: &Bound) -> Option<u64> {
        let distance = |value: Count| match (bound, &self.times) {
            (Bound::Value(number), _) => Some(number.distance(value)),
            (Bound::Moment(moment), Some(Ok(units))) => Some((units.distance(value, moment)?, 0.0)),
            (Bound::Moment(_), Some(Err(_)) | None) => None,
        };
        let mut best: Option<((u128, f64), u64)> = None;
        for (n, value) in (0u64..).zip(self.values.iter()) {
            let Some(distance) = distance(value).filter(|(_, part)| !part.is_nan()) else {
                continue;
            };
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, n));
            }
        }
        best.map(|(_, n)| n)
    }

    /// Returns the name of the dimension.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Formats a value. A time is printed as a date if `dates` is set, and with the date otherwise.
    pub(super) fn text(&self, index: u64, dates: bool) -> Option<String> {
        let value = self.values.get(usize::try_from(index).ok()?)?;
        let number = value.to_string();
        Some(match self.date(value) {
            Some(date) if dates => date,
            Some(date) => format!("{number} ({date})"),
            None => number,
        })
    }

    fn date(&self, value: Count) -> Option<String> {
        let Some(Ok(units)) = &self.times else {
            return None;
        };
        let mut text = vec![];
        let formatted = units.format(value, Separator::T, &mut text);
        let text = String::from_utf8_lossy(&text);
        (formatted == Formatted::Time).then(|| text.trim_matches('"').to_owned())
    }

    /// Formats the first and the last value like [`MonotonicCoordinate::text`].
    pub(super) fn ends(&self, dates: bool) -> Option<(String, String)> {
        let last = self.len().checked_sub(1)?;
        Some((self.text(0, dates)?, self.text(last, dates)?))
    }
}

/// Returns whether limits go from a larger to a smaller value.
pub(super) fn wraps(min: Option<Bound>, max: Option<Bound>) -> bool {
    match (min, max) {
        (Some(Bound::Value(min)), Some(Bound::Value(max))) => min.compare(&max).is_gt(),
        (Some(_) | None, Some(_) | None) => false,
    }
}

/// Returns whether a variable is a longitude (CF conventions, "4.2. Longitude Coordinate").
fn is_longitude(var: &Variable) -> bool {
    let is = |name: &str, words: &[&[u8]]| {
        attribute_text(var, name).is_some_and(|text| words.contains(&until_nul(text)))
    };
    let units: [&[u8]; 6] = [
        b"degrees_east",
        b"degree_east",
        b"degrees_E",
        b"degree_E",
        b"degreesE",
        b"degreeE",
    ];
    is("units", &units) || is("standard_name", &[b"longitude"]) || is("axis", &[b"X"])
}

/// Returns the name of a dimension, or of the variable to select by.
fn named(schema: &Schema, axis: CoordinateAxis) -> String {
    let var = axis.by.and_then(|id| schema.var(id)).map(|var| &var.name);
    let name = var.or_else(|| schema.dim(axis.dim).map(|dim| &dim.name));
    let name = name.map(|name| name.as_bytes().to_vec());
    String::from_utf8_lossy(&name.unwrap_or_default()).into_owned()
}

/// Returns the remedy for an axis without a usable coordinate: indices, or other numeric variables over the dimension.
fn alternatives(schema: &Schema, axis: CoordinateAxis) -> String {
    let indices = "select by whole numbers, which are indices";
    let used = axis.by.or_else(|| coordinate_variable(schema, axis.dim));
    let numbers = |var: &Variable| var.ty.atomic().is_some_and(is_number);
    let others = schema.var_ids().zip(&schema.vars);
    let others = others.filter(|(id, var)| Some(*id) != used && var.dims == [axis.dim]);
    let others = others.filter(|(_, var)| numbers(var));
    let others: Vec<String> = others.map(|(_, var)| var.name.to_string()).collect();
    match others.is_empty() {
        true => indices.to_owned(),
        false => format!("{indices}, or by a variable: {}", few(&others)),
    }
}

/// Returns whether a type is numeric.
fn is_number(ty: Atomic) -> bool {
    ty != Atomic::Char && ty != Atomic::String
}
