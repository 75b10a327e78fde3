//! Values as initialisers.

use netcdf_core::model::{Atomic, Field, Schema, Values};

use super::super::quote;
use super::super::{number, quote::c_string};
use super::names::CNames;

/// Prints values. Variable-length lists become separate arrays, which must be declared before the values that refer to them.
pub(super) struct ValuePrinter<'a> {
    pub(super) schema: &'a Schema,
    pub(super) names: &'a CNames,
    /// The number of lists so far, of all sorts. The C tool numbers arrays by it.
    pub(super) lists: u64,
    /// The declarations of the values so far.
    pub(super) arrays: Vec<String>,
}

/// Structures, one column per field.
struct CStructures<'v> {
    len: usize,
    columns: &'v [Values],
}

impl<'a> ValuePrinter<'a> {
    pub(super) fn new(schema: &'a Schema, names: &'a CNames) -> Self {
        Self {
            schema,
            names,
            lists: 0,
            arrays: vec![],
        }
    }

    /// Returns all `values`, separated by commas.
    pub(super) fn list(&mut self, values: &Values) -> String {
        let mut out = String::new();
        for at in 0..values.len() {
            if at > 0 {
                out.push_str(", ");
            }
            self.value(values, at, &mut out);
        }
        out
    }

    /// Writes value `at` of `values`. Beyond the end, writes no text.
    fn value(&mut self, values: &Values, at: usize, out: &mut String) {
        match values {
            Values::Byte(v) => text(v, at, out, |x| x.to_string()),
            Values::Char(v) => text(v, at, out, |x| character(*x)),
            Values::Short(v) => text(v, at, out, |x| x.to_string()),
            Values::Int(v) => text(v, at, out, |x| integer(Atomic::Int, (*x).into())),
            Values::Float(v) => text(v, at, out, |x| float(*x)),
            Values::Double(v) => text(v, at, out, |x| double(*x)),
            Values::UByte(v) => text(v, at, out, |x| format!("{x}U")),
            Values::UShort(v) => text(v, at, out, |x| format!("{x}U")),
            Values::UInt(v) => text(v, at, out, |x| format!("{x}U")),
            Values::Int64(v) => text(v, at, out, |x| integer(Atomic::Int64, (*x).into())),
            Values::UInt64(v) => text(v, at, out, |x| format!("{x}ULL")),
            Values::String(v) => text(v, at, out, |x| string(x.as_deref())),
            Values::Enum(_, base) => self.value(base, at, out),
            Values::Opaque { size, bytes, .. } => {
                let own = bytes.chunks((*size).max(1)).nth(at).unwrap_or_default();
                out.push_str(&opaque(own));
            }
            Values::Vlen(ty, lists) => {
                if let Some(list) = lists.get(at) {
                    let base = self.schema.vlen_base(*ty);
                    let base = base.map_or("", |base| self.names.ty(base));
                    self.array(base, list, out);
                }
            }
            Values::Compound { ty, len, columns } => {
                if let Some(fields) = self.schema.compound_fields(*ty) {
                    let all = CStructures { len: *len, columns };
                    self.compound(fields, &all, at, out);
                }
            }
        }
    }

    /// Writes a variable-length list.
    fn array(&mut self, base: &str, list: &Values, out: &mut String) {
        self.lists += 1;
        let (number, count) = (self.lists, list.len());
        if count == 0 {
            return out.push_str("{0, NULL}");
        }
        let values = match list {
            Values::Char(text) => c_string(text),
            _ => self.list(list),
        };
        let array = format!("static const {base} vlen_{number}[] = {{{values}}} ;");
        self.arrays.push(array);
        out.push_str(&format!("{{{count}, (void*)vlen_{number}}}"));
    }

    fn compound(&mut self, fields: &[Field], all: &CStructures<'_>, at: usize, out: &mut String) {
        self.lists += 1;
        out.push('{');
        for (n, (field, column)) in fields.iter().zip(all.columns).enumerate() {
            if n > 0 {
                out.push_str(", ");
            }
            let per = column.len().checked_div(all.len).unwrap_or(0);
            if field.dims.is_empty() {
                self.value(column, at, out);
            } else {
                self.field(&field.dims, &column.slice(at * per..(at + 1) * per), out);
            }
        }
        out.push('}');
    }

    /// Writes a field with dimensions. If values have braces or are text, every dimension has braces. Otherwise one pair encloses all
    /// values.
    fn field(&mut self, dims: &[u64], values: &Values, out: &mut String) {
        if let Values::Char(text) = values {
            return characters(dims, text, out);
        }
        self.lists += 1;
        let braces = matches!(values, Values::Compound { .. } | Values::Vlen(..));
        let dims = if braces { dims } else { &[] };
        self.nested(dims, values, out);
    }

