//! Conversion of list items to values of an atomic type.

use netcdf_core::model::{Atomic, Values};

use super::list::{Item, Problem};
use crate::cdl::constant::Constant;
use crate::cdl::values::byte_constant;
use crate::cdl::values::element::{Element, Fit, describe};
use crate::escape::unescape_text;
use crate::number::{FloatForm, FloatFormat, Literal, NumberToken, Precision};

/// Converts items to values, and collects errors and warnings.
#[derive(Debug, Default)]
pub(super) struct ValueBuilder {
    pub(super) errors: Vec<Problem>,
    pub(super) warnings: Vec<Problem>,
}

impl ValueBuilder {
    /// Returns the values of a list. Strings of char lists are joined.
    pub(super) fn values(&mut self, ty: Atomic, list: &[Item<'_>]) -> Values {
        match ty {
            Atomic::Char => Values::Char(self.text(list)),
            Atomic::String => Values::String(list.iter().map(|i| self.string(i)).collect()),
            Atomic::Byte => Values::Byte(self.numbers(list)),
            Atomic::Short => Values::Short(self.numbers(list)),
            Atomic::Int => Values::Int(self.numbers(list)),
            Atomic::Int64 => Values::Int64(self.numbers(list)),
            Atomic::UByte => Values::UByte(self.numbers(list)),
            Atomic::UShort => Values::UShort(self.numbers(list)),
            Atomic::UInt => Values::UInt(self.numbers(list)),
            Atomic::UInt64 => Values::UInt64(self.numbers(list)),
            Atomic::Float => Values::Float(self.numbers(list)),
            Atomic::Double => Values::Double(self.numbers(list)),
        }
    }

    fn error(&mut self, at: usize, message: impl Into<String>) {
        self.errors.push((at, message.into()));
    }

    /// Returns the constant of an item; nested lists are not allowed here.
    fn one<'i, 't>(&mut self, item: &'i Item<'t>, what: &str) -> Option<&'i Constant<'t>> {
        match item {
            Item::One(constant, _) => Some(constant),
            Item::Many(_, at) => {
                self.error(*at, format!("expected {what}, found a list in braces"));
                None
            }
        }
    }

    fn numbers<T: Element>(&mut self, list: &[Item<'_>]) -> Vec<T> {
        let mut values = Vec::with_capacity(list.len());
        let what = format!("a value of type {}", T::TYPE.name());
        for item in list {
            let Some(constant) = self.one(item, &what) else {
                continue;
            };
            match T::from_constant(constant) {
                Fit::Exact(value) => values.push(value),
                Fit::Lossy(value, why) => {
                    self.warnings.push((item.at(), why));
                    values.push(value);
                }
                Fit::Not(why) => self.error(item.at(), why),
            }
        }
        values
    }

    /// Returns the joined characters of strings, character constants and byte constants.
    fn text(&mut self, list: &[Item<'_>]) -> Vec<u8> {
        let mut text = vec![];
        for item in list {
            match item {
                Item::One(Constant::String(written), at) => self.unescape(written, *at, &mut text),
                Item::One(constant, at) => match character(constant) {
                    Some(byte) => text.push(byte),
                    None => self.error(*at, format!("expected text, found {}", describe(constant))),
                },
                Item::Many(_, at) => self.error(*at, "expected text, found a list in braces"),
            }
        }
        text
    }

    fn unescape(&mut self, written: &[u8], at: usize, text: &mut Vec<u8>) {
        if let Err(e) = unescape_text(written, text) {
            self.error(at + 1 + e.offset, e.to_string());
        }
    }

    fn string(&mut self, item: &Item<'_>) -> Option<Box<[u8]>> {
        let constant = self.one(item, "a string")?;
        match constant {
            Constant::String(written) => {
                let mut text = vec![];
                self.unescape(written, item.at(), &mut text);
                Some(text.into())
            }
            // As in ncgen, a number becomes its decimal digits.
            Constant::Number(number) => Some(decimal(number).into()),
            Constant::Char(byte) => Some(byte.cast_signed().to_string().into_bytes().into()),
            Constant::Nil => None,
            Constant::Opaque(_) | Constant::Fill | Constant::Name(_) => {
                let found = describe(constant);
                self.error(item.at(), format!("expected a string, found {found}"));
                None
            }
            Constant::Open | Constant::Close | Constant::Comma => None,
        }
    }
}

/// Returns the character of a constant. A number is a character if it has a byte suffix.
fn character(constant: &Constant<'_>) -> Option<u8> {
    match constant {
        Constant::Char(byte) => Some(*byte),
        Constant::Number(number) => byte_constant(number),
        Constant::String(_) | Constant::Opaque(_) | Constant::Fill | Constant::Nil => None,
        Constant::Name(_) | Constant::Open | Constant::Close | Constant::Comma => None,
    }
}

/// Returns the text of a number in a string, as in ncgen.
fn decimal(number: &Literal) -> Vec<u8> {
    let real = match number {
        Literal::Integer(integer, _) => {
            return integer.value().unwrap_or_default().to_string().into_bytes();
        }
        Literal::Float(value) => f64::from(*value),
        Literal::Double(value) => *value,
    };
    let mut token = NumberToken::new();
    FloatFormat::new(Precision::Digits(8), FloatForm::Data).write_f64(real, &mut token);
    token.as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::list::items;
    use super::*;

    fn values(ty: Atomic, text: &str) -> Result<Values, String> {
        let mut builder = ValueBuilder::default();
        let values = builder.values(ty, &items(text.as_bytes(), 0).unwrap());
        match builder.errors.pop() {
            Some((_, message)) => Err(message),
            None => Ok(values),
        }
    }

    #[test]
    fn texts_are_joined() {
        let text = values(Atomic::Char, "\"ab\", 'c', 65b, \"\\n\", 255ub").unwrap();
        assert_eq!(text, Values::Char(b"abcA\n\xff".to_vec()));
        assert!(values(Atomic::Char, "65").is_err());
        assert!(values(Atomic::Char, "{\"a\"}").is_err());
        assert!(values(Atomic::Char, "300b").is_err());
    }

    #[test]
    fn strings() {
        let all = values(Atomic::String, "\"a\", NIL, 5, 2.5, 1e10, 'A'").unwrap();
        let Values::String(all) = all else { panic!() };
        let all: Vec<_> = all
            .iter()
            .map(|s| s.as_deref().map(String::from_utf8_lossy))
            .collect();
        let expected = ["a", "", "5", "2.5", "1e+10", "65"];
        for (found, expected) in all.iter().zip(expected) {
            assert_eq!(found.as_deref().unwrap_or(""), expected);
        }
        assert_eq!(all[1], None);
    }

    #[test]
    fn numbers() {
        let found = values(Atomic::Short, "1, 0x10, 2.0, -3b, 'a', \"7\"");
        assert_eq!(found, Ok(Values::Short(vec![1, 16, 2, -3, 97, 7])));
        assert!(values(Atomic::Int, "{1}").is_err());
        assert!(values(Atomic::Int, "NIL").is_err());
        assert!(values(Atomic::Int, "99999999999").is_err());
    }
}
