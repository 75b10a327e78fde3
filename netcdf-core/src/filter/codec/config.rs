//! The members of a codec's JSON.

use std::fmt::Display;

use crate::error::{Error, ErrorKind, Result};
use crate::filter::ChunkContext;
use crate::json::Json;
use crate::model::ZarrVersion;

/// A codec's description, and the chunks it is for.
#[derive(Debug, Clone, Copy)]
pub struct Config<'a> {
    /// Its name, without a prefix.
    pub name: &'a str,
    /// The members beside the name (version 2) or in `configuration` (version 3).
    pub(super) members: &'a Json,
    /// The version of the format.
    pub version: ZarrVersion,
    /// Whether version 3 knows it by its bare name, not as a codec of numcodecs.
    pub plain: bool,
    /// What it gets on writing.
    pub context: &'a ChunkContext,
}

impl<'a> Config<'a> {
    /// A member; `None` if it is missing or null.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a Json> {
        self.members.get(key).filter(|value| **value != Json::Null)
    }

    /// The error for wrong JSON.
    pub fn wrong(&self, what: impl Display) -> Error {
        let name = self.name;
        Error::new(ErrorKind::Corrupt, format!("codec {name}: {what}"))
    }

    /// The error for a form of the codec that we do not support.
    pub fn unsupported(&self, what: impl Display) -> Error {
        let name = self.name;
        Error::new(ErrorKind::Unsupported, format!("codec {name}: {what}"))
    }

    /// The error for a member that is missing or of another type.
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

    /// A whole number; the default if it is missing.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it is something else, or missing without a default.
    pub fn int(&self, key: &str, default: impl Into<Option<i64>>) -> Result<i64> {
        let wrong = || self.expected(key, "a whole number");
        match self.get(key) {
            None => default.into().ok_or_else(wrong),
            Some(value) => digits(value).and_then(whole).ok_or_else(wrong),
        }
    }

    /// The text of a number.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it is something else, or missing.
    pub fn number(&self, key: &str) -> Result<&'a str> {
        let number = self.get(key).and_then(digits);
        number.ok_or_else(|| self.expected(key, "a number"))
    }

    /// A string; `None` if it is missing.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it is something else.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>> {
        let text = self.get(key).map(|value| {
            let text = value.as_str();
            text.ok_or_else(|| self.expected(key, "a string"))
        });
        text.transpose()
    }

    /// A boolean; false if it is missing.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it is something else.
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

    /// A level from this range; other levels mean nothing to a reader, and become the default.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it is not a whole number.
    pub fn level(&self, known: std::ops::RangeInclusive<i64>, default: u32) -> Result<u32> {
        let level = self.int("level", i64::from(default))?;
        let known = Some(level).filter(|level| known.contains(level));
        let level = known.and_then(|level| i32::try_from(level).ok());
        Ok(level.map_or(default, i32::cast_unsigned))
    }
}

/// Returns the text of a number. netCDF-C wrote numbers of codecs as JSON texts before version 4.10.0.
pub(in crate::filter) fn digits(json: &Json) -> Option<&str> {
    let number = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
    json.as_number()
        .or_else(|| json.as_str().map(str::trim).filter(number))
}

/// A whole number, also one that is written as `5.0`.
fn whole(text: &str) -> Option<i64> {
    let whole = text.strip_suffix(".0").unwrap_or(text);
    whole.strip_prefix('+').unwrap_or(whole).parse().ok()
}
