//! The values of a variable, in boxes of elements. Workers read a box of both datasets, and compare the elements.

use super::difference::{
    Difference, DifferentElement, DifferentValues, Farthest, Finding, ObjectKind,
};
use super::general::{Agreement, General};
use super::numbers::{self, Elements};
use super::rule::{Number, Rule, Tolerance};
use super::schema::Pair;
use super::tally::{Found, Tally};
use super::{Compared, coordinates};
use crate::arithmetic::{Amount, indices};
use crate::chunk::pairs::Stored;
use crate::chunk::{Grid, Layout, scatter};
use crate::error::{OrInternal as _, Result};
use crate::model::{Region, Values};
use crate::runtime::Item;

/// Bytes of a box that one worker compares, of each dataset.
const SMALL_BOX: u64 = 2 << 20;
/// Bytes of a box that divides no chunk of either dataset, up to which one worker compares it.
const WHOLE_BOX: u64 = 16 << 20;
/// A larger box takes this part of the memory: it is there for both datasets, once as chunks and once assembled.
const PARTS: u64 = 5;
/// Boxes of a worker may decode so many times more chunks than larger boxes would.
const MORE_DECODED: f64 = 1.1;
/// Copies of the elements of a box while it is worked on: of both datasets, decoded and assembled.
const COPIES: u64 = 4;
/// Bytes that a worker compares of a larger box.
const PIECE: u64 = 1 << 20;
/// Values of other types than numbers that are compared at a time.
const VALUES: usize = 1 << 12;

