//! Output of one value of any type, and of value lists.

use std::ops::Range;

use netcdf_core::model::{Schema, TypeId, TypeKind, Values};

use super::number::{JsonNumber, integer};
use crate::json::names::written;
use crate::json::text::{push_bytes, push_text};

/// Writes values.
#[derive(Clone, Copy)]
pub(super) struct JsonValueText<'a> {
    pub(super) schema: &'a Schema,
}

/// Values of a compound type, with one column per field.
struct JsonStructures<'v> {
    ty: TypeId,
    len: usize,
    columns: &'v [Values],
}

impl JsonValueText<'_> {
    /// Appends the values of an attribute. A single value has no brackets, unless it is itself a list.
    pub(super) fn attribute(&self, values: &Values, out: &mut Vec<u8>) {
        if let Some(text) = values.as_text() {
            push_bytes(text, out);
        } else if values.len() == 1 && !matches!(values, Values::Vlen(..)) {
            self.one(values, 0, out);
        } else {
            self.list(values, 0..values.len(), out);
        }
    }

    /// Appends value `i` of a list.
    pub(super) fn one(&self, values: &Values, i: usize, out: &mut Vec<u8>) {
        match values {
            Values::Byte(v) => number(v, i, out),
            Values::Short(v) => number(v, i, out),
            Values::Int(v) => number(v, i, out),
            Values::Int64(v) => number(v, i, out),
            Values::UByte(v) => number(v, i, out),
            Values::UShort(v) => number(v, i, out),
            Values::UInt(v) => number(v, i, out),
            Values::UInt64(v) => number(v, i, out),
            Values::Float(v) => number(v, i, out),
            Values::Double(v) => number(v, i, out),
            Values::Char(text) => push_bytes(text.get(i..=i).unwrap_or_default(), out),
            Values::String(strings) => match strings.get(i).and_then(Option::as_deref) {
                Some(text) => push_bytes(text, out),
                None => out.extend_from_slice(b"null"),
            },
            Values::Enum(ty, base) => self.member(*ty, base, i, out),
            Values::Opaque { size, bytes, .. } => {
                let value = bytes.chunks_exact((*size).max(1)).nth(i);
                opaque(value.unwrap_or_default(), out);
            }
            Values::Vlen(_, lists) => self.vlen(lists.get(i), out),
            Values::Compound { ty, len, columns } => {
                let all = JsonStructures {
                    ty: *ty,
                    len: *len,
                    columns,
                };
                self.compound(&all, i, out);
            }
        }
    }

    fn list(&self, values: &Values, range: Range<usize>, out: &mut Vec<u8>) {
        out.push(b'[');
        for i in range.clone() {
            if i > range.start {
                out.extend_from_slice(b", ");
            }
            self.one(values, i, out);
        }
        out.push(b']');
    }

    /// Appends the value of a variable-length type; characters are one text.
    fn vlen(&self, list: Option<&Values>, out: &mut Vec<u8>) {
        match list {
            Some(Values::Char(text)) => push_bytes(text, out),
            Some(list) => self.list(list, 0..list.len(), out),
            None => out.extend_from_slice(b"[]"),
        }
    }

    /// Appends the member name of an enum value, or the number of a value without a name.
    fn member(&self, ty: TypeId, base: &Values, i: usize, out: &mut Vec<u8>) {
        let Some(value) = whole(base, i) else {
            return;
        };
        let members = match self.schema.user_type(ty).map(|t| &t.kind) {
            Some(TypeKind::Enum { members, .. }) => members.as_slice(),
            Some(TypeKind::Opaque { .. } | TypeKind::Vlen { .. } | TypeKind::Compound { .. })
            | None => &[],
        };
        match members.iter().find(|(_, v)| *v == value) {
            Some((name, _)) => push_text(&written(name.as_bytes()), out),
            None => integer(value, out),
        }
    }

    fn compound(&self, all: &JsonStructures<'_>, i: usize, out: &mut Vec<u8>) {
        let kind = self.schema.user_type(all.ty).map(|t| &t.kind);
        let Some(TypeKind::Compound { fields, .. }) = kind else {
            return;
        };
        out.push(b'{');
        for (n, (field, column)) in fields.iter().zip(all.columns).enumerate() {
            if n > 0 {
                out.extend_from_slice(b", ");
            }
            push_text(&written(field.name.as_bytes()), out);
            out.extend_from_slice(b": ");
            let per = column.len().checked_div(all.len).unwrap_or(0);
            let first = i.saturating_mul(per);
            self.nested(column, &field.dims, first..first.saturating_add(per), out);
        }
        out.push(b'}');
    }

    /// Appends a field: a value or an array.
    fn nested(&self, column: &Values, dims: &[u64], range: Range<usize>, out: &mut Vec<u8>) {
        let [len, inner @ ..] = dims else {
            return self.one(column, range.start, out);
        };
        if let (Values::Char(text), []) = (column, inner) {
            return push_bytes(text.get(range).unwrap_or_default(), out);
        }
        let len = usize::try_from(*len).unwrap_or(usize::MAX).max(1);
        let step = (range.len() / len).max(1);
        out.push(b'[');
        for start in range.clone().step_by(step) {
            if start > range.start {
                out.extend_from_slice(b", ");
            }
            self.nested(column, inner, start..start + step, out);
        }
        out.push(b']');
    }
}

fn number<T: JsonNumber>(values: &[T], i: usize, out: &mut Vec<u8>) {
    if let Some(value) = values.get(i) {
        value.push(out);
    }
}

/// Returns value `i` of a list of integers.
fn whole(values: &Values, i: usize) -> Option<i128> {
    match values {
        Values::Byte(v) => v.get(i).map(|&x| x.into()),
        Values::Short(v) => v.get(i).map(|&x| x.into()),
        Values::Int(v) => v.get(i).map(|&x| x.into()),
        Values::Int64(v) => v.get(i).map(|&x| x.into()),
        Values::UByte(v) => v.get(i).map(|&x| x.into()),
        Values::UShort(v) => v.get(i).map(|&x| x.into()),
        Values::UInt(v) => v.get(i).map(|&x| x.into()),
        Values::UInt64(v) => v.get(i).map(|&x| x.into()),
        Values::Char(_) | Values::Float(_) | Values::Double(_) | Values::String(_) => None,
        Values::Enum(_, base) => whole(base, i),
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => None,
    }
}

fn opaque(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"0x");
    for byte in bytes {
        out.extend_from_slice(format!("{byte:02x}").as_bytes());
    }
    out.push(b'"');
}
