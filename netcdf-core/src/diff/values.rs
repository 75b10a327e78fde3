//! Comparison of a variable's values.

use super::Compared;
use super::changes::Expected;
use super::difference::Difference;
use super::group_walk::VariablePair;
use super::numbers::{self, ElementSlice};
use super::rule::{EqualityRule, ExactNumber, Tolerance};
use super::single_values::{Agreement, General};
use super::tally::{DiffParts, DiffTally};
use crate::arithmetic::Amount;
use crate::chunk::Layout;
use crate::error::{OrInternal as _, Result};
use crate::limits;
use crate::model::{Schema, StoredElement, Values, VarId};

/// Non-numeric values compared at a time.
const VALUES: usize = 1 << 12;

/// Compares the values of a variable within the common shape.
pub(super) fn compare(
    sides: [Compared<'_>; 2],
    pair: &VariablePair,
    tolerance: Tolerance,
) -> Result<Option<Difference>> {
    let both = Both::new(sides, pair, tolerance)?;
    let found = both.compare()?;
    both.difference(found)
}

/// A common variable of two datasets.
pub(super) struct Both<'a> {
    pub(super) sides: [Compared<'a>; 2],
    pub(super) pair: &'a VariablePair,
    pub(super) layouts: [Layout; 2],
    /// The common shape.
    pub(super) shape: Vec<u64>,
    /// Whether the shapes differ.
    pub(super) partly: bool,
    pub(super) general: General<'a>,
    /// The element forms to compare.
    elements: [StoredElement; 2],
    /// The changes of a copy, if the second variable is a copy of the first.
    pub(super) expected: Option<Expected<'a>>,
    /// Whether equal bytes are equal values, for elements other than plain numbers.
    same_form: bool,
}

impl<'a> Both<'a> {
    pub(super) fn new(
        sides: [Compared<'a>; 2],
        pair: &'a VariablePair,
        tolerance: Tolerance,
    ) -> Result<Self> {
        let [a, b] = sides;
        let [x, y] = pair.vars;
        let schemas = sides.map(|side| side.set.reader.schema());
        let shapes = [schemas[0].shape(x), schemas[1].shape(y)];
        let common = shapes[0].iter().zip(&shapes[1]).map(|(a, b)| *a.min(b));
        let fills = fill(schemas[0], x).zip(fill(schemas[1], y));
        let rule = EqualityRule {
            tolerance,
            fills: fills.filter(|(a, b)| !a.is(*b)).map(|(a, b)| [a, b]),
            exact: false,
        };
        let form = a.set.reader.form(x)?;
        let layouts = [a.layout(x)?, b.layout(y)?];
        Ok(Self {
            shape: common.collect(),
            partly: shapes[0] != shapes[1],
            sides,
            pair,
            elements: layouts.each_ref().map(|layout| layout.element),
            layouts,
            general: General { schemas, rule },
            expected: None,
            same_form: form.is_some() && form == b.set.reader.form(y)?,
        })
    }

    /// Returns the same variables; the second variable is a copy of the first.
    pub(super) fn for_copy(mut self, expected: Expected<'a>) -> Self {
        self.general.rule = EqualityRule::EXACT;
        if expected.convert.is_some() {
            self.elements = [self.elements[1]; 2];
        }
        self.expected = Some(expected);
        self
    }

    /// Compares the values by the cheapest method.
    pub(super) fn compare(&self) -> Result<DiffParts> {
        if self.shape.contains(&0) {
            return Ok(DiffParts::default());
        }
        if self.is_only_stored()? {
            return self.compare_stored();
        }
        if self.is_stored_nowhere()? {
            self.advance(&self.shape);
            return Ok(DiffParts::default());
        }
        match self.stored_alike()? {
            true => self.compare_stored(),
            false => self.compare_boxes(),
        }
    }

    /// Reports the progress of a box of this shape.
    pub(super) fn advance(&self, part: &[u64]) {
        let bytes = Amount::product(part) * self.layouts[0].element.size;
        self.sides[0].set.env.progress.advance(bytes.get());
    }

    /// Returns whether equal bytes are equal values, for elements other than plain numbers.
    pub(super) fn has_same_form(&self) -> bool {
        self.same_form
    }

    /// Returns the bytes of an element in each dataset.
    pub(super) fn sizes(&self) -> Result<[usize; 2]> {
        let [a, b] = &self.elements;
        Ok([limits::element(a.size)?, limits::element(b.size)?])
    }

    /// Compares elements by a rule, up to the shorter list.
    pub(super) fn tally(&self, rule: &EqualityRule, [x, y]: [&[u8]; 2]) -> Result<DiffTally> {
        let [a, b] = &self.elements;
        let elements = |element: &StoredElement, bytes| {
            Some(ElementSlice {
                ty: element.plain_type()?,
                order: element.order,
                bytes,
            })
        };
        match elements(a, x).zip(elements(b, y)) {
            Some((a, b)) => numbers::compare(a, b, rule),
            None if self.same_form && x == y => Ok(DiffTally::default()),
            None => self.tally_values(rule, [x, y]),
        }
    }

    /// Compares elements other than plain numbers, a few at a time.
    fn tally_values(&self, rule: &EqualityRule, [x, y]: [&[u8]; 2]) -> Result<DiffTally> {
        let general = General {
            rule: *rule,
            ..self.general
        };
        let [p, q] = self.sizes()?.map(|size| size.max(1));
        let mut tally = DiffTally::default();
        let parts = x.chunks(VALUES * p).zip(y.chunks(VALUES * q));
        for (n, (x, y)) in parts.enumerate() {
            if self.same_form && x == y {
                continue;
            }
            self.sides[0].set.env.cancel.check()?;
            let (a, b) = (self.values(0, x)?, self.values(1, y)?);
            for i in 0..a.len().min(b.len()) {
                match general.compare((&a, i), (&b, i)) {
                    Agreement::Same => {}
                    Agreement::Different { distance, .. } => tally.add(n * VALUES + i, distance),
                }
            }
        }
        Ok(tally)
    }

    pub(super) fn values(&self, n: usize, bytes: &[u8]) -> Result<Values> {
        let (side, layout) = self
            .sides
            .get(n)
            .zip(self.layouts.get(n))
            .or_internal("a side")?;
        let var = self.pair.vars.get(n).or_internal("a side")?;
        side.set
            .values(*var, layout, bytes)
            .map_err(|e| side.named(e))
    }
}

/// Returns a variable's fill value if it is a number or a character.
fn fill(schema: &Schema, var: VarId) -> Option<ExactNumber> {
    let fill = schema.var(var)?.fill_value()?;
    match &fill {
        Values::Char(text) => text.first().map(|c| ExactNumber::Whole((*c).into())),
        fill => ExactNumber::of(fill, 0),
    }
}

impl Compared<'_> {
    fn layout(&self, var: VarId) -> Result<Layout> {
        self.set.layout(var).map_err(|e| self.named(e))
    }
}