/// Compares the values of a variable: the part that both have.
pub(super) fn compare(
    sides: [Compared<'_>; 2],
    pair: &Pair,
    tolerance: Tolerance,
) -> Result<Option<Difference>> {
    let both = Both::new(sides, pair, tolerance)?;
    if both.shape.contains(&0) {
        return Ok(None);
    }
    let found = match both.stored_alike()? {
        true => both.compare_stored()?,
        false => both.compare_boxes()?,
    };
    both.difference(found, pair)
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
    general: General<'a>,
    /// Whether equal bytes are equal values, for elements that are no plain numbers.
    same_form: bool,
}

impl<'a> Both<'a> {
    fn new(sides: [Compared<'a>; 2], pair: &'a Pair, tolerance: Tolerance) -> Result<Self> {
        let [a, b] = sides;
        let [x, y] = pair.vars;
        let layouts = [a.layout(x)?, b.layout(y)?];
        let schemas = sides.map(|side| side.set.reader.schema());
        let shapes = [schemas[0].shape(x), schemas[1].shape(y)];
        let common = shapes[0].iter().zip(&shapes[1]).map(|(a, b)| *a.min(b));
        let form = a.set.reader.form(x)?;
        let fill = |n: usize| {
            let (schema, var) = (schemas.get(n)?, pair.vars.get(n)?);
            let fill = schema.var(*var)?.fill_value()?;
            match &fill {
                Values::Char(text) => text.first().map(|c| Number::Whole((*c).into())),
                _ => Number::of(&fill, 0),
            }
        };
        let fills = fill(0).zip(fill(1)).filter(|(a, b)| !a.is(*b));
        let rule = Rule {
            tolerance,
            fills: fills.map(|(a, b)| [a, b]),
        };
        Ok(Self {
            shape: common.collect(),
            partly: shapes[0] != shapes[1],
            sides,
            pair,
            layouts,
            general: General { schemas, rule },
            same_form: form.is_some() && form == b.set.reader.form(y)?,
        })
    }

    /// True if equal bytes are equal values, for elements that are no plain numbers.
    pub(super) fn has_same_form(&self) -> bool {
        self.same_form
    }

    fn compare_boxes(&self) -> Result<Found> {
        let stored = Stored {
            layouts: [&self.layouts[0], &self.layouts[1]],
            shape: &self.shape,
        };
        let most = self.sides[0].set.env.memory.0 / PARTS;
        let large = stored.cut(most);
        let small = [stored.cut(SMALL_BOX), stored.whole_in_both()];
        let decoded = stored.cost(&large) * MORE_DECODED;
        let room = most.min(WHOLE_BOX);
        let fits =
            |part: &&Vec<u64>| stored.cost(part) <= decoded && self.bytes(part) <= room.into();
        match small.iter().find(fits) {
            Some(part) => self.small_boxes(part),
            None => self.large_boxes(&large),
        }
    }

    /// Bytes of a box, of the dataset with larger elements.
    fn bytes(&self, part: &[u64]) -> Amount {
        let size = self.layouts[0]
            .element
            .size
            .max(self.layouts[1].element.size);
        Amount::product(part) * size
    }

    /// Compares boxes, each on one thread.
    fn small_boxes(&self, part: &[u64]) -> Result<Found> {
        let mut found = Found::default();
        let boxes = Grid::of(self.shape.clone(), part.to_vec()).boxes(1);
        let items = boxes.map(|part| {
            let bytes = self.bytes(&part.count) * COPIES;
            Ok(Item::new(bytes.get(), part))
        });
        let runtime = self.runtime();
        runtime.ordered(
            items,
            |part| self.compare_box(&part),
            |one| {
                found.add(one);
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// The threads to compare with: as many as the slower of the two sources needs.
    pub(super) fn runtime(&self) -> crate::runtime::Runtime {
        let slow = self.sides.iter().any(|side| side.set.reader.latency());
        self.sides[0].set.env.runtime.for_requests(slow)
    }

    /// Reads and compares a box.
    pub(super) fn compare_box(&self, part: &Region) -> Result<Found> {
        let [a, b] = self.sides;
        a.set.env.cancel.check()?;
        let x = a.read(self.pair, 0, &self.layouts[0], part)?;
        let y = b.read(self.pair, 1, &self.layouts[1], part)?;
        let tally = self.tally(&x, &y)?;
        let found = self.found(part, &tally, [&x, &y]);
        self.done([x, y]);
        found
    }

    /// Gives back the memory of a box.
    fn done(&self, [x, y]: [Vec<u8>; 2]) {
        let env = self.sides[0].set.env;
        env.progress.advance(x.len() as u64);
        self.sides[0].set.env.buffers.give_large(x);
        self.sides[1].set.env.buffers.give_large(y);
    }

    /// Compares boxes one after the other: each is read on all threads, and compared on all threads.
    fn large_boxes(&self, part: &[u64]) -> Result<Found> {
        let mut found = Found::default();
        let [a, b] = self.sides;
        let memory = a.set.env.memory.0 / PARTS;
        for part in Grid::of(self.shape.clone(), part.to_vec()).boxes(1) {
            a.set.env.cancel.check()?;
            let x = a.set.read_whole(self.pair.vars[0], &part, memory);
            let x = x.map_err(|e| e.of(a.name))?;
            let y = b.set.read_whole(self.pair.vars[1], &part, memory);
            let y = y.map_err(|e| e.of(b.name))?;
            let tally = self.tally_on_all(&x, &y)?;
            found.add(self.found(&part, &tally, [&x, &y])?);
            self.done([x, y]);
        }
        Ok(found)
    }

    /// As [`Both::tally`], on all threads.
    fn tally_on_all(&self, x: &[u8], y: &[u8]) -> Result<Tally> {
        let [p, q] = self.sizes()?;
        let all = x.len() / p.max(1);
        let step = (Amount::of(PIECE) / p).count().max(1);
        let items = (0..all)
            .step_by(step)
            .map(|first| Ok(Item::new(PIECE, first)));
        let work = |first: usize| {
            let part = first..(first + step).min(all);
            let a = x
                .get(part.start * p..part.end * p)
                .or_internal("elements of a box")?;
            let b = y
                .get(part.start * q..part.end * q)
                .or_internal("elements of a box")?;
            Ok((first, self.tally(a, b)?))
        };
        let mut tally = Tally::default();
        self.sides[0]
            .set
            .env
            .runtime
            .ordered(items, work, |(first, one)| {
                tally.append(&one, first);
                Ok(())
            })?;
        Ok(tally)
    }

    /// Bytes of an element of each.
    fn sizes(&self) -> Result<[usize; 2]> {
        let [a, b] = [&self.layouts[0], &self.layouts[1]];
        Ok([
            crate::limits::element(a.element.size)?,
            crate::limits::element(b.element.size)?,
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

    fn values(&self, n: usize, bytes: &[u8]) -> Result<Values> {
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

    /// What was found in a box, with the elements that differ first and most.
    pub(super) fn found(&self, part: &Region, tally: &Tally, bytes: [&[u8]; 2]) -> Result<Found> {
        let element = |at: usize| self.element(part, at, bytes);
        let farthest = |one: Option<(f64, usize)>| {
            let made = one.map(|(by, at)| {
                Ok(Farthest {
                    by,
                    element: element(at)?,
                })
            });
            made.transpose()
        };
        Ok(Found {
            differing: tally.differing,
            without_size: tally.without_size,
            first: tally.first.map(element).transpose()?,
            absolute: farthest(tally.absolute)?,
            relative: farthest(tally.relative)?,
        })
    }

    /// An element of a box that differs.
    fn element(&self, part: &Region, at: usize, bytes: [&[u8]; 2]) -> Result<DifferentElement> {
        let one = |n: usize| {
            let size = self.sizes()?.get(n).copied().or_internal("a side")?;
            let place = indices((Amount::of(at) * size).get(), size as u64)?;
            let bytes = bytes.get(n).and_then(|bytes| bytes.get(place));
            self.values(n, bytes.or_internal("an element of a box")?)
        };
        let values = [one(0)?, one(1)?];
        let [a, b] = &values;
        let field = match self.general.compare((a, 0), (b, 0)) {
            Agreement::Different { field, .. } => field,
            Agreement::Same => None,
        };
        let within = scatter::place(at as u64, &part.count);
        Ok(DifferentElement {
            index: part.start.iter().zip(within).map(|(a, b)| a + b).collect(),
            values,
            field,
            coordinates: vec![],
        })
    }

    /// The difference that was found, with coordinates.
    fn difference(&self, found: Found, pair: &Pair) -> Result<Option<Difference>> {
        let Some(first) = found.first else {
            return Ok(None);
        };
        let located = |mut element: DifferentElement| {
            element.coordinates = coordinates::of(self.sides[0], pair.vars[0], &element.index)?;
            Ok(element)
        };
        let farthest = |one: Option<Farthest>| {
            let one = one.map(|one| {
                let element = located(one.element)?;
                Ok(Farthest { element, ..one })
            });
            one.transpose()
        };
        let values = DifferentValues {
            differing: found.differing,
            compared: Amount::product(&self.shape).get(),
            common: self.partly.then(|| self.shape.clone()),
            without_size: found.without_size,
            first: located(first)?,
            absolute: farthest(found.absolute)?,
            relative: farthest(found.relative)?,
        };
        Ok(Some(Difference {
            kind: ObjectKind::Variable,
            path: pair.path.clone(),
            attribute: None,
            finding: Finding::Values(Box::new(values)),
        }))
    }
}

impl Compared<'_> {
    fn layout(&self, var: crate::model::VarId) -> Result<Layout> {
        self.set.layout(var).map_err(|e| e.of(self.name))
    }

    /// The stored form of the elements of a box.
    fn read(&self, pair: &Pair, n: usize, layout: &Layout, part: &Region) -> Result<Vec<u8>> {
        let var = pair.vars.get(n).or_internal("a side")?;
        let read = self.set.read_stored(*var, layout, part);
        read.map_err(|e| e.of(self.name))
    }
}
