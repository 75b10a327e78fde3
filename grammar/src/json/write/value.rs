//! Output of one value of any type, and of value lists.

use netcdf_core::model::{Name, Values};

use super::number::{JsonNumber as _, integer};
use crate::json::names::written;
use crate::json::text::{push_bytes, push_text};
use crate::write::{NumberToWrite, ValueArray, ValueForm, ValueText, separate};

/// JSON's form of values.
#[derive(Clone, Copy)]
pub(super) struct JsonForm;

/// Writes values as JSON.
pub(super) type JsonValue<'a> = ValueText<'a, JsonForm>;

/// Appends the values of an attribute. A single value stands alone, unless it is a list itself.
pub(super) fn push_attribute(text: &JsonValue<'_>, values: &Values, out: &mut Vec<u8>) {
    if let Some(text) = values.as_text() {
        push_bytes(text, out);
    } else if values.len() == 1 && !matches!(values, Values::Vlen(..)) {
        text.one(values, 0, out);
    } else {
        text.list(values, out);
    }
}

impl ValueForm for JsonForm {
    const LIST: [u8; 2] = *b"[]";

    fn number(&self, number: NumberToWrite, out: &mut Vec<u8>) {
        match number {
            NumberToWrite::Signed(x) => x.push(out),
            NumberToWrite::Unsigned(x) => x.push(out),
            NumberToWrite::Float(x) => x.push(out),
            NumberToWrite::Double(x) => x.push(out),
        }
    }

    fn character(&self, character: &[u8], out: &mut Vec<u8>) {
        push_bytes(character, out);
    }

    fn string(&self, text: Option<&[u8]>, out: &mut Vec<u8>) {
        match text {
            Some(text) => push_bytes(text, out),
            None => out.extend_from_slice(b"null"),
        }
    }

    fn member(&self, name: &Name, out: &mut Vec<u8>) {
        push_text(&written(name.as_bytes()), out);
    }

    fn unnamed(&self, value: i128, out: &mut Vec<u8>) {
        integer(value, out);
    }

    fn opaque(&self, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"0x");
        for byte in bytes {
            out.extend_from_slice(format!("{byte:02x}").as_bytes());
        }
        out.push(b'"');
    }

    /// Appends one text.
    fn characters(&self, text: &[u8], out: &mut Vec<u8>) {
        push_bytes(text, out);
    }

    fn field(&self, name: &Name, out: &mut Vec<u8>) {
        self.member(name, out);
        out.extend_from_slice(b": ");
    }

    /// Appends a list for each dimension; the last dimension of characters is one text.
    fn array(text: &JsonValue<'_>, array: ValueArray<'_>, out: &mut Vec<u8>) {
        let ValueArray {
            column,
            dims,
            range,
        } = array;
        let [len, dims @ ..] = dims else {
            return text.one(column, range.start, out);
        };
        if let (Values::Char(text), []) = (column, dims) {
            return push_bytes(text.get(range).unwrap_or_default(), out);
        }
        let len = usize::try_from(*len).unwrap_or(usize::MAX).max(1);
        let step = (range.len() / len).max(1);
        out.push(b'[');
        for (i, start) in range.step_by(step).enumerate() {
            separate(i, out);
            let range = start..start + step;
            let inner = ValueArray {
                column,
                dims,
                range,
            };
            Self::array(text, inner, out);
        }
        out.push(b']');
    }
}
