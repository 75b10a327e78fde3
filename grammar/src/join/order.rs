//! The order of inputs along the joined dimension, and common coordinate values.

use std::cmp::Ordering;

use netcdf_core::error::{Error, Result};
use netcdf_core::notes::{Note, Notes};

use super::coordinate::{CoordinateRange, Position, is_near, step_text};
use super::headers::InputHeader;
use super::mismatch::mismatch;
use super::request::{JoinOrder, Overlap};

/// Consecutive indices of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InputRun {
    pub(super) input: usize,
    pub(super) from: u64,
    pub(super) len: u64,
}

/// Orders inputs.
pub(super) struct InputOrdering<'a> {
    pub(super) headers: &'a [InputHeader],
    pub(super) order: JoinOrder,
    pub(super) overlap: Overlap,
    /// The name of the dimension.
    pub(super) dim: &'a str,
    /// The option of the join, for notes.
    pub(super) option: &'a str,
    pub(super) name: &'a dyn Fn(usize) -> String,
    /// Reads the coordinate values of an input.
    pub(super) values: &'a dyn Fn(usize) -> Result<Vec<Position>>,
    pub(super) notes: &'a Notes,
}

/// An input with its coordinate range.
#[derive(Clone, Copy)]
pub(super) struct RangedInput<'a> {
    pub(super) number: usize,
    len: u64,
    pub(super) span: &'a CoordinateRange,
}

impl RangedInput<'_> {
    pub(super) fn run(&self) -> InputRun {
        InputRun {
            input: self.number,
            from: 0,
            len: self.len,
        }
    }
}

