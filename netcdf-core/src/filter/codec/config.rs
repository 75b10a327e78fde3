//! The members of a codec's JSON.

use std::fmt::Display;

use crate::error::{Error, ErrorKind, Result};
use crate::filter::ChunkContext;
use crate::json::Json;
use crate::model::ZarrVersion;

/// A codec's JSON description, with the context of its chunks.
#[derive(Debug, Clone, Copy)]
pub struct Config<'a> {
    /// The codec name, without a prefix.
    pub name: &'a str,
    /// The members next to the name (version 2) or in `configuration` (version 3).
    pub(super) members: &'a Json,
    /// The format version.
    pub version: ZarrVersion,
    /// Whether the name has no `numcodecs.` prefix in version 3.
    pub plain: bool,
    /// The codec's input on encoding.
    pub context: &'a ChunkContext,
}

impl<'a> Config<'a> {
    /// Returns a member; `None` if it is missing or null.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a Json> {
        self.members.get(key).filter(|value| **value != Json::Null)
    }

    /// Returns the error for invalid JSON.
    pub fn wrong(&self, what: impl Display) -> Error {
        let name = self.name;
        Error::new(ErrorKind::Corrupt, format!("codec {name}: {what}"))
    }

    /// Returns the error for an unsupported form of the codec.
    pub fn unsupported(&self, what: impl Display) -> Error {
        let name = self.name;
        Error::new(ErrorKind::Unsupported, format!("codec {name}: {what}"))
    }

    /// Returns the error for a member that is missing or has another type.
    fn expected(&self, key: &str, expected: &str) -> Error {
        match self.get(key) {
            None => self.wrong(format_args!("no `{key}`, which must be {expected}")),
            Some(value) => {
                let value = value.to_bytes();
                let found = String::from_utf8_lossy(&value);
                self.wrong(format_args!("`{key}` is {found}, not {expected}"))
            }
        }
    }

    /// Returns a whole number, or the default if the member is missing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the member has another type, or is missing without a default.
    pub fn int(&self, key: &str, default: impl Into<Option<i64>>) -> Result<i64> {
        let wrong = || self.expected(key, "a whole number");
        match self.get(key) {
            None => default.into().ok_or_else(wrong),
            Some(value) => digits(value).and_then(whole).ok_or_else(wrong),
        }
    }

    /// Returns a number as text.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the member is missing or has another type.
    pub fn number(&self, key: &str) -> Result<&'a str> {
        let number = self.get(key).and_then(digits);
        number.ok_or_else(|| self.expected(key, "a number"))
    }

    /// Returns a string; `None` if the member is missing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the member has another type.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>> {
        let text = self.get(key).map(|value| {
            let text = value.as_str();
            text.ok_or_else(|| self.expected(key, "a string"))
        });
        text.transpose()
    }

    /// Returns a boolean; false if the member is missing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the member has another type.
    pub fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key) {
            None => Ok(false),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(Json::Text(text)) if text == b"true" => Ok(true),
            Some(Json::Text(text)) if text == b"false" => Ok(false),
            Some(
                Json::Null | Json::Number(_) | Json::Text(_) | Json::Array(_) | Json::Object(_),
            ) => Err(self.expected(key, "true or false")),
        }
    }

    /// Returns a level within the range `known`. Other levels do not affect decoding and become the default.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the member is not a whole number.
    pub fn level(&self, known: std::ops::RangeInclusive<i64>, default: u32) -> Result<u32> {
        let level = self.int("level", i64::from(default))?;
        let known = Some(level).filter(|level| known.contains(level));
        let level = known.and_then(|level| i32::try_from(level).ok());
        Ok(level.map_or(default, i32::cast_unsigned))
    }
}

/// Returns a number as text. netCDF-C before version 4.10.0 wrote codec numbers as JSON strings.
pub(in crate::filter) fn digits(json: &Json) -> Option<&str> {
    let number = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
    json.as_number()
        .or_else(|| json.as_str().map(str::trim).filter(number))
}

/// Parses a whole number, including forms like `5.0`.
fn whole(text: &str) -> Option<i64> {
    let whole = text.strip_suffix(".0").unwrap_or(text);
    whole.strip_prefix('+').unwrap_or(whole).parse().ok()
}
