//! The text of one value of any type.

use std::ops::Range;

use netcdf_core::model::{Name, Schema, TypeId, Values};

use super::number::{NumberToWrite, number};

/// The text of parts of values in a text format.
pub(crate) trait ValueForm: Sized {
    /// The brackets of a list.
    const LIST: [u8; 2];

    /// Appends a number.
    fn number(&self, number: NumberToWrite, out: &mut Vec<u8>);
    /// Appends a character.
    fn character(&self, character: &[u8], out: &mut Vec<u8>);
    /// Appends a string, which may be NIL.
    fn string(&self, text: Option<&[u8]>, out: &mut Vec<u8>);
    /// Appends the name of an enum member.
    fn member(&self, name: &Name, out: &mut Vec<u8>);
    /// Appends a value of an enum that has no name.
    fn unnamed(&self, value: i128, out: &mut Vec<u8>);
    /// Appends an opaque value.
    fn opaque(&self, bytes: &[u8], out: &mut Vec<u8>);
    /// Appends a list of characters.
    fn characters(&self, text: &[u8], out: &mut Vec<u8>);
    /// Appends the text before the value of a field.
    fn field(&self, name: &Name, out: &mut Vec<u8>);
    /// Appends a field with dimensions.
    fn array(text: &ValueText<'_, Self>, array: ValueArray<'_>, out: &mut Vec<u8>);
}

/// Compound values of one type.
struct Compounds<'v> {
    ty: TypeId,
    /// The number of values.
    len: usize,
    /// The values by field.
    columns: &'v [Values],
}

/// A field with dimensions.
pub(crate) struct ValueArray<'v> {
    /// The values of the field in all structures.
    pub(crate) column: &'v Values,
    /// The dimensions, at least one.
    pub(crate) dims: &'v [u64],
    /// The values of one structure.
    pub(crate) range: Range<usize>,
}

/// Writes values in a form.
#[derive(Clone, Copy)]
pub(crate) struct ValueText<'a, F> {
    pub(crate) schema: &'a Schema,
    pub(crate) form: F,
}

impl<F: ValueForm> ValueText<'_, F> {
    /// Appends value `i` of a list.
    pub(crate) fn one(&self, values: &Values, i: usize, out: &mut Vec<u8>) {
        match values {
            Values::Byte(_) | Values::Short(_) | Values::Int(_) | Values::Int64(_) => {
                self.number(values, i, out);
            }
            Values::UByte(_) | Values::UShort(_) | Values::UInt(_) | Values::UInt64(_) => {
                self.number(values, i, out);
            }
            Values::Float(_) | Values::Double(_) => self.number(values, i, out),
            Values::Char(text) => {
                let one = text.get(i..).and_then(|rest| rest.get(..1));
                self.form.character(one.unwrap_or_default(), out);
            }
            Values::String(strings) => {
                let text = strings.get(i).and_then(Option::as_deref);
                self.form.string(text, out);
            }
            Values::Enum(ty, base) => self.member(*ty, base, i, out),
            Values::Opaque { size, bytes, .. } => {
                let value = bytes.chunks_exact((*size).max(1)).nth(i);
                self.form.opaque(value.unwrap_or_default(), out);
            }
            Values::Vlen(_, lists) => match lists.get(i) {
                Some(Values::Char(text)) => self.form.characters(text, out),
                Some(list) => self.list(list, out),
                None => out.extend_from_slice(&F::LIST),
            },
            Values::Compound { ty, len, columns } => {
                let compound = Compounds {
                    ty: *ty,
                    len: *len,
                    columns,
                };
                self.compound(&compound, i, out);
            }
        }
    }

    /// Appends values in brackets.
    pub(crate) fn list(&self, values: &Values, out: &mut Vec<u8>) {
        let [open, close] = F::LIST;
        out.push(open);
        self.items(values, 0..values.len(), out);
        out.push(close);
    }

    /// Appends values with separators.
    pub(crate) fn items(&self, values: &Values, range: Range<usize>, out: &mut Vec<u8>) {
        for (n, i) in range.enumerate() {
            separate(n, out);
            self.one(values, i, out);
        }
    }

    fn number(&self, values: &Values, i: usize, out: &mut Vec<u8>) {
        if let Some(number) = number(values, i) {
            self.form.number(number, out);
        }
    }

    /// Appends the name of an enum value, or the value if there is no name.
    fn member(&self, ty: TypeId, base: &Values, i: usize, out: &mut Vec<u8>) {
        let value = match number(base, i) {
            Some(NumberToWrite::Signed(x)) => i128::from(x),
            Some(NumberToWrite::Unsigned(x)) => i128::from(x),
            Some(NumberToWrite::Float(_) | NumberToWrite::Double(_)) | None => return,
        };
        let mut members = self.schema.enum_members(ty).unwrap_or_default().iter();
        match members.find(|(_, v)| *v == value) {
            Some((name, _)) => self.form.member(name, out),
            None => self.form.unnamed(value, out),
        }
    }

    /// Appends compound `i`.
    fn compound(&self, compounds: &Compounds<'_>, i: usize, out: &mut Vec<u8>) {
        let Compounds { ty, len, columns } = *compounds;
        let Some(fields) = self.schema.compound_fields(ty) else {
            return;
        };
        out.push(b'{');
        for (n, (field, column)) in fields.iter().zip(columns).enumerate() {
            separate(n, out);
            self.form.field(&field.name, out);
            let per = column.len().checked_div(len).unwrap_or(0);
            let first = i.saturating_mul(per);
            match field.dims.as_slice() {
                [] => self.one(column, first, out),
                dims => {
                    let range = first..first.saturating_add(per);
                    F::array(
                        self,
                        ValueArray {
                            column,
                            dims,
                            range,
                        },
                        out,
                    );
                }
            }
        }
        out.push(b'}');
    }
}

/// Appends the separator before item `i`.
pub(crate) fn separate(i: usize, out: &mut Vec<u8>) {
    if i > 0 {
        out.extend_from_slice(b", ");
    }
}
