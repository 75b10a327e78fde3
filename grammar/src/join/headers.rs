//! Reads the headers of all inputs in parallel.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use netcdf_core::chunk::{Dataset, ReadCache};
use netcdf_core::env::Env;
use netcdf_core::error::{OrInternal as _, Result};
use netcdf_core::model::{Attribute, Schema, VarId};
use netcdf_core::sum::Digest;

use super::coordinate::{CoordinateRange, positions, span};
use super::differences::other_attributes;
use super::dimension::{JoinedDimension, coordinate};
use super::facts::InputVariable;
use super::globals::{ExtentAttributes, extent_attributes};
use super::labels::LabelSource;
use super::opener::InputOpener;
use super::references::CfReferences;
use super::request::JoinOrder;
use super::statics::StaticReference;

/// The retained facts about an input.
#[derive(Debug)]
pub(super) struct InputHeader {
    pub(super) signature: u64,
    /// The length of the joined dimension.
    pub(super) len: u64,
    /// The range of the coordinate; `None` without a coordinate or without values.
    pub(super) span: Option<CoordinateRange>,
    /// The label along a new dimension.
    pub(super) label: Option<String>,
    /// The numbers of the facts about variables, in definition order.
    pub(super) vars: Arc<[usize]>,
}

/// The facts about all inputs.
#[derive(Default)]
pub(super) struct Headers {
    pub(super) inputs: Vec<InputHeader>,
    /// The different facts about variables.
    pub(super) facts: Vec<InputVariable>,
    /// The attributes with several values that the rules do not compare, such as `v:comment`.
    pub(super) differences: BTreeSet<String>,
    /// The combined global attributes.
    pub(super) extents: ExtentAttributes,
    pub(super) latency: bool,
    pub(super) lacks_sources: bool,
    numbers: BTreeMap<[u8; 32], usize>,
    lists: BTreeSet<Arc<[usize]>>,
}

/// The header of an input before equal facts are merged.
struct ReadHeader {
    signature: u64,
    len: u64,
    span: Option<CoordinateRange>,
    label: Option<String>,
    vars: Vec<([u8; 32], InputVariable)>,
    differences: Vec<String>,
    extents: Vec<Attribute>,
    latency: bool,
    has_sources: bool,
}

/// Reads headers.
pub(super) struct HeaderPass<'a> {
    pub(super) opener: &'a InputOpener,
    pub(super) joined: &'a JoinedDimension,
    pub(super) order: JoinOrder,
    pub(super) labels: Option<&'a LabelSource>,
    /// The schema of the first named input.
    pub(super) schema: &'a Schema,
    /// The values to compare; `None` if only types and shapes are compared.
    pub(super) statics: Option<&'a StaticReference<'a>>,
    pub(super) env: &'a Env,
}

impl HeaderPass<'_> {
    /// Reads the headers of all inputs.
    ///
    /// # Errors
    /// Returns errors of opening and reading, and errors of different variables without the joined dimension.
    pub(super) fn run(&self) -> Result<Headers> {
        let mut headers = Headers::default();
        let all = 0..self.opener.paths.len();
        self.opener.each(
            all,
            self.env,
            |n| self.read(n),
            |header| headers.add(header),
        )?;
        Ok(headers)
    }

    /// Reads the header of an input.
    fn read(&self, number: usize) -> Result<ReadHeader> {
        let opened = self.opener.open(number, self.env)?;
        let cache = ReadCache::new(self.env);
        let set = Dataset::new(&*opened.reader, self.env).with(&cache);
        let schema = set.reader.schema();
        let references = CfReferences::new(schema);
        let ids = schema.var_ids();
        let facts = ids.map(|id| InputVariable::new(set, id, (self.joined, &references)));
        let vars = facts.collect::<Result<Vec<_>>>()?;
        if let Some(statics) = self.statics.filter(|_| number > 0) {
            let unjoined = vars.iter().zip(schema.var_ids());
            let mut unjoined = unjoined.filter(|(facts, _)| facts.axis.is_none());
            unjoined.try_for_each(|(facts, id)| statics.check(number, (set, id), facts))?;
        }
        Ok(ReadHeader {
            signature: opened.signature,
            len: self.joined.length(schema)?,
            span: self.span(set)?,
            label: self.label(number, schema)?,
            vars: vars.into_iter().map(|facts| (key(&facts), facts)).collect(),
            differences: other_attributes([self.schema, schema], &references),
            extents: extent_attributes(schema),
            latency: set.reader.bytes().latency(),
            has_sources: set.reader.bytes().has_sources(),
        })
    }

    /// Returns the label of an input.
    fn label(&self, number: usize, schema: &Schema) -> Result<Option<String>> {
        let path = self.opener.paths.get(number).or_internal("an input")?;
        self.labels
            .map(|labels| labels.label(number, path, schema))
            .transpose()
    }

    /// Returns the coordinate range of an input.
    fn span(&self, set: Dataset<'_>) -> Result<Option<CoordinateRange>> {
        let coordinate = coordinate(set.reader.schema(), self.joined)?;
        match (coordinate, self.order) {
            (Some(id), JoinOrder::Coordinate) => span(&positions(set, id)?),
            (_, _) => Ok(None),
        }
    }
}

/// Returns a number that equal facts share.
fn key(facts: &InputVariable) -> [u8; 32] {
    *Digest::of_bytes(format!("{facts:?}").as_bytes()).bytes()
}

impl Headers {
    /// Adds the header of the next input.
    fn add(&mut self, header: ReadHeader) {
        let vars = header.vars.into_iter();
        let vars: Vec<usize> = vars.map(|(key, facts)| self.number(key, facts)).collect();
        let vars: Arc<[usize]> = vars.into();
        let vars = match self.lists.get(&vars) {
            Some(known) => Arc::clone(known),
            None => {
                self.lists.insert(Arc::clone(&vars));
                vars
            }
        };
        self.differences.extend(header.differences);
        self.extents.add(header.extents);
        self.latency |= header.latency;
        self.lacks_sources |= !header.has_sources;
        self.inputs.push(InputHeader {
            signature: header.signature,
            len: header.len,
            span: header.span,
            label: header.label,
            vars,
        });
    }

    /// Returns the number of facts.
    fn number(&mut self, key: [u8; 32], facts: InputVariable) -> usize {
        let next = self.facts.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.facts.push(facts);
        }
        number
    }

    /// Returns the header of an input.
    pub(super) fn input(&self, number: usize) -> Result<&InputHeader> {
        self.inputs
            .get(number)
            .or_internal("the header of an input")
    }

    /// Returns the variables of an input by path.
    pub(super) fn by_path(&self, number: usize) -> Result<BTreeMap<&str, (VarId, usize)>> {
        let ids = (0..).map(VarId);
        let vars = self.input(number)?.vars.iter().zip(ids);
        let one = |(&fact, id)| {
            let facts: Result<&InputVariable> = self.facts.get(fact).or_internal("facts");
            Ok((facts?.path.as_str(), (id, fact)))
        };
        vars.map(one).collect()
    }
}

impl Headers {
    /// Returns the signatures of the inputs.
    pub(super) fn signatures(&self) -> Vec<u64> {
        self.inputs.iter().map(|input| input.signature).collect()
    }

    /// Returns the facts with a number.
    pub(super) fn variable(&self, number: usize) -> Result<&InputVariable> {
        self.facts.get(number).or_internal("facts about a variable")
    }
}