impl InputOrdering<'_> {
    /// Returns the runs of inputs in order. Inputs without elements have none.
    ///
    /// # Errors
    /// Returns an error for ranges that overlap or cannot be compared.
    pub(super) fn runs(&self) -> Result<Vec<InputRun>> {
        let filled = self
            .headers
            .iter()
            .enumerate()
            .filter(|(_, input)| input.len > 0);
        let given = || {
            let run = |(input, header): (usize, &InputHeader)| InputRun {
                input,
                from: 0,
                len: header.len,
            };
            filled.map(run).collect()
        };
        let ranged = self.ranged();
        let Some(mut ranged) = ranged.filter(|_| self.order == JoinOrder::Coordinate) else {
            if self.order == JoinOrder::Coordinate {
                self.note("joined in the given order: the dimension has no coordinate".to_owned());
            }
            return Ok(given());
        };
        let rises = self.direction(&ranged)?;
        self.check_comparable(&ranged)?;
        ranged.sort_by(|a, b| before(&a.span.first, &b.span.first, rises));
        self.note_gaps(&ranged);
        let mut runs = vec![];
        for chain in ranged.chunk_by(|a, b| !follows(a, b, rises)) {
            match chain {
                [one] => runs.push(one.run()),
                _ => runs.extend(self.overlapping(chain, rises)?),
            }
        }
        Ok(runs)
    }

    /// Returns the inputs that have elements, with their ranges; `None` if an input has no coordinate.
    pub(super) fn ranged(&self) -> Option<Vec<RangedInput<'_>>> {
        let all = self.headers.iter().enumerate();
        let filled = all.filter(|(_, input)| input.len > 0);
        filled.map(ranged).collect()
    }

    pub(super) fn note(&self, what: String) {
        self.notes.remark(Note {
            object: self.option.to_owned(),
            what,
            remedy: None,
        });
    }

    /// Returns whether coordinates increase.
    pub(super) fn direction(&self, inputs: &[RangedInput<'_>]) -> Result<bool> {
        let mut known = inputs
            .iter()
            .filter_map(|i| Some((i.number, i.span.rises?)));
        let Some((first, rises)) = known.next() else {
            return Ok(true);
        };
        match known.find(|(_, other)| *other != rises) {
            None => Ok(rises),
            Some((other, _)) => {
                let names = [(self.name)(first), (self.name)(other)];
                let what = format!(
                    "{} increases in one input and decreases in the other",
                    self.dim
                );
                let e = mismatch([&names[0], &names[1]], &what);
                Err(e.with_remedy("use --order given for the order of the command line"))
            }
        }
    }

    /// Checks that all values have one kind.
    pub(super) fn check_comparable(&self, inputs: &[RangedInput<'_>]) -> Result<()> {
        let Some(first) = inputs.first() else {
            return Ok(());
        };
        let strange =
            |input: &&RangedInput<'_>| first.span.first.order(&input.span.first).is_none();
        match inputs.iter().find(strange) {
            None => Ok(()),
            Some(other) => {
                let names = [(self.name)(first.number), (self.name)(other.number)];
                if let Some(calendars) = different_calendars([&first.span.first, &other.span.first])
                {
                    let what = format!("different calendars of {}: {calendars}", self.dim);
                    return Err(mismatch([&names[0], &names[1]], &what));
                }
                let (a, b) = (first.span.first.text(), other.span.first.text());
                let what = format!(
                    "coordinates that cannot be compared: {} is {a} and {b}",
                    self.dim
                );
                Err(mismatch([&names[0], &names[1]], &what))
            }
        }
    }

    /// Returns the runs of inputs with common coordinate values or interleaved values.
    fn overlapping(&self, chain: &[RangedInput<'_>], rises: bool) -> Result<Vec<InputRun>> {
        if self.overlap == Overlap::Error {
            return Err(self.overlap_error(chain, rises));
        }
        let mut all = vec![];
        for (rank, input) in chain.iter().enumerate() {
            let values = (self.values)(input.number)?;
            let indices = (0u64..).zip(values);
            all.extend(indices.map(|(index, value)| (value, rank, input.number, index)));
        }
        all.sort_by(|a, b| before(&a.0, &b.0, rises).then(a.1.cmp(&b.1)));
        let found = all.len();
        let mut kept: Vec<(Position, usize, u64)> = vec![];
        for (value, _, input, index) in all {
            let same = kept.last().is_some_and(|(last, ..)| *last == value);
            match (same, self.overlap) {
                (true, Overlap::Last) => {
                    kept.pop();
                }
                (true, Overlap::First | Overlap::Error) => continue,
                (false, _) => {}
            }
            kept.push((value, input, index));
        }
        self.note(format!(
            "skipped {} values that another input has, too",
            found - kept.len()
        ));
        Ok(compressed(kept.iter().map(|(_, input, at)| (*input, *at))))
    }

    fn overlap_error(&self, chain: &[RangedInput<'_>], rises: bool) -> Error {
        let mut pairs = chain
            .windows(2)
            .filter_map(|pair| Some((pair.first()?, pair.last()?)));
        let pair = pairs.find(|(a, b)| !follows(a, b, rises));
        let Some((a, b)) = pair else {
            return Error::internal("inputs that overlap");
        };
        let names = [(self.name)(a.number), (self.name)(b.number)];
        let what = format!(
            "the inputs overlap: {} ends at {} in the first and begins at {} in the second",
            self.dim,
            a.span.last.text(),
            b.span.first.text()
        );
        let e = mismatch([&names[0], &names[1]], &what);
        e.with_remedy("use --overlap first or --overlap last to take each value once")
    }

    /// Adds a note about a gap between inputs, if the step is regular otherwise.
    fn note_gaps(&self, inputs: &[RangedInput<'_>]) {
        let pairs = || {
            inputs
                .windows(2)
                .filter_map(|pair| Some((pair.first()?, pair.last()?)))
        };
        let steps = pairs().filter_map(|(a, b)| a.span.last.step(&b.span.first));
        let Some(step) = regular_step(inputs, &steps.collect::<Vec<_>>()) else {
            return;
        };
        let is_gap = |(a, b): &(&RangedInput<'_>, &RangedInput<'_>)| {
            let found = a.span.last.step(&b.span.first);
            found.is_some_and(|found| found * step > step * step && !is_near(found, step))
        };
        let gaps: Vec<_> = pairs().filter(is_gap).collect();
        let Some((a, b)) = gaps.first() else {
            return;
        };
        let (from, to) = (a.span.last.text(), b.span.first.text());
        let names = [(self.name)(a.number), (self.name)(b.number)];
        let others = match gaps.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let step = step_text(step, &a.span.last);
        self.note(format!(
            "gap from {from} in {} to {to} in {}, where the step is {step}{others}",
            names[0], names[1]
        ));
    }
}

fn ranged((number, header): (usize, &InputHeader)) -> Option<RangedInput<'_>> {
    Some(RangedInput {
        number,
        len: header.len,
        span: header.span.as_ref()?,
    })
}

/// Returns the names of two different calendars.
fn different_calendars(pair: [&Position; 2]) -> Option<String> {
    match pair {
        [Position::Time(_, a), Position::Time(_, b)] if a != b => {
            Some(format!("{} and {}", a.name(), b.name()))
        }
        _ => None,
    }
}

/// Compares two values in the direction of the coordinate.
pub(super) fn before(a: &Position, b: &Position, rises: bool) -> Ordering {
    let order = a.order(b).unwrap_or(Ordering::Equal);
    if rises { order } else { order.reverse() }
}

/// Returns whether an input begins after the end of another input.
pub(super) fn follows(a: &RangedInput<'_>, b: &RangedInput<'_>, rises: bool) -> bool {
    before(&a.span.last, &b.span.first, rises).is_lt()
}

/// Merges consecutive indices of an input.
pub(super) fn compressed(kept: impl Iterator<Item = (usize, u64)>) -> Vec<InputRun> {
    let mut runs: Vec<InputRun> = vec![];
    for (input, index) in kept {
        match runs.last_mut() {
            Some(run) if run.input == input && run.from + run.len == index => run.len += 1,
            Some(_) | None => runs.push(InputRun {
                input,
                from: index,
                len: 1,
            }),
        }
    }
    runs
}

/// Returns the step of the coordinate: the common step within inputs, or the step between most inputs with one value.
fn regular_step(inputs: &[RangedInput<'_>], between: &[f64]) -> Option<f64> {
    let within = inputs.iter().filter(|input| input.len > 1);
    let within: Option<Vec<f64>> = within.map(|input| input.span.step).collect();
    let within = within?;
    if let Some(first) = within.first() {
        return within
            .iter()
            .all(|step| is_near(*step, *first))
            .then_some(*first);
    }
    let count = |step: f64| {
        between
            .iter()
            .filter(|other| is_near(**other, step))
            .count()
    };
    between
        .iter()
        .copied()
        .find(|step| count(*step) * 2 > between.len())
}
