//! Writes strict JSON, with `serde_json`.

use std::io;

use serde::ser::{Serialize, Serializer};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

use super::Json;
use crate::error::{Error, ErrorKind, Result};

impl Json {
    /// Returns one line of JSON, with `": "` and `", "` between members, and `between` between items. Numbers that JSON cannot represent
    /// (`NaN`, `1.`) become strings; invalid UTF-8 becomes U+FFFD.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if `serde_json` cannot write the value.
    pub fn line(&self, between: Between) -> Result<String> {
        let mut out = vec![];
        let mut to = serde_json::Serializer::with_formatter(&mut out, between);
        let failed = |e: &dyn std::fmt::Display| {
            Error::new(ErrorKind::Argument, format!("cannot write JSON: {e}"))
        };
        self.serialize(&mut to).map_err(|e| failed(&e))?;
        String::from_utf8(out).map_err(|e| failed(&e))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Bool(value) => to.serialize_bool(*value),
            // The digits stay unchanged.
            Self::Number(text) => match serde_json::from_str::<&RawValue>(text) {
                Ok(number) if is_number(text) => number.serialize(to),
                Ok(_) | Err(_) => to.serialize_str(text),
            },
            Self::Text(text) => to.serialize_str(&String::from_utf8_lossy(text)),
            Self::Array(items) => to.collect_seq(items),
            Self::Object(members) => to.collect_map(members.iter().map(|(k, v)| (k, v))),
        }
    }
}

/// Checks whether some JSON is a number.
fn is_number(json: &str) -> bool {
    json.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && json.ends_with(|c: char| c.is_ascii_digit())
}

/// The separator between items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// `,`, as in metadata written by netCDF-C.
    Comma,
    /// `, `.
    CommaBlank,
}

impl Formatter for Between {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        match (first, self) {
            (true, _) => Ok(()),
            (false, Self::Comma) => to.write_all(b","),
            (false, Self::CommaBlank) => to.write_all(b", "),
        }
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        to.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &[u8]) -> String {
        Json::parse(text).unwrap().line(Between::Comma).unwrap()
    }

    #[test]
    fn valid_json_round_trips() {
        let text = r#"{"a": [1,2.50,-0,1e5], "b": {"c": null, "a": true}, "a": [], "d": "\"\\\n\b\u0001ü"}"#;
        assert_eq!(line(text.as_bytes()), text);
        let json = Json::parse(text.as_bytes()).unwrap();
        assert_eq!(json.to_bytes(), text.as_bytes(), "and by our own writer");
        let list = Json::Array(vec![Json::int(1), Json::int(2)]);
        assert_eq!(list.line(Between::CommaBlank).unwrap(), "[1, 2]");
    }

    #[test]
    fn non_json_numbers_become_text() {
        let text = line(b"[NaN,-Infinity,1.,.5,01,0x1,+1,1e,\"\xff\"]");
        assert_eq!(
            text,
            "[\"NaN\",\"-Infinity\",\"1.\",\".5\",\"01\",\"0x1\",\"+1\",\"1e\",\"\u{fffd}\"]"
        );
        let values: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(values.as_array().map(Vec::len), Some(9));
        let blank = Json::Number(" 1".to_owned());
        assert_eq!(blank.line(Between::Comma).unwrap(), "\" 1\"");
    }
}
