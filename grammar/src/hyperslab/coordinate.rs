//! The coordinate of a dimension: which of its values lie between limits.

use std::cmp::Ordering;
use std::ops::Range;

use netcdf_core::chunk::Dataset;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::cf::coordinate_variable;
use netcdf_core::model::convert::convert;
use netcdf_core::model::{Atomic, DimId, Region, Schema, Values};

use super::Limit;
use crate::time::{Count, Moment, TimeUnits, until_nul};

/// The values of a coordinate, which rise or fall.
pub(super) struct Coordinate {
    name: String,
    values: Vec<f64>,
    times: Option<TimeUnits>,
    falls: bool,
    /// A longitude: values behind the last one go on with the first one.
    goes_round: bool,
}

/// A limit that values can be compared with.
enum Bound {
    Value(f64),
    Moment(Moment),
}

impl Coordinate {
    /// Reads the coordinate of a dimension.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if there is none, or if its values neither rise nor fall; those of reading.
    pub(super) fn read(set: Dataset<'_>, dim: DimId) -> Result<Self> {
        let schema = set.reader.schema();
        let name = named(schema, dim);
        let none = |what: &str| {
            let e = Error::new(ErrorKind::Argument, format!("{what}: {name}"));
            e.with_remedy("select by whole numbers, which are indices")
        };
        let var = coordinate_variable(schema, dim)
            .ok_or_else(|| none("the dimension has no coordinate of numbers"))?;
        let region = Region::whole(&schema.shape(var));
        let values = convert(&set.read(var, &region)?, Atomic::Double).ok();
        let Some(Values::Double(values)) = values else {
            return Err(none("the coordinate has no numbers"));
        };
        let steps = values.windows(2).filter_map(|pair| match pair {
            [a, b] => Some(a.partial_cmp(b)),
            _ => None,
        });
        let steps: Vec<Option<Ordering>> = steps.collect();
        let all = |step: Ordering| steps.iter().all(|found| *found == Some(step));
        let falls = !steps.is_empty() && all(Ordering::Greater);
        if !falls && !all(Ordering::Less) {
            return Err(none("the values of the coordinate neither rise nor fall"));
        }
        let var = schema.var(var).or_internal("the coordinate")?;
        let text = |name: &str| var.attribute(name)?.values.as_text();
        Ok(Self {
            times: text("units").and_then(|units| TimeUnits::parse(units, text("calendar"))),
            name,
            values,
            falls,
            goes_round: is_longitude(&text),
        })
    }

    fn bound(&self, limit: &Limit) -> Result<Bound> {
        match limit {
            Limit::Value(value) => Ok(Bound::Value(*value)),
            Limit::Index(_) => Err(Error::internal("an index among values")),
            Limit::Time(text) => {
                let shown = String::from_utf8_lossy(text);
                let what = match &self.times {
                    None => format!("{shown}, but {} is no time", self.name),
                    Some(units) => match units.moment(text) {
                        Some(moment) => return Ok(Bound::Moment(moment)),
                        None => format!("{shown} is no time in the calendar of {}", self.name),
                    },
                };
                Err(Error::new(ErrorKind::Argument, what))
            }
        }
    }

    /// Where a value stands to a bound.
    fn order(&self, value: f64, bound: &Bound) -> Option<Ordering> {
        match bound {
            Bound::Value(bound) => value.partial_cmp(bound),
            Bound::Moment(moment) => self.times.as_ref()?.order(Count::Real(value), moment),
        }
    }

    /// The number of values, in their order, that `before` holds for.
    fn count(&self, before: impl Fn(f64) -> bool) -> u64 {
        self.values.partition_point(|&value| before(value)) as u64
    }

    /// The indices of values from `min` on.
    fn from(&self, min: &Bound) -> Range<u64> {
        let len = self.values.len() as u64;
        let below = |value| self.order(value, min) == Some(Ordering::Less);
        match self.falls {
            true => 0..self.count(|value| !below(value)),
            false => self.count(below)..len,
        }
    }

    /// The indices of values up to `max`.
    fn up_to(&self, max: &Bound) -> Range<u64> {
        let len = self.values.len() as u64;
        let above = |value| self.order(value, max) == Some(Ordering::Greater);
        match self.falls {
            true => self.count(above)..len,
            false => 0..self.count(|value| !above(value)),
        }
    }

    /// The ranges of indices whose values lie between limits, in the order of the output; each is a start and a length.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a time if the coordinate is none, and if there are no such values.
    pub(super) fn between(
        &self,
        min: Option<&Limit>,
        max: Option<&Limit>,
    ) -> Result<Vec<(u64, u64)>> {
        let min = min.map(|limit| self.bound(limit)).transpose()?;
        let max = max.map(|limit| self.bound(limit)).transpose()?;
        let all = 0..self.values.len() as u64;
        let from = min.as_ref().map_or(all.clone(), |min| self.from(min));
        let up_to = max.as_ref().map_or(all, |max| self.up_to(max));
        let wraps =
            matches!((&min, &max), (Some(Bound::Value(min)), Some(Bound::Value(max))) if min > max);
        if wraps && !self.goes_round {
            let what = format!(
                "the first limit is larger than the second one, and {} is no longitude",
                self.name
            );
            let e = Error::new(ErrorKind::Argument, what);
            return Err(e.with_remedy("give the smaller one first, also where values fall"));
        }
        let both = from.start.max(up_to.start)..from.end.min(up_to.end);
        let parts = match (wraps, self.falls) {
            (false, _) => [both, 0..0],
            // The values behind the first limit, then those before the second one, at the beginning of the circle.
            (true, false) => [from, up_to],
            (true, true) => [up_to, from],
        };
        let found = parts.into_iter().filter(|part| !part.is_empty());
        Ok(found
            .map(|part| (part.start, part.end - part.start))
            .collect())
    }

    /// The index with the value that is nearest, the first of two that are as near.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] as for [`Coordinate::between`].
    pub(super) fn nearest(&self, limit: &Limit) -> Result<Option<u64>> {
        let bound = self.bound(limit)?;
        let distance = |&value: &f64| match &bound {
            Bound::Value(bound) => Some((value - bound).abs()),
            Bound::Moment(moment) => {
                let hours = self.times.as_ref()?.hours_to(Count::Real(value), moment)?;
                Some(hours.abs())
            }
        };
        let mut best = None;
        for (n, distance) in (0u64..).zip(self.values.iter().map(distance)) {
            let Some(distance) = distance else { continue };
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, n));
            }
        }
        Ok(best.map(|(_, n)| n))
    }

    /// The name of the coordinate.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The first and the last value.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        Some((*self.values.first()?, *self.values.last()?))
    }
}

/// Whether a variable with these attributes is a longitude (CF conventions, "4.2. Longitude Coordinate").
fn is_longitude<'v>(text: &impl Fn(&str) -> Option<&'v [u8]>) -> bool {
    let is = |name: &str, words: &[&[u8]]| {
        text(name).is_some_and(|text| words.contains(&until_nul(text)))
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

/// The name of a dimension.
fn named(schema: &Schema, dim: DimId) -> String {
    let name = schema.dim(dim).map(|dim| dim.name.as_bytes().to_vec());
    String::from_utf8_lossy(&name.unwrap_or_default()).into_owned()
}
