//! Output of one value of any type, in data, in lists and in other values.

use netcdf_core::model::{Field, Schema, TypeId, TypeKind, Values};

use super::Floats;
use super::options::NumberToWrite;
use super::variables::push_defined;
use crate::cdl::constant::UNDEFINED_MEMBER;
use crate::escape::{TextStyle, quote_text, trim_nuls};
use crate::number::NumberToken;

/// Writes values.
#[derive(Clone, Copy)]
pub(super) struct CdlValueText<'a> {
    pub(super) schema: &'a Schema,
    pub(super) floats: Floats,
}

/// Values of a compound type, with one column per field.
struct CdlStructures<'v> {
    ty: TypeId,
    len: usize,
    columns: &'v [Values],
}

impl CdlValueText<'_> {
    /// Appends value `i` of a list.
    pub(super) fn write(&self, values: &Values, i: usize, out: &mut Vec<u8>) {
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
                member_text(trim_nuls(one.unwrap_or_default()), out);
            }
            Values::String(strings) => string(strings.get(i).and_then(Option::as_deref), out),
            Values::Enum(ty, base) => self.member(*ty, base, i, out),
            Values::Opaque { size, bytes, .. } => {
                let value = bytes.chunks_exact((*size).max(1)).nth(i);
                opaque(value.unwrap_or_default(), out);
            }
            Values::Vlen(_, lists) => self.braces(lists.get(i), out),
            Values::Compound { ty, len, columns } => {
                let all = CdlStructures {
                    ty: *ty,
                    len: *len,
                    columns,
                };
                self.compound(&all, i, out);
            }
        }
    }

    fn number(&self, values: &Values, i: usize, out: &mut Vec<u8>) {
        if let Some(number) = number(values, i) {
            plain(number, self.floats, out);
        }
    }

    /// Appends the member name of an enum value, or the number of a value without a name.
    fn member(&self, ty: TypeId, base: &Values, i: usize, out: &mut Vec<u8>) {
        let value = match number(base, i) {
            Some(NumberToWrite::Signed(x)) => i128::from(x),
            Some(NumberToWrite::Unsigned(x)) => i128::from(x),
            Some(NumberToWrite::Float(_) | NumberToWrite::Double(_)) | None => return,
        };
        let members = match self.schema.user_type(ty).map(|t| &t.kind) {
            Some(TypeKind::Enum { members, .. }) => members.as_slice(),
            Some(TypeKind::Opaque { .. } | TypeKind::Vlen { .. } | TypeKind::Compound { .. })
            | None => &[],
        };
        match members.iter().find(|(_, v)| *v == value) {
            Some((name, _)) => push_defined(name, self.schema.kind, out),
            None if value == 0 => out.extend_from_slice(UNDEFINED_MEMBER),
            None => out.extend_from_slice(value.to_string().as_bytes()),
        }
    }

    /// Appends a list of values in braces; characters are one text.
    fn braces(&self, list: Option<&Values>, out: &mut Vec<u8>) {
        out.push(b'{');
        match list {
            Some(Values::Char(text)) if !text.is_empty() => member_text(text, out),
            Some(list) => self.list(list, 0..list.len(), out),
            None => {}
        }
        out.push(b'}');
    }

    fn list(&self, values: &Values, range: std::ops::Range<usize>, out: &mut Vec<u8>) {
        for i in range.clone() {
            if i > range.start {
                out.extend_from_slice(b", ");
            }
            self.write(values, i, out);
        }
    }

    fn compound(&self, all: &CdlStructures<'_>, i: usize, out: &mut Vec<u8>) {
        let kind = self.schema.user_type(all.ty).map(|t| &t.kind);
        let Some(TypeKind::Compound { fields, .. }) = kind else {
            return;
        };
        out.push(b'{');
        for (n, (field, column)) in fields.iter().zip(all.columns).enumerate() {
            if n > 0 {
                out.extend_from_slice(b", ");
            }
            let per = column.len().checked_div(all.len).unwrap_or(0);
            let first = i.saturating_mul(per);
            self.field(field, column, first..first.saturating_add(per), out);
        }
        out.push(b'}');
    }

    fn field(
        &self,
        field: &Field,
        column: &Values,
        range: std::ops::Range<usize>,
        out: &mut Vec<u8>,
    ) {
        let Some(&row) = field.dims.last() else {
            return self.write(column, range.start, out);
        };
        out.push(b'{');
        if let Values::Char(text) = column {
            let row = usize::try_from(row).unwrap_or(usize::MAX).max(1);
            let text = text.get(range).unwrap_or_default();
            for (i, text) in text.chunks(row).enumerate() {
                if i > 0 {
                    out.extend_from_slice(b", ");
                }
                member_text(trim_nuls(text), out);
            }
        } else {
            self.list(column, range, out);
        }
        out.push(b'}');
    }
}

/// Returns value `i` as a number, or `None` for other types.
#[must_use]
pub fn number(values: &Values, i: usize) -> Option<NumberToWrite> {
    match values {
        Values::Byte(v) => v.get(i).map(|&x| NumberToWrite::Signed(x.into())),
        Values::Short(v) => v.get(i).map(|&x| NumberToWrite::Signed(x.into())),
        Values::Int(v) => v.get(i).map(|&x| NumberToWrite::Signed(x.into())),
        Values::Int64(v) => v.get(i).map(|&x| NumberToWrite::Signed(x)),
        Values::UByte(v) => v.get(i).map(|&x| NumberToWrite::Unsigned(x.into())),
        Values::UShort(v) => v.get(i).map(|&x| NumberToWrite::Unsigned(x.into())),
        Values::UInt(v) => v.get(i).map(|&x| NumberToWrite::Unsigned(x.into())),
        Values::UInt64(v) => v.get(i).map(|&x| NumberToWrite::Unsigned(x)),
        Values::Float(v) => v.get(i).map(|&x| NumberToWrite::Float(x)),
        Values::Double(v) => v.get(i).map(|&x| NumberToWrite::Double(x)),
        Values::Char(_) | Values::String(_) | Values::Enum(..) => None,
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => None,
    }
}

/// Appends a number as in data.
pub(super) fn plain(number: NumberToWrite, floats: Floats, out: &mut Vec<u8>) {
    let mut token = NumberToken::new();
    match number {
        NumberToWrite::Signed(x) => token.write_i64(x),
        NumberToWrite::Unsigned(x) => token.write_u64(x),
        NumberToWrite::Float(x) => floats.float.write_f32(x, &mut token),
        NumberToWrite::Double(x) => floats.double.write_f64(x, &mut token),
    }
    token.append_to(out);
}

/// Appends characters within a value.
fn member_text(text: &[u8], out: &mut Vec<u8>) {
    quote_text(text, TextStyle::CHAR_MEMBER, out);
}

fn string(text: Option<&[u8]>, out: &mut Vec<u8>) {
    let Some(text) = text else {
        return out.extend_from_slice(b"NIL");
    };
    quote_text(text, TextStyle::STRING, out);
}

fn opaque(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(b"0X");
    for byte in bytes {
        let digits = [byte >> 4, byte & 15].map(|d| DIGITS.get(usize::from(d)));
        out.extend(digits.into_iter().flatten());
    }
}
