//! Reads a finished output back, and compares every value with the input, before the output becomes visible.
//!
//! The file is opened anew and read like any other, without anything the writer knew, in boxes of whole chunks
//! of one of the two datasets: the one for which fewer chunks have to be decoded. Chunks behind a missing filter
//! are compared as they are stored. Values and types may differ where the output cannot have them as in the
//! input, or where an option changes them: [`Allowed`] says how much they do.

mod attributes;
mod difference;
mod stored;

use std::collections::BTreeMap;

use super::{Job, Pair, Plan, methods::Method};
use crate::arithmetic::Amount;
use crate::chunk::pairs::Stored;
use crate::chunk::quantize::Quantizer;
use crate::chunk::{Dataset, Engine, Reader, scatter};
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::names;
use crate::format;
use crate::io::Container;
use crate::io::held::Kept;
use crate::model::convert::convert;
use crate::model::{Atomic, Region, Schema, Values, VarId};

/// A box takes this part of the memory: there are two boxes, each once as decoded chunks and once assembled.
const PARTS: u64 = 5;

/// Bytes of progress that [`verify`] will report: those of the elements to compare.
///
/// # Errors
/// [`ErrorKind::NotFound`] for variables that do not exist.
pub fn bytes(reader: &dyn Reader, plan: &Plan) -> Result<u64> {
    let mut all = Amount::default();
    for pair in &plan.data {
        let size = reader.layout(pair.from)?.element.size;
        all = all + Amount::product(&reader.schema().shape(pair.from)) * size;
    }
    Ok(all.get())
}

/// The permitted differences from the input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Allowed {
    /// Attributes whose type the output's kind does not record, with both types: `/t:flag (short is int)`.
    pub attributes: Vec<String>,
    /// Variables of the input that were quantized, or went through lossy filters, with the largest difference of
    /// a value: infinite if a finite value became infinite or NaN.
    pub values: BTreeMap<VarId, f64>,
}

/// Compares a finished output with the input, and makes it visible if they agree; returns the permitted
/// differences.
///
/// # Errors
/// [`ErrorKind::Corrupt`] with the variable and position of a value that differs; those of reading;
/// [`ErrorKind::Io`] if a file of the input changed meanwhile; those of
/// [`Output::commit`](crate::io::Output::commit).
pub fn verify(set: Dataset<'_>, plan: &Plan, kept: &Kept) -> Result<Allowed> {
    let mut output = kept.take()?;
    let allowed = compare(set, plan, output.written()?)?;
    super::unchanged(set.reader)?;
    output.commit()?;
    Ok(allowed)
}

/// Compares the data that `plan` names, and its schema's attributes, with what was written.
pub(super) fn compare(from: Dataset<'_>, plan: &Plan, written: Container) -> Result<Allowed> {
    let env = from.env;
    let output = format::open(written, env)?;
    let vars = paths(output.schema());
    let mut allowed = Allowed {
        attributes: attributes::compare(&plan.schema, (output.schema(), &vars))?,
        ..Allowed::default()
    };
    let engine = Engine::new(env);
    let to = Dataset::new(&*output, env).with(&engine);
    for pair in &plan.data {
        let path = plan.schema.var_path(pair.to);
        let found = find(&vars, &path)?;
        let mut both = Both::new(from, to, (pair.from, found));
        if let (Ok(both), Some(asked)) = (&mut both, plan.schema.var(pair.to)) {
            let order = both.job.to.element.order;
            both.job.to.quantize = Quantizer::new(asked, order);
        }
        let compared = both.and_then(|both| both.compare());
        if let Some(largest) = compared.in_object(|| path)? {
            allowed.values.insert(pair.from, largest);
        }
    }
    Ok(allowed)
}

fn differs(what: impl Into<String>) -> Error {
    let what = format!("read back, {}", what.into());
    Error::new(ErrorKind::Corrupt, what)
}

/// The variables of a dataset by their paths.
fn paths(schema: &Schema) -> BTreeMap<String, VarId> {
    let vars = schema.var_ids().map(|var| (schema.var_path(var), var));
    vars.collect()
}

/// The variable with this path.
fn find(vars: &BTreeMap<String, VarId>, path: &str) -> Result<VarId> {
    let found = vars.get(path).copied();
    found.ok_or_else(|| differs("the variable is missing").in_object(path))
}

