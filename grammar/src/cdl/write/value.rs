//! Output of one value of any type, in data, in lists and in other values.

use netcdf_core::model::{Kind, Name, Values};

use super::Floats;
use super::variables::push_defined;
use crate::cdl::constant::UNDEFINED_MEMBER;
use crate::escape::{TextStyle, quote_text, trim_nuls};
use crate::number::NumberToken;
use crate::write::{NumberToWrite, ValueArray, ValueForm, ValueText, separate};

/// CDL's form of values.
#[derive(Clone, Copy)]
pub(super) struct CdlForm {
    /// The kind of the dataset, which decides the reserved names.
    pub(super) kind: Kind,
    pub(super) floats: Floats,
}

/// Writes values as CDL.
pub(super) type CdlText<'a> = ValueText<'a, CdlForm>;

impl ValueForm for CdlForm {
    const LIST: [u8; 2] = *b"{}";

    fn number(&self, number: NumberToWrite, out: &mut Vec<u8>) {
        plain(number, self.floats, out);
    }

    fn character(&self, character: &[u8], out: &mut Vec<u8>) {
        member_text(trim_nuls(character), out);
    }

    fn string(&self, text: Option<&[u8]>, out: &mut Vec<u8>) {
        match text {
            Some(text) => quote_text(text, TextStyle::STRING, out),
            None => out.extend_from_slice(b"NIL"),
        }
    }

    fn member(&self, name: &Name, out: &mut Vec<u8>) {
        push_defined(name, self.kind, out);
    }

    fn unnamed(&self, value: i128, out: &mut Vec<u8>) {
        match value {
            0 => out.extend_from_slice(UNDEFINED_MEMBER),
            _ => out.extend_from_slice(value.to_string().as_bytes()),
        }
    }

    fn opaque(&self, bytes: &[u8], out: &mut Vec<u8>) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        out.extend_from_slice(b"0X");
        for byte in bytes {
            let digits = [byte >> 4, byte & 15].map(|d| DIGITS.get(usize::from(d)));
            out.extend(digits.into_iter().flatten());
        }
    }

    /// Appends a list of one text.
    fn characters(&self, text: &[u8], out: &mut Vec<u8>) {
        out.push(b'{');
        if !text.is_empty() {
            member_text(text, out);
        }
        out.push(b'}');
    }

    /// Fields have no names.
    fn field(&self, _: &Name, _: &mut Vec<u8>) {}

    /// Appends one list of all values; characters are one text for each row.
    fn array(text: &CdlText<'_>, array: ValueArray<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        if let Values::Char(characters) = array.column {
            let row = array.dims.last().copied().unwrap_or(1);
            let row = usize::try_from(row).unwrap_or(usize::MAX).max(1);
            let characters = characters.get(array.range).unwrap_or_default();
            for (i, text) in characters.chunks(row).enumerate() {
                separate(i, out);
                member_text(trim_nuls(text), out);
            }
        } else {
            text.items(array.column, array.range, out);
        }
        out.push(b'}');
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
