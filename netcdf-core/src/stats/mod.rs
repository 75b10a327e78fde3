//! Statistics of variables: number of elements and missing elements, extremes with their indexes, mean, standard deviation, histogram.
//!
//! The elements are read twice, box by box, because the histogram's bins depend on the extremes. Results do not depend on threads, memory
//! or storage.
//!
//! | file | contents |
//! |---|---|
//! | `number` | numeric element types |
//! | `masks` | missing elements |
//! | `tally` | statistics of boxes |
//! | `exact_sum` | sums of many numbers |
//! | `histogram` | histograms |

mod exact_sum;
mod histogram;
mod masks;
mod number;
mod tally;

#[cfg(test)]
mod tests;

pub use histogram::{BINS, Histogram};

use crate::chunk::pass::VariablePass;
use crate::chunk::{Dataset, elements};
use crate::error::{Context as _, OrInternal as _, Result};
use crate::model::convert::convert;
use crate::model::{Atomic, DataType, Region, Values, VarId, Variable};
use masks::{Masks, as_unsigned};
use number::{Number, real, with_numbers};
use tally::{PlacedElement, StatsTally};

/// An extreme value and its index.
#[derive(Debug, Clone, PartialEq)]
pub struct Extreme {
    /// The value, with the variable's type or unpacked to a double.
    pub value: Values,
    /// The first occurrence in row-major order: an index from 0 for each dimension.
    pub index: Vec<u64>,
}

/// The statistics of a numeric variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Number of elements, including missing elements.
    pub count: u64,
    /// Missing elements.
    pub missing: u64,
    /// The smallest value; `None` if all elements are missing.
    pub least: Option<Extreme>,
    /// The largest value; `None` if all elements are missing.
    pub most: Option<Extreme>,
    /// The mean; `None` if all elements are missing.
    pub mean: Option<f64>,
    /// The population standard deviation; `None` if all elements are missing.
    pub deviation: Option<f64>,
    /// The histogram; `None` if an extreme is infinite.
    pub histogram: Option<Histogram>,
}

/// Returns the statistics of a variable; `None` if the variable is not numeric. With `unpack`, `scale_factor`, `add_offset` and `_Unsigned`
/// are applied to the values. Missing elements are identified before unpacking.
///
/// # Errors
/// Returns errors of reading, with the variable's path.
pub fn statistics(set: Dataset<'_>, var: VarId, unpack: bool) -> Result<Option<Statistics>> {
    let schema = set.reader.schema();
    let found = schema.var(var).or_internal("a variable")?;
    let DataType::Atomic(stored) = found.ty else {
        return Ok(None);
    };
    let what = CountedVariable {
        set,
        var,
        stored,
        shown: match unpack {
            true => unsigned(found, stored),
            false => stored,
        },
    };
    let made = with_numbers!(&what.shown.default_fill(), kind => what.statistics(kind));
    let made = made.transpose().in_object(|| schema.var_path(var))?;
    Ok(match Packing::of(found).filter(|_| unpack) {
        Some(packing) => made.map(|made| packing.unpacked(made)),
        None => made,
    })
}

/// Returns the type after `_Unsigned` is applied to a signed type.
fn unsigned(var: &Variable, ty: Atomic) -> Atomic {
    let said = var.attribute("_Unsigned").and_then(|a| a.values.as_text());
    let said = said.is_some_and(|text| text.trim_ascii_end().eq_ignore_ascii_case(b"true"));
    match ty {
        Atomic::Byte if said => Atomic::UByte,
        Atomic::Short if said => Atomic::UShort,
        Atomic::Int if said => Atomic::UInt,
        Atomic::Int64 if said => Atomic::UInt64,
        other => other,
    }
}

/// A variable for statistics.
struct CountedVariable<'a> {
    set: Dataset<'a>,
    var: VarId,
    stored: Atomic,
    /// The type of the elements after reading.
    shown: Atomic,
}

