//! Number formats of variables: times and `C_format`.

use netcdf_core::model::{Atomic, DataType, GroupId, Schema, VarId, Variable};
use netcdf_core::notes::{Note, Notes};
use netcdf_core::shown::is_control;
use netcdf_grammar::c_format::{AttributeFloatFormat, IntegerFormat};
use netcdf_grammar::cdl::write::{Forms, NumberText, NumberToWrite};
use netcdf_grammar::escape::trim_nuls;

use crate::request::Digits;
use netcdf_grammar::time::{Count, Formatted, Separator, TimeUnits, attribute_text, until_nul};

/// The number formats of a dataset's variables.
pub(crate) struct DumpForms<'a> {
    schema: &'a Schema,
    digits: Digits,
    times: Option<Separator>,
    notes: &'a Notes,
    /// Per group: the last variable with `bounds` that is declared before the group's data.
    bounded: Vec<Option<&'a Variable>>,
}

impl<'a> DumpForms<'a> {
    pub(crate) fn new(
        schema: &'a Schema,
        digits: Digits,
        (times, notes): (Option<Separator>, &'a Notes),
    ) -> Self {
        let mut bounded = Vec::new();
        if times.is_some() {
            bounded.resize(schema.groups.len(), None);
            find_bounded(schema, GroupId::ROOT, None, &mut bounded);
        }
        Self {
            schema,
            digits,
            times,
            notes,
            bounded,
        }
    }

    /// Returns the time units of a variable. `say` receives a note if the reference time is only partly understood.
    fn time(&self, id: VarId, owner: &Variable, say: impl Fn(Note)) -> Option<Box<dyn NumberText>> {
        let separator = self.times?;
        let units = attribute_text(owner, "units")?;
        let path = self.schema.var_path(id);
        match TimeUnits::parse(units, attribute_text(owner, "calendar"))? {
            Ok(units) => {
                units.note(&path).into_iter().for_each(say);
                Some(Box::new(TimeText { units, separator }))
            }
            Err(unread) => {
                say(unread.note(&path));
                None
            }
        }
    }

    /// Returns the variable with the units of `var`: a bounds variable uses the units of the variable that it bounds. As in the C tool,
    /// only the last of the `bounds` attributes declared so far has an effect.
    fn owner(&self, var: &'a Variable) -> &'a Variable {
        let bounded = self.bounded.get(var.group.index()).copied().flatten();
        let names = |owner: &&Variable| {
            attribute_text(owner, "bounds").map(until_nul) == Some(trim_nuls(var.name.as_bytes()))
        };
        bounded.filter(names).unwrap_or(var)
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
        let format = Some(format).filter(|text| stays_a_number(until_nul(text)))?;
        Some(match ty {
            Atomic::Float | Atomic::Double => {
                Box::new(FloatText(AttributeFloatFormat::parse(format)?))
            }
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
        let time = (ty != Atomic::Char)
            .then(|| self.time(id, self.owner(var), |note| self.notes.say(note)));
        time.flatten().or_else(|| self.c_format(var, ty))
    }

    fn comment(&self, id: VarId) -> Option<Box<dyn NumberText>> {
        // The number itself is printed before the comment.
        self.time(id, self.schema.var(id)?, |_| ())
    }
}

/// Checks whether the text around the number in this format is harmless. Harmful text ends the number, the data list or the line, or
/// controls a terminal.
fn stays_a_number(format: &[u8]) -> bool {
    let text = std::str::from_utf8(format);
    let odd = |c: char| is_control(c) || matches!(c, ';' | ',' | '"' | '\'' | '{' | '}' | '\\');
    text.is_ok_and(|text| !text.contains(odd) && !text.contains("//"))
}

/// Sets the last variable with `bounds` of a group and its nested groups. Returns the variable of the last group.
fn find_bounded<'a>(
    schema: &'a Schema,
    at: GroupId,
    mut last: Option<&'a Variable>,
    found: &mut [Option<&'a Variable>],
) -> Option<&'a Variable> {
    let group = schema.group(at)?;
    let vars = group.vars.iter().rev().filter_map(|&v| schema.var(v));
    last = vars
        .into_iter()
        .find(|v| attribute_text(v, "bounds").is_some())
        .or(last);
    if let Some(place) = found.get_mut(at.index()) {
        *place = last;
    }
    for &sub in &group.groups {
        last = find_bounded(schema, sub, last, found);
    }
    last
}

struct TimeText {
    units: TimeUnits,
    separator: Separator,
}

impl NumberText for TimeText {
    fn write(&self, number: NumberToWrite, out: &mut Vec<u8>) -> bool {
        let (count, value) = match number {
            NumberToWrite::Signed(x) => (Count::Whole(x.into()), 0.0),
            NumberToWrite::Unsigned(x) => (Count::Whole(x.into()), 0.0),
            NumberToWrite::Float(x) => (Count::Real(x.into()), x.into()),
            NumberToWrite::Double(x) => (Count::Real(x), x),
        };
        match self.units.format(count, self.separator, out) {
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

struct FloatText(AttributeFloatFormat);

impl NumberText for FloatText {
    fn write(&self, number: NumberToWrite, out: &mut Vec<u8>) -> bool {
        let value = match number {
            NumberToWrite::Float(x) => f64::from(x),
            NumberToWrite::Double(x) => x,
            NumberToWrite::Signed(_) | NumberToWrite::Unsigned(_) => return false,
        };
        if value.is_finite() {
            self.0.write(value, out);
        }
        value.is_finite()
    }
}

struct IntegerText(IntegerFormat);

impl NumberText for IntegerText {
    fn write(&self, number: NumberToWrite, out: &mut Vec<u8>) -> bool {
        match number {
            NumberToWrite::Signed(x) => self.0.write_signed(x, out),
            NumberToWrite::Unsigned(x) => self.0.write_unsigned(x, out),
            NumberToWrite::Float(_) | NumberToWrite::Double(_) => return false,
        }
        true
    }
}
