//! Names of types.
//!
//! zarr-python 3 does not accept a byte order for types of one byte; netCDF-C writes one, but does not need it. netCDF-C recognizes
//! characters by `>S1`; without netCDF's metadata, it reads all texts of fixed length as strings.

use super::json_forms::named;
use crate::format::zarr::dtype::NUMBERS;
use crate::json::Json;
use crate::model::{Atomic, Endianness};

/// Returns the letter and size of a number type, or `None` for text.
fn number(ty: Atomic) -> Option<&'static str> {
    let row = NUMBERS.iter().find(|row| row.ty == ty)?;
    Some(row.v2)
}

/// Returns the `dtype` of a version 2 array without szip. Strings have `width` bytes.
#[must_use]
pub(crate) fn v2(ty: Atomic, order: Endianness, pure: bool, width: u64) -> String {
    let sign = match order {
        _ if ty.size() == Some(1) => '|',
        Endianness::Little => '<',
        Endianness::Big => '>',
    };
    match number(ty) {
        Some(number) => format!("{sign}{number}"),
        None if ty == Atomic::String => format!("|S{width}"),
        None if pure => "|S1".to_owned(),
        None => ">S1".to_owned(),
    }
}

/// Like [`v2`], for an array with szip. netCDF-C cannot open stores that use szip for bytes without a byte order. No other reader decodes
/// szip.
#[must_use]
pub(crate) fn v2_szip(ty: Atomic, order: Endianness, pure: bool, width: u64) -> String {
    match (ty, number(ty)) {
        (Atomic::Byte | Atomic::UByte, Some(number)) => format!("<{number}"),
        _ => v2(ty, order, pure, width),
    }
}

/// Returns the recorded type of an attribute. Strings have `width` bytes.
#[must_use]
pub(crate) fn recorded(ty: Atomic, width: u64) -> String {
    match number(ty) {
        Some(number) => format!("<{number}"),
        None if ty == Atomic::String => format!("|S{width}"),
        None => ">S1".to_owned(),
    }
}

/// Returns the `data_type` of a version 3 array. Strings have variable length, with or without netCDF's metadata: zarr-python does not read
/// the `r<n>` of the NCZarr document.
#[must_use]
pub(crate) fn v3(ty: Atomic, pure: bool) -> Json {
    match (ty == Atomic::Char, pure) {
        (true, true) => fixed_text(1),
        (true, false) => Json::text("uint8"),
        (false, _) => Json::text(recorded3(ty)),
    }
}

/// Returns the recorded type of an attribute in version 3.
#[must_use]
pub(crate) fn recorded3(ty: Atomic) -> &'static str {
    match NUMBERS.iter().find(|row| row.ty == ty) {
        Some(row) => row.v3,
        None if ty == Atomic::Char => "char",
        None => "string",
    }
}

/// Returns the `data_type` of fixed-size texts in version 3.
#[must_use]
pub(crate) fn fixed_text(width: u64) -> Json {
    let configuration = Json::object([("length_bytes", Json::int(width))]);
    named("null_terminated_bytes", configuration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let (little, big) = (Endianness::Little, Endianness::Big);
        assert_eq!(v2(Atomic::Byte, big, false, 0), "|i1");
        assert_eq!(v2(Atomic::UInt, big, false, 0), ">u4");
        assert_eq!(v2_szip(Atomic::UByte, little, false, 0), "<u1");
        assert_eq!(v2_szip(Atomic::Byte, big, true, 0), "<i1");
        assert_eq!(v2_szip(Atomic::UInt, big, false, 0), ">u4");
        assert_eq!(v2_szip(Atomic::Char, big, false, 0), ">S1");
        assert_eq!(v2(Atomic::Double, little, true, 0), "<f8");
        assert_eq!(v2(Atomic::Char, little, false, 0), ">S1");
        assert_eq!(v2(Atomic::Char, little, true, 0), "|S1");
        assert_eq!(v2(Atomic::String, little, true, 7), "|S7");
        assert_eq!(recorded(Atomic::Byte, 0), "<i1");
        assert_eq!(v3(Atomic::String, false), Json::text("string"));
    }
}