impl CountedVariable<'_> {
    /// Returns the statistics of numbers with the type of `_kind`.
    fn statistics<T: Number>(&self, _kind: &[T]) -> Result<Statistics> {
        let var = self
            .set
            .reader
            .schema()
            .var(self.var)
            .or_internal("a variable")?;
        let masks = Masks::<T>::of(var, self.shown);
        let mut tally = StatsTally::default();
        let count = |part: &Region, all: &[T]| StatsTally::of(part, all, &masks);
        self.each(count, |part| tally.join(part))?;
        let histogram = self.histogram(&tally, &masks)?;
        Ok(finished(tally, histogram))
    }

    fn histogram<T: Number>(
        &self,
        tally: &StatsTally<T>,
        masks: &Masks<T>,
    ) -> Result<Option<Histogram>> {
        let (Some(least), Some(most)) = (&tally.least, &tally.most) else {
            return Ok(None);
        };
        let Some(empty) = Histogram::between(real(least.value), real(most.value)) else {
            return Ok(None);
        };
        let mut all = empty.clone();
        let count = |_: &Region, part: &[T]| {
            let mut counted = empty.clone();
            counted.add(part, masks);
            counted
        };
        self.each(count, |part| all.join(&part))?;
        Ok(Some(all))
    }

    fn each<T: Number, R: Send>(
        &self,
        count: impl Fn(&Region, &[T]) -> R + Sync,
        mut sink: impl FnMut(R),
    ) -> Result<()> {
        let pass = VariablePass::in_chunks(self.set, self.var)?;
        let order = pass.layout.element.order;
        let work = |part: &Region, bytes: Vec<u8>| {
            let values = elements::decode(self.stored, order, &bytes)?;
            self.set.env.buffers.give_large(bytes);
            let values = as_unsigned(values, self.shown);
            Ok(count(
                part,
                T::all(&values).or_internal("numbers of a type")?,
            ))
        };
        pass.run(work, |part| {
            sink(part);
            Ok(())
        })
    }
}

fn finished<T: Number>(tally: StatsTally<T>, histogram: Option<Histogram>) -> Statistics {
    let present = tally.count - tally.missing;
    let extreme = |element: PlacedElement<T>| Extreme {
        value: element.value.value(),
        index: element.index,
    };
    let number = present as f64;
    let mean = tally.sum.divided(number);
    let variance = tally.squares.divided(number).without(mean.squared());
    Statistics {
        count: tally.count,
        missing: tally.missing,
        least: tally.least.map(extreme),
        most: tally.most.map(extreme),
        mean: (present > 0).then(|| mean.get()),
        // If all elements are equal, rounding may make the variance negative.
        deviation: (present > 0).then(|| variance.get().max(0.0).sqrt()),
        histogram,
    }
}

/// The conversion of stored numbers to values: multiply by a scale, then add an offset.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Packing {
    scale: f64,
    offset: f64,
}

impl Packing {
    fn of(var: &Variable) -> Option<Self> {
        let one = |name: &str| {
            let values = convert(&var.attribute(name)?.values, Atomic::Double).ok()?;
            f64::all(&values)?.first().copied()
        };
        let (scale, offset) = (one("scale_factor"), one("add_offset"));
        (scale.is_some() || offset.is_some()).then_some(Self {
            scale: scale.unwrap_or(1.0),
            offset: offset.unwrap_or(0.0),
        })
    }

    fn value(self, stored: &Values) -> f64 {
        let stored = with_numbers!(stored, all => all.first().map(|x| real(*x)));
        stored
            .flatten()
            .map_or(f64::NAN, |x| x * self.scale + self.offset)
    }

    fn unpacked(self, of: Statistics) -> Statistics {
        let extreme = |extreme: Extreme| Extreme {
            value: Values::Double(vec![self.value(&extreme.value)]),
            index: extreme.index,
        };
        let (least, most) = match self.scale < 0.0 {
            true => (of.most, of.least),
            false => (of.least, of.most),
        };
        Statistics {
            least: least.map(extreme),
            most: most.map(extreme),
            mean: of.mean.map(|mean| mean * self.scale + self.offset),
            deviation: of.deviation.map(|deviation| deviation * self.scale.abs()),
            histogram: of.histogram.map(|h| h.unpacked(self.scale, self.offset)),
            ..of
        }
    }
}