    fn nested(&mut self, dims: &[u64], values: &Values, out: &mut String) {
        out.push('{');
        match dims {
            [first, rest @ ..] if !rest.is_empty() => {
                let parts = usize::try_from(*first).unwrap_or(0);
                let per = values.len().checked_div(parts).unwrap_or(0);
                for part in 0..parts {
                    if part > 0 {
                        out.push_str(", ");
                    }
                    self.nested(rest, &values.slice(part * per..(part + 1) * per), out);
                }
            }
            _ => out.push_str(&self.list(values)),
        }
        out.push('}');
    }
}

/// Writes multidimensional text: one string for each row of the last dimension.
fn characters(dims: &[u64], text: &[u8], out: &mut String) {
    let [first, rest @ ..] = dims else { return };
    if rest.is_empty() {
        return out.push_str(&c_string(text));
    }
    let parts = usize::try_from(*first).unwrap_or(0).max(1);
    out.push('{');
    for (n, part) in text.chunks((text.len() / parts).max(1)).enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        characters(rest, part, out);
    }
    out.push('}');
}

fn text<T>(values: &[T], at: usize, out: &mut String, text: impl FnOnce(&T) -> String) {
    if let Some(value) = values.get(at) {
        out.push_str(&text(value));
    }
}

/// Returns an integer constant of a type.
pub(super) fn integer(ty: Atomic, value: i128) -> String {
    match ty {
        Atomic::UByte | Atomic::UShort | Atomic::UInt => format!("{value}U"),
        // C has no negative constants, and the absolute value does not fit the type.
        Atomic::Int64 if value == i64::MIN.into() => format!("(-{}LL-1)", i64::MAX),
        Atomic::Int64 => format!("{value}LL"),
        Atomic::UInt64 => format!("{value}ULL"),
        Atomic::Byte | Atomic::Short | Atomic::Int => value.to_string(),
        Atomic::Char | Atomic::Float | Atomic::Double | Atomic::String => value.to_string(),
    }
}

fn float(value: f32) -> String {
    if value.is_nan() {
        return "nanf".to_owned();
    }
    if value.is_infinite() {
        return format!("((float){}inf)", if value < 0.0 { "-" } else { "" });
    }
    format!("((float){})", zero(number::float(value)))
}

fn double(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return format!("((double){}inf)", if value < 0.0 { "-" } else { "" });
    }
    format!("((double){})", zero(number::double(value)))
}

/// Returns a floating-point constant if an integer constant would lose sign or digits.
fn zero(text: String) -> String {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let integer = text.bytes().all(|b| b == b'-' || b.is_ascii_digit());
    if text == "-0" || integer && digits > 18 {
        text + "."
    } else {
        text
    }
}

fn character(byte: u8) -> String {
    let mut out = "'".to_owned();
    // A single byte of a multi-byte character is not text.
    if byte.is_ascii() {
        quote::c(&[byte], '\'', &mut out);
    } else {
        out.push_str(&format!("\\{byte:03o}"));
    }
    out.push('\'');
    out
}

fn string(text: Option<&[u8]>) -> String {
    text.map_or_else(|| "NULL".to_owned(), c_string)
}

fn opaque(bytes: &[u8]) -> String {
    let bytes: String = bytes.iter().map(|b| format!("\\x{b:02x}")).collect();
    format!("\"{bytes}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::model::Kind;

    fn list(values: &Values) -> String {
        let schema = Schema::new(Kind::NETCDF4);
        let names = CNames::new(&schema, b"x");
        ValuePrinter::new(&schema, &names).list(values)
    }

    #[test]
    fn numbers() {
        let ends = Values::Int64(vec![i64::MIN, -1]);
        assert_eq!(list(&ends), "(-9223372036854775807LL-1), -1LL");
        assert_eq!(
            list(&Values::UInt64(vec![u64::MAX])),
            "18446744073709551615ULL"
        );
        assert_eq!(list(&Values::UByte(vec![255])), "255U");
        let floats = Values::Float(vec![1.5, -0.0, f32::NAN, f32::NEG_INFINITY]);
        assert_eq!(
            list(&floats),
            "((float)1.5), ((float)-0.), nanf, ((float)-inf)"
        );
    }

    #[test]
    fn texts() {
        assert_eq!(
            list(&Values::Char(b"'\n\xe9".to_vec())),
            r"'\'', '\n', '\351'"
        );
        let strings = vec![Some(b"a\"b".as_slice().into()), None];
        assert_eq!(list(&Values::String(strings)), r#""a\"b", NULL"#);
        let mut out = String::new();
        characters(&[2, 3], b"abcdef", &mut out);
        assert_eq!(out, r#"{"abc", "def"}"#);
    }

    #[test]
    fn opaque_bytes() {
        assert_eq!(opaque(&[0, 1, 0xef]), r#""\x00\x01\xef""#);
    }
}
