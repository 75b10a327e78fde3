//! Longitudes outside the coordinate range: `lon,-90.,90.` with values from 0 to 360.
//!
//! The selection contains the values between the limits, as in NCO. A note gives the selection of the whole interval on the circle.

use netcdf_core::notes::Note;

use super::coordinate::{Bound, Indices, MonotonicCoordinate};
use super::decimal::UserDecimal;
use super::{Hyperslab, option_text};
use crate::time::Count;

const TURN: f64 = 360.0;

/// An eastward interval on the circle.
#[derive(Clone, Copy)]
struct Arc {
    from: f64,
    /// At least `from`.
    to: f64,
}

impl Arc {
    fn new(min: f64, max: f64) -> Self {
        let turns = ((min - max) / TURN).ceil().max(0.0);
        Self {
            from: min,
            to: max + turns * TURN,
        }
    }

    fn is_circle(self) -> bool {
        self.to - self.from >= TURN
    }

    fn contains(self, value: f64) -> bool {
        let plain = (self.from..=self.to).contains(&value);
        let turns = ((self.from - value) / TURN).ceil();
        plain || self.is_circle() || (self.from..=self.to).contains(&(value + turns * TURN))
    }
}

/// The longitudes of a coordinate in degrees.
pub(super) struct Circle<'a> {
    coordinate: &'a MonotonicCoordinate,
    least: f64,
    largest: f64,
}

impl<'a> Circle<'a> {
    /// Returns `None` if the coordinate is not in degrees, or spans more than 360.
    pub(super) fn of(coordinate: &'a MonotonicCoordinate) -> Option<Self> {
        let last = coordinate.values.len().checked_sub(1)?;
        let value = |n| coordinate.values.get(n).map(Count::real);
        let (first, last) = (value(0)?, value(last)?);
        let (least, largest) = (first.min(last), first.max(last));
        let circle = coordinate.degrees && largest - least <= TURN;
        circle.then_some(Self {
            coordinate,
            least,
            largest,
        })
    }

    /// Returns a note if a limit is outside the coordinate and the interval on the circle has other values.
    pub(super) fn note(
        &self,
        slab: &Hyperslab,
        (min, max): (Option<Bound>, Option<Bound>),
        taken: &[Indices],
    ) -> Option<Note> {
        let (Some(Bound::Value(from)), Some(Bound::Value(to))) = (min, max) else {
            return None;
        };
        let range = self.least..=self.largest;
        if range.contains(&from.value) && range.contains(&to.value) {
            return None;
        }
        let arc = Arc::new(from.value, to.value);
        let is_taken = |n: u64| {
            taken
                .iter()
                .any(|(start, len)| n >= *start && n - start < *len)
        };
        let values = self.coordinate.values.iter().map(Count::real);
        let other = |(n, value)| arc.contains(value) != is_taken(n);
        (0u64..).zip(values).any(other).then(|| Note {
            object: option_text(slab),
            what: self.missing_part(from.value, to.value),
            remedy: Some(format!("the whole interval: {}", self.command(slab, arc))),
        })
    }

    /// Returns a note if a value is outside the coordinate and another index is nearer on the circle.
    pub(super) fn nearest(&self, slab: &Hyperslab, bound: &Bound, taken: u64) -> Option<Note> {
        let Bound::Value(number) = bound else {
            return None;
        };
        if (self.least..=self.largest).contains(&number.value) {
            return None;
        }
        let on_circle = |value: f64| {
            let apart = (value - number.value).rem_euclid(TURN);
            apart.min(TURN - apart)
        };
        let apart = |value: &f64| on_circle(*value);
        let values = self.coordinate.values.iter().map(Count::real);
        let nearest = values.min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
        let nearer = apart(&nearest) < apart(&self.value(taken)?);
        nearer.then(|| Note {
            object: option_text(slab),
            what: format!(
                "{} is outside the values of {} from {} to {}",
                number.value,
                self.coordinate.name(),
                self.least,
                self.largest
            ),
            remedy: Some(format!(
                "the nearest on the circle: --select {},{}",
                slab.dim_text(),
                point(nearest)
            )),
        })
    }

    /// Returns the remedy for an empty selection, or `None` if the interval on the circle is also empty.
    pub(super) fn remedy(
        &self,
        slab: &Hyperslab,
        min: UserDecimal,
        max: UserDecimal,
    ) -> Option<String> {
        let arc = Arc::new(min.value, max.value);
        let mut values = self.coordinate.values.iter();
        let found = values.any(|value| arc.contains(value.real()));
        found.then(|| format!("the interval on the circle: {}", self.command(slab, arc)))
    }

    fn value(&self, index: u64) -> Option<f64> {
        let index = usize::try_from(index).ok()?;
        self.coordinate.values.get(index).map(Count::real)
    }

    /// Returns the missing part of an interval.
    fn missing_part(&self, min: f64, max: f64) -> String {
        let (name, least, largest) = (self.coordinate.name(), self.least, self.largest);
        let below = (min < least).then(|| format!("{min} to {}", least.min(max)));
        let above = (max > largest).then(|| format!("{} to {max}", largest.max(min)));
        let missed: Vec<String> = below.into_iter().chain(above).collect();
        let range = format!("{name} goes from {least} to {largest}");
        match min <= max {
            true => format!("not selected: {}, because {range}", missed.join(" and ")),
            false => format!("limits outside the coordinate: {range}"),
        }
    }

    /// Returns the selection of an interval.
    fn command(&self, slab: &Hyperslab, arc: Arc) -> String {
        let stride = match slab.stride {
            1 => String::new(),
            stride => format!(",{stride}"),
        };
        let limits = match (arc.is_circle(), stride.as_str()) {
            (true, "") => String::new(),
            (true, _) => ",,".to_owned(),
            (false, _) => {
                let limit = |value| point(self.within(value));
                format!(",{},{}", limit(arc.from), limit(arc.to))
            }
        };
        format!("--select {}{limits}{stride}", slab.dim_text())
    }

    /// Normalises a longitude to the range that starts at the smallest value of the coordinate.
    fn within(&self, value: f64) -> f64 {
        match (self.least..=self.largest).contains(&value) {
            true => value,
            false => value - ((value - self.least) / TURN).floor() * TURN,
        }
    }
}

/// Formats a number with a point, as selections require for values.
fn point(value: f64) -> String {
    let text = value.to_string();
    match text.contains('.') {
        true => text,
        false => text + ".",
    }
}
