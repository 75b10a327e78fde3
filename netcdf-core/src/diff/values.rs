//! The values of a variable: how its elements are compared.

use super::Compared;
use super::difference::Difference;
use super::general::{Agreement, General};
use super::numbers::{self, Elements};
use super::rule::{Number, Rule, Tolerance};
use super::tally::Tally;
use super::walk::Pair;
use crate::chunk::Layout;
use crate::error::{OrInternal as _, Result};
use crate::limits;
use crate::model::{Schema, Values, VarId};

/// Values of other types than numbers that are compared at a time.
const VALUES: usize = 1 << 12;

/// Compares the values of a variable: the part that both have.
pub(super) fn compare(
    sides: [Compared<'_>; 2],
    pair: &Pair,
    tolerance: Tolerance,
) -> Result<Option<Difference>> {
    let both = Both::new(sides, pair, tolerance)?;
    if both.shape.contains(&0) || both.is_stored_nowhere()? {
        return Ok(None);
    }
    let found = match both.stored_alike()? {
        true => both.compare_stored()?,
        false => both.compare_boxes()?,
    };
    both.difference(found)
}

/// A variable of both datasets.
pub(super) struct Both<'a> {
    pub(super) sides: [Compared<'a>; 2],
    pub(super) pair: &'a Pair,
    pub(super) layouts: [Layout; 2],
    /// The shape of what both have.
    pub(super) shape: Vec<u64>,
    /// Whether the shapes differ.
    pub(super) partly: bool,
    pub(super) general: General<'a>,
    /// Whether equal bytes are equal values, for elements that are no plain numbers.
    same_form: bool,
}

impl<'a> Both<'a> {
    fn new(sides: [Compared<'a>; 2], pair: &'a Pair, tolerance: Tolerance) -> Result<Self> {
        let [a, b] = sides;
        let [x, y] = pair.vars;
        let schemas = sides.map(|side| side.set.reader.schema());
        let shapes = [schemas[0].shape(x), schemas[1].shape(y)];
        let common = shapes[0].iter().zip(&shapes[1]).map(|(a, b)| *a.min(b));
        let fills = fill(schemas[0], x).zip(fill(schemas[1], y));
        let rule = Rule {
            tolerance,
            fills: fills.filter(|(a, b)| !a.is(*b)).map(|(a, b)| [a, b]),
        };
        let form = a.set.reader.form(x)?;
        Ok(Self {
            shape: common.collect(),
            partly: shapes[0] != shapes[1],
            sides,
            pair,
            layouts: [a.layout(x)?, b.layout(y)?],
            general: General { schemas, rule },
            same_form: form.is_some() && form == b.set.reader.form(y)?,
        })
    }

    /// True if equal bytes are equal values, for elements that are no plain numbers.
    pub(super) fn has_same_form(&self) -> bool {
        self.same_form
    }

    /// Bytes of an element of each.
    pub(super) fn sizes(&self) -> Result<[usize; 2]> {
        let [a, b] = [&self.layouts[0], &self.layouts[1]];
        Ok([
            limits::element(a.element.size)?,
            limits::element(b.element.size)?,
        ])
    }

    /// Compares stored elements, as many as both lists have.
    pub(super) fn tally(&self, x: &[u8], y: &[u8]) -> Result<Tally> {
        let elements = |n: usize, bytes| {
            let element = &self.layouts.get(n)?.element;
            Some(Elements {
                ty: element.plain_type()?,
                order: element.order,
                bytes,
            })
        };
        match elements(0, x).zip(elements(1, y)) {
            Some((a, b)) => numbers::compare(a, b, &self.general.rule),
            None if self.same_form && x == y => Ok(Tally::default()),
            None => self.tally_values(x, y),
        }
    }

    /// Compares elements that are no plain numbers, a few at a time.
    fn tally_values(&self, x: &[u8], y: &[u8]) -> Result<Tally> {
        let [p, q] = self.sizes()?.map(|size| size.max(1));
        let mut tally = Tally::default();
        let parts = x.chunks(VALUES * p).zip(y.chunks(VALUES * q));
        for (n, (x, y)) in parts.enumerate() {
            if self.same_form && x == y {
                continue;
            }
            self.sides[0].set.env.cancel.check()?;
            let (a, b) = (self.values(0, x)?, self.values(1, y)?);
            for i in 0..a.len().min(b.len()) {
                match self.general.compare((&a, i), (&b, i)) {
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
            .map_err(|e| e.of(side.name))
    }
}

/// The fill value of a variable, if that is a number or a character.
fn fill(schema: &Schema, var: VarId) -> Option<Number> {
    let fill = schema.var(var)?.fill_value()?;
    match &fill {
        Values::Char(text) => text.first().map(|c| Number::Whole((*c).into())),
        fill => Number::of(fill, 0),
    }
}

impl Compared<'_> {
    fn layout(&self, var: VarId) -> Result<Layout> {
        self.set.layout(var).map_err(|e| e.of(self.name))
    }
}