/// A variable in the input and in the output.
struct Both<'a> {
    from: Dataset<'a>,
    to: Dataset<'a>,
    job: Job,
}

impl<'a> Both<'a> {
    fn new(from: Dataset<'a>, to: Dataset<'a>, vars: (VarId, VarId)) -> Result<Self> {
        let shape = from.reader.schema().shape(vars.0);
        let read = to.reader.schema().shape(vars.1);
        if read != shape {
            return Err(differs(format!("its shape is {read:?}, not {shape:?}")));
        }
        let pair = Pair {
            from: vars.0,
            to: vars.1,
        };
        let (stored, written) = (from.layout(vars.0)?, to.layout(vars.1)?);
        let plain = stored.element.plain_type();
        let job = Job {
            pair,
            alike: plain.is_some() && plain == written.element.plain_type(),
            from: stored,
            to: written,
            chunked: false,
            other_kind: false,
            same_fill: false,
            method: Method::Convert,
            at_join: false,
            swept: false,
            region: Region::whole(&shape),
            shape,
        };
        Ok(Self { from, to, job })
    }

    /// Compares the values; returns the largest difference if values may differ.
    fn compare(&self) -> Result<Option<f64>> {
        match self.from.check_filters(self.job.pair.from) {
            Ok(()) => {}
            // Its chunks could only be moved, not decoded.
            Err(e) if e.kind() == ErrorKind::FilterUnavailable => {
                return self.compare_chunks().map(|()| None);
            }
            Err(e) => return Err(e),
        }
        let lossy = self.is_lossy();
        let may_differ = lossy || self.job.to.quantize.is_some();
        let mut largest = may_differ.then_some(0.0_f64);
        for part in self.boxes() {
            self.from.env.cancel.check()?;
            let had = read(self.from, self.job.pair.from, &part)?;
            let got = read(self.to, self.job.pair.to, &part)?;
            let bytes = Amount::product(&part.count) * self.job.from.element.size;
            self.from.env.progress.advance(bytes.get());
            let at = match self.job.to.element.plain_type() {
                Some(ty) => {
                    let exact = self.job.encoded(self.from, had)?;
                    if let Some(largest) = &mut largest {
                        let order = self.job.to.element.order;
                        let found = difference::largest((ty, order), &exact, &got)?;
                        *largest = found.max(*largest);
                    }
                    let expected = self.expected(&part, exact);
                    first_difference(&expected, &got, self.job.to.element.size).filter(|_| !lossy)
                }
                None => self.differing_value(&had, &got)?,
            };
            if let Some(at) = at {
                let place = place(&part, at);
                return Err(differs(format!("element {place:?} differs from the input")));
            }
        }
        Ok(largest)
    }

    /// Whether values went through filters that may change them; moved chunks did not.
    fn is_lossy(&self) -> bool {
        let (from, to) = (&self.job.from, &self.job.to);
        let moved = from.filters == to.filters && from.chunk == to.chunk;
        !moved && to.filters.iter().any(names::is_lossy)
    }

    /// What the elements of a box, converted to the output's type, should be in the output.
    fn expected(&self, part: &Region, mut made: Vec<u8>) -> Vec<u8> {
        if let Some(quantizer) = &self.job.to.quantize {
            quantizer.boxed(part, &self.job.shape, &mut made);
        }
        made
    }

    /// The index of the first value that differs, for values with heap data or of user-defined types.
    fn differing_value(&self, had: &[u8], got: &[u8]) -> Result<Option<u64>> {
        if had == got && self.has_same_form()? {
            return Ok(None);
        }
        let had = self.job.values(self.from, had)?;
        let got = self.to.resolve(self.job.pair.to, got)?;
        let got = as_characters(&had, got);
        if same(&had, &got) {
            return Ok(None);
        }
        let one = |v: &Values, n: usize| v.slice(n..n + 1);
        let differing = (0..had.len()).find(|&n| !same(&one(&had, n), &one(&got, n)));
        Ok(Some(differing.unwrap_or(0) as u64))
    }

    /// True if equal bytes mean equal values.
    fn has_same_form(&self) -> Result<bool> {
        let form = self.from.reader.form(self.job.pair.from)?;
        Ok(form.is_some() && form == self.to.reader.form(self.job.pair.to)?)
    }

