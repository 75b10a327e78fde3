//! Fixed-size strings, padded with zeros (NCZarr document, appendix D).

use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::limits::reserve;
use crate::model::strings::{DEFAULT, ENCODING, OF_DATASET, OF_VARIABLE, string_size};
use crate::model::{Atomic, Schema, Values, Variable};

/// Returns the string size of a variable in bytes.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for attributes that are not lengths.
pub(crate) fn width(schema: &Schema, var: &Variable) -> Result<u64> {
    let own = var.attribute(OF_VARIABLE).map(string_size).transpose()?;
    let said = match own {
        Some(own) => Some(own),
        None => schema.said_string_size()?,
    };
    // The known minimum size for the data.
    let needed = var.storage.max_string;
    // Python readers interpret strings of one byte as characters, and join the characters along the last dimension.
    let least = if is_marked(schema, var) { 2 } else { 1 };
    Ok(said.max(needed).unwrap_or(DEFAULT).max(least))
}

/// Checks whether fixed-size strings get the attribute [`ENCODING`]. Without the attribute, xarray reads the strings as bytes.
#[must_use]
pub(crate) fn is_marked(schema: &Schema, var: &Variable) -> bool {
    let pure = schema.kind.as_zarr().is_some_and(|zarr| zarr.pure);
    pure && var.ty == Atomic::String.into() && var.attribute(ENCODING).is_none()
}

/// Returns the attribute [`ENCODING`] with the value.
#[must_use]
pub(crate) fn mark() -> (String, Json) {
    (ENCODING.to_owned(), Json::text("utf-8"))
}

/// Encodes strings as elements of `width` bytes. NIL becomes an empty string.
///
/// # Errors
/// Returns [`ErrorKind::Range`] for a longer string, or [`ErrorKind::BadType`] for values that are not strings.
pub(crate) fn encode(values: &Values, width: u64) -> Result<Vec<u8>> {
    let Values::String(strings) = values else {
        let what = "values that are not strings";
        return Err(Error::new(ErrorKind::BadType, what));
    };
    let size = Amount::of(width).count();
    let mut out = vec![];
    let all = (Amount::of(strings.len()) * size).count();
    reserve(&mut out, all, "strings of a fixed size").map_err(|e| {
        e.with_remedy("use smaller chunks (-c, _ChunkSizes), or remove the longest strings")
    })?;
    for string in strings {
        let bytes = string.as_deref().unwrap_or_default();
        if bytes.len() > size {
            return Err(too_long(bytes.len(), width));
        }
        out.extend_from_slice(bytes);
        out.resize(out.len() + (size - bytes.len()), 0);
    }
    Ok(out)
}

/// Returns a string without trailing zeros.
#[must_use]
pub(crate) fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
    bytes.get(..end).unwrap_or_default()
}

/// Encodes base64 (RFC 4648, section 4).
#[must_use]
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let byte = |n: usize| part.get(n).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..4 {
            let digit = (bits >> (18 - 6 * n)) & 63;
            let digit = usize::try_from(digit).ok().and_then(|d| DIGITS.get(d));
            out.push(match digit {
                Some(&digit) if n <= part.len() => digit.into(),
                Some(_) | None => '=',
            });
        }
    }
    out
}

fn too_long(len: usize, width: u64) -> Error {
    let what = format!("a string of {len} bytes, longer than the limit of {width}");
    let remedy = format!(
        "give the variable the attribute {OF_VARIABLE} = {len}, or the dataset {OF_DATASET}"
    );
    Error::new(ErrorKind::Range, what).with_remedy(remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(trimmed(b"a\0b\0\0"), b"a\0b");
    }

    #[test]
    fn strings_have_zeros_behind_them() {
        let strings = vec![Some(b"ab"[..].into()), None, Some(b"abc"[..].into())];
        let bytes = encode(&Values::String(strings.clone()), 3).unwrap();
        assert_eq!(bytes, b"ab\0\0\0\0abc");
        let e = encode(&Values::String(strings), 2).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Range);
        let remedy = "give the variable the attribute _nczarr_maxstrlen = 3, or the dataset _nczarr_default_maxstrlen";
        assert_eq!(e.remedy(), Some(remedy));
    }
}
