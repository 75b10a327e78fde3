//! Result of comparing the values of two arrays.

use std::collections::{BTreeMap, BTreeSet};

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::Json;
use netcdf_core::model::Values;
use netcdf_core::shown::number_agreement;

use super::report::StoreDifference;
use crate::array::values::{AnyNumber, ValueAt, number};
use crate::array::{OpenArray, numbers};
use crate::out::{maybe, numbers as list, object};
use crate::table;

/// Maximum number of printed differing elements.
const SHOWN: usize = 5;
/// Maximum number of reported reasons for failed comparisons.
const REASONS: usize = 5;

/// The values of both sides, as constants.
pub(super) type ConstantPair = (String, String);

/// The result of a comparison.
#[derive(Debug, Default)]
pub(super) struct StoreTally {
    /// The number of differing elements.
    pub count: u64,
    /// The number of elements that at least one store contains.
    pub covered: u64,
    /// The first differing elements.
    pub first: BTreeMap<Vec<u64>, ConstantPair>,
    /// The largest distance of two numbers, and its index.
    pub largest: Option<(AnyNumber, Vec<u64>)>,
    /// The reasons why chunks could not be compared.
    pub reasons: BTreeSet<String>,
    /// The number of chunks that could not be compared.
    pub wrong: u64,
}

impl StoreTally {
    /// Counts a differing element. `texts` are the two constants.
    pub(super) fn differs(
        &mut self,
        index: Vec<u64>,
        x: ValueAt<'_>,
        y: ValueAt<'_>,
        texts: &dyn Fn() -> ConstantPair,
    ) {
        self.count = self.count.saturating_add(1);
        let distance = number(x.values, x.index).zip(number(y.values, y.index));
        if let Some(distance) = distance.and_then(|(x, y)| x.distance(y)) {
            self.far(distance, &index);
        }
        if self.is_first(&index) {
            self.first.insert(index, texts());
            self.shorten();
        }
    }

    fn far(&mut self, distance: AnyNumber, index: &[u64]) {
        // Among equal distances the first element wins, independent of the order of calls.
        let further = self.largest.as_ref().is_none_or(|(known, at)| {
            distance.exceeds(*known) || (!known.exceeds(distance) && index < at.as_slice())
        });
        if further {
            self.largest = Some((distance, index.to_vec()));
        }
    }

    fn is_first(&self, index: &[u64]) -> bool {
        let last = self.first.last_key_value();
        self.first.len() < SHOWN || last.is_some_and(|(last, _)| index < last.as_slice())
    }

    fn shorten(&mut self) {
        while self.first.len() > SHOWN {
            self.first.pop_last();
        }
    }

    /// Counts a failed comparison.
    ///
    /// # Errors
    /// Returns the error of a cancelled run, which does not concern the stores.
    pub(super) fn failed(&mut self, e: Error) -> Result<()> {
        if e.kind() == ErrorKind::Cancelled {
            return Err(e);
        }
        self.wrong = self.wrong.saturating_add(1);
        if self.reasons.len() < REASONS {
            self.reasons.insert(e.to_string());
        }
        Ok(())
    }

    /// Adds another result.
    pub(super) fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.covered = self.covered.saturating_add(other.covered);
        self.wrong = self.wrong.saturating_add(other.wrong);
        self.first.extend(other.first);
        self.shorten();
        if let Some((distance, index)) = other.largest {
            self.far(distance, &index);
        }
        let room = REASONS.saturating_sub(self.reasons.len());
        let reasons = other.reasons.into_iter();
        self.reasons.extend(reasons.take(room));
    }

    /// Returns the value difference among `elements` compared ones, or `None` without a difference. `swapped` if the first value of each
    /// pair is from the second store.
    pub(super) fn difference(
        &self,
        elements: Option<u64>,
        swapped: bool,
    ) -> Option<StoreDifference> {
        if self.count == 0 {
            return None;
        }
        let turn = |(a, b): &ConstantPair| match swapped {
            true => (b.clone(), a.clone()),
            false => (a.clone(), b.clone()),
        };
        let first: Vec<_> = self
            .first
            .iter()
            .map(|(at, pair)| (at, turn(pair)))
            .collect();
        let (a, b) = match first.first() {
            Some((_, (a, b))) => (Some(Json::text(a)), Some(Json::text(b))),
            None => (None, None),
        };
        let mut difference = StoreDifference::new("values", a, b);
        let all = table::count(elements);
        let largest = self
            .largest
            .as_ref()
            .map_or(String::new(), |(distance, at)| {
                format!(", by {distance} at most, at [{}]", numbers(at))
            });
        let text = format!("{} of {all} elements differ{largest}", self.count);
        let lines = first
            .iter()
            .map(|(at, (a, b))| format!("[{}]: {a} | {b}", numbers(at)));
        let text = number_agreement(text.into()).into_owned();
        difference.text = std::iter::once(text).chain(lines).collect();
        let shown = first.iter().map(|(at, (a, b))| {
            let index = ("index", list(at));
            object([index, ("a", Json::text(a)), ("b", Json::text(b))])
        });
        let far = self.largest.as_ref();
        difference.more = vec![
            ("count", Json::int(self.count)),
            ("elements", maybe(elements)),
            (
                "largest",
                far.map_or(Json::Null, |(n, _)| Json::text(&n.to_string())),
            ),
            ("largest_at", far.map_or(Json::Null, |(_, at)| list(at))),
            ("first", Json::Array(shown.collect())),
        ];
        Some(difference)
    }
}

/// Returns the constant of value `i`.
pub(super) fn constant(opened: &OpenArray<'_>, values: &Values, i: usize) -> String {
    let one = values.slice(i..i.saturating_add(1));
    opened
        .constants(&one)
        .into_iter()
        .next()
        .unwrap_or_default()
}
