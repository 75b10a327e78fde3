//! The size in bytes of strings of fixed size, as in Zarr (NCZarr document, appendix D).

use super::convert::convert;
use super::{Atomic, Attribute, Schema, Values};
use crate::error::{Error, ErrorKind, Result};

/// The variable attribute for the maximum string length in bytes.
pub const OF_VARIABLE: &str = "_nczarr_maxstrlen";
/// The root group attribute for variables without [`OF_VARIABLE`].
pub const OF_DATASET: &str = "_nczarr_default_maxstrlen";
/// The attribute that marks bytes as text for Python readers, such as `utf-8`. netCDF reads the bytes as strings in any case.
pub const ENCODING: &str = "_Encoding";

/// Whether a value of [`ENCODING`] is UTF-8.
#[must_use]
pub fn is_utf8(encoding: &[u8]) -> bool {
    let is = |name: &[u8]| encoding.eq_ignore_ascii_case(name);
    is(b"utf-8") || is(b"utf8")
}

/// The default string size in bytes.
pub const DEFAULT: u64 = 128;

impl Schema {
    /// Returns the string size in bytes for variables without their own attribute, and for group attributes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for an attribute that is not a length.
    pub fn default_string_size(&self) -> Result<u64> {
        Ok(self.said_string_size()?.unwrap_or(DEFAULT))
    }

    /// Returns the string size that a dataset attribute sets.
    ///
    /// # Errors
    /// Like [`Self::default_string_size`].
    pub fn said_string_size(&self) -> Result<Option<u64>> {
        let mut attributes = self.root().attributes.iter();
        let said = attributes.find(|a| a.name.is(OF_DATASET));
        said.map(string_size).transpose()
    }
}

/// Returns strings of at most one byte as characters. An empty string becomes a NUL. Other values stay.
#[must_use]
pub fn characters(values: Values) -> Values {
    let Values::String(strings) = &values else {
        return values;
    };
    let character = |string: &Option<Box<[u8]>>| match string.as_deref() {
        None | Some([]) => Some(0),
        Some([byte]) => Some(*byte),
        Some(_) => None,
    };
    let all: Option<Vec<u8>> = strings.iter().map(character).collect();
    all.map_or(values, Values::Char)
}

/// Returns the number of bytes in an attribute.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] if the value is not a number of bytes.
pub fn string_size(attribute: &Attribute) -> Result<u64> {
    let whole = attribute.values.data_type().filter(|ty| ty.is_integer());
    let first = whole.and_then(|_| convert(&attribute.values.slice(0..1), Atomic::UInt64).ok());
    let one = match first {
        Some(Values::UInt64(v)) => v.first().copied(),
        Some(_) | None => None,
    };
    let fits = |n: &u64| (1..=u64::from(u32::MAX)).contains(n);
    one.filter(fits).ok_or_else(|| {
        let what = format!("{} is not a number of bytes", attribute.name);
        Error::new(ErrorKind::Argument, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_one_byte_become_characters() {
        let strings = |texts: &[&str]| {
            let texts = texts.iter().map(|text| Some(text.as_bytes().into()));
            Values::String(texts.collect())
        };
        let found = characters(strings(&["a", ""]));
        assert_eq!(found, Values::Char(b"a\0".to_vec()));
        let long = strings(&["a", "bc"]);
        assert_eq!(characters(long.clone()), long);
        let other = Values::Int(vec![1]);
        assert_eq!(characters(other.clone()), other);
    }
}
