//! Conversion between variable types and types in memory.

use crate::error::{Error, Result};
use crate::model::convert::convert_fitting;
use crate::model::kind::Model;
use crate::model::{Atomic, Kind, Region, Values};

/// Converts stored values to a type in memory. Also returns an error for values that do not fit.
pub(super) fn read(values: Values, ty: Atomic, kind: Kind) -> Result<(Values, Option<Error>)> {
    let values = match (values, ty) {
        (Values::Enum(_, base), _) => *base,
        (Values::Byte(v), Atomic::UByte) if bytes_have_no_sign(kind) => {
            let bytes = v.into_iter().map(i8::cast_unsigned);
            return Ok((Values::UByte(bytes.collect()), None));
        }
        (values, _) => values,
    };
    to(values, ty, &ty.default_fill())
}

/// Converts values in memory to the type of a variable with the fill value `fill`. Also returns an error for values that do not fit.
pub(super) fn written(
    values: Values,
    ty: Atomic,
    (fill, kind): (&Values, Kind),
) -> Result<(Values, Option<Error>)> {
    match (values, ty) {
        (Values::UByte(v), Atomic::Byte) if bytes_have_no_sign(kind) => {
            let bytes = v.into_iter().map(u8::cast_signed);
            Ok((Values::Byte(bytes.collect()), None))
        }
        (values, _) => to(values, ty, fill),
    }
}

fn to(values: Values, ty: Atomic, fill: &Values) -> Result<(Values, Option<Error>)> {
    match values.data_type() == Some(ty) {
        true => Ok((values, None)),
        false => convert_fitting(&values, ty, fill),
    }
}

/// Returns whether `byte` stands for signed and unsigned numbers, because the kind has no other one-byte type.
fn bytes_have_no_sign(kind: Kind) -> bool {
    kind.model == Model::Classic
}

/// Converts the element index in an error from a block of a region to the whole region.
pub(super) fn in_region(e: Error, part: &Region, region: &Region) -> Error {
    if part == region {
        return e;
    }
    let start: Vec<String> = part.start.iter().map(u64::to_string).collect();
    e.within(&format!("from ({}) on", start.join(", ")))
}
