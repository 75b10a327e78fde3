//! Numbers that are not printed as CDL has them: times, and variables with a `C_format`.

use netcdf_core::model::{Atomic, DataType, GroupId, Schema, Values, VarId, Variable};
use netcdf_grammar::cdl::write::{Forms, Number, NumberText};

use crate::c_format::{FloatFormat, IntegerFormat};
use crate::options::Digits;
use crate::time::{Formatted, Separator, TimeUnits};

/// The forms of a dataset's variables.
pub(crate) struct DumpForms<'a> {
    schema: &'a Schema,
    digits: Digits,
    times: Option<Separator>,
}

impl<'a> DumpForms<'a> {
    pub(crate) fn new(schema: &'a Schema, digits: Digits, times: Option<Separator>) -> Self {
        Self {
            schema,
            digits,
            times,
        }
    }

    fn time(&self, var: &Variable) -> Option<Box<dyn NumberText>> {
        let separator = self.times?;
        let units = text(var, "units")?;
        let units = TimeUnits::parse(units, text(var, "calendar"))?;
        Some(Box::new(TimeText { units, separator }))
    }

    /// The variable that has the attributes: bounds have those of the variable they bound.
    fn owner(&self, var: &'a Variable) -> &'a Variable {
        let schema = self.schema;
        let parent = |id: &GroupId| schema.group(*id).and_then(|g| g.parent);
        let groups = std::iter::successors(Some(var.group), parent).take(schema.groups.len());
        let groups = groups.filter_map(|id| schema.group(id));
        let mut vars = groups.flat_map(|g| g.vars.iter().rev().filter_map(|&v| schema.var(v)));
        vars.find(|v| text(v, "bounds").is_some_and(|b| until_nul(b) == var.name.as_bytes()))
            .unwrap_or(var)
    }

    fn c_format(&self, var: &Variable, ty: Atomic) -> Option<Box<dyn NumberText>> {
        let first = match ty {
            Atomic::Float => self.digits.float_first,
            Atomic::Double => self.digits.double_first,
            Atomic::Byte | Atomic::Char | Atomic::Short | Atomic::Int | Atomic::Int64 => false,
            Atomic::UByte | Atomic::UShort | Atomic::UInt | Atomic::UInt64 => false,
            Atomic::String => true,
        };
        if first {
            return None;
        }
        let format = var.attribute("C_format")?.values.as_text()?;
        Some(match ty {
            Atomic::Float | Atomic::Double => Box::new(FloatText(FloatFormat::parse(format)?)),
            _ => {
                let bits = u32::try_from(ty.size()?.saturating_mul(8)).ok()?;
                Box::new(IntegerText(IntegerFormat::parse(format, bits.max(32))?))
            }
        })
    }
}

impl Forms for DumpForms<'_> {
    fn data(&self, id: VarId) -> Option<Box<dyn NumberText>> {
        let var = self.schema.var(id)?;
        let DataType::Atomic(ty) = var.ty else {
            return None;
        };
        let time = (ty != Atomic::Char).then(|| self.time(self.owner(var)));
        time.flatten().or_else(|| self.c_format(var, ty))
    }

    fn comment(&self, id: VarId) -> Option<Box<dyn NumberText>> {
        self.time(self.schema.var(id)?)
    }
}

/// An attribute's text: characters, or the first string.
fn text<'a>(var: &'a Variable, name: &str) -> Option<&'a [u8]> {
    match &var.attribute(name)?.values {
        Values::Char(text) => Some(text),
        Values::String(strings) => strings.first()?.as_deref(),
        Values::Byte(_) | Values::Short(_) | Values::Int(_) | Values::Int64(_) => None,
        Values::UByte(_) | Values::UShort(_) | Values::UInt(_) | Values::UInt64(_) => None,
        Values::Float(_) | Values::Double(_) | Values::Enum(..) => None,
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => None,
    }
}

fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|&b| b == 0).next().unwrap_or_default()
}

struct TimeText {
    units: TimeUnits,
    separator: Separator,
}

impl NumberText for TimeText {
    fn write(&self, number: Number, out: &mut Vec<u8>) -> bool {
        let value = match number {
            Number::Signed(x) => x as f64,
            Number::Unsigned(x) => x as f64,
            Number::Float(x) => f64::from(x),
            Number::Double(x) => x,
        };
        match self.units.format(value, self.separator, out) {
            Formatted::Time => true,
            Formatted::OutOfRange => false,
            Formatted::NotFinite => {
                let text: &[u8] = match (value.is_nan(), value < 0.0) {
                    (true, _) => b"NaN",
                    (false, true) => b"-Infinity",
                    (false, false) => b"Infinity",
                };
                out.extend_from_slice(text);
                true
            }
        }
    }
}

struct FloatText(FloatFormat);

impl NumberText for FloatText {
    fn write(&self, number: Number, out: &mut Vec<u8>) -> bool {
        let value = match number {
            Number::Float(x) => f64::from(x),
            Number::Double(x) => x,
            Number::Signed(_) | Number::Unsigned(_) => return false,
        };
        if value.is_finite() {
            self.0.write(value, out);
        }
        value.is_finite()
    }
}

struct IntegerText(IntegerFormat);

impl NumberText for IntegerText {
    fn write(&self, number: Number, out: &mut Vec<u8>) -> bool {
        match number {
            Number::Signed(x) => self.0.write_signed(x, out),
            Number::Unsigned(x) => self.0.write_unsigned(x, out),
            Number::Float(_) | Number::Double(_) => return false,
        }
        true
    }
}
