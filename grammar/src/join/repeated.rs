//! Records that the first input already has (`--append`): their values must be equal.

use std::collections::BTreeMap;

use netcdf_core::chunk::joined::JoinedReader;
use netcdf_core::chunk::view::{DimSelection, IndexRun, SubsetReader};
use netcdf_core::chunk::{Dataset, ReadCache, Reader as _};
use netcdf_core::diff::{
    Compared, DiffOptions, Difference, DifferenceKind, IgnoreCandidate, ObjectKind, Tolerance, diff,
};
use netcdf_core::error::{Error, OrInternal as _, Result};
use netcdf_core::model::{DimId, Schema};

use super::append::to_new_dataset;
use super::attribute_values::inner_text;
use super::dimension::{JoinedDimension, dim_of, var_of};
use super::mismatch::mismatch;
use super::order::InputRun;
use super::{Join, JoinFacts, reader};

impl Join<'_> {
    /// Compares records of the first input with the records of other inputs that have the same coordinates.
    ///
    /// # Errors
    /// Returns the first different value, and read errors.
    pub(super) fn check_repeated(
        &self,
        facts: JoinFacts<'_>,
        [old, other]: [Vec<InputRun>; 2],
    ) -> Result<()> {
        let JoinedDimension::Along { path, .. } = facts.joined else {
            return Ok(());
        };
        if old.is_empty() {
            return Ok(());
        }
        let first = self.opener.open(0, self.env)?.reader;
        let schema = first.schema().clone();
        let runs = [old.as_slice(), &other].concat();
        let described = self.described_runs(facts, &runs, (&*first, schema))?;
        let inputs = (described.dataset, facts.headers.signatures());
        let both = reader(inputs, self.opener, self.request.open_files, self.env);
        let dim = dim_of(both.schema(), path).or_internal("the joined dimension")?;
        let pair = RecordPairs {
            both: &both,
            dim,
            count: old.iter().map(|run| run.len).sum(),
        };
        match self.difference(pair)? {
            None => Ok(()),
            Some(found) => Err(self.different((pair, facts.joined.name()), &other, &found)),
        }
    }

    /// Returns the first difference between the two halves of a dataset.
    fn difference(&self, pair: RecordPairs<'_>) -> Result<Option<Difference>> {
        let cache = ReadCache::new(self.env);
        let schema = pair.both.schema();
        let halves = [pair.half((0, &cache))?, pair.half((pair.count, &cache))?];
        let caches = [ReadCache::new(self.env), ReadCache::new(self.env)];
        let [a, b] = [0, 1].map(|side: usize| {
            let (half, cache) = (halves.get(side)?, caches.get(side)?);
            let set = Dataset::new(half, self.env).with(cache);
            Some(Compared { set, name: None })
        });
        let sides = [a.or_internal("a half")?, b.or_internal("a half")?];
        let takes = |candidate: &IgnoreCandidate<'_>| is_compared(candidate, (schema, pair.dim));
        let options = DiffOptions {
            tolerance: Tolerance::default(),
            layout: false,
            values: true,
            takes: &takes,
        };
        let mut found = None;
        let failed = diff(sides, &options, &mut |difference| {
            found.get_or_insert(difference);
            Ok(())
        })?;
        match failed.into_iter().next() {
            Some(e) => Err(e),
            None => Ok(found),
        }
    }

    /// Returns the error for different values of a record.
    fn different(
        &self,
        (pair, dim): (RecordPairs<'_>, &str),
        other: &[InputRun],
        found: &Difference,
    ) -> Error {
        let DifferenceKind::Values(values) = &found.finding else {
            return Error::internal("a difference between halves of a dataset");
        };
        let schema = pair.both.schema();
        let var = var_of(schema, &found.path).and_then(|id| schema.var(id));
        let axis = var.and_then(|var| var.dims.iter().position(|dim| *dim == pair.dim));
        let at = axis.and_then(|axis| values.first.index.get(axis)).copied();
        let (input, index) = located(other, at.unwrap_or(0));
        let names = [0, input].map(|number| self.opener.name(number));
        let [a, b] = values.first.values.each_ref().map(inner_text);
        let what = format!(
            "both have the record with index {index} of {dim} in the input, but {} is {a} in the output and {b} in the input",
            found.path
        );
        to_new_dataset(mismatch([&names[0], &names[1]], &what))
    }
}

/// Records of the first input, followed by the same records of other inputs.
#[derive(Clone, Copy)]
struct RecordPairs<'a> {
    both: &'a JoinedReader<'a>,
    dim: DimId,
    /// The number of records in each half.
    count: u64,
}

impl<'a> RecordPairs<'a> {
    /// Returns the half that begins with a record.
    fn half(self, (start, cache): (u64, &'a ReadCache)) -> Result<SubsetReader<'a>> {
        let run = IndexRun {
            start,
            count: self.count,
            stride: 1,
        };
        let selected = DimSelection::new([run], self.count.saturating_mul(2))?;
        Ok(SubsetReader::new(
            (self.both, cache),
            self.both.schema().clone(),
            BTreeMap::from([(self.dim, selected)]),
        ))
    }
}

/// Returns whether to compare an object: a variable with the joined dimension.
fn is_compared(candidate: &IgnoreCandidate<'_>, (schema, dim): (&Schema, DimId)) -> bool {
    if candidate.attribute.is_some() {
        return false;
    }
    match candidate.kind {
        ObjectKind::Variable => {
            let var = var_of(schema, candidate.path).and_then(|id| schema.var(id));
            var.is_some_and(|var| var.dims.contains(&dim))
        }
        _ => true,
    }
}

/// Returns the input and its index of a record.
fn located(runs: &[InputRun], at: u64) -> (usize, u64) {
    let mut before = 0;
    for run in runs {
        if at - before < run.len {
            return (run.input, run.from + (at - before));
        }
        before += run.len;
    }
    (0, at)
}
