//! Records that extend the first input (`--append`).

use std::cmp::Ordering;

use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};

use super::coordinate::Position;
use super::mismatch::mismatch;
use super::order::{InputOrdering, InputRun, RangedInput, before, compressed, follows};
use super::request::{JoinOrder, Overlap};

/// The first input, which other inputs extend.
const BASE: usize = 0;

/// Runs of inputs in order, and records that several inputs have.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OrderedRuns {
    /// The runs of inputs in order.
    pub(super) runs: Vec<InputRun>,
    /// Records of the first input, and the records of other inputs with the same coordinates, which must be equal.
    pub(super) repeated: [Vec<InputRun>; 2],
    /// The number of records of other inputs that the first input has.
    pub(super) skipped: usize,
}

impl From<Vec<InputRun>> for OrderedRuns {
    fn from(runs: Vec<InputRun>) -> Self {
        Self {
            runs,
            ..Self::default()
        }
    }
}

/// Records of other inputs: new ones, and ones that the first input has.
#[derive(Default)]
struct OtherRecords {
    /// The coordinate, the rank of the input, the input and the index.
    new: Vec<(Position, usize, usize, u64)>,
    repeated: [Vec<(usize, u64)>; 2],
}

impl InputOrdering<'_> {
    /// Returns the run of the first input, followed by the records of other inputs that it lacks.
    ///
    /// # Errors
    /// Returns an error for records before the last record of the first input, without a coordinate, and for common records of other
    /// inputs.
    pub(super) fn appended(&self) -> Result<OrderedRuns> {
        if self.overlap == Overlap::Last {
            let what = "--overlap last would change records of the output";
            return Err(to_new_dataset(Error::new(ErrorKind::Argument, what)));
        }
        let base = self.headers.first().or_internal("the extended dataset")?;
        if self.order == JoinOrder::Given || base.len == 0 {
            return Ok(self.runs()?.into());
        }
        let ranged = self.ranged().ok_or_else(|| self.no_coordinate())?;
        let rises = self.direction(&ranged)?;
        self.check_comparable(&ranged)?;
        let Some((base, others)) = ranged.split_first() else {
            return Ok(OrderedRuns::default());
        };
        match others.iter().all(|other| follows(base, other, rises)) {
            true => Ok(self.runs()?.into()),
            false => self.beside(base, (others, rises)),
        }
    }

    /// Returns the runs of inputs whose coordinates overlap the first input.
    fn beside(
        &self,
        base: &RangedInput<'_>,
        (others, rises): (&[RangedInput<'_>], bool),
    ) -> Result<OrderedRuns> {
        let known = (self.values)(BASE)?;
        let mut found = OtherRecords::default();
        for (rank, other) in others.iter().enumerate() {
            for (index, value) in (0u64..).zip((self.values)(other.number)?) {
                match known.binary_search_by(|one| before(one, &value, rises)) {
                    Ok(at) => {
                        found.repeated[0].push((BASE, u64::try_from(at).unwrap_or(u64::MAX)));
                        found.repeated[1].push((other.number, index));
                    }
                    Err(at) if at == known.len() => {
                        found.new.push((value, rank, other.number, index));
                    }
                    Err(_) => return Err(self.too_early(other.number, &value, base)),
                }
            }
        }
        self.merged(base, found, rises)
    }

    /// Orders the new records after the first input.
    fn merged(
        &self,
        base: &RangedInput<'_>,
        found: OtherRecords,
        rises: bool,
    ) -> Result<OrderedRuns> {
        let OtherRecords { mut new, repeated } = found;
        new.sort_by(|a, b| before(&a.0, &b.0, rises).then(a.1.cmp(&b.1)));
        let mut kept: Vec<(Position, usize, u64)> = vec![];
        for (value, _, input, index) in new {
            match kept.last() {
                Some((last, other, _)) if before(last, &value, rises) == Ordering::Equal => {
                    if self.overlap == Overlap::Error {
                        return Err(self.twice([*other, input], &value));
                    }
                }
                Some(_) | None => kept.push((value, input, index)),
            }
        }
        let [old, _] = &repeated;
        let skipped = old.len();
        let mut runs = vec![base.run()];
        runs.extend(compressed(kept.iter().map(|(_, input, at)| (*input, *at))));
        Ok(OrderedRuns {
            runs,
            skipped,
            repeated: match self.overlap {
                Overlap::First => Default::default(),
                Overlap::Error | Overlap::Last => repeated.map(|list| compressed(list.into_iter())),
            },
        })
    }

    fn no_coordinate(&self) -> Error {
        let what = format!(
            "records that the output already has cannot be found, because {} has no coordinate",
            self.dim
        );
        let e = Error::new(ErrorKind::Argument, what);
        e.with_remedy("use --order given to append all records, also a second time")
    }

    /// Returns the error for a record before the last record of the first input.
    fn too_early(&self, input: usize, value: &Position, base: &RangedInput<'_>) -> Error {
        let names = [(self.name)(BASE), (self.name)(input)];
        let what = format!(
            "{} is {} in a record of the input, but the output ends at {}",
            self.dim,
            value.text(),
            base.span.last.text()
        );
        to_new_dataset(mismatch([&names[0], &names[1]], &what))
    }

    /// Returns the error for a new record that two inputs have.
    fn twice(&self, inputs: [usize; 2], value: &Position) -> Error {
        let names = inputs.map(|input| (self.name)(input));
        let what = format!(
            "both inputs have a record with {} {}",
            self.dim,
            value.text()
        );
        let e = mismatch([&names[0], &names[1]], &what);
        e.with_remedy("use --overlap first to take the record of the first input")
    }
}

/// Adds the way to a dataset with all records.
pub(super) fn to_new_dataset(e: Error) -> Error {
    e.with_remedy("join the output and the inputs to a new dataset with --join")
}
