//! Escaping and unescaping of names and texts in CDL and NcML.

mod name;
mod text;
pub(crate) mod words;
mod xml;

pub use name::{escape_name, is_keyword, unescape_name};
pub use text::{
    EscapeError, EscapeErrorKind, TextStyle, char_constant, escape_text, quote_text,
    string_constant, trim_nuls, unescape_text,
};
pub use xml::xml_text;

/// Returns the value of two hexadecimal digits.
fn hex_pair(digits: [u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? * 16 + low?).ok()
}