    /// The boxes to compare, one after the other.
    fn boxes(&self) -> impl Iterator<Item = Region> + use<> {
        let stored = Stored {
            layouts: [&self.job.to, &self.job.from],
            shape: &self.job.shape,
        };
        stored.boxes(self.from.env.memory.0 / PARTS)
    }
}

/// The stored form of a box's elements, decoded on all threads.
fn read(set: Dataset<'_>, var: VarId, part: &Region) -> Result<Vec<u8>> {
    let read = set.read_whole(var, part, set.env.memory.0 / PARTS);
    read.map_err(|e| match e.kind() {
        ErrorKind::Limit => e.with_remedy("copy to smaller chunks (-c), or without --verify"),
        _ => e,
    })
}

/// Strings of at most one character as characters, if characters were written: pure Zarr does not distinguish
/// them.
fn as_characters(had: &Values, got: Values) -> Values {
    match (had, got) {
        (Values::Char(_), Values::String(strings))
            if strings.iter().flatten().all(|s| s.len() <= 1) =>
        {
            let one = |s: Option<Box<[u8]>>| s.and_then(|s| s.first().copied()).unwrap_or(0);
            Values::Char(strings.into_iter().map(one).collect())
        }
        (_, got) => got,
    }
}

/// The index of the first element of `size` bytes that differs.
fn first_difference(a: &[u8], b: &[u8], size: u64) -> Option<u64> {
    if a == b {
        return None;
    }
    let at = a.iter().zip(b).position(|(x, y)| x != y);
    let at = at.unwrap_or_else(|| a.len().min(b.len()));
    Some(at as u64 / size.max(1))
}

/// The position in the variable of an element of a box, given its number in the box.
fn place(part: &Region, number: u64) -> Vec<u64> {
    let within = scatter::place(number, &part.count);
    part.start.iter().zip(within).map(|(a, b)| a + b).collect()
}

/// True if two lists of values are the same, bit by bit. Their type ids belong to two datasets.
#[must_use]
pub fn same(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::Float(a), Values::Float(b)) => {
            let bits = |v: &f32| v.to_bits();
            a.iter().map(bits).eq(b.iter().map(bits))
        }
        (Values::Double(a), Values::Double(b)) => {
            let bits = |v: &f64| v.to_bits();
            a.iter().map(bits).eq(b.iter().map(bits))
        }
        (Values::Enum(_, a), Values::Enum(_, b)) => same(a, b) || same_numbers(a, b),
        (Values::Opaque { bytes: a, .. }, Values::Opaque { bytes: b, .. }) => a == b,
        (Values::Vlen(_, a), Values::Vlen(_, b)) => all_same(a, b),
        (Values::Compound { columns: a, .. }, Values::Compound { columns: b, .. }) => {
            all_same(a, b)
        }
        (a, b) => a == b,
    }
}

/// True if numbers are equal, in any type. HDF5 has signed truth values, Zarr unsigned ones.
fn same_numbers(a: &Values, b: &Values) -> bool {
    let wide = |values| convert(values, Atomic::Int64).ok();
    wide(a).is_some_and(|a| wide(b) == Some(a))
}

fn all_same(a: &[Values], b: &[Values]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_bit_by_bit() {
        let nan = Values::Double(vec![f64::NAN]);
        assert!(same(&nan, &nan.clone()));
        assert!(!same(&Values::Float(vec![0.0]), &Values::Float(vec![-0.0])));
        assert!(!same(&Values::Float(vec![0.0]), &Values::Float(vec![])));
        let list = |x| Values::Vlen(crate::model::TypeId(x), vec![nan.clone()]);
        assert!(same(&list(1), &list(2)));
        assert!(!same(&Values::Int(vec![1]), &Values::Short(vec![1])));
    }

    #[test]
    fn differences_have_a_place() {
        assert_eq!(first_difference(&[1, 2, 3, 4], &[1, 2, 3, 4], 2), None);
        assert_eq!(first_difference(&[1, 2, 3, 4], &[1, 2, 3, 5], 2), Some(1));
        assert_eq!(first_difference(&[1, 2], &[1, 2, 3, 5], 2), Some(1));
        let part = Region::boxed(vec![5, 0, 2], vec![2, 3, 4]);
        assert_eq!(place(&part, 17), [6, 1, 3]);
    }
}
